"""Draws docs/images/terminal.svg, the animated picture of the README, from what the commands print now.

    cargo build --release --bin trustpath
    python scripts/terminal.py [BINARY]

Every command is typed and then shown with its output, shortened to the lines that fit; nothing else is changed. The picture loops, needs no
script, and stands still at the second command for readers who prefer less motion.
"""

import os
import subprocess
import sys
import tempfile
import textwrap
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, ROWS, SIZE, LINE = 112, 19, 14, 20
WIDTH, HEIGHT = 990, 40 + ROWS * LINE + 20

# Screens: their commands, and for how many seconds they stay.
SCREENS = [
    (["trustpath sample try"], 4),
    (["trustpath label try/pool.npy --labels try/labels.csv --out out.csv --model m.safetensors --suggest 5"], 11),
    (["trustpath predict m.safetensors try/new.npy --out new.csv"], 7),
    (["awk -F, -v OFS=, 'NR % 20 == 0 { $2 = \"073.Blue_Jay\" } 1' try/truth.csv > given.csv   # wrong on purpose",
      "trustpath audit try/pool.npy --labels given.csv"], 12),
]
TYPING = 0.03  # seconds per character


def screens(binary):
    """Lines of commands and of what they print, as far as the screen takes them; which are typed; and the seconds."""
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(folder) / "tools"
        tools.mkdir()
        (tools / "trustpath").symlink_to(binary)
        path = f"{tools}:{os.environ['PATH']}"
        for commands, seconds in SCREENS:
            lines = []
            for command in commands:
                shell = ["bash", "-c", command]
                run = subprocess.run(shell, cwd=folder, env={**os.environ, "PATH": path}, check=True, capture_output=True, text=True)
                lines.append(("$ " + command, True))
                for line in run.stdout.rstrip().split("\n") if run.stdout else []:
                    lines += [(part, False) for part in textwrap.wrap(line, COLUMNS, drop_whitespace=len(line) > COLUMNS) or [""]]
            yield lines[:ROWS], seconds


def rules(name, begin, end, total):
    """Shown from begin to end of every loop."""
    at = [f"{100 * t / total:.3f}%" for t in (begin, begin + 0.01, end - 0.01, end)]
    return (
        f"@keyframes {name}{{0%,{at[0]}{{opacity:0}}{at[1]},{at[2]}{{opacity:1}}{at[3]},100%{{opacity:0}}}}"
        f".{name}{{opacity:0;animation:{name} {total:.2f}s linear infinite}}"
    )


def colour(line):
    words = line.split()
    return {"trusted": "good", "doubtful": "bad", "promised": "good", "Label": "note", "Next:": "note"}.get(words[0] if words else "", "plain")


def draw(binary):
    shown = list(screens(binary))
    typing = [sum(len(line) for line, typed in lines if typed) * TYPING + 0.8 for lines, _ in shown]
    total, start, style, body = sum(typing) + sum(seconds for _, seconds in shown), 0.0, [], []
    for place, (lines, seconds) in enumerate(shown):
        now, end = start, start + typing[place] + seconds
        still = " still" if place == 1 else ""
        marks = []
        for row, (line, typed) in enumerate(lines):
            if not typed:
                marks.append((f"o{place}x{sum(t for _, t in lines[:row])}", row, 0, line, colour(line)))
                continue
            # Characters appear in steps of eight, which the eye takes for typing.
            for at in range(0, len(line), 8):
                style.append(rules(f"c{place}x{row}x{at}", now, end, total))
                marks.append((f"c{place}x{row}x{at}", row, at, line[at : at + 8], "typed"))
                now += 8 * TYPING
            now += 0.4
            style.append(rules(f"o{place}x{sum(t for _, t in lines[: row + 1])}", now, end, total))
        for name, row, at, line, kind in marks:
            if line.strip():
                x, y = 20 + at * 8.43, 58 + row * LINE
                body.append(f'<text class="{name} {kind}{still}" x="{x:.2f}" y="{y}" textLength="{len(line) * 8.43:.1f}">{escape(line)}</text>')
        start = end
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="A terminal in which trustpath labels real data, predicts new data and finds wrong labels">
<style>
text{{font:{SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#d7dfe8}}
.typed{{fill:#fff;font-weight:600}}.good{{fill:#3ecf9a}}.bad{{fill:#f2a35e}}.note{{fill:#7fb4ff}}
{chr(10).join(style)}
@media (prefers-reduced-motion:reduce){{text{{animation:none!important;opacity:0}}.still{{opacity:1}}}}
</style>
<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#12263a"/>
<circle cx="22" cy="20" r="6" fill="#f28b50"/><circle cx="42" cy="20" r="6" fill="#f2c94c"/><circle cx="62" cy="20" r="6" fill="#3ecf9a"/>
{chr(10).join(body)}
</svg>
"""


if __name__ == "__main__":
    binary = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/trustpath").resolve()
    picture = ROOT / "docs/images/terminal.svg"
    picture.write_text(draw(binary))
    print(f"{picture}: {picture.stat().st_size} bytes")
