// The head of the page, its views, and the keys.

function open(name) {
  view = name;
  for (const key of Object.keys(viewers)) {
    $(`view-${key}`).hidden = key !== name;
    $(`tab-${key}`).setAttribute("aria-selected", String(key === name));
    $(`tab-${key}`).tabIndex = key === name ? 0 : -1;
  }
  viewers[name].draw(true);
  scrollTo(0, 0);
}

function drawHead() {
  const { counts, model, stage } = session;
  document.body.dataset.version = session.version;
  document.title = `${counts.given + counts.checked} labels – trustpath serve`;
  $("source").textContent = session.source;
  const state = stage ? `Updating the model: ${stage} …`
    : session.failed ? session.failed
    : !model ? "No model yet: label an instance of each of two classes."
    : model.stale ? "The model will be updated after some more answers." : "The model knows all answers.";
  if ($("status").textContent !== state) $("status").textContent = state;
  const trusted = model?.trusted ?? 0;
  const rest = Math.max(0, counts.total - counts.given - counts.checked - counts.none - trusted);
  const parts = [["given", counts.given, "given"], ["given", counts.checked, "answered"], ["none", counts.none, "none of these"], ["good", trusted, "trusted"], ["bad", rest, "open"]].filter(([, n]) => n > 0);
  $("totals").replaceChildren(
    el("span", { class: "bar", "aria-hidden": "true" }, parts.map(([tone, n]) => {
      const part = el("span", { class: tone });
      part.style.flexGrow = n;
      return part;
    })),
    el("small", {}, parts.map(([, n, words]) => `${count(n)} ${words}`).join(", "), counts.skipped > 0 && ` (${count(counts.skipped)} skipped)`));
}

$("tabs").append(...Object.entries(viewers).map(([key, { name }]) => el("button", { type: "button", role: "tab", id: `tab-${key}`, "aria-controls": `view-${key}`, onclick: () => open(key) }, name)));
$("tabs").addEventListener("keydown", (event) => {
  const keys = Object.keys(viewers);
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const next = keys[(keys.indexOf(view) + by + keys.length) % keys.length];
  open(next);
  $(`tab-${next}`).focus();
});
addEventListener("keydown", (event) => {
  if (session) viewers[view].key(event);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readPalette);

try {
  await refresh();
  open("label");
} catch (error) {
  trouble(error);
}
poll();
