"""Blocks of rows: where they are, and how a worker reads one.

A block is a pair (or, with names, a triple) of arrays; Ray's reference to one, or to a table of Arrow; a function that returns one; or a
file, .npz or .parquet. A folder stands for the parquet files in it, and a path with a scheme, such as ``s3://bucket/folder``, is read
through the file systems of pyarrow, or where these do not know it, of fsspec.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .. import _frames, _inputs, _texts

Block = Any
#: Blocks, one path, or a ``ray.data.Dataset``.
Blocks = Union[Sequence[Block], str, "os.PathLike[str]", Any]


class File(NamedTuple):
    """A file of a file system: the path that the user gave, which names the file system, and the path in it."""

    given: str
    path: str


class Columns(NamedTuple):
    """Which columns of a table are what; None for the features stands for the column of lists, or all other numeric columns."""

    label: str = "label"
    features: Optional[Sequence[str]] = None
    id: Optional[str] = None


class Rows(NamedTuple):
    """What a block holds: features, labels, and names where it has them."""

    X: NDArray[Any]
    y: NDArray[Any]
    ids: Optional[NDArray[Any]]


def arrow(module: str) -> Any:
    """A module of pyarrow, if it is there."""
    import importlib

    try:
        return importlib.import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError as error:
        raise ImportError("parquet files and object stores need pyarrow: pip install 'trustpath[ray]'") from error


def file_system(given: str) -> tuple[Any, str]:
    """The file system of a path, and the path in it."""
    fs = arrow("fs")
    if "://" not in given:
        return fs.LocalFileSystem(), os.path.abspath(given)
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(given)
        return found
    except (ValueError, NotImplementedError) as error:
        # What pyarrow does not know, fsspec may.
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise error from None
        system, path = url_to_fs(given)
        return fs.PyFileSystem(fs.FSSpecHandler(system)), path


def listed(blocks: Blocks) -> list[Block]:
    """One entry per block."""
    if hasattr(blocks, "to_arrow_refs"):
        return list(blocks.to_arrow_refs())
    if isinstance(blocks, (str, os.PathLike)):
        blocks = [blocks]
    out: list[Block] = []
    for block in blocks:
        out.extend(_files(os.fspath(block)) if isinstance(block, (str, os.PathLike)) else [block])
    if not out:
        raise ValueError("blocks is empty: give at least one block of rows")
    return out


def stored(ray: Any, blocks: list[Block]) -> list[Block]:
    """The blocks, with arrays and tables put into the object store."""
    def put(block: Block) -> Block:
        arrays = isinstance(block, (tuple, list)) and not isinstance(block, File)
        return ray.put(tuple(block) if arrays else block) if arrays or hasattr(block, "column_names") else block

    return [put(block) for block in blocks]


def _files(given: str) -> list[File]:
    """The file of a path, or all parquet files of a folder in the order of their names."""
    if "://" not in given and not os.path.isdir(given):
        return [File(given, given)]
    system, path = file_system(given)
    fs = arrow("fs")
    if system.get_file_info(path).type != fs.FileType.Directory:
        return [File(given, path)]
    found = system.get_file_info(fs.FileSelector(path, recursive=True))
    # Names that begin with _ or . are what writers keep for themselves.
    names = [info.path for info in found if info.type == fs.FileType.File and info.base_name[0] not in "_."]
    names = sorted(name for name in names if name.endswith(".parquet"))
    if not names:
        raise ValueError(f"{given} has no parquet files: give a folder with some, or the files themselves")
    return [File(given, name) for name in names]


def load(block: Block, columns: Columns = Columns()) -> Rows:
    """Reads a block."""
    if callable(block):
        block = block()
    elif isinstance(block, File):
        block = _read(block)
    elif type(block).__name__ == "ObjectRef":
        import ray

        block = ray.get(block)
    if hasattr(block, "column_names"):
        return _of_table(block, columns)
    X, y, *rest = block
    if _texts.as_texts(X) is not None:
        # Each block would get its own vocabulary.
        raise TypeError("a block holds texts: give features of them, made alike for all blocks, as trustpath extract --texts does")
    X, y = _inputs.features(X), np.asarray(y)
    ids = np.asarray(rest[0]) if rest else None
    for name, values in (("labels", y), ("names", ids)):
        if values is not None and len(values) != len(X):
            raise ValueError(f"a block has {len(values)} {name} for {len(X)} rows: give one for each")
    return Rows(X, y, ids)


def labels(block: Block, columns: Columns) -> tuple[NDArray[Any], Optional[int]]:
    """The labels of a block, and its number of features where it is known. Of a parquet file only the column of labels is read."""
    if not isinstance(block, File) or not block.path.endswith(".parquet"):
        X, y, _ = load(block, columns)
        return y, X.shape[1]
    file = _parquet(block)
    _check_columns(file.schema_arrow.names, columns)
    return _values(file.read(columns=[columns.label]).column(0)), None


def _read(file: File) -> Any:
    if file.path.endswith(".npz"):
        if "://" not in file.given:
            with np.load(file.path, allow_pickle=False) as arrays:
                return _of_arrays(arrays)
        system, _ = file_system(file.given)
        with system.open_input_file(file.path) as stream, np.load(stream, allow_pickle=False) as arrays:
            return _of_arrays(arrays)
    if not file.path.endswith(".parquet"):
        raise ValueError(f"{file.path} is neither an .npz nor a .parquet file: give one of these")
    return _parquet(file).read()


def _parquet(file: File) -> Any:
    system, _ = file_system(file.given)
    return arrow("parquet").ParquetFile(file.path, filesystem=system)


def _of_arrays(arrays: Any) -> tuple[Any, ...]:
    return (arrays["X"], arrays["y"], arrays["ids"]) if "ids" in arrays else (arrays["X"], arrays["y"])


def _check_columns(names: Sequence[str], columns: Columns) -> None:
    for name in [columns.label, *(columns.features or []), *([columns.id] if columns.id else [])]:
        if name not in names:
            known = ", ".join(repr(name) for name in names[:8])
            raise ValueError(f"a block has no column {name!r} (it has {known}): name one of its columns")


def _of_table(table: Any, columns: Columns) -> Rows:
    _check_columns(table.column_names, columns)
    ids = None if columns.id is None else _values(table.column(columns.id))
    return Rows(_inputs.features(_matrix(table, columns)), _values(table.column(columns.label)), ids)


def _values(column: Any) -> NDArray[Any]:
    """A column as an array; with None where it has no value, so that whole numbers stay what they are."""
    if column.null_count:
        return np.array(column.to_pylist(), dtype=object)
    values: NDArray[Any] = column.to_numpy()
    return values


def _matrix(table: Any, columns: Columns) -> NDArray[Any]:
    types = arrow("types")
    names = list(columns.features or [n for n in table.column_names if n not in (columns.label, columns.id)])
    kinds = {name: table.schema.field(name).type for name in names}
    lists = [name for name in names if types.is_list(kinds[name]) or types.is_fixed_size_list(kinds[name])]
    if len(lists) > 1 and columns.features is None:
        lists = [name for name in _frames.LISTS if name in lists][:1] or lists
    if len(lists) > 1:
        raise ValueError(f"a block has several columns of lists ({', '.join(lists)}): name the one with the features")
    if lists:
        column = table.column(lists[0]).combine_chunks()
        column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        values = column.flatten().to_numpy(zero_copy_only=False)
        if column.null_count or len(column) == 0 or len(values) % len(column) or not _even(column, types):
            raise ValueError(f"the lists of column {lists[0]!r} differ in length: give every instance the same features")
        matrix: NDArray[Any] = values.reshape(len(column), -1)
        return matrix
    numeric = [n for n in names if types.is_floating(kinds[n]) or types.is_integer(kinds[n]) or types.is_boolean(kinds[n])]
    if not numeric:
        raise ValueError("a block has no numeric column and no column of lists: give one column per feature")
    return np.column_stack([table.column(name).to_numpy() for name in numeric])


def _even(column: Any, types: Any) -> bool:
    """Whether all lists of a column have the same length."""
    if types.is_fixed_size_list(column.type):
        return True
    return len(np.unique(np.diff(column.offsets.to_numpy()))) == 1
