"""Features of real images that come with the package."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _trustpath


class Dataset(NamedTuple):
    """Features, labels as indices, and the names of the classes."""

    data: NDArray[np.float32]
    target: NDArray[np.int64]
    target_names: NDArray[Any]


def load_dataset(name: str = "cifar-fs", split: str = "novel") -> Dataset:
    """Features of images, of classes that the network was not trained on.

    Parameters
    ----------
    name : {'cifar-fs', 'cub'}, default='cifar-fs'
        12,000 images of 20 classes, or 2,965 birds of 50 species.
    split : {'novel', 'validation'}, default='novel'
        Classes for reporting results, or for choosing settings.

    Returns
    -------
    Dataset
        ``data`` (float32, 512 features per image), ``target`` and ``target_names``.

    Examples
    --------
    >>> import trustpath
    >>> birds = trustpath.load_dataset("cub")
    >>> birds.data.shape, len(birds.target_names)
    ((2965, 512), 50)
    """
    data, target, names = _trustpath.dataset(name, split)
    return Dataset(data, target, np.array(names))
