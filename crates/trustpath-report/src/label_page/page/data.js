// The data of the page, as one object per instance.

const source = JSON.parse($("data").textContent);
const audit = source.kind === "audit";

// In the order of the numbers in the data.
const VERDICTS = [
  { name: "given", tone: "given" },
  { name: "trusted", tone: "good" },
  { name: "doubtful", tone: "bad" },
  { name: "none of these", tone: "none" },
  { name: "fits", tone: "good" },
  { name: "suspect", tone: "bad" },
];
VERDICTS.forEach((verdict, i) => Object.assign(verdict, { count: source.counts[i], share: source.shares[i] }));
const [GIVEN, , , NONE] = VERDICTS;

const items = source.id.map((id, i) => ({
  i,
  id,
  reason: source.reason[i],
  verdict: VERDICTS[source.verdict[i]],
  label: source.label[i],
  given: audit ? source.given[i] : null,
  rival: source.rival[i],
  text: source.text?.[i] ?? null,
  probability: source.probability[i],
  credibility: source.credibility[i],
  // The class whose colour it has: for an audit the given class, so that a wrong label stands out among its neighbours.
  shown: (audit ? source.given[i] : null) ?? source.label[i],
  round: source.round[i],
  near: source.neighbours[i],
  x: source.position[i][0],
  y: source.position[i][1],
  rank: null,
  image: null,
  line: null,
}));
source.suggested.forEach((i, rank) => (items[i].rank = rank + 1));
if (source.images) for (const [i, file] of source.images.files) items[i].image = file;

const classes = source.classes.map((name, i) => ({ i, name: name || "(no name)", items: [] }));
const className = (i) => classes[i].name;
const classCount = () => classes.length;
const doubted = (item) => item.verdict.tone === "bad";
/** Whether it has a label: what is none of these has none, only a class that it comes nearest to. */
const labelled = (item) => item.verdict !== NONE;
for (const item of items) if (labelled(item)) classes[item.shown].items.push(item);
const mapped = items.filter((item) => item.x >= 0);
