// The pseudo-labels that each self-training round added.

function drawRounds() {
  if (source.rounds.length === 0) return;
  const section = $("rounds");
  section.hidden = $("method").hidden = false;
  const rounds = source.rounds.map(([changed, ...accepted]) => ({ changed, accepted, sum: accepted.reduce((a, b) => a + b, 0) }));
  const most = Math.max(1, ...rounds.map((round) => round.sum));
  const all = rounds.reduce((sum, round) => sum + round.sum, 0);
  const moved = rounds.some((round) => round.changed > 0);
  section.querySelector("p").textContent = `${plural(rounds.length, "self-training round")} added ${plural(all, "pseudo-label")}.${moved ? " Under each bar: the round, and how many labels changed in it." : ""}`;
  section.querySelector("ol").append(...rounds.map((round, k) => {
    const column = el("span", { class: "column" }, round.accepted.map((n, label) => {
      if (n === 0) return null;
      const part = el("span", { class: `k${label % COLOURS} p${patternOf(label)}` });
      part.style.flexGrow = n;
      return part;
    }));
    column.style.height = `${(100 * round.sum) / most}%`;
    const best = round.accepted.map((n, label) => [n, label]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]);
    const words = best.slice(0, 8).map(([n, label]) => `${className(label)} ${n}`).join(", ") + (best.length > 8 ? ", …" : "");
    return el("li", { title: words, "aria-label": `Round ${k + 1}: ${plural(round.sum, "pseudo-label")} added (${words}), ${plural(round.changed, "label")} changed` },
      el("b", {}, count(round.sum)), el("span", { class: "well" }, column), el("span", {}, String(k + 1)),
      moved && el("small", {}, round.changed ? `${count(round.changed)} changed` : "–"));
  }));
}
