#!/usr/bin/env bash
# Runs the main commands of an installed trustpath in an empty folder, as a newcomer would:
#
#   scripts/try_command.sh trustpath
#   scripts/try_command.sh python3 -m trustpath
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: scripts/try_command.sh COMMAND..." >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$@" --version
"$@" demo --episodes 20
"$@" sample try --dataset cifar-fs --size 20
"$@" label try/pool.npy --labels try/labels.csv --out try/out.csv --report try/report.html --model try/model.safetensors
"$@" predict try/model.safetensors try/new.npy --out try/new.csv
"$@" audit try/pool.npy --labels try/truth.csv
test -s trustpath-demo/accuracy.png && test -s try/out.csv && test -s try/report.html && test -s try/new.csv
# A mistake has the exit status 2 and a sentence; a reader that stops early is no error.
status=0; "$@" label missing.npy 2>error.txt || status=$?
test "$status" = 2 && grep -q "^error: " error.txt
"$@" label try/pool.npy --labels try/labels.csv --out - --quiet | head -n 1
