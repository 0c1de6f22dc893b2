// Two methods side by side: what differs, marked in the pictures and in a table.

/** A link differs where its busy time is more than this share above that of the other plan. */
const DIFFERS = 0.1;

const LINKS_LISTED = 12;

/** The links that are busier under the first plan by more than a tenth. */
function busierLinks(values, others) {
  const marks = new Uint8Array(values.length);
  for (let link = 0; link < values.length; link++) marks[link] = values[link] > others[link] * (1 + DIFFERS) ? 1 : 0;
  return marks;
}

/** The nodes of tasks that are elsewhere in the other plan. */
function movedNodes(plan, other) {
  const nodes = new Set();
  plan.node.forEach((node, task) => {
    if (node !== other.node[task]) nodes.add(node);
  });
  return nodes;
}

/** How many tasks are elsewhere. */
function movedTasks(plan, other) {
  return plan.node.reduce((count, node, task) => count + (node !== other.node[task] ? 1 : 0), 0);
}

const sum = (list) => list.reduce((a, b) => a + b, 0);

/** A table of what differs: times and traffic first, then the links that differ most. */
function differenceTable(one, two) {
  const machine = one.machine;
  const link = (plan) => (plan.busiest ? plan.busiest.map((node) => machine.nodeName(node)).join(" \u2192 ") : NONE);
  const cycles = (plan) => (plan.cycles === null ? NONE : grouped(plan.cycles));
  const gap = (plan) => (plan.gap === null ? NONE : percent(plan.gap));
  const [here, there] = [one.all.busy, two.all.busy];
  const rows = [
    ["Simulated time, cycles", cycles(one), cycles(two), difference(one.cycles, two.cycles)],
    ["Gap to bound", gap(one), gap(two), ""],
    ["All routes, links", grouped(one.hops), grouped(two.hops), difference(one.hops, two.hops)],
    ["Busiest link", link(one), link(two), ""],
    ["Links busier by more than 10" + THIN + "%", grouped(sum(busierLinks(here, there))), grouped(sum(busierLinks(there, here))), ""],
  ];
  const apart = [...here.keys()].filter((id) => here[id] !== there[id]);
  apart.sort((a, b) => Math.abs(here[b] - there[b]) - Math.abs(here[a] - there[a]) || a - b);
  for (const id of apart.slice(0, LINKS_LISTED)) {
    rows.push(["Link " + machine.linkName(id) + ", busy cycles", grouped(here[id]), grouped(there[id]), difference(here[id], there[id])]);
  }
  const head = ["What", one.name, two.name, "Difference"];
  const titles = ["What is compared", "The method on the left", "The method on the right", "The right one minus the left one"];
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map((name, i) => {
    return make("th", { scope: "col", title: titles[i], class: i ? undefined : "words" }, name);
  }))));
  const body = make("tbody");
  for (const [name, ...cells] of rows) {
    body.append(make("tr", {}, make("th", { scope: "row", class: "words" }, name), ...cells.map((cell) => make("td", {}, cell))));
  }
  table.append(body);
  return table;
}

function difference(one, two) {
  if (one === null || two === null) return NONE;
  return (two < one ? "-" : "") + grouped(Math.abs(two - one));
}

/** What differs in one sentence. */
function differenceWords(one, two) {
  const moved = movedTasks(one, two);
  const place = moved ? `${grouped(moved)} of ${counted(one.node.length, "task")} are elsewhere (framed)` : "Every task is on the same node";
  return `${place}. A dot marks a link that is busier here than in the other picture by more than 10${THIN}%.`;
}

/** Fills the box below the pictures, or empties it. */
function showDifferences(box, plans) {
  box.replaceChildren();
  if (!plans) return;
  const table = differenceTable(...plans);
  const words = make("p", { class: "note" }, differenceWords(...plans));
  box.append(make("h3", {}, "Differences"), words, make("div", { class: "scroll", tabindex: 0 }, table));
  prepareTable(table);
}
