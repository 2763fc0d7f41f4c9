// A canvas that responds to the pointer and the keyboard. The plot is drawn on one canvas and the highlights on another, so
// that moving the pointer redraws very little.

/**
 * `draw(pen, size)` paints the plot, `over(pen, size)` the highlights, `find(x, y)` returns the instance at a position,
 * `place(item)` its position, `step(item, key)` the next instance for an arrow key, `drag(dx, dy)` moves the plot.
 */
function interactive(figure, { label, draw, over, find, place, step, drag, keys }) {
  const base = el("canvas", { "aria-hidden": "true" });
  const top = el("canvas", { tabindex: 0, role: "application", "aria-label": label });
  const stage = el("div", { class: "stage" }, base, top);
  figure.append(stage);
  const size = { width: 0, height: 0 };
  let waiting = 0;

  const clear = (canvas) => {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    return pen;
  };
  const paint = () => {
    const all = waiting === 2;
    waiting = 0;
    if (size.width < 1) return;
    if (all) draw(clear(base), size);
    over(clear(top), size);
  };
  /** Requests a redraw before the next frame: of everything, or only of the highlights. */
  const redraw = (all) => {
    if (waiting === 0) requestAnimationFrame(paint);
    waiting = Math.max(waiting, all ? 2 : 1);
  };

  new ResizeObserver(() => {
    [size.width, size.height] = [stage.clientWidth, stage.clientHeight];
    redraw(true);
  }).observe(stage);
  listen((changed) => redraw(changed.includes("near") || changed.includes("pinned")));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readPalette();
    redraw(true);
  });

  const at = (event) => {
    const box = top.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let held = null;
  const showTip = (item, [x, y]) => {
    const box = top.getBoundingClientRect();
    tip.show(item, box.left + x, box.top + y);
  };
  top.addEventListener("pointerdown", (event) => {
    held = { from: at(event), last: at(event), moved: false };
  });
  top.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (held && drag && event.buttons) {
      held.moved ||= Math.hypot(x - held.from[0], y - held.from[1]) > 4;
      if (held.moved && drag(x - held.last[0], y - held.last[1])) {
        top.setPointerCapture(event.pointerId);
        tip.hide();
        redraw(true);
      }
      held.last = [x, y];
      if (held.moved) return;
    }
    const item = find(x, y);
    top.classList.toggle("on", item !== null);
    update({ hover: item });
    if (item) showTip(item, [x, y]);
    else tip.hide();
  });
  top.addEventListener("pointerleave", () => {
    update({ hover: null });
    tip.hide();
  });
  top.addEventListener("click", (event) => {
    const dragged = held?.moved;
    held = null;
    const item = dragged ? null : find(...at(event));
    if (item) update({ open: item });
  });
  top.addEventListener("blur", () => {
    update({ hover: null });
    tip.hide();
  });
  top.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.key === "Enter" || event.key === " ") && state.hover) {
      event.preventDefault();
      update({ open: state.hover });
    } else if (/^(Arrow|Home|End)/.test(event.key)) {
      const item = step(state.hover, event.key);
      if (!item) return;
      event.preventDefault();
      update({ hover: item });
      showTip(item, place(item));
      $("live").textContent = sentence(item);
    } else if (keys?.[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  return { redraw, stage, size, top };
}

/** The tooltip. */
const tip = {
  show(item, x, y) {
    const box = $("tip");
    if (tip.item !== item) {
      tip.item = item;
      box.replaceChildren(
        ...[item.image && el("img", { src: item.image, alt: "" })].filter(Boolean),
        el("div", {},
          el("strong", {}, item.id),
          audit && item.given !== null && item.given !== item.label
            ? el("span", { class: "tag" }, icon(item.given), `${className(item.given)} → ${className(item.label)}`)
            : labelTag(item),
          item.text !== null && el("span", { class: "words" }, item.text),
          el("span", { class: "quiet" }, pill(item), ` credibility ${fraction(item.credibility)}`),
          item.rank && el("span", { class: "quiet" }, `label next: rank ${item.rank}`)),
      );
    }
    box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = box;
    const room = document.documentElement.clientWidth;
    box.style.left = `${Math.max(8, Math.min(x - width / 2, room - width - 8))}px`;
    box.style.top = `${y - height - 14 > 8 ? y - height - 14 : y + 16}px`;
  },
  hide() {
    $("tip").hidden = true;
  },
};
addEventListener("scroll", tip.hide, { passive: true });
