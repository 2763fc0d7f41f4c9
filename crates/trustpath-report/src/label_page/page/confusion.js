// Which classes compete: how many labels of one class have another as their competitor, or are suspected to be of it.

function drawConfusion() {
  const MOST = 12;
  const counts = new Map();
  const total = classes.map(() => 0);
  for (const item of items) {
    const other = audit ? item.label : item.rival;
    if (other === null || !competes(item, item.shown, other) || (!audit && !doubted(item))) continue;
    const key = `${item.shown} ${other}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    total[item.shown] += 1;
    total[other] += 1;
  }
  if (counts.size === 0 || classes.length < 2) return;
  const section = $("confusion");
  section.hidden = false;
  const shown = classes.filter((c) => total[c.i] > 0).sort((a, b) => total[b.i] - total[a.i]).slice(0, MOST).sort((a, b) => a.i - b.i);
  const most = Math.max(...counts.values());
  section.querySelector("p").textContent = `${audit ? "Given labels (rows) that are suspected to be of another class (columns)" : "Doubtful labels (rows), and the class that competes with each (columns)"}${shown.length < total.filter(Boolean).length ? `; the ${shown.length} classes that compete most` : ""}. A number shows these instances in the table.`;
  const cell = (a, b) => {
    const n = counts.get(`${a.i} ${b.i}`) ?? 0;
    if (n === 0) return el("td", {}, a === b ? "" : "·");
    const button = el("button", { type: "button", "aria-label": `${n} of ${a.name} against ${b.name}`, onclick: () => table.show({ label: String(a.i), rival: String(b.i), verdict: audit ? "" : "doubtful" }) }, count(n));
    button.style.setProperty("--share", n / most);
    return el("td", {}, button);
  };
  section.append(el("div", { class: "scroll" }, el("table", { class: "matrix" },
    el("thead", {}, el("tr", {}, el("td"), shown.map((c) => el("th", { scope: "col", title: c.name }, icon(c.i), el("span", {}, breakable(c.name)))))),
    el("tbody", {}, shown.map((a) => el("tr", {}, el("th", { scope: "row" }, classTag(a.i)), shown.map((b) => cell(a, b))))))));
}
