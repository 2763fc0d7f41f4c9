"""Examples in the documentation run, and print what they show."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import trustpath

ROOT = Path(__file__).resolve().parents[3]
MODULES = [name for _, name, _ in pkgutil.iter_modules(trustpath.__path__, "trustpath.")]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("_trustpath")])
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_every_public_name_has_an_example_or_sections():
    for name in set(trustpath.__all__) - {"__version__"}:
        text = getattr(trustpath, name).__doc__
        assert text and text.strip().endswith(tuple(".\"')]}0123456789)")) or "Examples" in text, name
    for function in ("credibility", "audit", "reduce", "evaluate", "report", "load_dataset", "TrustPathClassifier"):
        text = getattr(trustpath, function).__doc__
        assert re.search(r"Parameters\n *-{10}\n", text) and re.search(r"Examples\n *-{8}\n", text), function


@pytest.mark.parametrize("what", ["python/trustpath", "tests/typing/sample.py"])
def test_types(what, tmp_path_factory):
    """The sources themselves; and a program that uses the package as it is installed."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.getbasetemp() / "mypy"
    here = ROOT / "crates/trustpath-python" / what
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache, here],
        capture_output=True, text=True, cwd=here.parent,
    )
    assert found.returncode == 0, found.stdout
    assert (Path(trustpath.__file__).parent / "py.typed").exists()


def test_the_block_of_the_readme_prints_what_it_shows():
    """TRUSTPATH_UPDATE_DOCS=1 writes what it prints into the README instead."""
    page = ROOT / "README.md"
    text = page.read_text()
    ((code, shown),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if os.environ.get("TRUSTPATH_UPDATE_DOCS"):
        page.write_text(text.replace(f"```text\n{shown}```", f"```text\n{done.stdout}```"))
    else:
        assert done.stdout == shown


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_from_top_to_bottom_and_shows_what_it_showed():
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "examples/trustpath.ipynb", as_version=4)

    def printed(cells):
        outputs = (output for cell in cells for output in cell.get("outputs", []))
        return "".join(o["text"] for o in outputs if o.get("name") == "stdout")

    before = printed(notebook.cells)
    client.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    # Numbers may differ in their last digit from one kind of processor to another.
    words = [re.sub(r"[\d.█ %]+", " ", text) for text in (before, printed(notebook.cells))]
    assert words[0].count("\n") == words[1].count("\n") > 20
    assert words[0].splitlines()[:12] == words[1].splitlines()[:12]
    shown = notebook.cells[-2]["outputs"][0]["data"]["text/html"]
    assert "<iframe srcdoc=" in "".join(shown)
