"""The parts of the method, as functions."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _inputs, _trustpath


def credibility(
    X: Any,
    y: Any,
    *,
    model: str = "icir",
    penalty: Optional[str] = None,
    points: int = 100,
    ratio: float = 1e-3,
    tolerance: Optional[float] = None,
    roots: str = "exact",
    alpha: float = 0.5,
    scaling: str = "glmnet",
    gamma: bool = False,
    certificate: bool = False,
    n_jobs: Optional[int] = None,
) -> dict[str, NDArray[Any]]:
    """How credible each label is, by the regularisation path of incidental parameters.

    Regresses one-hot labels on the coordinates X, where instance i may deviate by its own parameter at the price lambda,
    and follows the path of lambda: the smaller the lambda at which the parameter is still zero, the more credible the
    label. Give few coordinates (:func:`reduce`), not raw features.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_dims)
        Coordinates.
    y : array-like of shape (n_samples,)
        Labels; none may be missing.
    model : {'icir', 'icic'}, default='icir'
        Linear or logistic regression.
    penalty : {'group', 'elementwise'}, default=None
        One norm per instance, or entry by entry. None is 'group' for icir and 'elementwise' for icic.
    points : int, default=100
        Number of lambdas of the grid.
    ratio : float, default=1e-3
        Its smallest lambda relative to the largest.
    tolerance : float, default=None
        Relative gradient at which the solver stops. None is 1e-12 for icir, 1e-11 for icic.
    roots : {'exact', 'interpolated'}, default='exact'
        Whether the lambda at which a parameter vanishes is solved for (up to 5000 instances), or always interpolated
        between two lambdas of the grid.
    alpha : float, default=0.5
        icic's price of the coefficients relative to the parameters.
    scaling : {'glmnet', 'paper'}, default='glmnet'
        icic's prices of the coordinates: by their standard deviations, as the paper's code runs glmnet, or the same for
        all, as the paper prints the equation.
    gamma : bool, default=False
        Whether to keep the norms of all parameters.
    certificate : bool, default=False
        Whether to return a bound on how far from optimal each solution is.
    n_jobs : int, default=None
        Threads; None for one per core.

    Returns
    -------
    dict
        ``credibility``, from 0 to 1: 1 − lambda/√2 for icir, 1 − lambda/lambda_max for icic; ``vanish``, the lambda
        behind it; ``vanish_grid``, the same on the grid, with ties; ``reenters``, whether the parameter comes back at a
        larger lambda; ``lambda``, the grid; if asked for, ``gamma_norm`` (n_lambdas, n_samples) and ``certificate``
        (n_lambdas,).

    See Also
    --------
    trustpath.distributed.credibility : The same for more rows than one machine holds.

    Examples
    --------
    Two groups on a line, and one instance whose label belongs to the other group:

    >>> import trustpath
    >>> X = [[1, 0], [1.1, 0], [0.9, 0], [0, 1], [0, 1.1], [0, 0.9], [0.1, 1]]
    >>> y = ["a", "a", "a", "b", "b", "b", "a"]
    >>> trustpath.credibility(X, y)["credibility"].argmin()
    np.int64(6)
    """
    options = {
        "model": model, "penalty": penalty, "points": points, "ratio": ratio, "tolerance": tolerance, "roots": roots,
        "alpha": alpha, "scaling": scaling, "gamma": gamma, "certificate": certificate, "n_jobs": n_jobs,
    }
    X, labels = _inputs.pool(X, y, all_labelled=True)
    return _trustpath.path(X, labels.codes, len(labels.classes), options)


def reduce(
    X: Any,
    method: str = "lle",
    *,
    dim: int = 5,
    neighbors: int = 5,
    n_jobs: Optional[int] = None,
) -> NDArray[np.float64]:
    """A few coordinates per instance that preserve the structure of the features, which are scaled to unit length first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    method : {'lle', 'ltsa', 'isomap', 'se', 'pca', 'mds', 'mds-random', 'none'}, default='lle'
        Locally linear embedding, local tangent space alignment, Isomap, spectral embedding, principal components,
        non-metric multidimensional scaling (from the principal components, or from random starts), or none.
    dim : int, default=5
        Dimensions.
    neighbors : int, default=5
        Neighbours, for the methods that use them.
    n_jobs : int, default=None
        Threads; None for one per core.

    Returns
    -------
    ndarray of shape (n_samples, dim)
        Coordinates.

    Examples
    --------
    >>> import trustpath
    >>> trustpath.reduce(trustpath.load_dataset("cub").data[:100], "pca", dim=3).shape
    (100, 3)
    """
    options = {"method": method, "dim": dim, "neighbors": neighbors, "n_jobs": n_jobs}
    return _trustpath.reduce(_inputs.features(X), options)


def summarise(accuracies: list[list[float]], method: str) -> dict[str, Any]:
    """The means and intervals of the accuracies of episodes."""
    summary = _trustpath.summary(accuracies)
    if method not in ("icir", "icic"):
        # Without rounds there is only one accuracy.
        summary = {"final": summary["final"]}
    return {"accuracy": summary, "scores": [np.array(scores) for scores in accuracies]}


def evaluate(
    features: Any,
    labels: Any,
    *,
    way: int = 5,
    shot: int = 1,
    queries: int = 15,
    setting: str = "transductive",
    unlabeled: int = 15,
    up_to: bool = False,
    distractors: tuple[int, int] = (0, 15),
    dirichlet: Optional[float] = None,
    method: str = "icir",
    episodes: int = 600,
    seed: int = 0,
    n_jobs: Optional[int] = None,
    **options: Any,
) -> dict[str, Any]:
    """The accuracy of a method over few-shot episodes drawn from features whose labels are known.

    Results are bit-for-bit those of ``trustpath bench``.

    Parameters
    ----------
    features : array-like of shape (n_samples, n_features)
        Features.
    labels : array-like of shape (n_samples,)
        Labels; none may be missing.
    way : int, default=5
        Classes per episode.
    shot : int, default=1
        Labelled instances per class.
    queries : int, default=15
        Queries per class, on average where they are imbalanced.
    setting : {'inductive', 'transductive', 'semi'}, default='transductive'
        Which instances are given without a label: none, the queries, or others.
    unlabeled : int, default=15
        Unlabeled instances of each class, for 'semi'.
    up_to : bool, default=False
        Whether ``unlabeled`` is an upper limit, for classes that have fewer left.
    distractors : (int, int), default=(0, 15)
        The number of other classes among the unlabeled and of instances of each, for 'semi'.
    dirichlet : float, default=None
        Draws the class proportions of the queries from a Dirichlet distribution with this parameter; 2 is usual.
    method : str, default='icir'
        'icir' or 'icic' (self-training), 'adaptive', 'pt-map' and others.
    episodes : int, default=600
        Number of episodes.
    seed : int, default=0
        Seed of the episodes.
    n_jobs : int, default=None
        Threads; None for one per core. The result is the same for any number.
    **options
        Of self-training: penalty, reduction, dim, neighbors, classifier, selector, step, cap, alpha, scaling,
        compat.

    Returns
    -------
    dict
        ``accuracy``: of 'final', and for self-training of the 'plain' classifier, after 'rounds', and the 'gain',
        each with 'mean', 'half_width' of its 95 % interval and number of 'episodes'. ``scores``: for each episode the
        accuracies of the plain classifier and after every round.

    See Also
    --------
    trustpath.distributed.evaluate : The same on several machines.

    Examples
    --------
    >>> import trustpath
    >>> birds = trustpath.load_dataset("cub")
    >>> found = trustpath.evaluate(birds.data, birds.target, episodes=40)
    >>> found["accuracy"]["final"]["mean"] > found["accuracy"]["plain"]["mean"]
    True
    """
    options.update(
        way=way, shot=shot, queries=queries, setting=setting, unlabeled=unlabeled, up_to=up_to,
        distractors=distractors, dirichlet=dirichlet, method=method, seed=seed, n_jobs=n_jobs,
    )
    X, encoded = _inputs.pool(features, labels, all_labelled=True)
    episodes = _inputs.count("episodes", episodes, 1)
    return summarise(_trustpath.evaluate(X, encoded.codes, encoded.names(), options, 0, episodes), method)
