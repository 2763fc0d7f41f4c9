// The regularisation path: ‖γᵢ(λ)‖ as a function of λ, one line per instance.

function drawPath(path) {
  $("path").hidden = $("method").hidden = false;
  const figure = $("path").querySelector("figure");
  const order = path.lambda.map((_, k) => k).sort((a, b) => path.lambda[a] - path.lambda[b]);
  const lambda = order.map((k) => path.lambda[k]);
  const most = lambda.at(-1) || 1;
  const lines = path.lines.map(([i, ...norms]) => {
    const line = { item: items[i], norms: order.map((k) => norms[k] / 9999) };
    // The grid point from which on the line is zero.
    line.end = line.norms.findLastIndex((x) => x > 0) + 1;
    items[i].line = line;
    return line;
  });
  lines.sort((a, b) => a.end - b.end || a.norms[0] - b.norms[0]);

  // Many dashed lines would form patterns of their own.
  const dashed = lines.length <= 150;
  const EDGE = { left: 44, right: 14, top: 14, bottom: 42 };
  const px = (l) => EDGE.left + (l / most) * (plot.size.width - EDGE.left - EDGE.right);
  const py = (v) => plot.size.height - EDGE.bottom - v * (plot.size.height - EDGE.top - EDGE.bottom);
  const end = (line) => Math.min(line.end, lambda.length - 1);
  const place = (item) => (item.line ? [px(lambda[end(item.line)]), py(item.line.norms[end(item.line)])] : [px(0), py(0)]);

  const dimmed = (line) => activeClass() !== null && line.item.shown !== activeClass();
  function stroke(pen, line) {
    pen.beginPath();
    for (let k = 0; k <= end(line); k++) {
      if (k) pen.lineTo(px(lambda[k]), py(line.norms[k]));
      else pen.moveTo(px(lambda[k]), py(line.norms[k]));
    }
    pen.stroke();
  }

  function draw(pen, { width, height }) {
    axes(pen, width, height);
    const crowd = Math.max(0.18, Math.min(0.8, 60 / lines.length));
    const layers = { none: 0, given: 1, good: 2, bad: 3 };
    const sorted = [...lines].sort((a, b) => dimmed(b) - dimmed(a) || layers[a.item.verdict.tone] - layers[b.item.verdict.tone]);
    for (const line of sorted) {
      const faded = dimmed(line);
      pen.strokeStyle = palette[line.item.verdict.tone];
      pen.setLineDash(line.item.verdict.tone === "bad" && dashed ? [5, 3] : []);
      pen.globalAlpha = faded ? 0.05 : activeClass() !== null ? Math.max(crowd, 0.55) : crowd;
      pen.lineWidth = 1.2;
      stroke(pen, line);
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  function axes(pen, width, height) {
    pen.font = "12px Inter, system-ui, sans-serif";
    pen.fillStyle = palette.muted;
    pen.strokeStyle = palette.line;
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    for (const [value, text] of ticks(path.largest)) {
      const y = py(value);
      pen.beginPath();
      pen.moveTo(EDGE.left, y);
      pen.lineTo(width - EDGE.right, y);
      pen.stroke();
      pen.textAlign = "right";
      pen.fillText(text, EDGE.left - 7, y);
    }
    pen.textAlign = "center";
    for (const [value, text] of ticks(most)) pen.fillText(text, px(value * most), height - EDGE.bottom + 14);
    pen.fillText("λ (penalty for deviating)", (EDGE.left + width - EDGE.right) / 2, height - 9);
    pen.save();
    pen.translate(9, (EDGE.top + height - EDGE.bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText("‖γᵢ(λ)‖ (deviation)", 0, 0);
    pen.restore();
  }

  function over(pen) {
    for (const item of new Set([state.open, state.hover])) {
      if (!item?.line) continue;
      pen.strokeStyle = palette.card;
      pen.lineWidth = 6;
      stroke(pen, item.line);
      pen.strokeStyle = palette[item.verdict.tone];
      pen.lineWidth = 2.6;
      stroke(pen, item.line);
      pen.beginPath();
      trace(pen, shapeOf(item.shown), ...place(item), 5);
      pen.fillStyle = colourOf(item.shown);
      pen.fill();
      pen.strokeStyle = palette.ink;
      pen.lineWidth = 1.5;
      pen.stroke();
    }
  }

  function find(x, y) {
    let best = null;
    let least = 12;
    for (const line of lines) {
      if (dimmed(line)) continue;
      const away = Math.min(fromLine(line, x, y), Math.hypot(x - place(line.item)[0], y - place(line.item)[1]));
      if (away < least) [best, least] = [line.item, away];
    }
    return best;
  }

  /** Distance to the part of a line above zero, from the two points of the grid on either side. */
  function fromLine(line, x, y) {
    const last = end(line);
    if (last === 0 || x > px(lambda[last]) + 12 || x < EDGE.left - 12) return Infinity;
    let k = 1;
    while (k < last && px(lambda[k]) < x) k++;
    const [x0, y0, x1, y1] = [px(lambda[k - 1]), py(line.norms[k - 1]), px(lambda[k]), py(line.norms[k])];
    const length = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
    const along = Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length));
    return Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0));
  }

  function step(from, key) {
    const at = from?.line ? lines.indexOf(from.line) : -1;
    const to = { Home: 0, End: lines.length - 1, ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1 }[key];
    return lines[Math.max(0, Math.min(lines.length - 1, to))]?.item ?? null;
  }

  const plot = interactive(figure, {
    label: "Regularisation path. Arrow keys move from line to line in order of credibility, Enter opens its details.",
    draw, over, find, place, step,
  });
  const tones = VERDICTS.filter((verdict) => lines.some((line) => line.item.verdict === verdict));
  figure.append(el("p", { class: dashed ? "keys" : "keys solid" },
    tones.map((verdict) => el("span", { class: `key ${verdict.tone}` }, verdict.name)),
    path.lines.length < path.of && el("span", {}, `${count(path.lines.length)} of ${plural(path.of, "line")} shown`)));
}

/** Round numbers from zero to `most`, each with its share of `most`. */
function ticks(most) {
  if (!(most > 0)) return [[0, "0"]];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const digits = Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(step))));
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => [(k * step) / most, String(+(k * step).toFixed(digits))]);
}
