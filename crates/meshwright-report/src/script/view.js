// What part of a machine is on the screen, and the pointer and keys that change it.
const ZOOM_MAX = 96;
const HEIGHT_MAX = 620;
const HEIGHT_MIN = 150;

class View {
  constructor(machine) {
    this.machine = machine;
    this.width = 0;
    this.height = 0;
  }

  /** The smallest scale that is of use: all of the machine is seen. */
  least() {
    const { width, height } = this.machine;
    return Math.min((this.width - RULER.left - 8) / width, (HEIGHT_MAX - RULER.top - 8) / height, 64);
  }

  /** Takes a width in pixels; a view of all of the machine remains one. */
  resize(width) {
    const wasFit = !this.width || this.isFit();
    this.room = this.width = width;
    // No wider than the machine is where all of it is seen.
    this.width = Math.min(width, Math.max(320, Math.ceil(this.least() * this.machine.width + RULER.left + 8)));
    const high = Math.ceil(this.least() * this.machine.height + RULER.top + 8);
    this.height = Math.max(HEIGHT_MIN, Math.min(HEIGHT_MAX, high));
    if (wasFit) this.fit();
    else this.clamp();
  }

  isFit() {
    return this.scale <= this.least() * 1.001;
  }

  fit() {
    this.scale = this.least();
    this.left = this.top = 0;
    this.clamp();
  }

  /** Keeps the machine on the screen, and in the middle where it is smaller. */
  clamp() {
    const wide = (this.width - RULER.left) / this.scale;
    const high = (this.height - RULER.top) / this.scale;
    const within = (at, size, room) => (size <= room ? 0 : Math.max(0, Math.min(size - room, at)));
    this.left = within(this.left, this.machine.width + 4 / this.scale, wide);
    this.top = within(this.top, this.machine.height + 4 / this.scale, high);
  }

  /** Zooms, keeping the point under a pixel where it is. */
  zoom(factor, x, y) {
    const [u, v] = [this.unitX(x), this.unitY(y)];
    this.scale = Math.max(this.least(), Math.min(ZOOM_MAX, this.scale * factor));
    this.left = u - (x - RULER.left) / this.scale;
    this.top = v - (y - RULER.top) / this.scale;
    this.clamp();
  }

  pan(x, y) {
    this.left -= x / this.scale;
    this.top -= y / this.scale;
    this.clamp();
  }

  unitX(x) {
    return this.left + (x - RULER.left) / this.scale;
  }

  unitY(y) {
    return this.top + (y - RULER.top) / this.scale;
  }

  /** Moves so that a node is on the screen. */
  show(node) {
    const within = (at, from, room) => (at - 1 < from ? at - 1 : at + 1 > from + room ? at + 1 - room : from);
    this.left = within(this.machine.x[node], this.left, (this.width - RULER.left) / this.scale);
    this.top = within(this.machine.y[node], this.top, (this.height - RULER.top) / this.scale);
    this.clamp();
  }
}

/** What is under a pixel: a link where links are drawn and one is near, else the node; of a tile, its busiest link. */
function found(plan, view, values, x, y) {
  const machine = plan.machine;
  const [u, v] = [view.unitX(x), view.unitY(y)];
  const side = tileSide(machine, view.scale);
  const node = machine.nodeAt(u, v);
  if (side > 1) {
    const inTile = (tile) => u >= tile.x && v >= tile.y && u < tile.x + tile.width && v < tile.y + tile.height;
    const tile = tiles(machine, values, side).find(inTile);
    return tile ? { tile } : null;
  }
  let best = null;
  const near = machine.plane ? neighbourhood(machine, node) : machine.sources.keys();
  const reach = Math.max(0.12, 4 / view.scale);
  let least = reach;
  for (const link of near) {
    if (machine.ends[link] === machine.sources[link]) continue;
    const [a, b, c, d] = machine.stroke(link);
    const long = (c - a) ** 2 + (d - b) ** 2 || 1;
    const share = Math.max(0, Math.min(1, ((u - a) * (c - a) + (v - b) * (d - b)) / long));
    const far = Math.hypot(u - a - share * (c - a), v - b - share * (d - b));
    if (far < least) [best, least] = [link, far];
  }
  const onNode = node >= 0 && Math.hypot(u - machine.x[node], v - machine.y[node]) < 0.24;
  if (best !== null && !onNode) return { link: best };
  return node >= 0 ? { node } : null;
}

/** The links that leave a node or enter it. */
function neighbourhood(machine, node) {
  if (node < 0) return [];
  const links = [];
  for (let link = machine.first[node]; link < machine.first[node + 1]; link++) {
    links.push(link);
    const back = machine.link(machine.ends[link], node);
    if (back >= 0) links.push(back);
  }
  return links;
}

/** Lets pointer, wheel and keys of a canvas act; `on` is told what is pointed at, what is chosen, and where the cursor goes. */
function listen(canvas, view, on) {
  const held = new Map();
  let moved = 0;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, place(event));
    moved = held.size > 1 ? Infinity : 0;
    if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (!held.has(event.pointerId)) return on.point(x, y);
    const [a, b] = held.get(event.pointerId);
    if (held.size === 2) {
      const other = [...held].find(([id]) => id !== event.pointerId)[1];
      const far = (u, v) => Math.max(8, Math.hypot(u - other[0], v - other[1]));
      view.zoom(far(x, y) / far(a, b), (x + other[0]) / 2, (y + other[1]) / 2);
    } else {
      moved += Math.hypot(x - a, y - b);
      if (moved > 4) view.pan(x - a, y - b);
    }
    held.set(event.pointerId, [x, y]);
    on.change();
  });
  const release = (event) => {
    const wasHeld = held.delete(event.pointerId);
    if (wasHeld && moved <= 4 && event.type === "pointerup") on.choose(...place(event));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => on.leave());
  canvas.addEventListener(
    "wheel",
    (event) => {
      // The page scrolls unless the machine has the focus.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      view.zoom(Math.exp(-event.deltaY / 400), ...place(event));
      on.change();
    },
    { passive: false }
  );
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (pressed(event, view, on)) event.preventDefault();
  });
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Whether a key is one of the machine's. */
function pressed(event, view, on) {
  const arrow = ARROWS[event.key];
  const middle = [view.width / 2, view.height / 2];
  if (arrow) on.step(...arrow, event.shiftKey);
  else if (event.key === "+" || event.key === "=") view.zoom(1.5, ...middle);
  else if (event.key === "-") view.zoom(1 / 1.5, ...middle);
  else if (event.key === "0") view.fit();
  else if (event.key === "Enter" || event.key === " ") on.pin();
  else if (event.key === "l" || event.key === "L") on.turn();
  else if (event.key === "Escape") on.clear();
  else return false;
  on.change();
  return true;
}
