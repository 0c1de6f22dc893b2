// A machine on a canvas or as SVG: in tiles of many nodes when it is small on the screen, else link by link.
const STEPS = 24;

/** From here on, in pixels for one node, links are drawn one by one. */
const LINKS_FROM = 12;

/** Tiles of many nodes are about this large, in pixels. */
const TILE = 8;

const LABELS_FROM = 30;
const ROUTES_MAX = 400;
const RULER = { left: 30, top: 20 };

/** The colours of the page as it is now: light or dark. */
function inks() {
  const style = getComputedStyle(document.documentElement);
  const ink = (name) => style.getPropertyValue("--" + name).trim();
  const names = ["ink", "soft", "card", "line", "tile", "idle", "dead", "node", "unused", "ring", "accent"];
  const all = Object.fromEntries(names.map((name) => [name, ink(name)]));
  all.steps = Array.from({ length: STEPS }, (_, step) => ink("v" + step));
  return all;
}

/** The step of the palette of a value: 0 for the greatest. */
function stepOf(value, greatest) {
  return Math.round((1 - Math.min(1, value / (greatest || 1))) * (STEPS - 1));
}

class CanvasSurface {
  constructor(canvas) {
    this.pen = canvas.getContext("2d");
  }

  box(x, y, width, height, colour) {
    this.pen.fillStyle = colour;
    this.pen.fillRect(x, y, width, height);
  }

  /** Strokes, four numbers each. */
  lines(ends, colour, width) {
    if (!ends.length) return;
    const pen = this.pen;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (let i = 0; i < ends.length; i += 4) {
      pen.moveTo(ends[i], ends[i + 1]);
      pen.lineTo(ends[i + 2], ends[i + 3]);
    }
    pen.stroke();
  }

  circle(x, y, radius, fill, stroke, width) {
    const pen = this.pen;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) {
      pen.fillStyle = fill;
      pen.fill();
    }
    if (stroke) {
      pen.strokeStyle = stroke;
      pen.lineWidth = width;
      pen.stroke();
    }
  }

  text(x, y, words, colour, size, anchor) {
    this.pen.font = size + "px system-ui, 'DejaVu Sans', sans-serif";
    this.pen.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
    this.pen.fillStyle = colour;
    this.pen.fillText(words, x, y);
  }
}

const px = (number) => String(Math.round(number * 10) / 10);

class SvgSurface {
  constructor(width, height) {
    this.size = { width, height };
    this.parts = [];
  }

  box(x, y, width, height, colour) {
    const place = `x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}"`;
    this.parts.push(`<rect ${place} fill="${colour}"/>`);
  }

  lines(ends, colour, width) {
    let path = "";
    for (let i = 0; i < ends.length; i += 4) {
      path += `M${px(ends[i])} ${px(ends[i + 1])}L${px(ends[i + 2])} ${px(ends[i + 3])}`;
    }
    if (path) this.parts.push(`<path d="${path}" stroke="${colour}" stroke-width="${px(width)}" fill="none"/>`);
  }

  circle(x, y, radius, fill, stroke, width) {
    const ink = `fill="${fill || "none"}" stroke="${stroke || "none"}" stroke-width="${px(width || 0)}"`;
    this.parts.push(`<circle cx="${px(x)}" cy="${px(y)}" r="${px(radius)}" ${ink}/>`);
  }

  text(x, y, words, colour, size, anchor) {
    const style = `fill="${colour}" font-size="${size}" text-anchor="${anchor}"`;
    const escaped = words.replace(/&/g, "&amp;").replace(/\x3c/g, "&lt;");
    this.parts.push(`<text x="${px(x)}" y="${px(y)}" ${style}>${escaped}` + "\x3c/text>");
  }

  finish() {
    const { width, height } = this.size;
    const head = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
    return `<svg ${head} font-family="system-ui, 'DejaVu Sans', sans-serif">${this.parts.join("")}` + "\x3c/svg>";
  }
}

/** How many nodes a side of a tile stands for; 0 where links are drawn one by one. */
function tileSide(machine, scale) {
  if (!machine.plane || scale >= LINKS_FROM) return 0;
  let side = 1;
  while (side * scale < TILE) side *= 2;
  return side;
}

const tilesOf = new WeakMap();

/** The tiles of a machine: place, size, greatest and mean value of the links that leave it, and its busiest link. */
function tiles(machine, values, side) {
  const known = tilesOf.get(values) || new Map();
  tilesOf.set(values, known);
  if (known.has(side)) return known.get(side);
  const { rows, columns } = machine.plane;
  const [down, across] = [Math.ceil(rows / side), Math.ceil(columns / side)];
  const all = new Map();
  for (let node = 0; node < machine.nodes; node++) {
    const plane = Math.floor(node / (rows * columns));
    const [row, column] = [Math.floor(node / columns) % rows, node % columns];
    const key = (plane * down + Math.floor(row / side)) * across + Math.floor(column / side);
    let tile = all.get(key);
    if (!tile) {
      const size = { width: Math.min(side, columns - column), height: Math.min(side, rows - row) };
      tile = { node, x: machine.x[node] - 0.5, y: machine.y[node] - 0.5, ...size, sum: 0, links: 0, max: -1, link: -1 };
      all.set(key, tile);
    }
    for (let link = machine.first[node]; link < machine.first[node + 1]; link++) {
      if (machine.ends[link] === node) continue;
      tile.sum += values[link];
      tile.links++;
      if (values[link] > tile.max) [tile.max, tile.link] = [values[link], link];
    }
  }
  const list = [...all.values()];
  list.forEach((tile) => (tile.mean = tile.links ? tile.sum / tile.links : 0));
  known.set(side, list);
  return list;
}

/**
 * Paints a plan. The scene says which values colour the links, which links and nodes differ from the plan beside it, what is
 * chosen, and whose routes are lit.
 */
function paint(surface, plan, view, scene) {
  const machine = plan.machine;
  const colours = inks();
  const at = { x: (x) => RULER.left + (x - view.left) * view.scale, y: (y) => RULER.top + (y - view.top) * view.scale };
  const sees = (x, y, room) => {
    const [a, b] = [at.x(x), at.y(y)];
    return a > -room && b > -room && a < view.width + room && b < view.height + room;
  };
  surface.box(0, 0, view.width, view.height, colours.card);
  const side = tileSide(machine, view.scale);
  if (side > 0) paintTiles(surface, machine, view, scene, { at, sees, colours, side });
  else paintLinks(surface, plan, view, scene, { at, sees, colours });
  paintRoutes(surface, plan, view, scene, { at, colours, side });
  paintRulers(surface, machine, view, { at, colours });
}

function paintTiles(surface, machine, view, scene, { at, sees, colours, side }) {
  const greatest = scene.statistic === "mean" ? scene.greatestMean(side) : scene.greatest;
  const gap = Math.min(1, side * view.scale * 0.12);
  const marked = [];
  for (const tile of tiles(machine, scene.values, side)) {
    if (!sees(tile.x, tile.y, (tile.width + tile.height) * view.scale)) continue;
    const value = tile[scene.statistic];
    const colour = value > 0 ? colours.steps[stepOf(value, greatest)] : colours.idle;
    const [width, height] = [tile.width * view.scale - gap, tile.height * view.scale - gap];
    surface.box(at.x(tile.x), at.y(tile.y), width, height, colour);
    if (scene.differs && scene.differsIn(tile, side)) {
      marked.push([at.x(tile.x) + width / 2, at.y(tile.y) + height / 2]);
    }
  }
  for (const [x, y] of marked) surface.circle(x, y, Math.max(1.5, TILE * 0.24), colours.ring, colours.card, 0.8);
}

function paintLinks(surface, plan, view, scene, { at, sees, colours }) {
  const machine = plan.machine;
  const { scale } = view;
  const levels = Array.from({ length: STEPS }, () => []);
  const [unused, marked] = [[], []];
  const half = machine.plane ? 0.22 : Math.min(0.3, 9 / scale);
  for (let node = 0; node < machine.nodes; node++) {
    const round = !machine.plane;
    if (!round && !sees(machine.x[node], machine.y[node], 2 * scale)) continue;
    const [x, y] = [at.x(machine.x[node]), at.y(machine.y[node])];
    const dead = machine.deadNodes.has(node);
    const idle = !plan.tasksOn.has(node);
    const colour = dead ? colours.dead : idle ? colours.unused : colours.node;
    surface.box(x - half * scale, y - half * scale, 2 * half * scale, 2 * half * scale, colour);
    if (scene.moved && scene.moved.has(node)) frame(surface, x, y, half * scale + 1.5, colours.ring, 1.6);
    if (dead) {
      const far = half * scale * 0.6;
      surface.lines([x - far, y - far, x + far, y + far, x + far, y - far, x - far, y + far], colours.soft, 1.4);
    }
    for (let link = machine.first[node]; link < machine.first[node + 1]; link++) {
      if (machine.ends[link] === node) continue;
      const stroke = machine.stroke(link).map((value, i) => (i % 2 ? at.y(value) : at.x(value)));
      const value = scene.values[link];
      (value > 0 ? levels[stepOf(value, scene.greatest)] : unused).push(...stroke);
      if (scene.differs && scene.differs[link]) marked.push(stroke);
    }
  }
  const broad = Math.max(2, Math.min(9, scale * 0.18));
  const thin = Math.max(0.9, Math.min(1.4, scale * 0.03));
  surface.lines(unused, colours.unused, thin);
  for (let step = STEPS - 1; step >= 0; step--) {
    surface.lines(levels[step], colours.steps[step], broad - ((broad - thin) * step) / (STEPS - 1));
  }
  for (const [x, y, u, v] of marked) {
    surface.circle((x + u) / 2, (y + v) / 2, Math.max(2, Math.min(4, scale * 0.09)), colours.ring, colours.card, 1);
  }
  if (scale >= LABELS_FROM) paintTasks(surface, plan, { at, sees, colours, scale });
}

/** The number of the task on each node, in its upper left corner. */
function paintTasks(surface, plan, { at, sees, colours, scale }) {
  for (const [node, tasks] of plan.tasksOn) {
    const [x, y] = [plan.machine.x[node], plan.machine.y[node]];
    if (!sees(x, y, scale)) continue;
    const label = tasks.length > 1 ? tasks[0] + "+" + (tasks.length - 1) : String(tasks[0]);
    if (label.length * 6.2 > scale * 0.42 + 8) continue;
    surface.text(at.x(x), at.y(y) + 3.6, label, colours.ink, 10, "middle");
  }
}

function frame(surface, x, y, half, colour, width) {
  const [a, b, c, d] = [x - half, y - half, x + half, y + half];
  surface.lines([a, b, c, b, c, b, c, d, c, d, a, d, a, d, a, b], colour, width);
}

/** The routes that are lit, above all else, and a mark on what is chosen. */
function paintRoutes(surface, plan, view, scene, { at, colours, side }) {
  const machine = plan.machine;
  const centre = (node) => [at.x(machine.x[node]), at.y(machine.y[node])];
  const ends = [];
  for (const message of scene.lit.slice(0, ROUTES_MAX)) {
    plan.walk(message, (link) => {
      const long = Math.hypot(...[machine.x, machine.y].map((w) => w[machine.sources[link]] - w[machine.ends[link]])) > 1.5;
      if (side === 0 || (long && machine.plane)) {
        const [x, y, u, v] = machine.stroke(link);
        ends.push(at.x(x), at.y(y), at.x(u), at.y(v));
      } else {
        ends.push(...centre(machine.sources[link]), ...centre(machine.ends[link]));
      }
    });
  }
  const width = Math.max(1.8, Math.min(4, view.scale * 0.07));
  surface.lines(ends, colours.card, width + 2);
  surface.lines(ends, colours.ring, width);
  const radius = Math.max(2.5, Math.min(6, view.scale * 0.12));
  for (const message of scene.lit.slice(0, ROUTES_MAX)) {
    const [from, to] = [plan.job.source[message], plan.job.target[message]].map((task) => centre(plan.node[task]));
    surface.circle(...from, radius, colours.card, colours.ring, 1.6);
    surface.circle(...to, radius, colours.ring, colours.card, 1);
  }
  if (scene.link >= 0) {
    const [x, y, u, v] = machine.stroke(scene.link);
    surface.circle(at.x((x + u) / 2), at.y((y + v) / 2), Math.max(8, Math.min(20, view.scale * 0.4)), null, colours.ring, 2.2);
  }
  if (scene.node >= 0) frame(surface, ...centre(scene.node), Math.max(5, view.scale * 0.42), colours.ink, 2);
}

/** Rows and columns at the border, or the name of each plane above it. */
function paintRulers(surface, machine, view, { at, colours }) {
  surface.box(0, 0, view.width, RULER.top - 2, colours.card);
  surface.box(0, 0, RULER.left - 3, view.height, colours.card);
  if (!machine.plane) return;
  const { rows, columns, planes, abreast, gap, head } = machine.plane;
  let every = 1;
  while (every * view.scale < (machine.cube ? 32 : 26)) every *= 2;
  for (let column = 0; column < abreast * (columns + gap) - gap; column++) {
    const inside = column % (columns + gap);
    const x = at.x(column + 0.5);
    if (inside >= columns || inside % every || x < RULER.left || x > view.width - 6) continue;
    surface.text(x, 12, machine.rulerName(inside, columns), colours.soft, 10.5, "middle");
  }
  for (let plane = 0; planes > 1 && plane < planes && view.scale > 12; plane++) {
    const node = plane * rows * columns;
    const [x, y] = [at.x(machine.x[node] - 0.5), at.y(machine.y[node] - 0.5) - view.scale * 0.3];
    if (y > RULER.top + 6) surface.text(x, y, "plane " + machine.planeName(node), colours.soft, 10.5, "start");
  }
  for (let row = 0; row < Math.ceil(planes / abreast) * (rows + gap) - gap; row++) {
    const inside = row % (rows + gap);
    const y = at.y(row + 0.5 + head);
    if (inside >= rows || inside % every || y < RULER.top || y > view.height - 4) continue;
    surface.text(RULER.left - 7, y + 4, machine.rulerName(inside, rows), colours.soft, 10.5, "end");
  }
}
