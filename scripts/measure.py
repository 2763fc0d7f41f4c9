#!/usr/bin/env python3
"""Writes the pages of docs/measured: every table of numbers of the documentation, by the commands that measure_targets.py lists.

    scripts/measure.py list                                       the targets, what they need and how long they take
    scripts/measure.py NAME... [--small] [--features FOLDER]      writes docs/measured/NAME.md
    scripts/measure.py all [--small] [--features FOLDER]          all of them whose needs are there
    scripts/measure.py check                                      compares small tables with those in docs/measured/small

A small run takes seconds to a minute. It replaces no page of a complete run, and is kept in docs/measured/small as well where `check`
compares it. FOLDER holds NAME.npy beside NAME-labels.npy for the names in KINDS. The program and the examples are built first
(`--no-build` leaves that out). A target ends with an error if one of its commands does, and the other targets are run.
"""

import argparse
import datetime
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure_targets import KINDS, TARGETS

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "measured"
SMALL = "**A small run.**"
EXAMPLES = {"label_quality", "trust_quality", "prediction_quality", "peers", "adaptive", "parity", "stopping", "speed", "throughput", "embed"}
# Columns that depend on the machine and its load; `check` does not compare them.
VARIES = re.compile(r"\bms\b|second|GiB|time", re.IGNORECASE)
NUMBER = re.compile(r"([+−-]?\d+(?:\.\d+)?)%?(?: ± (\d+(?:\.\d+)?))?")


def missing(target, features, small):
    """What a target needs and is not there."""
    steps = " ".join(target.small if small else target.full)
    for need in target.needs:
        if need == "features":
            files = [Path(features or "") / f"{kind}.npy" for kind in KINDS]
            if re.search("FEATURES|KINDS", steps) and not (features and all(file.exists() for file in files)):
                yield "--features FOLDER with " + ", ".join(file.name for file in files)
        elif need == "a GPU":
            if not shutil.which("nvidia-smi"):
                yield need
        elif importlib.util.find_spec(need) is None:
            yield f"the Python package {need}"


def build(names, small):
    """Builds the program and the examples of these targets."""
    steps = " ".join(step for name in names for step in (TARGETS[name].small if small else TARGETS[name].full))
    scripts = {"trustpath-vision/benches/against": "throughput", "trustpath-text/benches": "embed"}
    wanted = {word for word in re.findall(r"[\w-]+", steps) if word in EXAMPLES} | {e for s, e in scripts.items() if s in steps}
    # Without -p, so that nothing is compiled again with other features.
    command = ["cargo", "build", "--release", "--quiet", "--bin", "trustpath"]
    subprocess.run(command + [part for name in sorted(wanted) for part in ("--example", name)], cwd=ROOT, check=True)


def run(step, features, folder, figures):
    """The output of a command in Markdown; figures go to a folder, if one is given."""
    if step.startswith("#"):
        return f"#{step}"
    kinds = " ".join(shlex.quote(f"{features}/{kind}.npy") for kind in KINDS)
    line = step.replace("KINDS", kinds).replace("FEATURES", str(features)).replace("TMP", str(folder))
    words = shlex.split(line)
    into = words[words.index(">") + 1] if ">" in words else None
    words = words[: words.index(">")] if into else words
    if words[0] == "trustpath" or words[0] in EXAMPLES:
        words[0] = str(ROOT / "target/release" / ("" if words[0] == "trustpath" else "examples") / words[0])
    else:
        words.insert(0, sys.executable)
    print(f"  {step}", file=sys.stderr, flush=True)
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{step}: status {done.returncode}")
    # Folders of the machine that measures are of no use to a reader.
    done.stdout = done.stdout.replace(f"{features}/", "").replace(f"{folder}/", "")
    if into:
        Path(into).write_text(done.stdout)
        return ""
    if (folder / "report").exists():
        return report(folder / "report", figures)
    text = done.stdout.strip()
    return text if "\n| " in f"\n{text}" else f"```text\n{text}\n```"


def report(folder, figures):
    """What `trustpath paper` wrote, without its title."""
    (page,) = folder.glob("*.md")
    text = re.sub(r"\A# .*\n", "", page.read_text()).strip().replace(".png)", ".svg)")
    if not figures:
        return re.sub(r"^!\[.*\n+", "", text, flags=re.MULTILINE)
    figures.mkdir(parents=True, exist_ok=True)
    for figure in (folder / "figures").glob("*.svg"):
        shutil.copy(figure, figures)
    return text


def stamp(target, steps, small):
    """When, by what and on what a page was measured."""
    version = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    git = lambda *words: subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    changed = " with changes" if git("status", "--porcelain", "--", "crates", "Cargo.lock", "scripts") else ""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.exists() else []
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    commands = "\n".join(step for step in steps if not step.startswith("#"))
    kind = f"{SMALL} The complete one takes {target.takes}." if small else "A complete run."
    return (f"{kind} trustpath {version}, revision {git('rev-parse', '--short', 'HEAD')}{changed}, {datetime.date.today()}, "
            f"{names[0].strip() if names else platform.machine()}, {threads} threads. Seeds: {target.seeds}.\n\n```text\n{commands}\n```")


def measure(name, features, small, figures=None):
    """The page of a target."""
    target = TARGETS[name]
    steps = target.small if small else target.full
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "draws").mkdir()
        parts = [run(step, features, Path(folder), figures) for step in steps]
    head = [f"# {target.title}", f"Written by `scripts/measure.py {name}{' --small' if small else ''}`: do not edit it.", stamp(target, steps, small)]
    return "\n\n".join(part for part in [*head, target.about, *parts] if part) + "\n"


def write(name, features, small):
    """Measures a target and writes its page, or only the small one where the page is of a complete run."""
    page, kept = PAGES / f"{name}.md", PAGES / "small" / f"{name}.md"
    stays = small and page.exists() and SMALL not in page.read_text()
    text = measure(name, features, small, None if stays else PAGES / "figures")
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not stays:
        page.write_text(text)
    if small and TARGETS[name].checked:
        kept.write_text(re.sub(r"^!\[.*\n+", "", text, flags=re.MULTILINE))


def index():
    """Writes the list of all targets."""
    lines = ["# All measurements", "Written by `scripts/measure.py`, which also writes the pages: do not edit it. "
             "[CONTRIBUTING.md](../../CONTRIBUTING.md#numbers) says how.", "| target | page | needs | takes |\n|---|---|---|---|"]
    for name, target in TARGETS.items():
        page = PAGES / f"{name}.md"
        link = f"[{target.title}]({name}.md)" if page.exists() else f"{target.title} (not measured yet)"
        small = ", so far a small run" if page.exists() and SMALL in page.read_text() else ""
        lines[-1] += f"\n| `{name}` | {link}{small} | {', '.join(target.needs) or '–'} | {target.takes} |"
    (PAGES / "README.md").write_text("\n\n".join(lines) + "\n")


def rows(page):
    """The rows of all tables of a page, each with the head of its table."""
    head = None
    for line in page.splitlines():
        cells = [cell.strip(" *") for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = cells
        elif not set(line) <= set("|-: "):
            yield head, cells


def drift(committed, measured, tolerance):
    """The rows that differ by more than their interval, and by more than the tolerance where they have none."""
    before, after = list(rows(committed)), list(rows(measured))
    if len(before) != len(after):
        yield f"{len(after)} rows instead of {len(before)}"
    value = lambda text: float(text.replace("−", "-"))
    for (head, old), (_, new) in zip(before, after):
        where = " | ".join(old)
        if old[0] != new[0] or len(old) != len(new):
            yield f"{where}\n    is now {' | '.join(new)}"
            continue
        for title, one, other in zip(head, old, new):
            pairs = NUMBER.findall(one), NUMBER.findall(other)
            far = len(pairs[0]) != len(pairs[1]) or any(
                abs(value(a) - value(b)) > (value(half) if half and value(half) else tolerance) for (a, half), (b, _) in zip(*pairs))
            if far and not VARIES.search(title):
                yield f"{where}\n    {title}: {other} instead of {one}"


def check(names):
    """Whether the small tables are as they were."""
    wrong = 0
    for name in names:
        print(name, flush=True)
        for problem in drift((PAGES / "small" / f"{name}.md").read_text(), measure(name, None, True), TARGETS[name].tolerance):
            wrong += 1
            print(f"  {problem}")
    if wrong:
        print(f"{wrong} rows have drifted: if that is meant, run scripts/measure.py {' '.join(names)} --small and commit docs/measured")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help="targets, or list, all or check")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--features", type=lambda path: Path(path).resolve())
    parser.add_argument("--no-build", action="store_true")
    args = parser.parse_args()
    checked = [name for name, target in TARGETS.items() if target.checked]
    small = args.small or args.names == ["check"]
    if args.names == ["list"]:
        for name, target in TARGETS.items():
            print(f"{name:13} {target.title}; {target.takes}; needs {', '.join(target.needs) or 'nothing'}{'; checked' * target.checked}")
        return 0
    names = checked if args.names == ["check"] else list(TARGETS) if args.names == ["all"] else args.names
    if unknown := [name for name in names if name not in TARGETS]:
        parser.error(f"unknown: {', '.join(unknown)}; `measure.py list` lists the targets")
    if not args.no_build:
        build(names, small)
    if args.names == ["check"]:
        return 1 if check(names) else 0
    failed = 0
    for name in names:
        print(name, file=sys.stderr, flush=True)
        try:
            if gaps := list(missing(TARGETS[name], args.features, small)):
                raise RuntimeError("needs " + "; ".join(gaps))
            write(name, args.features, small)
        except RuntimeError as error:
            failed += 1
            print(f"{name} was not measured: {error}", file=sys.stderr)
    index()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
