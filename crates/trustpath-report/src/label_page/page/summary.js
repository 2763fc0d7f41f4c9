// Counts, facts and remarks.

function drawSummary() {
  const shown = VERDICTS.filter((verdict) => verdict.count > 0);
  const bar = el("div", { class: "bar", "aria-hidden": "true" }, shown.map((verdict) => {
    const part = el("span", { class: verdict.tone });
    part.style.flexGrow = verdict.count;
    return part;
  }));
  const tiles = shown.map((verdict) => el("button", {
    type: "button",
    class: `tile ${verdict.tone}`,
    title: `Show only “${verdict.name}” instances in the table`,
    onclick: () => table.show({ verdict: verdict.name }),
  }, el("strong", {}, count(verdict.count)), el("span", {}, verdict.name), el("small", {}, verdict.share)));
  const facts = source.facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  $("summary").append(
    ...[
      shown.length > 0 && bar,
      tiles.length > 0 && el("div", { class: "verdicts" }, tiles),
      facts.length > 0 && el("dl", { class: "facts" }, facts),
      ...source.notes.map((note) => el("p", { class: "note" }, note)),
      items.length < source.total && el("p", { class: "note aside" }, `To keep this page small, it shows ${count(items.length)} of ${plural(source.total, "instance")}: suggested and doubtful instances first, then an even sample of each class. The output file of the command contains all of them.`),
      source.images && source.images.files.length < source.images.of && el("p", { class: "note aside" }, `To keep this page small, it includes ${count(source.images.files.length)} of ${plural(source.images.of, "image")}; the other instances are shown by name.`),
      source.total === 0 && el("p", { class: "note aside" }, "There are no instances."),
    ].filter(Boolean),
  );
}
