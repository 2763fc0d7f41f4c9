"""The command line: ``trustpath`` and ``python -m trustpath``."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from ._trustpath import main as run


def main() -> int:
    """Runs the command with the arguments of this process and returns its exit status."""
    for descriptor in range(3):
        # A standard stream that is closed would be the next file that is opened.
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    library = onnxruntime()
    if library is not None:
        os.environ.setdefault("ORT_DYLIB_PATH", str(library))
    return run(["trustpath", *sys.argv[1:]])


def onnxruntime() -> "Path | None":
    """The library inside the package onnxruntime, if that is installed beside this one."""
    package = find_spec("onnxruntime")
    if package is None or package.origin is None:
        return None
    names = ["libonnxruntime.so*", "libonnxruntime.*dylib", "onnxruntime.dll"]
    found = (path for name in names for path in (Path(package.origin).parent / "capi").glob(name))
    return next(found, None)


if __name__ == "__main__":
    sys.exit(main())
