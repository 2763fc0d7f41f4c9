// Marks: each class has a colour and a shape. Eight and seven have no common factor, so 56 classes are all different, and
// neighbours in the list differ in both colour and shape.

const COLOURS = 8;
const turn = (corners, from, radius = 1) =>
  Array.from({ length: corners }, (_, k) => {
    const angle = from + (2 * Math.PI * k) / corners;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
const star = turn(10, -Math.PI / 2).map(([x, y], k) => (k % 2 ? [x * 0.55, y * 0.55] : [x * 1.3, y * 1.3]));
const SHAPES = [
  null, // a circle
  turn(4, Math.PI / 4, 1.2),
  turn(3, -Math.PI / 2, 1.35),
  turn(4, 0, 1.3),
  turn(3, Math.PI / 2, 1.35),
  star,
  turn(6, 0, 1.12),
];
const shapeOf = (label) => SHAPES[label % SHAPES.length];

let palette = {};
/** Reads the colours of the theme from the style. */
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  palette = { classes: Array.from({ length: COLOURS }, (_, k) => read(`--c${k}`)) };
  for (const name of ["ink", "muted", "line", "card", "accent", "good", "bad", "none", "given"]) {
    palette[name] = read(`--${name}`);
  }
}
readPalette();
const colourOf = (label) => palette.classes[label % COLOURS];
/** The pattern of an area: none for the first eight classes, then stripes of three directions. */
const patternOf = (label) => Math.floor(label / COLOURS) % 4;

/** Adds the outline of a class's mark to a canvas path. */
function trace(pen, shape, x, y, r) {
  if (shape === null) {
    pen.moveTo(x + r, y);
    pen.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  shape.forEach(([dx, dy], k) => (k ? pen.lineTo(x + r * dx, y + r * dy) : pen.moveTo(x + r * dx, y + r * dy)));
  pen.closePath();
}

/** A cross, for instances that belong to none of the classes. */
function traceCross(pen, x, y, r) {
  pen.moveTo(x - r, y - r);
  pen.lineTo(x + r, y + r);
  pen.moveTo(x - r, y + r);
  pen.lineTo(x + r, y - r);
}

/** The mark of a class as a small icon for use in text. */
function icon(label) {
  const shape = shapeOf(label);
  const mark = shape === null
    ? svg("circle", { cx: 8, cy: 8, r: 4.6 })
    : svg("polygon", { points: shape.map(([x, y]) => `${8 + 4.8 * x},${8 + 4.8 * y}`).join(" ") });
  return svg("svg", { class: `icon k${label % COLOURS}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, mark);
}

/** The number of a class, where there are more classes than colours. */
const classNumber = (label) => (classCount() > COLOURS ? el("small", { class: "number-of", "aria-hidden": "true", "data-n": label + 1 }) : null);
const pill = (item) => el("span", { class: `pill ${item.verdict.tone}` }, item.verdict.name);
const classTag = (label) => el("span", { class: "tag" }, icon(label), classNumber(label), el("span", {}, breakable(className(label))));
