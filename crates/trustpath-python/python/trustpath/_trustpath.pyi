from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

def label(
    x: NDArray[Any], labels: NDArray[np.int64], classes: int, params: Mapping[str, Any]
) -> dict[str, Any]: ...
def label_page(
    x: NDArray[Any],
    labels: NDArray[np.int64],
    classes: Sequence[str],
    ids: Sequence[str],
    source: str,
    params: Mapping[str, Any],
) -> str: ...
def audit(
    x: NDArray[Any], labels: NDArray[np.int64], classes: int, threads: Optional[int]
) -> dict[str, Any]: ...
def audit_page(
    x: NDArray[Any],
    labels: NDArray[np.int64],
    classes: Sequence[str],
    ids: Sequence[str],
    source: str,
    threads: Optional[int],
) -> str: ...
def path(
    x: NDArray[Any],
    labels: NDArray[np.int64],
    classes: int,
    settings: Mapping[str, Any],
    keep: tuple[bool, bool],
    threads: Optional[int],
) -> dict[str, Any]: ...
def reduce(
    x: NDArray[Any], method: str, dim: int, neighbors: int, threads: Optional[int]
) -> NDArray[np.float64]: ...
def evaluate(
    x: NDArray[Any],
    labels: NDArray[np.int64],
    names: Sequence[str],
    task: Mapping[str, Any],
    method: Mapping[str, Any],
    from_: int,
    count: int,
    threads: Optional[int],
) -> list[list[float]]: ...
def summary(accuracies: Sequence[Sequence[float]]) -> dict[str, Any]: ...
def methods() -> list[str]: ...
def dataset(name: str, split: str) -> tuple[NDArray[np.float32], NDArray[np.int64], list[str]]: ...
def walk(
    ask: Callable[[Optional[int], str, tuple[Any, ...]], Any],
    sizes: Sequence[int],
    dims: int,
    classes: int,
    settings: Mapping[str, Any],
) -> list[float]: ...

class Model:
    def __init__(self, parts: Mapping[str, Any]) -> None: ...
    def parts(self) -> dict[str, Any]: ...
    def predict(self, x: NDArray[Any], threads: Optional[int]) -> dict[str, NDArray[Any]]: ...

class Part:
    def __init__(
        self, x: NDArray[Any], labels: NDArray[np.int64], classes: int, threads: Optional[int]
    ) -> None: ...
    def vanished(self, last: float) -> dict[str, NDArray[Any]]: ...
