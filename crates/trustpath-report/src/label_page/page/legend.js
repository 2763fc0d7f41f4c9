// The classes, which can be hovered over and clicked.

function drawLegend() {
  const buttons = classes.map((c) => el("button", {
    type: "button",
    class: "chip",
    "aria-pressed": "false",
    onpointerenter: () => update({ near: c.i }),
    onpointerleave: () => update({ near: null }),
    onclick: () => update({ pinned: state.pinned === c.i ? null : c.i }),
  }, icon(c.i), classNumber(c.i), el("span", {}, c.name), el("small", {}, count(c.items.length))));
  $("legend").append(...buttons);
  listen((changed) => {
    if (!changed.includes("pinned")) return;
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.pinned)));
  });
}
