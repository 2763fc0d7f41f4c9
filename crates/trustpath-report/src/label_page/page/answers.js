// Answers given on this page: kept in it, and downloaded as a labels file. Nothing is sent anywhere.

const given = new Map();
const taken = [];
let saved = true;

/** The label of an instance now: the number of a class, null for none of these, undefined if there is none. */
function answerOf(item) {
  if (given.has(item)) return given.get(item);
  return audit ? item.given : item.verdict === GIVEN ? item.label : undefined;
}

function giveAnswer(item, label) {
  taken.push([item, given.has(item), given.get(item)]);
  given.set(item, label);
  saved = false;
  $("live").textContent = `${item.id}: ${label === null ? "none of these" : className(label)}`;
  drawAnswered();
}

/** Takes back the last answer, and returns its instance. */
function takeBack() {
  const last = taken.pop();
  if (!last) return null;
  const [item, had, label] = last;
  if (had) given.set(item, label);
  else given.delete(item);
  drawAnswered();
  return item;
}

/** The number of a class, which is added if it is new. */
function classOf(name) {
  const words = name.split(/\s+/).filter(Boolean).join(" ");
  const found = classes.findIndex((c) => c.name.toLowerCase() === words.toLowerCase());
  if (found >= 0) return found;
  classes.push({ i: classes.length, name: words, items: [] });
  return classes.length - 1;
}

/** A field of a csv: quoted, and not a formula in a spreadsheet. */
function field(text) {
  const safe = /^'*[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The labels file: every label on this page, and which of them were checked here. */
function labelsFile() {
  const rows = items.map((item) => {
    const label = answerOf(item);
    // An id that is too long for the page is cut, and would name no instance.
    if (label === undefined || (item.id.length > 200 && item.id.endsWith("…"))) return null;
    const kind = label === null ? "none of these" : given.has(item) ? "checked" : "given";
    return [item.id, label === null ? "" : className(label), kind].map(field).join(",");
  });
  return ["id,label,answer", ...rows.filter(Boolean), ""].join("\n");
}

function saveLabels() {
  const address = URL.createObjectURL(new Blob([labelsFile()], { type: "text/csv" }));
  el("a", { href: address, download: "labels.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  saved = true;
  drawAnswered();
}

function drawAnswered() {
  const part = items.length < source.total ? ` This page has ${count(items.length)} of ${count(source.total)} instances, so that the file lacks the labels of the others.` : "";
  $("answered").hidden = given.size === 0;
  $("answered").replaceChildren(
    el("span", {}, `${plural(given.size, "answer")}${saved ? ", downloaded" : ""}.${part}`),
    el("button", { type: "button", class: "act main", onclick: saveLabels }, "Download labels.csv"));
}

addEventListener("beforeunload", (event) => {
  if (!saved) event.preventDefault();
});
