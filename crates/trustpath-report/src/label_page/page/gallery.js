// Tiles of instances: the ones to label next, and every class with its trusted and doubtful instances.

const FIRST = 24;

/** An instance as an image or, without one, as its name. */
function tile(item) {
  const open = {
    type: "button",
    onclick: () => update({ open: item }),
    onpointerenter: () => update({ hover: item }),
    onpointerleave: () => update({ hover: null }),
  };
  if (!item.image) return el("button", { ...open, class: `chip ${item.verdict.tone}`, title: item.id }, item.text === null ? item.id : item.text.length > 90 ? item.text.slice(0, 89) + "…" : item.text);
  return el("button", { ...open, class: `image ${item.verdict.tone}`, title: item.id },
    el("img", { src: item.image, alt: item.id, loading: "lazy" }));
}

function drawNext() {
  if (source.suggested.length === 0) return;
  $("next").hidden = false;
  $("next").querySelector("ol").append(...source.suggested.map((i) => el("li", {},
    el("span", { class: "rank" }, String(items[i].rank)), tile(items[i]))));
}

/** A group of tiles with a button that shows more of them. */
function strip(title, tone, members) {
  if (members.length === 0) return null;
  const sorted = [...members].sort((a, b) => (b.image !== null) - (a.image !== null) || (b.credibility ?? 0) - (a.credibility ?? 0));
  const tiles = el("div", { class: "tiles" });
  const more = el("button", { type: "button", class: "more" });
  const grow = (by) => {
    const from = tiles.childElementCount;
    tiles.append(...sorted.slice(from, from + by).map(tile));
    const left = sorted.length - tiles.childElementCount;
    more.textContent = `Show ${count(Math.min(left, 4 * FIRST))} more`;
    more.hidden = left === 0;
  };
  more.addEventListener("click", () => grow(4 * FIRST));
  grow(FIRST);
  return el("div", { class: "strip" }, el("h3", {}, el("span", { class: `key ${tone}` }, title), el("small", {}, count(members.length))), tiles, more);
}

function drawClasses() {
  if (classes.length === 0 || items.length === 0) return;
  $("classes").hidden = false;
  if (source.images) $("classes").append(imageSize());
  const nowhere = { i: null, name: "none of these", items: items.filter((item) => !labelled(item)) };
  for (const c of [...classes, ...(nowhere.items.length > 0 ? [nowhere] : [])]) {
    const of = (tone) => c.items.filter((item) => item.verdict.tone === tone);
    const parts = ["given", "good", "bad", "none"].map((tone) => [tone, of(tone)]).filter(([, list]) => list.length > 0);
    const bar = el("span", { class: "bar", "aria-hidden": "true" }, parts.map(([tone, list]) => {
      const part = el("span", { class: tone });
      part.style.flexGrow = list.length;
      return part;
    }));
    const words = parts.map(([, list]) => `${count(list.length)} ${list[0].verdict.name}`).join(", ");
    const details = el("details", {}, el("summary", {}, c.i !== null && icon(c.i), c.i !== null && classNumber(c.i), el("span", { class: "name" }, c.name), bar, el("small", {}, words || "no instances")));
    // Tiles are created when the class is first opened: fifty classes of images are many elements.
    details.addEventListener("toggle", () => {
      if (!details.open || details.childElementCount > 1) return;
      details.append(...["good", "bad", "none", "given"].map((tone) => strip(of(tone)[0]?.verdict.name, tone, of(tone))).filter(Boolean));
    });
    details.open = c.i !== null && c.i < (classes.length <= 6 ? 2 : 1);
    $("classes").append(details);
  }
}

/** A control for the size of the images on tiles. */
function imageSize() {
  const field = el("input", { type: "range", min: 40, max: 180, step: 2, value: 62, "aria-label": "Size of the images", oninput: () => document.documentElement.style.setProperty("--tile", `${field.value}px`) });
  return el("label", { class: "size" }, "Image size ", field);
}
