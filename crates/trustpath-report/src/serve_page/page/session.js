// The session as the server knows it, and what the page tells the server.

/** The last state that the server sent. */
let session = null;
/** The view that is open. */
let view = "label";
/** Rows that were answered here, until a state that knows it: the version of that state, once the server has said it. */
const answered = new Map();
const viewers = {};

const className = (i) => session.classes[i];
const classCount = () => session.classes.length;
const verdictTone = { given: "given", trusted: "good", doubtful: "bad", "none of these": "none" };

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. If it was stopped, start trustpath serve again: every answer that was confirmed is kept.");
  }
  const value = await response.json();
  if (!response.ok) throw new Error(value.error ?? `The server answered ${response.status}.`);
  return value;
}

/** Shows what went wrong, until something else works. */
function trouble(error) {
  $("trouble").hidden = !error;
  $("trouble").textContent = error ? error.message : "";
}

/** Whether the server was asked to stop, and may not answer any more. */
let ending = false;

/** Answers go to the server one after the other, in the order in which they were given. */
let sending = Promise.resolve();
function send(path, body) {
  sending = sending.then(() => ask(path, body)).then((value) => {
    trouble(null);
    for (const row of body.rows ?? []) answered.set(row, value.version);
    return refresh().then(() => value);
  }, (error) => {
    for (const row of body.rows ?? []) answered.delete(row);
    trouble(error);
    return refresh().then(() => null, () => null);
  });
  return sending;
}

/** Records what rows are: `{ to: "label", label }`, `{ to: "none-of-these" }`, `{ to: "open" }` or `{ to: "skipped" }`. */
function answer(rows, to) {
  rows.forEach((row) => answered.set(row, Infinity));
  return send("answer", { rows, ...to });
}

async function undo() {
  const value = await send("undo", {});
  if (!value) return;
  value.rows.forEach((row) => answered.delete(row));
  viewers[view].undone?.(value.rows);
}

/** Fetches the state if it has changed, and redraws the open view. */
async function refresh() {
  if (ending) return;
  const asked = viewers[view].asked?.();
  const next = await ask(`state?version=${session?.version ?? 0}${asked === undefined ? "" : `&row=${asked}`}`);
  // An answer that was overtaken by a newer one says nothing.
  if (session && next.version < session.version) return;
  if (next.classes) {
    session = next;
    for (const [row, version] of answered) if (version <= next.version) answered.delete(row);
  } else session.stage = next.stage;
  drawHead();
  if (next.classes) viewers[view].draw(false);
}

async function poll() {
  try {
    await refresh();
    if (ending) return;
    if ($("trouble").dataset.from === "poll") trouble(null);
    delete $("trouble").dataset.from;
  } catch (error) {
    trouble(error);
    $("trouble").dataset.from = "poll";
  }
  setTimeout(poll, 1000);
}
