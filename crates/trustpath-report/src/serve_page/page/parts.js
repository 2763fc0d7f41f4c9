// Parts that several views use.

const percent = (x) => `${(100 * x).toFixed(x > 0.995 && x < 1 ? 1 : 0)} %`;

/** What an instance is: its image, its text, or the values of its row. */
function body(item, large = false) {
  const shown = [
    session.images && el("img", { src: `${large ? "image" : "tile"}/${item.row}`, alt: `Image of ${item.id}`, ...(large ? {} : { loading: "lazy" }) }),
    item.text !== undefined && el("p", { class: "text" }, large || item.text.length < 240 ? item.text : item.text.slice(0, 239) + "…"),
    item.fields && el("dl", { class: "fields" }, item.fields.slice(0, large ? 99 : 4).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
  ].filter(Boolean);
  return shown.length > 0 ? shown : [el("p", { class: "text" }, item.id)];
}

/** The label that Enter accepts: of the answer, or predicted; null for none of these, undefined if nothing is known. */
function preselected(item) {
  if (item.class !== null) return item.class;
  if (item.answer === "none") return null;
  return item.prediction ? item.prediction.label : undefined;
}

const target = (label) => (label === null ? { to: "none-of-these" } : { to: "label", label: className(label) });

/** The predicted label with its probability and competitor. */
function prediction(item) {
  if (item.blind) return el("p", { class: "quiet" }, "The prediction is hidden: this instance is part of a check.");
  if (!item.prediction) return el("p", { class: "quiet" }, "There is no prediction yet: it takes a label in each of two classes.");
  const { label, probability, rival, verdict } = item.prediction;
  return el("p", { class: "predicted" },
    label === null ? el("b", {}, "none of these") : classTag(label), " ",
    el("b", {}, percent(probability)), " ",
    el("span", { class: `pill ${verdictTone[verdict]}` }, verdict),
    el("small", {}, " next: ", el("span", { class: "tag" }, icon(rival), className(rival)), el("kbd", { title: "Key for the competitor" }, "0")));
}

/** A tile that can be pressed; `words` are shown below it. */
function sessionTile(item, attributes, ...words) {
  return el("button", { type: "button", class: "pick", title: item.id, ...attributes }, el("span", { class: "thumb" }, body(item)), el("span", { class: "under" }, ...words));
}

const shortTag = (label) => (label === undefined ? el("span", { class: "quiet" }, "?") : label === null ? el("span", {}, "none of these") : classTag(label));

/** Asks for the name of a class in a place; `take` gets it. */
function askName(place, take) {
  if (place.querySelector(".naming")) return;
  const opener = document.activeElement;
  const close = () => {
    field.remove();
    opener?.focus?.({ preventScroll: true });
  };
  const field = nameField(session.classes, (name) => (close(), take(name)), close);
  place.append(field);
  field.querySelector("input").focus();
}
