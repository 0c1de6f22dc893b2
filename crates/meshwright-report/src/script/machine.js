// A machine: where its nodes are, where its links lead, what they are called. Lengths are in tiles of one node.
class Machine {
  constructor(data) {
    Object.assign(this, data);
    this.dimensions = this.sides.length;
    this.strides = this.sides.map((_, axis) => this.sides.slice(axis + 1).reduce((a, b) => a * b, 1));
    this.deadNodes = new Set(this.dead);
    this.wire();
    this.arrange();
  }

  /** Source and target of each link by its number; a port without a link leads back to its node. */
  wire() {
    if (!this.whole) {
      const ports = numbers(this.ports);
      const steps = numbers(this.targets);
      this.first = new Int32Array(this.nodes + 1);
      this.sources = new Int32Array(steps.length);
      this.ends = new Int32Array(steps.length);
      for (let node = 0, link = 0; node < this.nodes; node++) {
        this.first[node] = link;
        for (let port = 0; port < ports[node]; port++, link++) {
          this.sources[link] = node;
          this.ends[link] = node + steps[link];
        }
        this.first[node + 1] = link;
      }
      this.links = steps.length;
      return;
    }
    const fan = 2 * this.dimensions;
    this.links = this.nodes * fan;
    this.first = Int32Array.from({ length: this.nodes + 1 }, (_, node) => node * fan);
    this.sources = new Int32Array(this.links);
    this.ends = new Int32Array(this.links);
    for (let link = 0; link < this.links; link++) {
      const node = Math.floor(link / fan);
      this.sources[link] = node;
      this.ends[link] = this.step(node, this.axisOf(link), link % 2 === 0);
    }
  }

  /** The axis of a link on a box: the last axis has the first ports. */
  axisOf(link) {
    return this.dimensions - 1 - Math.floor((link - this.first[this.sources[link]]) / 2);
  }

  coordinate(node, axis) {
    return Math.floor(node / this.strides[axis]) % this.sides[axis];
  }

  /** One step along an axis; the node itself at the border of a mesh. */
  step(node, axis, up) {
    const side = this.sides[axis];
    const at = this.coordinate(node, axis);
    const next = up ? at + 1 : at - 1;
    if (next >= 0 && next < side) return node + (next - at) * this.strides[axis];
    if (!this.wraps || side <= 2) return node;
    return node + ((up ? 0 : side - 1) - at) * this.strides[axis];
  }

  /** Visits the links of the dimension-order route, the last axis first. */
  walk(from, to, visit) {
    const fan = 2 * this.dimensions;
    for (let axis = this.dimensions - 1, at = from; axis >= 0; axis--) {
      const [side, stride] = [this.sides[axis], this.strides[axis]];
      let place = this.coordinate(at, axis);
      const goal = this.coordinate(to, axis);
      let up = goal >= place;
      let steps = Math.abs(place - goal);
      const around = side - steps;
      // Half-way round a torus, up.
      if (this.wraps && side > 2 && (around < steps || (around === steps && !up))) [steps, up] = [around, !up];
      const port = 2 * (this.dimensions - 1 - axis) + (up ? 0 : 1);
      for (; steps > 0; steps--) {
        visit(at * fan + port);
        const next = (place + (up ? 1 : side - 1)) % side;
        at += (next - place) * stride;
        place = next;
      }
    }
  }

  /** Planes beside and below each other, or nodes on a circle. */
  arrange() {
    this.x = new Float64Array(this.nodes);
    this.y = new Float64Array(this.nodes);
    if (this.dimensions === 0) return this.arrangeRound();
    // A hypercube is one plane: the lower half of the bits of a node is its column.
    this.cube = this.dimensions > 2 && this.sides.every((side) => side === 2);
    this.across = Math.ceil(this.dimensions / 2);
    const columns = this.cube ? 2 ** this.across : this.sides[this.dimensions - 1];
    const rows = this.cube ? this.nodes / columns : this.dimensions > 1 ? this.sides[this.dimensions - 2] : 1;
    const planes = this.nodes / (rows * columns);
    const square = Math.ceil(Math.sqrt((planes * rows) / columns));
    const abreast = Math.ceil(planes / Math.ceil(planes / Math.max(1, Math.min(planes, square))));
    const gap = this.wraps && !this.cube ? 2 : 1;
    // Room for the name of a plane above it.
    const head = planes > 1 ? 1 : 0;
    for (let node = 0; node < this.nodes; node++) {
      const plane = Math.floor(node / (rows * columns));
      this.x[node] = (plane % abreast) * (columns + gap) + (node % columns) + 0.5;
      this.y[node] = Math.floor(plane / abreast) * (rows + gap) + (Math.floor(node / columns) % rows) + 0.5 + head;
    }
    this.plane = { rows, columns, planes, abreast, gap, head };
    this.width = abreast * (columns + gap) - gap;
    this.height = head + Math.ceil(planes / abreast) * (rows + gap) - gap;
  }

  arrangeRound() {
    const radius = Math.max(1.5, this.nodes / (2 * Math.PI));
    for (let node = 0; node < this.nodes; node++) {
      const angle = (node / this.nodes) * 2 * Math.PI;
      this.x[node] = radius + 0.5 + radius * Math.sin(angle);
      this.y[node] = radius + 0.5 - radius * Math.cos(angle);
    }
    this.plane = null;
    this.width = this.height = 2 * radius + 1;
  }

  /** The node whose tile holds a point; -1 for none. */
  nodeAt(x, y) {
    if (!this.plane) {
      let best = -1;
      for (let node = 0, least = 0.5; node < this.nodes; node++) {
        const far = Math.hypot(this.x[node] - x, this.y[node] - y);
        if (far < least) [best, least] = [node, far];
      }
      return best;
    }
    const { rows, columns, planes, abreast, gap, head } = this.plane;
    y -= head;
    const [across, down] = [Math.floor(x / (columns + gap)), Math.floor(y / (rows + gap))];
    const [column, row] = [Math.floor(x - across * (columns + gap)), Math.floor(y - down * (rows + gap))];
    const plane = down * abreast + across;
    const inside = x >= 0 && y >= 0 && across < abreast && column < columns && row < rows && plane < planes;
    return inside ? plane * rows * columns + row * columns + column : -1;
  }

  /** The stroke of a link beside its twin: x and y of both ends. */
  stroke(link) {
    const [from, to] = [this.sources[link], this.ends[link]];
    const [x, y] = [this.x[from], this.y[from]];
    let [dx, dy] = [this.x[to] - x, this.y[to] - y];
    if (this.plane) {
      const axis = this.wired(link);
      const back = this.dimensions - axis.axis;
      const sign = axis.up ? 1 : -1;
      if (this.cube) return this.cubeStroke(x, y, back, sign);
      if (back > 2) {
        const angle = (Math.PI / 2) * ((axis.axis + 1) / (this.dimensions - 1));
        const [u, v] = [sign * Math.cos(angle), -sign * Math.sin(angle)];
        return [x + 0.3 * u, y + 0.3 * v, x + 0.6 * u, y + 0.6 * v];
      }
      [dx, dy] = back === 1 ? [sign, 0] : [0, sign];
      const end = Math.abs(this.x[to] - x) + Math.abs(this.y[to] - y) > 1.01 ? 0.62 : 0.77;
      return [x + 0.23 * dx - 0.1 * dy, y + 0.23 * dy + 0.1 * dx, x + end * dx - 0.1 * dy, y + end * dy + 0.1 * dx];
    }
    const length = Math.hypot(dx, dy) || 1;
    [dx, dy] = [dx / length, dy / length];
    const trim = Math.min(0.3, length / 3);
    const [px, py] = [x + trim * dx - 0.08 * dy, y + trim * dy + 0.08 * dx];
    return [px, py, px + (length - 2 * trim) * dx, py + (length - 2 * trim) * dy];
  }

  /** The stroke of a link of a hypercube: each bit has a lane of its own, only the lowest one leads to the next tile. */
  cubeStroke(x, y, bit, sign) {
    const [dx, dy] = bit <= this.across ? [sign, 0] : [0, sign];
    const above = (bit - 1) % this.across;
    const lane = 0.1 + above * Math.min(0.08, 0.3 / this.across);
    const end = above > 0 ? 0.62 : 0.77;
    return [x + 0.23 * dx - lane * dy, y + 0.23 * dy + lane * dx, x + end * dx - lane * dy, y + end * dy + lane * dx];
  }

  /** What a row or column is called: its number, on a hypercube its bits, if they are few. */
  rulerName(index, count) {
    const bits = Math.log2(count);
    return this.cube && bits <= 4 ? index.toString(2).padStart(bits, "0") : String(index);
  }

  /** The axis and direction of a link on a box, whichever way its links are numbered. */
  wired(link) {
    const [from, to] = [this.sources[link], this.ends[link]];
    if (this.whole) return { axis: this.axisOf(link), up: (link - this.first[from]) % 2 === 0 };
    for (let axis = this.dimensions - 1; axis >= 0; axis--) {
      for (const up of [true, false]) if (from !== to && this.step(from, axis, up) === to) return { axis, up };
    }
    return { axis: this.dimensions - 1, up: true };
  }

  /** The link from one node to another; -1 for none. */
  link(from, to) {
    for (let link = this.first[from]; link < this.first[from + 1]; link++) if (this.ends[link] === to) return link;
    return -1;
  }

  nodeName(node) {
    if (this.names === "id") return String(node);
    const places = this.sides.map((_, axis) => this.coordinate(node, axis));
    return this.names === "digits" ? places.join("") : "(" + places.join(", ") + ")";
  }

  /** The coordinates that the nodes of a plane share. */
  planeName(node) {
    return this.sides.slice(0, -2).map((_, axis) => this.coordinate(node, axis)).join(", ");
  }

  linkName(link) {
    return this.nodeName(this.sources[link]) + " \u2192 " + this.nodeName(this.ends[link]);
  }
}
