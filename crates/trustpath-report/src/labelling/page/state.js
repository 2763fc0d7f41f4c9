// What the reader is looking at, shared by all views.

const state = {
  /** The instance under the pointer or the keyboard. */
  hover: null,
  /** The instance whose panel is open. */
  open: null,
  /** The class pointed at, and the class that was pressed. */
  near: null,
  pinned: null,
};
const listeners = [];

function listen(listener) {
  listeners.push(listener);
}

/** Changes some of the state and tells every view which parts changed. */
function update(changes) {
  const changed = Object.keys(changes).filter((key) => state[key] !== changes[key]);
  if (changed.length === 0) return;
  Object.assign(state, changes);
  for (const listener of listeners) listener(changed);
}

const activeClass = () => state.near ?? state.pinned;

/** One sentence about an instance, for the tooltip's reader and for screen readers. */
function sentence(item) {
  const label = audit && item.given !== null && item.given !== item.label
    ? `given ${className(item.given)}, suggested ${className(item.label)}`
    : className(item.label);
  return `${item.id}: ${label}, ${item.verdict.name}, credibility ${fraction(item.credibility)}`;
}
