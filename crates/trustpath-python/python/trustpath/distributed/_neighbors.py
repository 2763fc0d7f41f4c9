"""Neighbours of the rows of a region, what it needs of other regions for them, and smoothing over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _trustpath
from ._exchange import Plan, Rows, Table, several, size


def _by_region(table: Table, positions: NDArray[np.uint32]) -> list[NDArray[np.uint32]]:
    """Ascending positions, by the region that has them."""
    return np.split(positions, np.searchsorted(positions, table.positions[1:-1]))


def around(plan: Plan, table: Table, number: int) -> Any:
    """What a region needs for its search, by region."""
    return several(_by_region(table, table.region(number).halo()))


def send(table: Table, number: int, arrays: tuple[NDArray[Any], ...], *wanted: NDArray[np.uint32]) -> Any:
    """Rows of arrays of a region, for each region that wants some."""
    first = table.positions[number]
    places = [positions.astype(np.int64) - first for positions in wanted]
    return several([tuple(array[place] for array in arrays) for place in places])


def _with(own: tuple[Any, Any], packets: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Two arrays of a region, each with what others sent after it."""
    first, second = (np.concatenate([own[k], *(packet[k] for packet in packets)]) for k in range(2))
    return first, second


def search(plan: Plan, table: Table, number: int, own: Rows, *halo: tuple[Any, Any]) -> tuple[Any, int]:
    """Near neighbours of the rows of a region; what was received."""
    y, rho = _with((own.y, own.rho), halo)
    lists = table.region(number).search(y, rho, table.centre, plan.neighbors, plan.threads)
    return tuple(of.reshape(-1, plan.neighbors) for of in lists), size(halo)


def sweep(plan: Plan, table: Table, number: int, own: Rows, lists: Any, *received: Any) -> tuple[Any, int]:
    """Neighbours refined over neighbours of neighbours. What was received are rows, then their lists, of each region."""
    halo, of_halo = received[: plan.regions], received[plan.regions :]
    y, rho = _with((own.y, own.rho), halo)
    ends, new = (np.concatenate([packet[k] for packet in of_halo]).ravel() for k in range(2))
    flat = tuple(of.ravel() for of in lists)
    region = table.region(number)
    lists = region.sweep(y, rho, table.centre, plan.neighbors, flat, (ends, new), plan.threads)
    return tuple(of.reshape(-1, plan.neighbors) for of in lists), size(of_halo)


def needed(plan: Plan, table: Table, number: int, lists: Any) -> Any:
    """Neighbours of a region's rows that are in other regions, by region."""
    a, b = table.positions[number : number + 2]
    ends = np.unique(lists[0])
    return several(_by_region(table, ends[(ends < a) | (ends >= b)]))


def _places(table: Table, number: int, ends: NDArray[np.uint32], others: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Where neighbours are among the rows of a region and then those of others."""
    a, b = table.positions[number : number + 2]
    own = (ends >= a) & (ends < b)
    places = np.where(own, ends.astype(np.int64) - a, b - a + np.searchsorted(others, ends))
    return np.ascontiguousarray(places.ravel(), dtype=np.uint32)


def move(
    plan: Plan, table: Table, number: int, own: Rows, moved: Any, lists: Any, wanted: Sequence[Any], *packets: Any
) -> tuple[Any, Any, int]:
    """Rows of a region moved towards their neighbours: for the first time, or the second, after which they are at unit length and add to the
    scatter of all."""
    others = np.concatenate(wanted)
    last = moved is not None
    z = _with(moved if last else (own.y, own.rho), packets)
    places = _places(table, number, lists[0], others)
    squared = lists[1].ravel()
    found = _trustpath.moved((own.y, own.rho), z, places, squared, plan.neighbors, last, plan.threads)
    return found, _trustpath.scatter(found, plan.n, plan.threads) if last else None, size(packets)


def compare(plan: Plan, table: Table, number: int, z: Any, lists: Any, wanted: Sequence[Any], *packets: Any) -> tuple[Any, int]:
    """Cosines of the smoothed rows of a region with their neighbours."""
    places = _places(table, number, lists[0], np.concatenate(wanted))
    return (lists[0], _trustpath.cosines(_with(z, packets), places, plan.neighbors)), size(packets)


def coordinates(plan: Plan, z: Any, components: tuple[Any, Any]) -> Any:
    """Coordinates of the smoothed rows of a region."""
    return _trustpath.coordinates(z, *components, plan.threads)
