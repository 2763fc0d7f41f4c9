// Keys that answer: shared by the report and the page of a session.

/** Keys with a meaning of their own; no class gets one of these letters. */
const COMMANDS = { z: "undo", n: "none", s: "skip", 0: "rival", "+": "name", "/": "name", " ": "zoom", Enter: "accept", Delete: "remove", Backspace: "remove", ArrowRight: "next", ArrowLeft: "previous" };

/** For every class the digit 1 to 9 of the first nine, and the first letter of its name that is free. */
function classKeys(names) {
  const taken = new Set(Object.keys(COMMANDS));
  return names.map((name, i) => {
    const letter = [...name.toLowerCase()].find((c) => c >= "a" && c <= "z" && !taken.has(c)) ?? null;
    if (letter) taken.add(letter);
    return { digit: i < 9 ? String(i + 1) : null, letter };
  });
}

const typing = (target) => target.closest?.("input, select, textarea");

/**
 * Calls what a key stands for: a function of `acts` with the name of the command, or `acts.choose` with the number of a
 * class. Keys that are typed into a field are left alone, and so are Enter and Space on a button, which press it.
 */
function answerKey(event, keys, acts) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
  if (["Enter", " "].includes(event.key) && event.target.closest?.("button, a, summary")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const command = COMMANDS[key];
  const chosen = keys.findIndex(({ digit, letter }) => key === digit || key === letter);
  const act = command ? acts[command] : chosen >= 0 && acts.choose;
  if (!act || event.repeat) return;
  event.preventDefault();
  act(chosen);
}

/** Buttons for the classes with their keys; `state(i)` gives `chosen`, `rival` or nothing. */
function classButtons(names, keys, choose, state = () => "") {
  return names.map((name, i) => el("button", {
    type: "button",
    class: `answer ${state(i)}`,
    "aria-keyshortcuts": [keys[i].digit, keys[i].letter].filter(Boolean).join(" ") || null,
    "aria-pressed": String(state(i) === "chosen"),
    onclick: () => choose(i),
  }, icon(i), classNumber(i), el("span", { class: "name" }, name),
  el("span", { class: "caps", "aria-hidden": "true" }, keys[i].digit && el("kbd", {}, keys[i].digit), keys[i].letter && el("kbd", {}, keys[i].letter.toUpperCase()))));
}

/** A button for a command, with its key. */
const commandButton = (words, key, act, attributes = {}) =>
  el("button", { type: "button", class: "act", "aria-keyshortcuts": key, onclick: act, ...attributes }, words, el("kbd", { "aria-hidden": "true" }, key === "Delete" ? "Del" : key));

/** A field for the name of a class, with those that exist; Enter takes it, Escape closes it. */
function nameField(names, take, close) {
  const list = el("datalist", { id: "class-names" }, names.map((name) => el("option", { value: name })));
  const field = el("input", { type: "text", class: "class-name", list: "class-names", placeholder: "Name of the class", "aria-label": "Name of a class, existing or new; Enter takes it", maxlength: 100, autocomplete: "off", spellcheck: "false" });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && field.value.trim()) {
      event.preventDefault();
      take(field.value.trim());
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
  });
  return el("span", { class: "naming" }, field, list);
}
