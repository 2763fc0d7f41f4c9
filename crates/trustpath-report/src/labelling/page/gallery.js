// Tiles of instances: what to label next, and every class with its trusted and doubtful ones.

const FIRST = 24;

/** An instance as a picture or, without one, as its name. */
function tile(item) {
  const open = {
    type: "button",
    onclick: () => update({ open: item }),
    onpointerenter: () => update({ hover: item }),
    onpointerleave: () => update({ hover: null }),
  };
  if (!item.picture) return el("button", { ...open, class: `chip ${item.verdict.tone}` }, item.id);
  return el("button", { ...open, class: `picture ${item.verdict.tone}`, title: item.id },
    el("img", { src: item.picture, alt: item.id, loading: "lazy" }));
}

function drawNext() {
  if (source.suggested.length === 0) return;
  $("next").hidden = false;
  $("next").querySelector("ol").append(...source.suggested.map((i) => el("li", {},
    el("span", { class: "rank" }, String(items[i].rank)), tile(items[i]))));
}

/** A row of tiles that grows when asked. */
function strip(title, tone, members) {
  if (members.length === 0) return null;
  const sorted = [...members].sort((a, b) => (b.picture !== null) - (a.picture !== null) || (b.credibility ?? 0) - (a.credibility ?? 0));
  const tiles = el("div", { class: "tiles" });
  const more = el("button", { type: "button", class: "more" });
  const grow = (by) => {
    const from = tiles.childElementCount;
    tiles.append(...sorted.slice(from, from + by).map(tile));
    const left = sorted.length - tiles.childElementCount;
    more.textContent = `${count(Math.min(left, 4 * FIRST))} more`;
    more.hidden = left === 0;
  };
  more.addEventListener("click", () => grow(4 * FIRST));
  grow(FIRST);
  return el("div", { class: "strip" }, el("h3", {}, el("span", { class: `key ${tone}` }, title), el("small", {}, count(members.length))), tiles, more);
}

function drawClasses() {
  if (classes.length === 0 || items.length === 0) return;
  $("classes").hidden = false;
  for (const c of classes) {
    const of = (tone) => c.items.filter((item) => item.verdict.tone === tone);
    const parts = ["given", "good", "bad", "none"].map((tone) => [tone, of(tone)]).filter(([, list]) => list.length > 0);
    const bar = el("span", { class: "bar", "aria-hidden": "true" }, parts.map(([tone, list]) => {
      const part = el("span", { class: tone });
      part.style.flexGrow = list.length;
      return part;
    }));
    const words = parts.map(([, list]) => `${count(list.length)} ${list[0].verdict.name}`).join(", ");
    const room = el("details", {}, el("summary", {}, icon(c.i), el("span", { class: "name" }, c.name), bar, el("small", {}, words || "none")));
    // Tiles are made when they are first looked at: fifty classes of pictures are many elements.
    room.addEventListener("toggle", () => {
      if (!room.open || room.childElementCount > 1) return;
      room.append(...["good", "bad", "none", "given"].map((tone) => strip(of(tone)[0]?.verdict.name, tone, of(tone))).filter(Boolean));
    });
    room.open = c.i < (classes.length <= 6 ? 2 : 1);
    $("classes").append(room);
  }
}
