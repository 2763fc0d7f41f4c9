#!/usr/bin/env bash
# Writes the address of the repository into the metadata of every crate and of the Python package:
#
#   scripts/set_repository.sh https://HOST/OWNER/NAME
#
# The release workflow runs it with the address of the repository that it runs in. Run it once and commit the result to
# have the address in packages that are built by hand as well. A second run replaces the address.
set -euo pipefail
cd "$(dirname "$0")/.."
url=${1:?usage: scripts/set_repository.sh https://HOST/OWNER/NAME}
case $url in https://*/*) ;; *) echo "\"$url\" is not the address of a repository: give one such as https://HOST/OWNER/NAME" >&2; exit 2 ;; esac

"$(command -v python || command -v python3)" - "$url" <<'END'
import re, sys
from pathlib import Path

url = sys.argv[1].rstrip("/")


def edit(path, old, new):
    """Replaces the lines of an earlier run, then adds the new ones after those that match."""
    text = path.read_text()
    text = re.sub(r'^repository(\.workspace)? = .*\n', "", text, flags=re.M)
    text = re.sub(r'^\[project\.urls\]\n(\w+ = .*\n)+\n', "", text, flags=re.M)
    text, found = re.subn(old, lambda match: match[0] + new, text, count=1, flags=re.M)
    assert found, f"{path} has no line {old}"
    path.write_text(text)


edit(Path("Cargo.toml"), r"^categories = .*\n", f'repository = "{url}"\n')
for manifest in Path("crates").glob("*/Cargo.toml"):
    edit(manifest, r"^license\.workspace = true\n", "repository.workspace = true\n")
edit(Path("pyproject.toml"), r"^dynamic = .*\n#.*\n\n", f'[project.urls]\nRepository = "{url}"\nChangelog = "{url}/blob/main/CHANGELOG.md"\n\n')
END
cargo metadata --no-deps --format-version 1 >/dev/null
echo "the repository is $url"
