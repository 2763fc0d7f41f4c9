// A map of the pool on which instances are selected by drawing around them.

function lassoMap(place, select) {
  const canvas = el("canvas", { class: "lasso", tabindex: 0, role: "img", "aria-label": "Map of the pool. Draw around instances with the pointer to select them; the other ways to select work with the keyboard." });
  place.replaceChildren(el("p", { class: "quiet" }, "Draw around instances that belong together. Instances with similar features are close together; filled marks have an answer."), canvas);
  let points = [];
  let trail = [];
  const size = () => [canvas.clientWidth, canvas.clientHeight];

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = size();
    [canvas.width, canvas.height] = [width * ratio, height * ratio];
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    for (const { x, y, c, sure } of points) {
      pen.beginPath();
      if (c === null) traceCross(pen, x, y, 3);
      else trace(pen, shapeOf(c), x, y, sure ? 4.5 : 3.5);
      pen.fillStyle = pen.strokeStyle = c === null ? palette.none : colourOf(c);
      if (sure && c !== null) pen.fill();
      else pen.stroke();
    }
    if (trail.length > 1) {
      pen.beginPath();
      trail.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.strokeStyle = palette.accent;
      pen.lineWidth = 2;
      pen.stroke();
      pen.globalAlpha = 0.12;
      pen.fillStyle = palette.accent;
      pen.fill();
    }
  }

  ask("map").then((map) => {
    const [width, height] = size();
    const range = (list) => [Math.min(...list), Math.max(...list)];
    const [[x0, x1], [y0, y1]] = [range(map.x), range(map.y)];
    const scale = Math.min((width - 24) / (x1 - x0 || 1), (height - 24) / (y1 - y0 || 1));
    points = map.rows.map((row, k) => ({
      row, c: map.class[k], sure: map.answered[k],
      x: width / 2 + (map.x[k] - (x0 + x1) / 2) * scale,
      y: height / 2 - (map.y[k] - (y0 + y1) / 2) * scale,
    }));
    draw();
  }, trouble);

  /** Whether a point is inside the trail: an odd number of its edges is crossed on the way to the right. */
  const inside = (x, y) => trail.reduce((odd, [ax, ay], k) => {
    const [bx, by] = trail[(k + 1) % trail.length];
    return (ay > y) !== (by > y) && x < ((bx - ax) * (y - ay)) / (by - ay) + ax ? !odd : odd;
  }, false);
  const at = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    trail = [at(event)];
  });
  canvas.addEventListener("pointermove", (event) => {
    if (trail.length === 0 || !event.buttons) return;
    trail.push(at(event));
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    const rows = trail.length > 2 ? points.filter((p) => !p.sure && inside(p.x, p.y)).map((p) => p.row) : [];
    trail = [];
    draw();
    if (rows.length > 0) select(rows.slice(0, 200), rows.length);
  });
}
