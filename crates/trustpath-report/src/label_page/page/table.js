// The table of all instances, sorted and filtered, one page at a time so that it is fast for any number of instances.

/** Whether two classes compete for an instance: its own (in an audit the given one), and the other. */
const competes = (item, own, other) => labelled(item) && item.shown === own && (audit && item.given === item.label ? false : (audit ? item.label : item.rival) === other) && (audit || item.verdict !== GIVEN);

const table = (() => {
  const PER_PAGE = matchMedia("(max-width: 720px)").matches ? 20 : 50;
  const wanted = { text: "", verdict: "", label: "", rival: "", sort: null, down: false, page: 0 };
  // An audit begins with the least credible suspects.
  const natural = audit
    ? [...items].sort((a, b) => doubted(b) - doubted(a) || (doubted(a) ? (a.credibility ?? 0) - (b.credibility ?? 0) : a.i - b.i))
    : items;
  let found = natural;
  const texts = items.map((item) => `${item.id}\n${className(item.label)}\n${item.given === null ? "" : className(item.given)}\n${item.reason}\n${item.text ?? ""}`.toLowerCase());

  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const columns = [
    { name: "Instance", key: "id", value: (item) => item.id, cell: nameCell, by: compare },
    audit && { name: "Given label", key: "given", value: (item) => (item.given === null ? "" : className(item.given)), cell: (item) => (item.given === null ? "–" : classTag(item.given)), by: compare },
    { name: audit ? "Suggested label" : "Label", key: "label", value: (item) => (labelled(item) ? className(item.label) : ""), cell: labelTag, by: compare },
    source.text && { name: "Text", key: "words", value: (item) => item.text ?? "", cell: (item) => item.text ?? "–", by: compare },
    { name: "Verdict", key: "verdict", value: (item) => VERDICTS.indexOf(item.verdict), cell: (item) => [pill(item), item.rank && el("span", { class: "rank", title: "rank among the instances to label next" }, String(item.rank))] },
    { name: "Probability", key: "probability", number: true, value: (item) => item.probability ?? -1, cell: (item) => fraction(item.probability) },
    { name: "Credibility", key: "credibility", number: true, value: (item) => item.credibility ?? -1, cell: (item) => meter(item.credibility) },
    source.rounds.length > 0 && { name: "Round", key: "round", number: true, value: (item) => item.round ?? Infinity, cell: (item) => item.round ?? "–" },
    { name: "Reason", key: "reason", value: (item) => item.reason, cell: (item) => item.reason, by: compare },
  ].filter(Boolean);

  function nameCell(item) {
    return [
      item.image && el("img", { src: item.image, alt: "", loading: "lazy" }),
      el("button", { type: "button", class: "link", "data-row": item.i, onclick: (event) => (event.stopPropagation(), update({ open: item })) }, item.id),
    ];
  }

  const search = el("input", { type: "search", placeholder: "Search ids, classes, reasons", "aria-label": "Search ids, classes and reasons", oninput: () => later(() => show({ text: search.value.trim().toLowerCase() }, false)) });
  const verdict = el("select", { "aria-label": "Verdict", onchange: () => show({ verdict: verdict.value }, false) },
    el("option", { value: "" }, "All verdicts"),
    VERDICTS.filter((v) => v.count > 0).map((v) => el("option", { value: v.name }, v.name)),
    source.suggested.length > 0 && el("option", { value: "next" }, "label next"));
  const label = el("select", { "aria-label": "Class", onchange: () => show({ label: label.value, rival: "" }, false) },
    el("option", { value: "" }, "All classes"),
    classes.map((c) => el("option", { value: c.i }, c.name)));
  // On a phone rows are cards without headings; this list sorts them instead.
  const sorter = el("select", { class: "narrow", "aria-label": "Sort by", onchange: () => sort(columns[sorter.value] ?? null) },
    el("option", { value: "" }, audit ? "Suspects first" : "Original order"),
    columns.map((column, k) => el("option", { value: k }, `By ${column.name.toLowerCase()}`)));
  const heads = columns.map((column) => el("th", { scope: "col", class: `${column.key}${column.number ? " number" : ""}` },
    el("button", { type: "button", onclick: () => sort(column) }, column.name)));
  const body = el("tbody");
  const status = el("p", { class: "status", role: "status" });
  const back = el("button", { type: "button", onclick: () => turn(-1) }, "Previous");
  const on = el("button", { type: "button", onclick: () => turn(1) }, "Next");
  const clear = el("button", { type: "button", onclick: reset }, "Clear");

  let timer = 0;
  function later(act) {
    clearTimeout(timer);
    timer = setTimeout(act, 90);
  }

  function sort(column) {
    // The first click sorts numbers in descending order, except rounds.
    const first = Boolean(column?.number) && column.key !== "round";
    if (wanted.sort !== column) Object.assign(wanted, { sort: column, down: first });
    else if (wanted.down === first) wanted.down = !first;
    else wanted.sort = null;
    show({}, false);
  }

  function reset() {
    search.value = "";
    show({ text: "", verdict: "", label: "", rival: "", sort: null }, false);
  }

  /** Applies changed filters; with `go`, also scrolls to the table. */
  function show(changes, go = true) {
    Object.assign(wanted, changes, { page: 0 });
    verdict.value = wanted.verdict;
    label.value = wanted.label;
    sorter.value = wanted.sort ? columns.indexOf(wanted.sort) : "";
    const { text, sort: column } = wanted;
    found = natural.filter((item) =>
      (!wanted.verdict || (wanted.verdict === "next" ? item.rank : item.verdict.name === wanted.verdict)) &&
      (wanted.label === "" || (labelled(item) && item.label === Number(wanted.label)) || item.given === Number(wanted.label)) &&
      (wanted.rival === "" || competes(item, Number(wanted.label), Number(wanted.rival))) &&
      (!text || texts[item.i].includes(text)));
    if (column) {
      const by = column.by ?? ((a, b) => a - b);
      const keyed = found.map((item) => [column.value(item), item]);
      keyed.sort((a, b) => (wanted.down ? by(b[0], a[0]) : by(a[0], b[0])) || a[1].i - b[1].i);
      found = keyed.map(([, item]) => item);
    } else if (wanted.verdict === "next") found.sort((a, b) => a.rank - b.rank);
    render();
    if (go) $("rows").scrollIntoView();
  }

  function turn(by) {
    wanted.page += by;
    render();
    $("rows").scrollIntoView();
  }

  function render() {
    const from = wanted.page * PER_PAGE;
    const rows = found.slice(from, from + PER_PAGE);
    body.replaceChildren(...rows.map((item) => el("tr", {
      onclick: () => update({ open: item }),
      onpointerenter: () => update({ hover: item }),
      onpointerleave: () => update({ hover: null }),
    }, columns.map((column) => el("td", { class: `${column.key}${column.number ? " number" : ""}`, "data-name": column.name }, column.cell(item))))));
    columns.forEach((column, k) => {
      if (wanted.sort === column) heads[k].setAttribute("aria-sort", wanted.down ? "descending" : "ascending");
      else heads[k].removeAttribute("aria-sort");
    });
    status.textContent = found.length === 0
      ? "No instance matches."
      : `${count(from + 1)}–${count(from + rows.length)} of ${count(found.length)}${found.length < items.length ? ` (${count(items.length)} in total)` : ""}`;
    back.disabled = wanted.page === 0;
    on.disabled = from + PER_PAGE >= found.length;
    clear.hidden = !wanted.text && !wanted.verdict && wanted.label === "" && wanted.rival === "" && !wanted.sort;
  }

  $("rows").append(
    el("div", { class: "tools", role: "search" }, search, verdict, label, sorter, clear),
    el("table", {}, el("thead", {}, el("tr", {}, heads)), body),
    el("nav", { class: "pages", "aria-label": "Pages of the table" }, back, status, on));
  render();
  /** The instance after or before another one, in the order of the table. */
  const step = (item, by) => found[Math.max(0, Math.min(found.length - 1, found.indexOf(item) + by))];
  return { show, step };
})();

/** A number with a bar of proportional length. */
function meter(value) {
  const bar = el("span", { class: "meter", "aria-hidden": "true" }, el("span"));
  bar.firstChild.style.width = `${100 * Math.max(0, Math.min(1, value ?? 0))}%`;
  return [bar, fraction(value)];
}
