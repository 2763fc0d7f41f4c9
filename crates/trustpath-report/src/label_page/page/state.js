// The selection, shared by all views.

const state = {
  /** The instance under the pointer or the keyboard. */
  hover: null,
  /** The instance whose panel is open. */
  open: null,
  /** The class under the pointer, and the class that was clicked. */
  near: null,
  pinned: null,
};
const listeners = [];

function listen(listener) {
  listeners.push(listener);
}

/** Changes the state and notifies every view of the changed parts. */
function update(changes) {
  const changed = Object.keys(changes).filter((key) => state[key] !== changes[key]);
  if (changed.length === 0) return;
  Object.assign(state, changes);
  for (const listener of listeners) listener(changed);
}

/** The label of an instance, if it has one. */
const labelTag = (item) => (labelled(item) ? classTag(item.label) : el("span", { class: "quiet" }, "–"));

const activeClass = () => state.near ?? state.pinned;

/** One sentence about an instance, for screen readers. */
function sentence(item) {
  const label = audit && item.given !== null && item.given !== item.label
    ? `given ${className(item.given)}, suggested ${className(item.label)}`
    : labelled(item) ? className(item.label) : "no label";
  return `${item.id}: ${label}, ${item.verdict.name}, credibility ${fraction(item.credibility)}`;
}
