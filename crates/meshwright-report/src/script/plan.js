// A job and its placements: what each link carries, in all, in a phase, and at a moment.
class Job {
  constructor(data, machine) {
    Object.assign(this, data);
    this.machine = machine;
    this.starts = [0];
    for (const [, count] of this.phases) this.starts.push(this.starts[this.starts.length - 1] + count);
    this.count = this.starts[this.starts.length - 1];
    if (this.messages) this.readMessages();
    this.plans = this.methods.map((method) => new Plan(method, this));
  }

  readMessages() {
    const list = numbers(this.messages);
    this.source = new Int32Array(this.count);
    this.target = new Int32Array(this.count);
    this.bytes = new Float64Array(this.count);
    for (let i = 0, source = 0, bytes = 0; i < this.count; i++) {
      this.source[i] = source += list[3 * i];
      this.target[i] = source + list[3 * i + 1];
      this.bytes[i] = bytes += list[3 * i + 2];
    }
    this.messages = true;
  }

  phaseOf(message) {
    let [low, high] = [0, this.phases.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= message) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

class Plan {
  constructor(data, job) {
    Object.assign(this, data);
    this.job = job;
    this.machine = job.machine;
  }

  /** Reads what is written down, when the plan is first looked at. */
  open() {
    if (this.node) return this;
    this.node = Int32Array.from(summed(this.nodes));
    this.tasksOn = new Map();
    this.node.forEach((node, task) => {
      if (!this.tasksOn.has(node)) this.tasksOn.set(node, []);
      this.tasksOn.get(node).push(task);
    });
    this.knowsRoutes = this.busy === null;
    if (this.routes !== null) this.readRoutes();
    this.ends = this.phase_cycles.map(((sum) => (cycles) => (sum += cycles))(0));
    this.length = this.ends[this.ends.length - 1] || 0;
    if (this.arrivals !== null) this.arrival = summed(this.arrivals);
    if (this.busy !== null) this.all = { busy: unrolled(this.busy, this.machine.links), crossing: null };
    else this.all = this.loads(0, this.job.count, true);
    return this;
  }

  readRoutes() {
    const list = numbers(this.routes);
    this.stored = [];
    for (let i = 0, last = 0; i < list.length; ) {
      const route = new Int32Array(list[i++]);
      for (let hop = 0; hop < route.length; hop++) route[hop] = last += list[i++];
      this.stored.push(route);
    }
  }

  /** Visits the links of a message in their order. */
  walk(message, visit) {
    if (this.stored) this.stored[message].forEach(visit);
    else this.machine.walk(this.node[this.job.source[message]], this.node[this.job.target[message]], visit);
  }

  /** The links of a message in their order. */
  route(message) {
    const links = [];
    this.walk(message, (link) => links.push(link));
    return links;
  }

  /** How long a message occupies a link, in cycles. */
  occupied(message) {
    const { byte_time, startup, store_and_forward } = this.machine;
    return this.job.bytes[message] * byte_time + (store_and_forward ? startup : 0);
  }

  /** Busy time and messages of each link, over messages from one to another. */
  loads(from, to, repeated) {
    const busy = new Float64Array(this.machine.links);
    const crossing = new Uint32Array(this.machine.links);
    for (let message = from; message < to; message++) {
      const times = repeated ? this.job.phases[this.job.phaseOf(message)][2] : 1;
      const cycles = this.occupied(message) * times;
      this.walk(message, (link) => {
        busy[link] += cycles;
        crossing[link] += times;
      });
    }
    // A fraction of a cycle counts as one, as in the tables.
    for (let link = 0; link < busy.length; link++) busy[link] = Math.ceil(busy[link] - 1e-9);
    return { busy, crossing };
  }

  /** The loads of one phase, once. */
  inPhase(phase) {
    if (!this.phased || this.phased.phase !== phase) {
      this.phased = { phase, ...this.loads(this.job.starts[phase], this.job.starts[phase + 1], false) };
    }
    return this.phased;
  }

  /** The messages over a link, the largest first. */
  over(link) {
    const found = [];
    if (!this.knowsRoutes) return found;
    for (let message = 0; message < this.job.count; message++) {
      this.walk(message, (other) => {
        if (other === link) found.push(message);
      });
    }
    return found.sort((a, b) => this.job.bytes[b] - this.job.bytes[a] || a - b);
  }

  /** The messages that a node sends or receives, the largest first. */
  at(node) {
    const tasks = new Set(this.tasksOn.get(node) || []);
    const found = [];
    for (let message = 0; this.job.messages && message < this.job.count; message++) {
      if (tasks.has(this.job.source[message]) || tasks.has(this.job.target[message])) found.push(message);
    }
    return found.sort((a, b) => this.job.bytes[b] - this.job.bytes[a] || a - b);
  }

  /** The phase that runs at a moment, and how far it has come: in its present repetition. */
  moment(cycle) {
    let phase = this.ends.findIndex((end) => cycle < end);
    if (phase < 0) phase = this.ends.length - 1;
    const begin = phase > 0 ? this.ends[phase - 1] : 0;
    const once = (this.ends[phase] - begin) / this.job.phases[phase][2] || 1;
    return { phase, into: (cycle - begin) % once };
  }

  /**
   * What moves at a moment: a message is on all links of its route while its bytes move, in the time it takes alone
   * before it arrives; before that it waits. Under store-and-forward it is on one link after the other.
   */
  moving(cycle) {
    const { phase, into } = this.moment(cycle);
    const { byte_time, startup, flit, store_and_forward } = this.machine;
    const busy = new Float64Array(this.machine.links);
    let [moving, waiting] = [0, 0];
    for (let message = this.job.starts[phase]; message < this.job.starts[phase + 1]; message++) {
      const arrival = this.arrival[message];
      if (arrival <= into) continue;
      const route = this.route(message);
      const transfer = this.job.bytes[message] * byte_time;
      const hop = startup + transfer;
      const alone = store_and_forward ? route.length * hop : startup + transfer + route.length * flit * byte_time;
      const begin = arrival - alone;
      if (into < begin) {
        waiting++;
        continue;
      }
      moving++;
      if (store_and_forward) busy[route[Math.min(route.length - 1, Math.floor((into - begin) / hop))]] = 1;
      else for (const link of route) busy[link] = 1;
    }
    return { phase, busy, moving, waiting };
  }
}
