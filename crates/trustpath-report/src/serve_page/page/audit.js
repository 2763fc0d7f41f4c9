// Audit: labels that may be wrong, the most suspicious first.

viewers.audit = (() => {
  const place = $("view-audit");
  let found = null;
  let at = 0;
  let asked = false;
  /** Rows that were decided or put off since the list was made. */
  const passed = new Set();

  const waiting = () => (found?.items ?? []).filter((suspect) => !passed.has(suspect.item.row));
  const current = () => waiting()[Math.min(at, Math.max(0, waiting().length - 1))];

  async function load() {
    try {
      found = await ask("suspects");
      trouble(null);
    } catch (error) {
      trouble(error);
    }
    show(true);
  }

  async function begin() {
    asked = true;
    passed.clear();
    await send("audit", {});
    draw(false);
  }

  function give(to, words) {
    const suspect = current();
    if (!suspect) return;
    $("live").textContent = `${suspect.item.id}: ${words}`;
    answer([suspect.item.row], to);
    passed.add(suspect.item.row);
    found.left -= 1;
    show(true);
  }

  const acts = {
    accept: () => current() && give(target(current().given), "kept"),
    rival: () => current() && give(target(current().suggested), `changed to ${className(current().suggested)}`),
    choose: (i) => give(target(i), `changed to ${className(i)}`),
    none: () => give(target(null), "none of these"),
    remove: () => give({ to: "open" }, "label removed"),
    skip: () => {
      if (current()) passed.add(current().item.row);
      show(true);
    },
    undo,
    next: () => ((at = Math.min(at + 1, waiting().length - 1)), show(true)),
    previous: () => ((at = Math.max(at - 1, 0)), show(true)),
  };

  function side(title, label, examples, key, act) {
    return el("div", { class: "card half" },
      el("h3", {}, title), el("p", { class: "what" }, classTag(label)),
      el("div", { class: "tiles" }, examples.length > 0
        ? examples.map((item) => sessionTile(item, { disabled: true }, item.id))
        : el("p", { class: "quiet" }, "There is no other example.")),
      commandButton(title === "Given" ? "Keep" : "Change to this", key, act, { class: "act main" }));
  }

  function show(go) {
    const suspect = current();
    const again = el("button", { type: "button", class: "more", onclick: begin }, "Audit again");
    if (!found) {
      const enough = session.sizes.filter((n) => n > 0).length >= 2;
      place.replaceChildren(el("div", { class: "card empty" },
        el("h2", {}, "Which labels are wrong?"),
        el("p", {}, "Every label is judged by the others, and the most suspicious come first."),
        session.stage && asked ? el("p", { class: "quiet" }, `Working: ${session.stage} …`)
          : el("button", { type: "button", class: "act main", disabled: !enough, onclick: begin }, "Audit the labels"),
        !enough && el("p", { class: "quiet" }, "This takes labels of at least two classes.")));
    } else if (!suspect) {
      place.replaceChildren(el("div", { class: "card empty" }, el("h2", {}, "No label is left to check"), again));
    } else {
      const { item, given, suggested, wrong, reason } = suspect;
      place.replaceChildren(
        el("p", { class: "quiet" }, `${plural(found.left, "label")} not checked yet. `, ...found.notes.slice(0, 1)),
        el("div", { class: "question", "aria-label": `Label of ${item.id}` },
          el("div", { class: "card" }, el("div", { class: "shown" }, body(item, true)), el("p", { class: "id" }, item.id, suspect.suspect && el("span", { class: "pill bad" }, "suspect"))),
          el("div", { class: "side" },
            el("p", {}, wrong !== null && el("b", {}, `${percent(wrong)} probably wrong. `), el("span", { class: "quiet" }, reason)),
            el("div", { class: "halves" },
              side("Given", given, suspect.examples[0], "Enter", acts.accept),
              side("Suggested", suggested, suspect.examples[1], "0", acts.rival)),
            el("div", { class: "acts" },
              commandButton("Remove the label", "Delete", acts.remove),
              commandButton("None of these", "N", acts.none),
              commandButton("Decide later", "S", acts.skip),
              commandButton("Undo", "Z", acts.undo, { disabled: !session.undo })),
            el("details", { class: "why" }, el("summary", {}, "Another class"), el("div", { class: "answers" }, classButtons(session.classes, classKeys(session.classes), acts.choose, (i) => (i === given ? "chosen" : i === suggested ? "rival" : "")))),
            again)));
    }
    if (go) place.focus({ preventScroll: true });
  }

  function draw(go) {
    if (asked && !session.stage && session.audited) {
      asked = false;
      return load();
    }
    if (go || !found) show(go);
  }

  return { name: "Audit", draw, undone: (rows) => (rows.forEach((row) => passed.delete(row)), load()), key: (event) => found && answerKey(event, classKeys(session.classes), acts) };
})();
