// The panel with all details of one instance.

function drawPanel() {
  const panel = $("panel");
  let opener = null;
  const close = () => update({ open: null });

  function content(item) {
    const near = item.near.map((n) => items[n]);
    const row = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
    return [
      el("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "×"),
      item.image && el("img", { src: item.image, alt: `Image of ${item.id}` }),
      el("h2", {}, item.id),
      el("p", { class: "what" },
        audit && item.given !== null && item.given !== item.label
          ? [classTag(item.given), el("span", { class: "arrow" }, "→"), classTag(item.label)]
          : classTag(item.label),
        pill(item)),
      el("p", { class: "reason" }, item.reason),
      el("dl", {},
        row("Probability", meter(item.probability)),
        row("Credibility", meter(item.credibility)),
        item.round !== null && row("Added in", `round ${item.round}`),
        item.rank !== null && row("Label next", `rank ${item.rank}`)),
      near.length > 0 && el("h3", {}, "Nearest labelled instances"),
      near.length > 0 && el("ul", {}, near.map((other) => el("li", {}, el("button", {
        type: "button",
        class: "near",
        onclick: () => update({ open: other }),
        onpointerenter: () => update({ hover: other }),
        onpointerleave: () => update({ hover: null }),
      }, other.image && el("img", { src: other.image, alt: "" }), el("span", {}, other.id, classTag(other.given ?? other.label)))))),
    ].flat().filter((child) => child !== null && child !== false);
  }

  listen((changed) => {
    if (!changed.includes("open")) return;
    tip.hide();
    if (!state.open) {
      panel.hidden = true;
      if (opener?.isConnected) opener.focus({ preventScroll: true });
      opener = null;
      return;
    }
    if (panel.hidden) opener = document.activeElement;
    panel.hidden = false;
    panel.setAttribute("aria-label", `Instance ${state.open.id}`);
    panel.replaceChildren(...content(state.open));
    panel.scrollTop = 0;
    panel.focus({ preventScroll: true });
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.open) close();
  });
}
