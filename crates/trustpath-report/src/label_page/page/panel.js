// The panel with all details of one instance.

function drawPanel() {
  const panel = $("panel");
  let opener = null;
  // The answers stay folded or open from one instance to the next.
  let opened = true;
  const close = () => update({ open: null });

  /** The label that Enter accepts: the answer, in an audit the given label, or the predicted one. */
  const accepted = (item) => answerOf(item) ?? (audit ? item.given : labelled(item) ? item.label : null);
  /** Gives an answer and goes on to the next instance of the table. */
  function answer(label) {
    const item = state.open;
    giveAnswer(item, label);
    const next = table.step(item, 1);
    if (next === item) redraw(item);
    else update({ open: next });
  }
  const redraw = (item) => panel.replaceChildren(...content(item));
  const move = (by) => update({ open: table.step(state.open, by) ?? state.open });
  const acts = {
    choose: (i) => answer(i),
    accept: () => answer(accepted(state.open)),
    rival: () => {
      const { given: was, label, rival } = state.open;
      const other = audit ? (was === label ? rival : label) : rival;
      if (other !== null) answer(other);
    },
    none: () => answer(null),
    skip: () => move(1),
    next: () => move(1),
    previous: () => move(-1),
    undo: () => {
      const item = takeBack();
      if (item === state.open) redraw(item);
      else if (item) update({ open: item });
    },
    name: () => {
      const place = panel.querySelector(".answering .acts");
      if (!place || place.querySelector(".naming")) return;
      const close = () => {
        box.remove();
        panel.focus({ preventScroll: true });
      };
      const box = nameField(classes.map((c) => c.name), (name) => (close(), answer(classOf(name))), close);
      place.append(box);
      box.querySelector("input").focus();
    },
  };

  function content(item) {
    const near = item.near.map((n) => items[n]);
    const row = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
    return [
      el("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "×"),
      el("div", { class: "steps" },
        el("button", { type: "button", "aria-label": "Previous instance", "aria-keyshortcuts": "ArrowLeft", onclick: acts.previous }, "←"),
        el("button", { type: "button", "aria-label": "Next instance", "aria-keyshortcuts": "ArrowRight", onclick: acts.next }, "→")),
      item.image && el("img", { src: item.image, alt: `Image of ${item.id}` }),
      el("h2", {}, item.id),
      item.text !== null && el("p", { class: "text" }, item.text),
      el("p", { class: "what" },
        audit && item.given !== null && item.given !== item.label
          ? [classTag(item.given), el("span", { class: "arrow" }, "→"), classTag(item.label)]
          : labelled(item) ? classTag(item.label) : null,
        pill(item),
        given.has(item) && el("span", { class: "pill given" }, given.get(item) === null ? "answered: none of these" : `answered: ${className(given.get(item))}`)),
      answerBox(item),
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
  /** The classes and commands, with the label that Enter accepts. */
  function answerBox(item) {
    const names = classes.map((c) => c.name);
    const now = accepted(item);
    const other = audit ? (item.given === item.label ? item.rival : item.label) : item.rival;
    return el("details", { class: "answering", open: opened, ontoggle: (event) => (opened = event.target.open) },
      el("summary", {}, el("span", { class: "name" }, audit ? "Keep or correct" : "Confirm or correct")),
      el("div", { class: "answers", role: "group", "aria-label": "Classes" }, classButtons(names, classKeys(names), acts.choose, (i) => (i === now ? "chosen" : i === other ? "rival" : ""))),
      el("div", { class: "acts" },
        commandButton(audit ? "Keep" : "Accept", "Enter", acts.accept, { class: "act main" }),
        commandButton("None of these", "N", acts.none),
        commandButton("Skip", "S", acts.skip),
        commandButton("Undo", "Z", acts.undo, { disabled: taken.length === 0 }),
        commandButton("Other class", "+", acts.name)));
  }

  addEventListener("keydown", (event) => {
    if (!state.open) return;
    if (event.key === "Escape") close();
    else answerKey(event, classKeys(classes.map((c) => c.name)), acts);
  });
}
