// Tables: heads that sort and explain themselves, and a file of each.

/** What a cell says, without marks. */
function cellText(cell) {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".badge").forEach((badge) => badge.remove());
  copy.querySelectorAll("br, small").forEach((gap) => gap.before(" "));
  return copy.textContent.replace(/\s+/g, " ").trim();
}

/** The number a cell begins with; none for words and dashes. */
function cellNumber(text) {
  const plain = text.replace(/[\s\u202f\u00a0]/g, "").replace(/^[<\u00b1]/, "");
  return /^-?\d+(\.\d+)?(%|to\d+)?$/.test(plain) ? parseFloat(plain) : NaN;
}

/** The heads of a table by rows, each with its first column. */
function heads(table) {
  const taken = [];
  return [...table.tHead.rows].map((row, y) => {
    let x = 0;
    return [...row.cells].map((cell) => {
      while (taken[y] && taken[y][x]) x++;
      for (let j = y; j < y + cell.rowSpan; j++) {
        taken[j] = taken[j] || [];
        for (let i = x; i < x + cell.colSpan; i++) taken[j][i] = true;
      }
      return { cell, column: x };
    });
  });
}

function sortBy(table, column, head) {
  const body = table.tBodies[0];
  const turns = { none: "ascending", ascending: "descending", descending: "none" };
  const order = turns[head.getAttribute("aria-sort") || "none"];
  table.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
  if (order !== "none") head.setAttribute("aria-sort", order);
  const keys = [...body.rows].map((row) => {
    const text = row.cells[column] ? cellText(row.cells[column]) : "";
    return { row, text, number: cellNumber(text), place: Number(row.dataset.place) };
  });
  const isNumeric = keys.some((key) => !Number.isNaN(key.number));
  const sign = order === "descending" ? -1 : 1;
  keys.sort((a, b) => {
    if (order === "none") return a.place - b.place;
    if (!isNumeric) return sign * a.text.localeCompare(b.text, "en", { numeric: true }) || a.place - b.place;
    // Words stand last, whatever the order.
    const odd = Number.isNaN(a.number) - Number.isNaN(b.number);
    return odd || (Number.isNaN(a.number) ? 0 : sign * (a.number - b.number)) || a.place - b.place;
  });
  body.append(...keys.map((key) => key.row));
}

/** A table as comma-separated values: one line of heads, groups in front of what they hold. */
function tableText(table) {
  const names = [];
  for (const row of heads(table)) {
    for (const { cell, column } of row) {
      for (let i = column; i < column + cell.colSpan; i++) {
        names[i] = [names[i], cellText(cell)].filter(Boolean).join(" ");
      }
    }
  }
  const quoted = (text) => (/[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
  const plain = (text) => (Number.isNaN(cellNumber(text)) ? text : text.replace(/[\s\u202f\u00a0]/g, ""));
  const lines = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => plain(cellText(cell))));
  return [names, ...lines].map((line) => line.map(quoted).join(",") + "\n").join("");
}

/** What a table is called: the nearest heading before it. */
function tableName(table) {
  const scroll = table.closest(".scroll") || table;
  for (let at = scroll; at; at = at.previousElementSibling) {
    if (at.matches("h2, h3, summary")) return cellText(at.querySelector("b") || at);
  }
  return "table";
}

function prepareTable(table) {
  if (!table.tHead || !table.tBodies[0] || table.dataset.ready) return;
  table.dataset.ready = "yes";
  [...table.tBodies[0].rows].forEach((row, place) => (row.dataset.place = place));
  for (const { cell, column } of heads(table).flat()) {
    const inner = cell.querySelector("span") || cell;
    if (!inner.textContent.trim()) continue;
    let target = inner;
    if (cell.colSpan === 1) {
      target = make("button", { type: "button", class: "sort", click: () => sortBy(table, column, cell) });
      target.append(...inner.childNodes);
      inner.append(target);
    } else {
      target.tabIndex = cell.title ? 0 : -1;
    }
    if (cell.title) explain(cell, target);
  }
  const scroll = table.closest(".scroll") || table;
  const name = stem(sectionName(table), tableName(table)) + ".csv";
  const press = () => save(name, new Blob([tableText(table)], { type: "text/csv" }));
  const tools = make("p", { class: "tools" }, button("CSV", "Save this table as CSV", press));
  scroll.after(tools);
}

// One box for all explanations; it is at the pointer or at the focus.
const tip = make("div", { id: "tip", role: "tooltip", hidden: true });

function explain(cell, target) {
  const words = cell.title;
  cell.removeAttribute("title");
  target.setAttribute("aria-describedby", "tip");
  const show = () => {
    tip.textContent = words;
    tip.hidden = false;
    const place = cell.getBoundingClientRect();
    const left = Math.min(place.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = Math.max(8, left) + window.scrollX + "px";
    const above = place.top - tip.offsetHeight - 6;
    tip.style.top = (above < 4 ? place.bottom + 6 : above) + window.scrollY + "px";
  };
  const hide = () => (tip.hidden = true);
  cell.addEventListener("pointerenter", show);
  cell.addEventListener("pointerleave", hide);
  target.addEventListener("focus", show);
  target.addEventListener("blur", hide);
}

function prepareTables() {
  document.body.append(tip);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
  });
  document.querySelectorAll("main table").forEach(prepareTable);
}
