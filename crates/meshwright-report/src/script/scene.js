// What an explorer shows at the moment: colours, words, and the list of messages.
Object.assign(Explorer.prototype, {
  /** The values that colour the links of a plan: of the whole run, of a phase, or what moves. */
  values(plan) {
    if (this.moment === 0) return plan.all.busy;
    if (plan.shownAt !== this.moment) {
      plan.shownAt = this.moment;
      plan.shownValues = this.byTime ? this.movingIn(plan).busy : plan.inPhase(this.moment - 1).busy;
    }
    return plan.shownValues;
  },

  scene(index) {
    const plan = this.plans[index];
    const all = this.plans.map((each) => this.values(each));
    const most = (lists) => lists.reduce((top, list) => list.reduce((a, b) => Math.max(a, b), top), 0);
    const other = this.plans.length > 1 && this.moment === 0 ? this.plans[1 - index] : null;
    const { link, node } = this.current();
    let others = null;
    return {
      values: all[index],
      greatest: most(all),
      statistic: this.statistic,
      greatestMean: (side) => most(all.map((list) => tiles(this.machine, list, side).map((tile) => tile.mean))),
      differs: other && busierLinks(all[index], all[1 - index]),
      differsIn: (tile, side) => {
        others = others || new Map(tiles(this.machine, all[1 - index], side).map((each) => [each.node, each.mean]));
        return tile.mean > others.get(tile.node) * (1 + DIFFERS);
      },
      moved: other && movedNodes(plan, other),
      lit: this.lit[index] || [],
      link,
      node,
    };
  },

  draw() {
    if (!this.view.width || !this.plans) return;
    const dots = window.devicePixelRatio || 1;
    this.plans.forEach((plan, index) => {
      const { canvas, caption } = this.panes[index];
      const [width, height] = [Math.round(this.view.width * dots), Math.round(this.view.height * dots)];
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      canvas.style.width = this.view.width + "px";
      canvas.style.height = this.view.height + "px";
      canvas.style.touchAction = this.view.isFit() ? "pan-y" : "none";
      const time = plan.cycles === null ? "" : ": " + counted(plan.cycles, "cycle");
      caption.textContent = plan.name + time;
      canvas.setAttribute("aria-label", "Busy time of each link, method " + plan.name);
      const surface = new CanvasSurface(canvas);
      surface.pen.setTransform(dots, 0, 0, dots, 0, 0);
      paint(surface, plan, this.view, this.scene(index));
    });
    this.showLegend();
  },

  /** The pictures as they are, side by side. */
  picture() {
    const { width, height } = this.view;
    const surfaces = this.plans.map((plan, index) => {
      const surface = new SvgSurface(width, height);
      paint(surface, plan, this.view, this.scene(index));
      return surface;
    });
    const all = width * surfaces.length + 16 * (surfaces.length - 1);
    return { text: sideBySide(surfaces, all, height), width: all, height };
  },

  showLegend() {
    const bar = make("span", { class: "bar" });
    const steps = Array.from({ length: STEPS }, (_, i) => `var(--v${STEPS - 1 - i})`);
    bar.style.background = `linear-gradient(to right, ${steps.join(",")})`;
    const scene = this.scene(0);
    const side = tileSide(this.machine, this.view.scale);
    if (this.moment > 0 && this.byTime) {
      const strong = make("span", { class: "bar" });
      strong.style.background = "var(--v0)";
      return this.legend.replaceChildren(strong, " a message moves here");
    }
    const isMean = side > 1 && this.statistic === "mean";
    const most = isMean ? scene.greatestMean(side) : scene.greatest;
    let words = ` ${counted(most, "cycle")}`;
    if (side > 1) words += `; a tile stands for ${side} \u00d7 ${side} nodes: ${isMean ? "the mean of the links that leave" : "the busiest link that leaves"} them`;
    this.legend.replaceChildren("0 ", bar, words);
  },

  /** What is pointed at or chosen, in words. */
  tell() {
    if (this.pointed && this.pointed.tile) return this.tellTile(this.pointed.tile);
    const { link, node } = this.current();
    const sentences = this.plans.map((plan, index) => {
      if (link < 0 && node < 0) return "";
      const name = this.plans.length > 1 ? plan.name + ": " : "";
      return name + (link >= 0 ? this.wordsOfLink(plan, link) : this.wordsOfNode(plan, node, this.lit[index])) + ".";
    });
    const what = link >= 0 ? "Link " + this.machine.linkName(link) : node >= 0 ? "Node " + this.machine.nodeName(node) : "";
    this.told.textContent = what ? what + ". " + sentences.join(" ") : "Point at a link or a node, or choose one with the keys.";
  },

  wordsOfLink(plan, link) {
    const busy = counted(this.values(plan)[link], "cycle");
    const when = this.moment === 0 ? "busy for " + busy : this.byTime ? (this.values(plan)[link] ? "in use now" : "not in use now") : `busy for ${busy} in this phase`;
    const { crossing } = plan.all;
    return when + (crossing ? ", " + counted(crossing[link], "message") + " in all" : "");
  },

  wordsOfNode(plan, node, lit) {
    if (this.machine.deadNodes.has(node)) return "dead";
    const tasks = plan.tasksOn.get(node) || [];
    if (!tasks.length) return "no task";
    const named = tasks.length > 1 ? "tasks " : "task ";
    const list = tasks.slice(0, 8).join(", ") + (tasks.length > 8 ? ", \u2026" : "");
    const has = (ends, message) => tasks.includes(ends[message]);
    const bytes = (ends) => sum(lit.filter((message) => has(ends, message)).map((message) => this.job.bytes[message]));
    if (!this.job.messages) return named + list;
    return `${named}${list}, sends ${counted(bytes(this.job.source), "byte")}, receives ${counted(bytes(this.job.target), "byte")}`;
  },

  tellTile(tile) {
    const words = `${counted(tile.width * tile.height, "node")} from ${this.machine.nodeName(tile.node)} on. `;
    const link = tile.max > 0 ? `Their busiest link is ${this.machine.linkName(tile.link)}: ${counted(tile.max, "cycle")}` : "Their links carry nothing";
    this.told.textContent = words + link + (tile.max > 0 ? `; the mean is ${counted(tile.mean, "cycle")}.` : ".");
  },

  /** The messages of what is chosen; each lights its own route when it has the focus. */
  listMessages() {
    this.list.replaceChildren();
    if (this.job.messages) this.light();
    const lit = this.lit[0] || [];
    if (!lit.length) return;
    const plan = this.plans[0];
    const heads = [
      ["Phase", "The phase of the message"], ["From task", "The task that sends"], ["To task", "The task that receives"],
      ["Bytes", "How much is sent"], ["Links", "How many links its route has"],
      ["Cycles on a link", "How long it occupies each link of its route"],
    ];
    const head = make("tr", {}, ...heads.map(([name, title]) => make("th", { scope: "col", title }, name)));
    const body = make("tbody");
    for (const message of lit.slice(0, MESSAGES_LISTED)) {
      const alone = () => this.set(() => (this.lit = this.plans.map(() => [message])));
      const all = () => this.set(() => this.light());
      const { phases, source, target, bytes } = this.job;
      const numbers = [phases[this.job.phaseOf(message)][0], source[message], target[message], bytes[message], plan.route(message).length, Math.ceil(plan.occupied(message))];
      const row = { tabindex: 0, focus: alone, blur: all, pointerenter: alone, pointerleave: all };
      body.append(make("tr", row, ...numbers.map((number) => make("td", {}, grouped(number)))));
    }
    const table = make("table", { class: "messages" }, make("thead", {}, head), body);
    const { link, node } = this.chosen;
    const what = link >= 0 ? "over " + this.machine.linkName(link) : "of node " + this.machine.nodeName(node);
    const rest = lit.length > MESSAGES_LISTED ? `, the ${MESSAGES_LISTED} largest` : "";
    const title = make("h3", {}, `${counted(lit.length, "message")} ${what}${rest}`);
    this.list.append(title, make("div", { class: "scroll", tabindex: 0 }, table));
    prepareTable(table);
  },
});

function sideBySide(surfaces, width, height) {
  const whole = new SvgSurface(width, height);
  surfaces.forEach((surface, i) => {
    const shift = i * (surface.size.width + 16);
    whole.parts.push(`<svg x="${shift}" width="${surface.size.width}" height="${height}">${surface.parts.join("")}` + "\x3c/svg>");
  });
  return whole.finish();
}
