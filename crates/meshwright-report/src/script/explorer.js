// The section of a job: its machine with choices, replay, and the messages of what is pointed at.
const MESSAGES_LISTED = 20;

/** Routes of a plan with more hops are lit when they are chosen, not when they are pointed at. */
const HOPS_POINTED_MAX = 4e6;

class Explorer {
  constructor(job, section) {
    this.job = job;
    this.machine = job.machine;
    this.view = new View(this.machine);
    this.statistic = "max";
    this.lit = [];
    this.pointed = null;
    this.chosen = { link: -1, node: -1 };
    this.cursor = 0;
    this.moment = 0;
    this.build(section);
    this.choosePlan(0);
    this.set(() => this.culprit());
    new ResizeObserver(() => setTimeout(() => this.resize())).observe(this.panesBox);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  build(section) {
    const names = this.job.plans.map((plan) => plan.name + (plan.best ? " (best)" : ""));
    const options = (list, first) => [...first, ...list.map((name, i) => make("option", { value: i }, name))];
    const choose = (label, list, act, first = []) => {
      const select = make("select", { change: () => act(select.value) }, ...options(list, first));
      return make("label", {}, label + " ", select);
    };
    this.panes = [this.pane(0), this.pane(1)];
    this.panesBox = make("div", { class: "panes" }, ...this.panes.map((pane) => pane.box));
    this.legend = make("p", { class: "legend" });
    this.told = make("p", { class: "told", "aria-live": "polite" });
    this.list = make("div", { class: "list" });
    this.differences = make("div", { class: "differences" });
    const controls = make("p", { class: "controls" }, choose("Method", names, (value) => this.choosePlan(Number(value))));
    if (names.length > 1) {
      const none = make("option", { value: "" }, "nothing");
      controls.append(choose("Beside it", names, (value) => this.choosePlan(this.shown[0], value === "" ? -1 : Number(value)), [none]));
    }
    if (tileSide(this.machine, 560 / this.machine.width) > 0) {
      const act = (value) => this.set(() => (this.statistic = value === "0" ? "max" : "mean"));
      this.statisticLabel = choose("A tile shows", ["its busiest link", "the mean of its links"], act);
      controls.append(this.statisticLabel);
    }
    const middle = () => [this.view.width / 2, this.view.height / 2];
    const zoom = (factor) => () => this.set(() => this.view.zoom(factor, ...middle()));
    const tools = [
      button("+", "Zoom in", zoom(1.5)),
      button("\u2212", "Zoom out", zoom(1 / 1.5)),
      button("All", "Show the whole machine", () => this.set(() => this.view.fit())),
      button("Busiest link", "Show the messages of the busiest link", () => this.set(() => this.culprit())),
      ...pictureTools(() => stem(this.job.name, this.plans[0].name, "links"), () => this.picture()),
    ];
    controls.append(make("span", { class: "buttons" }, ...tools));
    const keys = "Keys, when a picture has the focus: arrows go from node to node, Shift and an arrow choose the link that way, L the " +
      "next link of the node, + and \u2212 zoom, 0 shows all, Enter lists the messages, Esc clears. Drag to move; pinch or turn the wheel to zoom.";
    const box = make("section", { class: "explorer", "aria-label": "Links and routes" });
    const pictures = make("div", {}, this.panesBox, this.legend);
    if (this.job.messages) pictures.append(this.replay());
    this.stage = make("div", { class: "stage" }, pictures, make("div", {}, this.told, this.list));
    const explained = make("p", { class: "keys" }, keys);
    box.append(make("h3", {}, "Busy time of each link"), controls, this.stage, this.differences, explained);
    section.querySelector("details.method").before(box);
    section.classList.add("explored");
  }

  pane(index) {
    const label = "Machine with the busy time of its links";
    const canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": label });
    const caption = make("figcaption");
    const box = make("figure", { hidden: index > 0 }, caption, canvas);
    listen(canvas, this.view, {
      point: (x, y) => this.point(index, x, y),
      choose: (x, y) => this.set(() => this.choose(index, x, y)),
      leave: () => this.set(() => this.hover(null)),
      change: () => this.draw(),
      step: (x, y, asLink) => this.step(x, y, asLink),
      turn: () => this.turn(),
      pin: () => this.listMessages(),
      clear: () => this.select(-1, -1),
    });
    return { box, canvas, caption };
  }

  choosePlan(first, second = this.shown ? this.shown[1] : -1) {
    this.set(() => {
      this.shown = [first, second === first ? -1 : second];
      this.plans = this.shown.filter((index) => index >= 0).map((index) => this.job.plans[index].open());
      const isPair = this.plans.length > 1;
      this.panes[1].box.hidden = !isPair;
      this.stage.classList.toggle("pair", isPair);
      this.moment = 0;
      this.light();
      showDifferences(this.differences, isPair ? this.plans : null);
      this.view.room = 0;
      this.resize();
      this.rewind();
      this.listMessages();
    });
  }

  /** Does something, then draws once. */
  set(change) {
    change();
    this.draw();
  }

  resize() {
    const width = this.panes[0].box.clientWidth;
    if (!width || width === this.view.room) return;
    this.view.resize(width);
    this.draw();
  }

  /** The busiest link of the first plan, with its messages. */
  culprit() {
    const [from, to] = this.plans[0].busiest || [-1, -1];
    const link = from >= 0 && from < this.machine.nodes ? this.machine.link(from, to) : -1;
    this.select(link, -1);
    if (link >= 0) this.cursor = from;
    this.listMessages();
  }

  /** Chooses a link or a node: its messages are lit. */
  select(link, node) {
    this.chosen = { link, node };
    this.light();
  }

  /** What is pointed at, else what is chosen. */
  current() {
    const what = this.pointed;
    if (!what || what.tile) return this.chosen;
    return { link: what.link === undefined ? -1 : what.link, node: what.node === undefined ? -1 : what.node };
  }

  /** Lights the routes of what is pointed at or chosen. */
  light() {
    const { link, node } = this.current();
    const isSlow = (plan) => this.pointed && plan.hops > HOPS_POINTED_MAX;
    const of = (plan) => (isSlow(plan) ? [] : link >= 0 ? plan.over(link) : node >= 0 ? plan.at(node) : []);
    this.lit = this.plans.map(of);
    this.tell();
  }

  /** What is pointed at for a moment; the choice comes back when the pointer leaves. */
  hover(what) {
    const key = (it) => (it ? JSON.stringify([it.link, it.node, it.tile && it.tile.node]) : "");
    if (key(what) === key(this.pointed)) return;
    this.pointed = what;
    this.light();
  }

  point(index, x, y) {
    if (this.waits) return;
    this.waits = true;
    // Once a frame: the pointer moves more often.
    setTimeout(() => {
      this.waits = false;
      const plan = this.plans[index];
      if (plan) this.set(() => this.hover(found(plan, this.view, this.values(plan), x, y)));
    }, 16);
  }

  choose(index, x, y) {
    const what = found(this.plans[index], this.view, this.values(this.plans[index]), x, y);
    if (!what) return this.select(-1, -1);
    const link = what.tile ? what.tile.link : what.link === undefined ? -1 : what.link;
    this.select(link, what.node === undefined ? -1 : what.node);
    this.cursor = link >= 0 ? this.machine.sources[link] : what.node;
    this.listMessages();
  }

  step(x, y, asLink) {
    const machine = this.machine;
    const side = asLink ? 1 : Math.max(1, tileSide(machine, this.view.scale));
    let next = machine.nodeAt(machine.x[this.cursor] + x * side, machine.y[this.cursor] + y * side);
    if (!machine.plane) next = (this.cursor + x + y + machine.nodes) % machine.nodes;
    if (asLink) {
      // The lowest bit of a row or column of a hypercube is that of the tile beside.
      const axis = machine.dimensions - (x ? 1 : machine.cube ? machine.across + 1 : 2);
      const to = machine.plane ? (axis >= 0 ? machine.step(this.cursor, axis, x + y > 0) : this.cursor) : next;
      const link = to === this.cursor ? -1 : machine.link(this.cursor, to);
      if (link >= 0) this.select(link, -1);
      return;
    }
    if (next >= 0) this.cursor = next;
    this.view.show(this.cursor);
    this.select(-1, this.cursor);
  }

  /** The next link that leaves the node of the cursor. */
  turn() {
    const [first, end] = [this.machine.first[this.cursor], this.machine.first[this.cursor + 1]];
    const leaves = (link) => this.machine.ends[link] !== this.cursor;
    const links = Array.from({ length: end - first }, (_, i) => first + i).filter(leaves);
    if (links.length) this.select(links[(links.indexOf(this.chosen.link) + 1) % links.length], -1);
  }
}
