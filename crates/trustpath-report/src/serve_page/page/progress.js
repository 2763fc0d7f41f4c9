// Progress: labels given against coverage and precision, and when to stop.

viewers.progress = (() => {
  const place = $("view-progress");
  const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [720, 300, 46, 34, 14, 14];

  function chart() {
    const points = session.points;
    const most = Math.max(1, ...points.map((p) => p.labels));
    const least = Math.min(most - 1, ...points.map((p) => p.labels));
    const x = (labels) => LEFT + ((WIDTH - LEFT - RIGHT) * (labels - least)) / Math.max(1, most - least);
    const y = (share) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
    const line = (list, name) => svg("polyline", { class: `line ${name}`, points: list.map(([m, share]) => `${x(m)},${y(share)}`).join(" ") });
    const dots = (list, name) => list.map(([m, share]) => svg("circle", { class: `dot ${name}`, cx: x(m), cy: y(share), r: 3.4 }, svg("title", {}, `${m} labels: ${name} ${percent(share)}`)));
    const coverage = points.map((p) => [p.labels, p.coverage]);
    const precise = points.filter((p) => p.precision);
    const precision = precise.map((p) => [p.labels, p.precision[0]]);
    const band = [...precise.map((p) => [p.labels, p.precision[2]]), ...precise.map((p) => [p.labels, p.precision[1]]).reverse()];
    const ticks = [0, 0.25, 0.5, 0.75, 1];
    const goal = (share, name) => svg("line", { class: `goal ${name}`, x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share) });
    return svg("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": points.map((p) => `${p.labels} labels: coverage ${percent(p.coverage)}${p.precision ? `, precision ${percent(p.precision[0])}` : ""}`).join("; ") },
      ticks.map((share) => [
        svg("line", { class: "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: y(share), y2: y(share) }),
        svg("text", { x: LEFT - 7, y: y(share) + 4, "text-anchor": "end" }, percent(share)),
      ]).flat(),
      [least, most].map((m, k) => svg("text", { x: x(m), y: HEIGHT - 16, "text-anchor": k ? "end" : "start" }, count(m))),
      svg("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 2, "text-anchor": "middle" }, "labels given"),
      goal(session.goal.coverage, "coverage"),
      session.goal.precision !== null && goal(session.goal.precision, "precision"),
      precise.length > 1 && svg("polygon", { class: "band", points: band.map(([m, share]) => `${x(m)},${y(share)}`).join(" ") }),
      line(coverage, "coverage"), precise.length > 1 && line(precision, "precision"),
      dots(coverage, "coverage"), dots(precision, "precision"));
  }

  function draw(go) {
    const { outlook, check, model, goal } = session;
    const row = ([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
    const checked = check && check.answered > 0
      ? `${check.right} of ${check.answered} checked labels are right: the precision of the trusted labels is ${percent(check.interval[0])} to ${percent(check.interval[1])} (95 % interval).`
      : check ? "The sample comes first in Label next." : "";
    place.replaceChildren(...[
      el("div", { class: `note ${outlook.enough ? "enough" : "aside"}` }, outlook.sentence),
      session.points.length > 0 && el("figure", { class: "progress" }, el("figcaption", {},
        el("h2", {}, "Labels given against coverage and precision"),
        el("p", { class: "keys solid" },
          el("span", { class: "key good" }, `coverage: labelled, answered or trusted (wanted ${percent(goal.coverage)})`),
          el("span", { class: "key bad" }, `estimated precision of the trusted labels${goal.precision === null ? "" : ` (wanted ${percent(goal.precision)})`}, with its 95 % interval`))), chart()),
      el("div", { class: "card" },
        el("h2", {}, "When to stop"),
        el("p", {}, `The rule: enough, once ${percent(goal.coverage)} of the pool is labelled, answered or trusted in two updates at least ${plural(goal.apart, "answer")} apart.`),
        el("p", { class: "quiet" }, "How many more labels it takes is read off a line through the last updates; the range is that of lines without one of them each, and through the last update. It is a rough guide: updates go up and down."),
        el("p", { class: "quiet" }, "The precision is estimated from labels of random instances, which every second question asks for, held out in turn. A check measures it without the model: a random sample of the trusted labels, answered without seeing the predictions."),
        el("p", {}, el("button", { type: "button", class: "act", disabled: !model || model.trusted === 0, onclick: () => send("check", { size: 50 }).then((done) => done && (viewers.label.restart(), open("label"))) }, "Check 50 trusted labels")),
        checked && el("p", { class: "checked" }, checked)),
      model && el("dl", { class: "facts" }, model.facts.map(row), row(["last update took", `${model.seconds.toFixed(1)} s`])),
      ...(model?.notes ?? []).map((note) => el("p", { class: "note" }, note)),
      el("p", {}, el("button", { type: "button", class: "act", disabled: !model?.stale || Boolean(session.stage), onclick: () => send("update", {}) }, "Update the model now")),
    ].filter(Boolean));
    if (go) place.focus({ preventScroll: true });
  }

  return { name: "Progress", draw, undone: () => draw(false), key: (event) => answerKey(event, [], { undo }) };
})();
