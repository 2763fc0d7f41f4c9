// Bulk: instances that are answered together.

viewers.bulk = (() => {
  const place = $("view-bulk");
  let by = "class";
  let chosen = { label: 0, least: 0.9 };
  let like = null;
  let found = null;
  let out = new Set();
  let as = null;
  let loads = 0;

  async function load() {
    const mine = ++loads;
    let next = null;
    try {
      if (by === "class") next = await ask(`class?class=${chosen.label}&least=${chosen.least}`);
      else if (by === "similar" && like) next = await ask(`similar?row=${like.row}`);
      trouble(null);
    } catch (error) {
      trouble(error);
    }
    // Another selection was asked for in the meantime.
    if (mine !== loads) return;
    [found, out] = [next, new Set()];
    as = by === "class" ? chosen.label : like ? preselected(like) ?? null : null;
    results();
  }

  const picked = () => (found?.items ?? []).filter((item) => !out.has(item.row) && !answered.has(item.row));

  async function give(to) {
    const rows = picked().map((item) => item.row);
    if (rows.length === 0) return;
    await answer(rows, to);
    $("live").textContent = `${plural(rows.length, "instance")} answered together`;
    if (by === "map") (found = null), drawMapAgain();
    else load();
  }

  const list = el("div", { class: "grid" });
  const bar = el("div", { class: "acts sticky" });
  const choices = el("div", { class: "choices" });
  const canvas = el("div");
  const drawMapAgain = () => lassoMap(canvas, async (rows, total) => {
    loads += 1;
    found = { ...(await ask(`items?rows=${rows.join(",")}`)), total };
    out = new Set();
    as = preselected(found.items[0]) ?? null;
    results();
  });

  function results() {
    const items = (found?.items ?? []).filter((item) => !answered.has(item.row));
    list.replaceChildren(...items.map((item) => sessionTile(item, {
      "aria-pressed": String(!out.has(item.row)),
      onclick: (event) => {
        if (!out.delete(item.row)) out.add(item.row);
        event.currentTarget.setAttribute("aria-pressed", String(!out.has(item.row)));
        label();
      },
    }, shortTag(preselected(item)), item.prediction && el("small", {}, percent(item.prediction.probability)))));
    label();
  }

  /** The buttons that answer what is selected. */
  function label() {
    const n = picked().length;
    const select = el("select", { "aria-label": "Label for the selected instances", onchange: () => ((as = Number(select.value)), label()) },
      session.classes.map((name, i) => el("option", { value: i, selected: i === as }, name)));
    if (as === null) select.selectedIndex = -1;
    bar.replaceChildren(
      el("span", { role: "status" }, found ? `${count(n)} of ${count(found.total)} selected${found.total > found.items.length ? ` (the first ${found.items.length} are shown)` : ""}` : ""),
      select,
      el("button", { type: "button", class: "act main", disabled: n === 0 || as === null, onclick: () => give(target(as)) }, as === null ? "Label" : `Label ${count(n)} as ${className(as)}`),
      el("button", { type: "button", class: "act", disabled: n === 0, onclick: () => give(target(null)) }, "None of these"),
      el("button", { type: "button", class: "act", disabled: !found, onclick: () => ((out = new Set(n > 0 ? found.items.map((item) => item.row) : [])), results()) }, n > 0 ? "Select none" : "Select all"),
      commandButton("Undo", "Z", undo, { disabled: !session.undo }));
  }

  function draw(go) {
    if (!go && choices.childElementCount > 0 && choices.dataset.classes === String(session.classes.length)) return label();
    choices.dataset.classes = session.classes.length;
    const ways = [["class", "By class and probability"], ["similar", "By similarity"], ["map", "On the map"]];
    const modes = el("div", { class: "modes", role: "group", "aria-label": "Way to select" }, ways.map(([way, words]) =>
      el("button", { type: "button", class: "chip", "aria-pressed": String(by === way), onclick: () => ((by = way), (found = null), draw(true)) }, words)));
    if (by === "class") {
      const value = el("output", {}, percent(chosen.least));
      const slider = el("input", { type: "range", min: 0.3, max: 1, step: 0.01, value: chosen.least, "aria-label": "Least probability", oninput: () => ((chosen.least = Number(slider.value)), (value.textContent = percent(chosen.least))), onchange: load });
      const select = el("select", { "aria-label": "Predicted class", onchange: () => ((chosen.label = Number(select.value)), load()) },
        session.classes.map((name, i) => el("option", { value: i, selected: i === chosen.label }, name)));
      choices.replaceChildren(el("label", {}, "Predicted as ", select), el("label", {}, "with a probability of at least ", slider, " ", value));
    } else if (by === "similar") {
      choices.replaceChildren(like ? sessionTile(like, { disabled: true }, like.id) : el("p", { class: "quiet" }, "Choose “Label similar ones together” beside an instance of Label next."));
    } else choices.replaceChildren(canvas);
    place.replaceChildren(modes, choices, bar, list);
    if (by === "map") ((loads += 1), results(), drawMapAgain());
    else load();
    if (go) place.focus({ preventScroll: true });
  }

  return {
    name: "Bulk", draw, undone: () => (by === "map" ? drawMapAgain() : load()),
    similar: (item) => {
      [by, like] = ["similar", item];
      open("bulk");
    },
    key: (event) => answerKey(event, [], { undo }),
  };
})();
