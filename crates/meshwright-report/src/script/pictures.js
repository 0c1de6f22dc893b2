// Pictures as files: what is on the page, with its colours written in.

const INKS = {
  fill: "rgb(0, 0, 0)", "fill-opacity": "1", stroke: "none", "stroke-width": "1px", "stroke-dasharray": "none",
  "stroke-linecap": "butt", "stroke-linejoin": "miter", opacity: "1", "paint-order": "normal",
};
const LETTERS = { "font-size": "", "font-weight": "400", "text-anchor": "start" };

/** A drawing of the page that stands alone: every colour is written in, as many programs know no variables. */
function alone(svg) {
  const copy = svg.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  [svg, ...svg.querySelectorAll("*")].forEach((element, i) => {
    if (!(element instanceof SVGElement) || element.tagName === "title") return;
    const style = getComputedStyle(element);
    const inks = element.tagName === "text" ? { ...INKS, ...LETTERS } : INKS;
    for (const [name, usual] of Object.entries(inks)) {
      const value = style.getPropertyValue(name);
      if (value && value !== usual) copies[i].setAttribute(name, value);
    }
    copies[i].removeAttribute("class");
  });
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const colour = getComputedStyle(document.body).backgroundColor;
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", colour]]) paper.setAttribute(name, value);
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "system-ui, 'DejaVu Sans', sans-serif");
  return new XMLSerializer().serializeToString(copy);
}

const asSvg = (text) => new Blob([text], { type: "image/svg+xml" });

/** Paints a drawing at twice its size and hands it on as PNG. */
function saveAsPng(name, text, width, height) {
  const address = URL.createObjectURL(asSvg(text));
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = make("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
    URL.revokeObjectURL(address);
    canvas.toBlob((blob) => save(name, blob), "image/png");
  });
  image.src = address;
}

/** The buttons below a picture; `picture` gives its text and its size when it is asked. */
function pictureTools(name, picture) {
  const png = () => {
    const { text, width, height } = picture();
    saveAsPng(name() + ".png", text, width, height);
  };
  return [
    button("SVG", "Save this picture as SVG", () => save(name() + ".svg", asSvg(picture().text))),
    button("PNG", "Save this picture as PNG", png),
  ];
}

function preparePictures() {
  document.querySelectorAll("main figure").forEach((figure) => {
    const svg = figure.querySelector("svg");
    if (!svg) return;
    const title = figure.querySelector("h3");
    const method = figure.closest("details");
    const words = [method ? method.querySelector("summary b").textContent : "", title ? title.textContent : "methods"];
    const picture = () => ({
      text: alone(svg),
      width: svg.viewBox.baseVal.width,
      height: svg.viewBox.baseVal.height,
    });
    const tools = make("p", { class: "tools" });
    tools.append(...pictureTools(() => stem(sectionName(figure), ...words), picture));
    const scroll = svg.closest(".scroll") || svg;
    scroll.after(tools);
  });
}
