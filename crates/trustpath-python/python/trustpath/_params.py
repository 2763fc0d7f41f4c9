"""Choices by name, as the compiled half takes them."""

from __future__ import annotations

from typing import Any, Optional

from . import _inputs


def label(
    *,
    credibility: float,
    precision: Optional[float],
    per_class: Optional[int],
    none_of_these: bool,
    labeller: str,
    suggest: int,
    folds: int,
    random_state: Any,
    n_jobs: Optional[int],
) -> dict[str, Any]:
    """Parameters of labelling."""
    if precision is not None and per_class is not None:
        raise ValueError("precision and per_class were both given: trust by one of them")
    if precision is not None:
        trust = ("precision", _inputs.real("precision", precision))
    elif per_class is not None:
        trust = ("per_class", float(_inputs.count("per_class", per_class, 1)))
    else:
        trust = ("credibility", _inputs.real("credibility", credibility))
    return {
        "labeller": str(labeller),
        "trust": trust,
        "none_of_these": bool(none_of_these),
        "suggest": _inputs.count("suggest", suggest),
        "folds": _inputs.count("folds", folds, 2),
        "seed": _inputs.seed(random_state),
        "threads": _inputs.threads(n_jobs),
    }


def path(
    *,
    model: str = "icir",
    penalty: Optional[str],
    points: int,
    ratio: float,
    tolerance: Optional[float],
    roots: str,
    alpha: float = 0.5,
) -> dict[str, Any]:
    """Parameters of a path."""
    if roots not in ("exact", "interpolated"):
        raise ValueError(f"roots = {roots!r} is not usable: choose 'exact' or 'interpolated'")
    return {
        "model": str(model),
        "penalty": penalty,
        "points": _inputs.count("points", points, 2),
        "ratio": _inputs.real("ratio", ratio),
        "tolerance": None if tolerance is None else _inputs.real("tolerance", tolerance),
        "exact": roots == "exact",
        "alpha": _inputs.real("alpha", alpha),
    }


#: Options of self-taught learning, which other methods do not have.
OPTIONS = (
    "penalty", "reduction", "dim", "neighbors", "classifier", "selector", "step", "cap", "alpha", "compat",
)


def method(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Parameters of a method on episodes."""
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise TypeError(f"{unknown[0]} is no option of a method: choose among {', '.join(OPTIONS)}")
    return {"method": str(name), **{option: options.get(option) for option in OPTIONS}}


def task(
    *,
    way: int,
    shot: int,
    queries: int,
    setting: str,
    unlabeled: int,
    up_to: bool,
    distractors: tuple[int, int],
    dirichlet: Optional[float],
    seed: int,
) -> dict[str, Any]:
    """Parameters of episodes."""
    return {
        "way": _inputs.count("way", way, 2),
        "shot": _inputs.count("shot", shot, 1),
        "queries": _inputs.count("queries", queries, 1),
        "setting": str(setting),
        "unlabeled": _inputs.count("unlabeled", unlabeled),
        "up_to": bool(up_to),
        "distractors": (
            _inputs.count("distractors", distractors[0]),
            _inputs.count("distractors", distractors[1]),
        ),
        "dirichlet": None if dirichlet is None else _inputs.real("dirichlet", dirichlet),
        "seed": _inputs.count("seed", seed),
    }
