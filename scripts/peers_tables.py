"""Tables from the lines that the example `peers` prints.

    python scripts/peers_tables.py LINES.tsv...

Prints the summary of all methods and one table per kind of features, in Markdown. The lines of all files are joined; of a setting and
method that occurs twice, the one of more episodes counts.
"""

import re
import sys

KINDS = {
    "cifar-fs-val": "CIFAR-FS, 16 validation classes (ResNet-12, 512 features)",
    "cub-val": "CUB, 50 validation classes (ResNet-12, 512 features)",
    "banking77-minilm": "Banking77, customer questions in 77 classes (all-MiniLM-L6-v2, 384 signed features)",
    "tiny-imagenet-efficientnet-lite0": "Tiny ImageNet, 40 classes (EfficientNet-Lite0, 1280 features)",
}
FIRST = "adaptive"


def read(paths):
    """(kind, setting) -> method -> accuracy, half its interval, difference, half its interval, milliseconds, episodes."""
    found = {}
    for path in paths:
        for line in open(path):
            kind, setting, method, *numbers = line.rstrip("\n").split("\t")
            numbers = [float(v) for v in numbers]
            rows = found.setdefault((kind, setting), {})
            if method not in rows or rows[method][-1] < numbers[-1]:
                rows[method] = numbers
    return found


def order(setting):
    """Small pools first: by ways, shots, queries, then from balanced to unequal and absent classes."""
    way, shot, n = re.match(r"(\w+)-way (\d+)-shot, n = (\w+)", setting).groups()
    number = lambda text: float("inf") if text == "all" else int(text)
    concentration = re.search(r"Dirichlet\(([\d.]+)\)", setting)
    balance = 0 if "balanced" in setting else 1 / float(concentration[1]) if concentration else 99
    return number(n) > 300, int(shot), number(way), number(n), balance, setting


def cell(method, row):
    accuracy, half, difference, around = row[:4]
    if method == FIRST:
        return f"{accuracy:.1f} ± {half:.1f}"
    text = f"{difference:+.1f} ± {around:.1f}".replace("-", "−")
    return f"**{text}**" if difference > around else text


def table(found, kind, methods):
    settings = sorted((s for k, s in found if k == kind), key=order)
    lines = ["| setting | " + " | ".join(methods) + " |", "|---" * (len(methods) + 1) + "|"]
    for setting in settings:
        rows = found[kind, setting]
        cells = [cell(m, rows[m]) if m in rows else "" for m in methods]
        lines.append(f"| {setting} | " + " | ".join(cells) + " |")
    return lines


def summary(found, methods):
    lines = [
        "| method | settings | mean difference | ahead | behind | largest lead | ms, 5-way 1-shot n = 75 |",
        "|---|---|---|---|---|---|---|",
    ]
    def line(method):
        rows = {at: rows[method] for at, rows in found.items() if method in rows}
        ahead = sum(r[2] > r[3] for r in rows.values())
        behind = sum(-r[2] > r[3] for r in rows.values())
        mean = sum(r[2] for r in rows.values()) / len(rows)
        most = max(rows, key=lambda at: rows[at][2] - rows[at][3])
        lead = ""
        if rows[most][2] > rows[most][3]:
            short = KINDS.get(most[0], most[0]).split(",")[0]
            lead = f"{rows[most][2]:+.1f} ± {rows[most][3]:.1f} ({short}, {most[1]})"
        times = [r[4] for at, r in rows.items() if at[1] == "5-way 1-shot, n = 75, balanced"]
        time = f"{sum(times) / len(times):.2g}" if times else ""
        text = f"| {method} | {len(rows)} | {mean:+.1f} | {ahead} | {behind} | {lead} | {time} |".replace("| -", "| −")
        return mean, text
    others = sorted((line(m) for m in methods if m != FIRST), reverse=True)
    return lines + [text for _, text in others]


def main():
    found = read(sys.argv[1:])
    methods = sorted({m for rows in found.values() for m in rows}, key=lambda m: m != FIRST)
    share = lambda m: -sum(m in rows for rows in found.values())
    methods.sort(key=lambda m: (m != FIRST, share(m), m))
    print(*summary(found, methods), sep="\n")
    for kind, title in KINDS.items():
        if any(k == kind for k, _ in found):
            own = [m for m in methods if any(m in rows for (k, _), rows in found.items() if k == kind)]
            print("", "## " + title, "", *table(found, kind, own), sep="\n")


main()
