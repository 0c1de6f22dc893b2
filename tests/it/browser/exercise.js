// Appended to a copy of a page: uses every control by pointer and by keys, and writes what it sees into the document.
(() => {
  "use strict";
  const seen = { problems: [] };
  const expect = (holds, what) => holds || seen.problems.push(what);
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const all = (what, where = document) => [...where.querySelectorAll(what)];
  const saved = [];
  const addresses = new Map();
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    const address = make(blob);
    addresses.set(address, blob);
    return address;
  };
  HTMLAnchorElement.prototype.click = function () {
    saved.push({ name: this.download, blob: addresses.get(this.href) });
  };
  addEventListener("error", (event) => seen.problems.push("error: " + event.message));

  const press = (element, key, more = {}) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  const pointer = (element, type, x, y, id = 1) => {
    const box = element.getBoundingClientRect();
    const place = { clientX: box.left + x, clientY: box.top + y, pointerId: id, bubbles: true, cancelable: true };
    element.dispatchEvent(new PointerEvent(type, place));
  };
  /** A native control takes the focus, so that the browser's own keys work it. */
  const takesFocus = (element) => {
    element.focus();
    expect(document.activeElement === element, `no focus: ${element.outerHTML.slice(0, 90)}`);
  };

  function tables() {
    for (const table of all("table")) {
      for (const head of all("thead th", table)) {
        if (!head.textContent.trim()) continue;
        const target = head.querySelector("[aria-describedby]");
        expect(target, `a head is not explained: ${head.textContent}`);
        if (!target || !table.checkVisibility()) continue;
        takesFocus(target);
        expect(!document.getElementById("tip").hidden, `no words at the focus: ${head.textContent}`);
        press(target, "Escape");
        expect(document.getElementById("tip").hidden, "Escape hides the words");
      }
    }
    const table = document.querySelector("table");
    const head = all("thead th", table).find((th) => th.textContent === "Simulated");
    const column = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[3].textContent.replace(/\D/g, "")));
    const before = column().join();
    for (const [order, sign] of [["ascending", 1], ["descending", -1]]) {
      head.querySelector("button").click();
      expect(head.getAttribute("aria-sort") === order, `not ${order}`);
      expect(column().every((value, i, list) => i === 0 || sign * (value - list[i - 1]) >= 0), `rows are not ${order}`);
    }
    head.querySelector("button").click();
    expect(column().join() === before && !head.hasAttribute("aria-sort"), "the third time the rows are as they were");
  }

  async function files() {
    for (const control of all(".tools button, .buttons button")) {
      if (!/^(CSV|SVG|PNG)$/.test(control.textContent) || !control.checkVisibility()) continue;
      takesFocus(control);
      const count = saved.length;
      control.click();
      for (let i = 0; i < 100 && saved.length === count; i++) await wait(20);
      expect(saved.length === count + 1, `nothing saved by ${control.textContent} in ${control.closest("section").id}`);
      const { name, blob } = saved[saved.length - 1] || {};
      const text = blob && control.textContent !== "PNG" ? await blob.text() : "";
      expect(name && name.endsWith("." + control.textContent.toLowerCase()), `name ${name}`);
      if (control.textContent === "CSV") {
        const rows = control.closest(".tools").previousElementSibling.querySelector("tbody").rows.length;
        expect(text.trim().split("\n").length === rows + 1, `${name} has not a line for each row`);
      } else if (control.textContent === "SVG") {
        const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
        expect(!parsed.querySelector("parsererror") && !text.includes("var("), `${name} does not stand alone`);
      } else {
        expect(blob && blob.size > 500, `${name} is empty`);
      }
    }
    seen.saved = saved.map((file) => file.name);
  }

  const print = (canvas) => {
    const data = canvas.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, canvas.width, canvas.height).data;
    let hash = 0;
    for (let i = 0; i < data.length; i += 4) hash = (hash * 31 + data[i] * 7 + data[i + 1] * 3 + data[i + 2]) | 0;
    return hash;
  };

  /** Does something and says whether picture and words changed. */
  async function act(explorer, what, change, { picture = true, words = false } = {}) {
    const canvas = explorer.querySelector("canvas");
    const told = explorer.querySelector(".told");
    const [before, said] = [print(canvas), told.textContent];
    change(canvas);
    await wait(60);
    expect(!picture || print(canvas) !== before, `${what}: the picture stays`);
    expect(!words || told.textContent !== said, `${what}: the words stay`);
  }

  async function machine(explorer) {
    const canvas = explorer.querySelector("canvas");
    const [x, y] = [canvas.clientWidth / 2, canvas.clientHeight / 2];
    seen.first = explorer.querySelector(".told").textContent;
    seen.list = all(".list tbody tr", explorer).length;
    expect(canvas.tabIndex === 0, "the machine takes the focus");
    canvas.focus();
    await act(explorer, "arrow", () => press(canvas, "ArrowRight"), { words: true });
    await act(explorer, "Shift and arrow", () => press(canvas, "ArrowDown", { shiftKey: true }), { words: true });
    await act(explorer, "L", () => press(canvas, "l"), { words: true });
    await act(explorer, "+", () => press(canvas, "+"));
    await act(explorer, "-", () => press(canvas, "-"));
    await act(explorer, "zoom in", () => all(".buttons button", explorer)[0].click());
    await act(explorer, "zoom in", () => all(".buttons button", explorer)[0].click());
    await act(explorer, "zoom out", () => all(".buttons button", explorer)[1].click());
    await act(explorer, "drag", () => {
      pointer(canvas, "pointerdown", x, y);
      for (const step of [10, 30, 60]) pointer(canvas, "pointermove", x - step, y - step);
      pointer(canvas, "pointerup", x - 60, y - 60);
    });
    await act(explorer, "wheel", () => canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, cancelable: true, bubbles: true })));
    await act(explorer, "pinch", () => {
      pointer(canvas, "pointerdown", x - 20, y, 1);
      pointer(canvas, "pointerdown", x + 20, y, 2);
      pointer(canvas, "pointermove", x + 60, y, 2);
      pointer(canvas, "pointerup", x + 60, y, 2);
      pointer(canvas, "pointerup", x - 20, y, 1);
    });
    await act(explorer, "0", () => press(canvas, "0"));
    await act(explorer, "Escape", () => press(canvas, "Escape"), { words: true });
    const spots = [];
    for (let u = 40; u < canvas.clientWidth; u += 23) for (let v = 30; v < canvas.clientHeight; v += 19) spots.push([u, v]);
    const words = new Set();
    for (const [u, v] of spots.slice(0, 120)) {
      pointer(canvas, "pointermove", u, v);
      await wait(40);
      words.add(explorer.querySelector(".told").textContent);
    }
    seen.pointed = [...words].slice(0, 3);
    expect([...words].some((text) => text.startsWith("Link ") || text.includes("busiest link out")), "no link is found by the pointer");
    expect(words.size > 5, "pointing tells nothing");
    pointer(canvas, "pointerleave", 0, 0);
    await act(explorer, "busiest link", () => all(".buttons button", explorer)[3].click(), { words: true });
    expect(explorer.querySelector(".told").textContent === seen.first, "the busiest link is the one shown at first");
    const row = explorer.querySelector(".list tbody tr");
    if (row && all(".list tbody tr", explorer).length > 1) await act(explorer, "a message", () => row.focus());
  }

  async function run(explorer) {
    const slider = explorer.querySelector("input[type=range]");
    if (!slider || !slider.checkVisibility()) return;
    takesFocus(slider);
    const said = () => explorer.querySelector("output").textContent;
    const move = (value) => () => {
      slider.value = value;
      slider.dispatchEvent(new Event("input"));
    };
    await act(explorer, "slider", move(Math.ceil(slider.max / 3)));
    seen.moment = said();
    const [play, back, next] = all(".replay button", explorer);
    [play, back, next].forEach(takesFocus);
    await act(explorer, "beginning", move(0));
    next.click();
    expect(said() !== "Whole run", "the next phase");
    back.click();
    expect(said() === "Whole run", "and back");
    play.click();
    await wait(2500);
    expect(play.textContent === "Stop" && said() !== "Whole run", "it plays");
    play.click();
    expect(play.textContent === "Play", "and stops");
    move(0)();
  }

  async function beside(explorer) {
    const selects = all("select", explorer);
    selects.forEach(takesFocus);
    if (selects.length < 2) return;
    const choose = (select, value) => {
      select.value = value;
      select.dispatchEvent(new Event("change"));
    };
    choose(selects[1], selects[1].options[selects[1].options.length - 1].value);
    await wait(100);
    const canvases = all("canvas", explorer);
    expect(canvases[1].checkVisibility() && canvases[1].width > 100, "two pictures");
    seen.differences = all(".differences tbody tr", explorer).length;
    expect(seen.differences >= 5, "no table of differences");
    const row = all(".differences tbody tr", explorer).find((each) => each.textContent.startsWith("Links busier"));
    seen.busier = row && [...row.cells].slice(1).map((cell) => cell.textContent);
    await act(explorer, "another method", () => choose(selects[0], "1"));
    choose(selects[1], "");
    await wait(60);
    expect(!canvases[1].checkVisibility() && !explorer.querySelector(".differences table"), "one picture again");
    choose(selects[0], "0");
    if (selects[2]) await act(explorer, "mean", () => choose(selects[2], "1"));
  }

  function luminance([r, g, b]) {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  }

  const colour = (text) => (text.match(/[\d.]+/g) || []).map(Number);

  function behind(element) {
    for (let at = element; at; at = at.parentElement) {
      const parts = colour(getComputedStyle(at).backgroundColor);
      if (parts.length === 3 || parts[3] === 1) return parts;
    }
    return [255, 255, 255];
  }

  function contrast() {
    const low = new Map();
    for (const element of all("body *")) {
      const has = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!has || !element.checkVisibility() || element.closest("script, title, desc") || element.matches(".in-bar")) continue;
      const style = getComputedStyle(element);
      const ink = colour(element instanceof SVGElement ? style.fill : style.color);
      const [a, b] = [luminance(ink), luminance(behind(element))].sort((p, q) => q - p);
      const ratio = (a + 0.05) / (b + 0.05);
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
      if (ratio < (large ? 3 : 4.5)) low.set(`${element.tagName}.${element.getAttribute("class")}`, ratio.toFixed(2));
    }
    expect(low.size === 0, `contrast: ${[...low].join("; ")}`);
  }

  function overflow() {
    const root = document.documentElement;
    expect(root.scrollWidth <= root.clientWidth, `the page is ${root.scrollWidth} wide in ${root.clientWidth}`);
    seen.width = root.clientWidth;
  }

  async function exercise() {
    for (let i = 0; i < 200 && !document.querySelector(".explorer canvas[style]"); i++) await wait(20);
    await wait(200);
    overflow();
    contrast();
    tables();
    const explorer = document.querySelector(".explorer");
    expect(explorer, "no explorer");
    if (explorer) {
      explorer.scrollIntoView();
      await machine(explorer);
      await run(explorer);
      await beside(explorer);
    }
    await files();
    overflow();
  }

  exercise()
    .catch((error) => seen.problems.push("the exercise broke: " + error.stack))
    .then(() => parent.postMessage(JSON.stringify(seen), "*"));
})();
