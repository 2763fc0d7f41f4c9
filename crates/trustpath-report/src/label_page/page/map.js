// The map of the features.

function drawMap() {
  const view = { zoom: 1, x: 0, y: 0 };
  const PAD = 22;
  const bounds = ["x", "y"].map((axis) => mapped.reduce((most, item) => Math.max(most, item[axis]), 0));
  const radius = mapped.length < 150 ? 5 : mapped.length < 1000 ? 4 : mapped.length < 4000 ? 3 : 2.2;
  const grown = () => radius * Math.sqrt(Math.min(view.zoom, 4));

  const place = (item) => {
    const { width, height } = plot.size;
    const scale = Math.min((width - 2 * PAD) / (bounds[0] || 1), (height - 2 * PAD) / (bounds[1] || 1));
    const x = (item.x - bounds[0] / 2) * scale;
    const y = (bounds[1] / 2 - item.y) * scale;
    return [width / 2 + (x + view.x) * view.zoom, height / 2 + (y + view.y) * view.zoom];
  };

  const groups = groupBy(mapped, (item) =>
    item.verdict === NONE ? "none" : `${item.shown}/${doubted(item) ? "bad" : item.verdict === GIVEN ? "given" : "good"}`);
  const LAYERS = ["good", "none", "bad", "given"];
  const layered = [...groups].sort(([a], [b]) => LAYERS.indexOf(a.split("/").at(-1)) - LAYERS.indexOf(b.split("/").at(-1)));

  const dimmed = (item) => activeClass() !== null && item.shown !== activeClass();
  function mark(pen, name, members, r) {
    const label = members[0].shown;
    pen.beginPath();
    for (const item of members) {
      const [x, y] = place(item);
      if (x < -9 || y < -9 || x > plot.size.width + 9 || y > plot.size.height + 9) continue;
      if (name === "none") traceCross(pen, x, y, r * 0.8);
      else trace(pen, shapeOf(label), x, y, name === "given" ? r * 1.35 : r);
    }
    const colour = name === "none" ? palette.none : colourOf(label);
    pen.fillStyle = pen.strokeStyle = colour;
    pen.lineWidth = Math.max(1, r / 3.2);
    if (name === "good") pen.fill();
    else if (name === "given") {
      pen.fill();
      pen.strokeStyle = palette.ink;
      pen.lineWidth = 1.4;
      pen.stroke();
    } else pen.stroke();
  }

  function draw(pen) {
    const r = grown();
    for (const faded of [true, false]) {
      for (const [key, members] of layered) {
        const name = key.split("/").at(-1);
        const shown = members.filter((item) => dimmed(item) === faded);
        if (shown.length === 0) continue;
        pen.globalAlpha = faded ? 0.1 : name === "given" ? 1 : mapped.length > 4000 ? 0.7 : 0.85;
        mark(pen, name, shown, r);
      }
    }
    pen.globalAlpha = 1;
    pen.strokeStyle = palette.accent;
    pen.lineWidth = 2;
    for (const i of source.suggested) {
      const item = items[i];
      if (item.x < 0 || dimmed(item)) continue;
      pen.beginPath();
      pen.arc(...place(item), r + 4.5, 0, 2 * Math.PI);
      pen.stroke();
    }
    names(pen);
  }

  /** Writes the names of classes where most of their instances are, unless they would overlap. */
  function names(pen) {
    pen.font = "600 12px Inter, system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const taken = [];
    const active = activeClass();
    const order = classes.filter((c) => active === null || c.i === active);
    for (const { i, name, items: members } of order.sort((a, b) => b.items.length - a.items.length)) {
      const firm = members.filter((item) => item.x >= 0 && item.verdict !== NONE && !doubted(item));
      if (firm.length === 0) continue;
      const middle = (axis) => firm.map((item) => item[axis]).sort((a, b) => a - b)[firm.length >> 1];
      const [x, y] = place({ x: middle("x"), y: middle("y") });
      const text = name.length > 24 ? name.slice(0, 23) + "…" : name;
      const half = pen.measureText(text).width / 2 + 4;
      const cx = Math.max(half, Math.min(plot.size.width - half, x));
      const cy = y - grown() - 9;
      const box = [cx - half, cy - 9, cx + half, cy + 9];
      if (taken.some((b) => b[0] < box[2] && b[2] > box[0] && b[1] < box[3] && b[3] > box[1])) continue;
      if (cy < 8 || cy > plot.size.height - 8) continue;
      taken.push(box);
      pen.strokeStyle = palette.card;
      pen.lineWidth = 4;
      pen.strokeText(text, cx, cy);
      pen.fillStyle = palette.ink;
      pen.fillText(text, cx, cy);
    }
  }

  function over(pen) {
    for (const item of new Set([state.open, state.hover])) {
      if (!item || item.x < 0) continue;
      const [x, y] = place(item);
      pen.strokeStyle = palette.accent;
      pen.lineWidth = 1;
      if (item === state.open) {
        for (const n of item.near) {
          if (items[n].x < 0) continue;
          pen.beginPath();
          pen.moveTo(x, y);
          pen.lineTo(...place(items[n]));
          pen.stroke();
        }
      }
      pen.beginPath();
      trace(pen, shapeOf(item.shown), x, y, grown() + 3);
      pen.fillStyle = item.verdict === NONE ? palette.none : colourOf(item.shown);
      pen.fill();
      pen.strokeStyle = palette.ink;
      pen.lineWidth = 2;
      pen.stroke();
    }
  }

  function find(px, py) {
    let best = null;
    let least = 14 ** 2;
    for (const item of mapped) {
      if (dimmed(item)) continue;
      const [x, y] = place(item);
      const distance = (x - px) ** 2 + (y - py) ** 2;
      if (distance < least) [best, least] = [item, distance];
    }
    return best;
  }

  const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  /** The nearest instance in a direction; instances straight ahead are preferred. */
  function step(from, key) {
    const way = WAYS[key];
    if (!way || !from || from.x < 0) return key === "End" ? mapped.at(-1) : mapped[0];
    const [x, y] = place(from);
    let best = null;
    let least = Infinity;
    for (const item of mapped) {
      const [dx, dy] = place(item).map((v, axis) => v - (axis ? y : x));
      const ahead = dx * way[0] + dy * way[1];
      const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (item === from || ahead < 0.5 || aside > 2 * ahead + 4) continue;
      const cost = ahead + 2 * aside;
      if (cost < least) [best, least] = [item, cost];
    }
    return best;
  }

  function zoom(by, px = plot.size.width / 2, py = plot.size.height / 2) {
    const next = Math.max(1, Math.min(24, view.zoom * by));
    const [ox, oy] = [px - plot.size.width / 2, py - plot.size.height / 2];
    view.x += ox / next - ox / view.zoom;
    view.y += oy / next - oy / view.zoom;
    view.zoom = next;
    if (next === 1) view.x = view.y = 0;
    plot.top.classList.toggle("zoomed", next > 1);
    plot.redraw(true);
  }
  const drag = (dx, dy) => {
    if (view.zoom === 1) return false;
    view.x += dx / view.zoom;
    view.y += dy / view.zoom;
    return true;
  };

  const found = (test, words) => (mapped.some(test) ? words : null);
  const marks = [
    found(doubted, audit ? "hollow = suspect" : "hollow = doubtful"),
    found((item) => item.verdict === NONE, "cross = none of these"),
    found((item) => item.rank, "ringed = label next"),
    found((item) => item.verdict === GIVEN, "outlined = given label"),
  ].filter(Boolean).join(", ");
  $("map").querySelector("p").textContent =
    `Instances with similar features are close together. Colour and shape show the ${audit ? "given label" : "class"}${marks && `; ${marks}`}.`;

  const plot = interactive($("map"), {
    label: "Map of the features. Arrow keys move from instance to instance, Enter opens its details, plus and minus zoom.",
    draw, over, find, place, step, drag,
    keys: { "+": () => zoom(1.6), "=": () => zoom(1.6), "-": () => zoom(1 / 1.6), 0: () => zoom(0) },
  });
  plot.top.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // without Ctrl the wheel scrolls the page
    event.preventDefault();
    const box = plot.top.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  plot.top.addEventListener("dblclick", (event) => {
    const box = plot.top.getBoundingClientRect();
    zoom(2, event.clientX - box.left, event.clientY - box.top);
  });
  plot.stage.append(el("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
    el("button", { type: "button", "aria-label": "Zoom in", onclick: () => zoom(1.6) }, "+"),
    el("button", { type: "button", "aria-label": "Zoom out", onclick: () => zoom(1 / 1.6) }, "−"),
    el("button", { type: "button", "aria-label": "Show all", onclick: () => zoom(0) }, "⤢")));
}

function groupBy(list, key) {
  const groups = new Map();
  for (const entry of list) {
    const name = key(entry);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(entry);
  }
  return groups;
}
