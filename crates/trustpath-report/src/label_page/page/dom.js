// Creates elements. Text is only ever inserted as text; nothing here parses markup.

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, `on…` listeners and children; strings become text, null and false are ignored. */
function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A name that may break after its separators, as in 037.Acadian_Flycatcher. */
const breakable = (name) => name.split(/(?<=[_./-])/).flatMap((part, i) => (i > 0 ? [el("wbr"), part] : [part]));

const whole = new Intl.NumberFormat("en");
const count = (n) => whole.format(n);
const plural = (n, one, many = one + "s") => `${count(n)} ${n === 1 ? one : many}`;
const fraction = (x) => (x === null ? "–" : x.toFixed(2));
