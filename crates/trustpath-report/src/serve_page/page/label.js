// Label next: one instance at a time, or a grid of the suggested batch.

viewers.label = (() => {
  const PER_GRID = 12;
  const place = $("view-label");
  let grid = false;
  let current = null;
  let cursor = 0;
  let batch = [];

  const waiting = () => session.queue.filter((item) => !answered.has(item.row));

  /** The instance to ask for: the one on the page stays until it is answered, here or in another tab. */
  function choose() {
    const open = waiting();
    const now = session.asked?.row === current?.row ? session.asked : current;
    const isOpen = now && (current.kept || now.answer === "open" || now.answer === "skipped");
    if (isOpen && !answered.has(now.row)) current = Object.assign(now, { kept: current.kept });
    else current = open[0] ?? null;
    // The next images are loaded while this one is looked at.
    if (session.images) for (const item of open.slice(0, 4)) new Image().src = `image/${item.row}`;
  }

  function give(item, to) {
    $("live").textContent = `${item.id}: ${to.label ?? (to.to === "skipped" ? "skipped" : "none of these")}`;
    // In the grid a person picks what to answer.
    answer([item.row], grid ? to : { ...to, origin: item.origin });
    if (grid) {
      item.done = to;
      cursor = Math.min(cursor + 1, batch.length - 1);
      if (batch.every((other) => other.done)) batch = [];
      draw(true);
    } else {
      current = null;
      draw(true);
    }
  }

  const asked = () => (grid ? batch[cursor] : current);
  const acts = {
    choose: (i) => asked() && give(asked(), target(i)),
    accept: () => {
      const item = asked();
      const label = item && preselected(item);
      if (item && label !== undefined && !item.blind) give(item, target(label));
      else if (item) $("live").textContent = "There is no prediction: choose a class.";
    },
    rival: () => asked()?.prediction && give(asked(), target(asked().prediction.rival)),
    none: () => asked() && give(asked(), target(null)),
    skip: () => asked() && give(asked(), { to: "skipped" }),
    name: () => asked() && askName(place.querySelector(".acts"), (name) => give(asked(), { to: "label", label: name })),
    undo,
    next: () => grid && move(1),
    previous: () => grid && move(-1),
    get zoom() {
      return session.images && !grid ? zoom : undefined;
    },
  };

  /** Shows the image at twice its width, or as it was. */
  function zoom() {
    if (session.images) place.querySelector(".shown")?.classList.toggle("zoomed");
  }

  function move(by) {
    cursor = Math.max(0, Math.min(batch.length - 1, cursor + by));
    draw(true);
  }

  function commands() {
    return el("div", { class: "acts" },
      commandButton("Accept", "Enter", acts.accept, { class: "act main" }),
      commandButton("None of these", "N", acts.none),
      commandButton("Skip", "S", acts.skip),
      commandButton("Undo", "Z", acts.undo, { disabled: !session.undo }),
      commandButton("Other class", "+", acts.name));
  }

  function one() {
    const item = current;
    const keys = classKeys(session.classes);
    const label = item.blind ? undefined : preselected(item);
    const state = (i) => (i === label ? "chosen" : !item.blind && i === item.prediction?.rival ? "rival" : "");
    const big = el("div", { class: "shown", title: session.images ? "Click or press the space bar to zoom" : null, onclick: zoom }, body(item, true));
    return [
      el("div", { class: "question", "aria-label": `Instance ${item.id}` },
        el("div", { class: "card" }, big, el("p", { class: "id" }, item.id,
          item.answer !== "open" && el("span", { class: "pill given" }, item.answer === "none" ? "none of these" : item.answer),
          item.answer === "open" && item.origin === "random" && el("span", { class: "pill", title: "Drawn at random. Labels of random instances check how many of the trusted labels are right." }, "random"))),
        el("div", { class: "side" },
          prediction(item),
          el("div", { class: "answers", role: "group", "aria-label": "Classes" }, classButtons(session.classes, keys, acts.choose, state)),
          commands(),
          item.prediction && !item.blind && el("details", { class: "why" }, el("summary", {}, "Why"), el("p", {}, item.prediction.reason),
            el("div", { class: "tiles" }, item.prediction.near.map(([row, id, c]) => sessionTile({ row, id, text: session.images ? undefined : id }, { disabled: true }, c === null ? "" : classTag(c))))),
          session.model && el("button", { type: "button", class: "more", onclick: () => viewers.bulk.similar(item) }, "Label similar ones together"))),
    ];
  }

  function many() {
    const tiles = batch.map((item, k) => {
      const label = item.done ? (item.done.to === "label" ? session.classes.indexOf(item.done.label) : null) : item.blind ? undefined : preselected(item);
      const words = item.done?.to === "skipped" ? "skipped" : label === -1 ? item.done.label : shortTag(label);
      return sessionTile(item, {
        class: `pick${item.done ? " done" : ""}`,
        "aria-current": k === cursor ? "true" : null,
        "aria-label": `${item.id}, ${label === undefined ? "no prediction" : label === null ? "none of these" : className(label)}${item.done ? ", answered" : ""}`,
        onclick: () => ((cursor = k), draw(true)),
      }, words, !item.done && item.prediction && !item.blind && el("small", {}, percent(item.prediction.probability)));
    });
    const open = batch.filter((item) => !item.done && !item.blind && preselected(item) !== undefined);
    const all = () => {
      // One action for each label, so that undo takes back what belongs together.
      for (const [label, members] of groups(open, preselected)) {
        members.forEach((item) => (item.done = target(label)));
        answer(members.map((item) => item.row), target(label));
      }
      batch = batch.some((item) => !item.done) ? batch : [];
      draw(true);
    };
    return [
      el("div", { class: "grid" }, tiles),
      el("div", { class: "answers", role: "group", "aria-label": "Classes" }, classButtons(session.classes, classKeys(session.classes), acts.choose)),
      commands(),
      el("p", {}, el("button", { type: "button", class: "act", disabled: open.length === 0, onclick: all }, `Accept all ${open.length} predicted labels`)),
    ];
  }

  /** Draws the view; `go` moves the focus to it. */
  function draw(go) {
    if (place.querySelector(".naming")) return;
    const opened = place.querySelector(".why")?.open;
    const before = current?.row;
    choose();
    if (grid && batch.length === 0) [batch, cursor] = [waiting().slice(0, PER_GRID), 0];
    if (!go && (grid ? batch.length > 0 && place.querySelector(".grid") : current && current.row === before && place.dataset.shown === shape())) return;
    place.dataset.shown = shape();
    const modes = el("div", { class: "modes", role: "group", "aria-label": "Layout" }, [[false, "One at a time"], [true, "Grid"]].map(([mode, words]) =>
      el("button", { type: "button", class: "chip", "aria-pressed": String(grid === mode), onclick: () => ((grid = mode), (batch = []), draw(true)) }, words)));
    const done = el("div", { class: "card empty" }, el("h2", {}, "Nothing is left to ask"), el("p", {}, "Every instance has an answer. The other views show suspects, progress and exports."));
    const content = grid ? (batch.length > 0 ? many() : [done]) : current ? one() : [done];
    place.replaceChildren(modes, ...content);
    const why = place.querySelector(".why");
    if (why && opened && before === current?.row) why.open = true;
    if (go) place.focus({ preventScroll: true });
  }

  /** What the drawn question depends on other than the instance. */
  const shape = () => JSON.stringify([current?.row, current?.answer, current?.prediction?.label, current?.prediction?.probability, current?.blind, session.classes.length, session.undo, Boolean(session.model)]);

  async function undone(rows) {
    const { items } = await ask(`items?rows=${rows.slice(0, 1).join(",")}`);
    if (grid) {
      const at = batch.findIndex((item) => item.row === rows[0]);
      batch.forEach((item) => rows.includes(item.row) && delete item.done);
      if (at >= 0) cursor = at;
      else [batch, cursor] = [[items[0], ...batch.filter((item) => !item.done)], 0];
    } else current = Object.assign(items[0], { kept: true });
    draw(true);
  }

  return { name: "Label next", draw, undone, asked: () => current?.row, restart: () => ([current, batch, grid] = [null, [], false]), key: (event) => {
    if (grid && event.shiftKey && event.key === "Enter" && !typing(event.target)) return void (event.preventDefault(), place.querySelector("p > .act")?.click());
    answerKey(event, classKeys(session.classes), acts);
  } };
})();

function groups(list, key) {
  const found = new Map();
  for (const entry of list) found.set(key(entry), [...(found.get(key(entry)) ?? []), entry]);
  return found;
}
