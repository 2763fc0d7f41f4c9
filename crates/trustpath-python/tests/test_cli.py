"""The command inside the package behaves as the program does: output, exit status, closed streams, Ctrl-C."""

import os
import signal
import subprocess
import sys
import time

import pytest

import trustpath

PYTHON = [sys.executable, "-m", "trustpath"]


def run(*arguments, **options):
    return subprocess.run([*PYTHON, *arguments], capture_output=True, text=True, **options)


def test_version_and_help_are_printed():
    version = run("--version")
    assert (version.returncode, version.stdout) == (0, f"trustpath {trustpath.__version__}\n")
    assert "trustpath label" in run().stdout
    assert run("label", "--help").returncode == 0


def test_mistakes_are_one_sentence_and_status_2():
    for arguments in (["label", "missing.npy"], ["nonsense"], ["label", "--precision", "7"]):
        failed = run(*arguments)
        assert failed.returncode == 2 and failed.stdout == ""
        assert failed.stderr.startswith("error: ") and failed.stderr.count("\n") == 1, failed.stderr


def test_it_prints_what_the_program_prints(command, tmp_path):
    arguments = ["bench", "--dataset", "cub", "--episodes", "10", "--csv"]
    program = subprocess.run([command, *arguments], capture_output=True, text=True, check=True)
    assert run(*arguments).stdout == program.stdout
    run("sample", "try", "--size", "10", cwd=tmp_path, check=True)
    label = ["label", "try/pool.npy", "--labels", "try/labels.csv", "--out", "-", "--quiet"]
    program = subprocess.run([command, *label], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run(*label, cwd=tmp_path).stdout == program.stdout


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
class TestPosix:
    def shell(self, script, folder):
        script = script.replace("trustpath", " ".join(PYTHON))
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=folder)

    def test_a_reader_that_stops_early_is_no_error(self, tmp_path):
        script = "set -o pipefail; trustpath sample try --size 10 >/dev/null && " \
                 "trustpath label try/pool.npy --labels try/labels.csv --out - --quiet | head -n 1"
        ended = self.shell(script, tmp_path)
        assert (ended.returncode, ended.stderr) == (0, "") and ended.stdout.startswith("id,label,")

    def test_closed_streams_do_not_end_up_in_files(self, tmp_path):
        ended = self.shell("trustpath sample try --size 10 <&- >&- 2>&-", tmp_path)
        assert ended.returncode == 0
        assert (tmp_path / "try" / "labels.csv").read_text().startswith("id,label\n")
        assert (tmp_path / "try" / "pool.npy").read_bytes().startswith(b"\x93NUMPY")

    def test_an_interrupt_prints_what_is_done(self, tmp_path):
        journal = tmp_path / "run.jsonl"
        arguments = ["bench", "--episodes", "1000000", "--journal", str(journal)]
        child = subprocess.Popen([*PYTHON, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while time.monotonic() < end and not (journal.exists() and journal.read_text().count("\n") > 10):
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        printed, said = child.communicate(timeout=60)
        assert child.returncode == 130, said
        assert "of the 1000000 asked for" in printed and said.startswith("error: interrupted after ")


def test_the_command_does_not_wait_for_scikit_learn():
    program = "import sys, trustpath.__main__; print('sklearn' in sys.modules, 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False False\n"


def test_public_names_are_there_on_first_use():
    program = "import trustpath; print(sorted(set(trustpath.__all__) - set(dir(trustpath))), trustpath.audit.__name__)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[] audit\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trustpath.nothing
