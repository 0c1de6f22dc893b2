// Small things that every part needs. ASCII only: the page escapes what is not.
const THIN = "\u202f";
const NONE = "\u2013";

/** A number with its digits in groups, as the tables of the page have it. */
function grouped(number) {
  const whole = String(Math.round(number));
  return whole.length < 4 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, THIN);
}

function counted(number, noun) {
  return grouped(number) + " " + noun + (number === 1 ? "" : "s");
}

function percent(share) {
  return Number.isFinite(share) ? (100 * share).toFixed(1) + THIN + "%" : NONE;
}

/** An element with its attributes and children; an attribute that is a function listens. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function button(text, label, press) {
  return make("button", { type: "button", title: label, "aria-label": label, click: press }, text);
}

/** Hands a file to the browser, which asks where to put it. */
function save(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** The letters and digits of some words, small, joined by "-". */
function stem(...words) {
  return words.join(" ").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 80) || "picture";
}

/** What the section of an element is called: the name of its job, or of the page. */
function sectionName(element) {
  const section = element.closest("section.job");
  const over = section && section.querySelector(".over");
  return over && over.dataset.name ? over.dataset.name : document.title;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGIT = new Uint8Array(128);
for (let i = 0; i < 64; i++) DIGIT[DIGITS.charCodeAt(i)] = i;

/** The numbers of a base64 VLQ list. */
function numbers(text) {
  const list = [];
  let value = 0;
  let scale = 1;
  for (let i = 0; i < text.length; i++) {
    const digit = DIGIT[text.charCodeAt(i)];
    value += (digit & 31) * scale;
    if (digit & 32) {
      scale *= 32;
    } else {
      const size = Math.floor(value / 2);
      list.push(value % 2 ? -size : size);
      value = 0;
      scale = 1;
    }
  }
  return list;
}

/** Numbers that are written as steps from one to the next. */
function summed(text) {
  let last = 0;
  return Float64Array.from(numbers(text), (step) => (last += step));
}

/** Steps in which a 0 is followed by how often the number before it is repeated. */
function unrolled(text, length) {
  const list = numbers(text);
  const values = new Float64Array(length);
  let last = 0;
  let at = 0;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === 0) {
      values.fill(last, at, at + list[++i]);
      at += list[i];
    } else {
      last += list[i];
      values[at++] = last;
    }
  }
  return values;
}
