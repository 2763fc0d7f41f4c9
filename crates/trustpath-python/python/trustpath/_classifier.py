"""Self-taught learning as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _inputs, _params, _trustpath


class Path(NamedTuple):
    """The regularisation path behind the credibilities.

    Attributes
    ----------
    lambdas : ndarray of shape (n_lambdas,)
        The grid, descending.
    gamma_norm : ndarray of shape (n_lambdas, n_followed)
        The norm of every instance's own parameter at every lambda: how far it deviates. Zero for those that belong to
        none of the classes, which are no part of the path. Up to 20,000 instances all are followed; of more, those that the
        path was fitted to, ``followed_``.
    """

    lambdas: NDArray[np.float64]
    gamma_norm: NDArray[np.float64]


class TrustPathClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that learns from few labels and from the unlabeled instances that it can trust.

    ``fit`` labels what has no label, judges every label by the path of its incidental parameter, and trains on the labels
    that were given and those that can be trusted. It does what ``trustpath label`` does, to the last bit.

    Parameters
    ----------
    credibility : float, default=0.5
        Trust labels at least this credible. At 0.5 a label fits its place better than half-way to another class.
    precision : float, default=None
        Instead, trust as many labels as possible while at least this share is expected to be right, as in 0.95. Needs
        enough given labels to hold some out; where there are too few, nothing is trusted.
    per_class : int, default=None
        Instead, trust the so many most credible labels of every class.
    none_of_these : bool, default=True
        Whether to tell apart what belongs to none of the labelled classes.
    labeller : {'auto', 'adaptive', 'rounds'}, default='auto'
        Who labels: a method for small pools, rounds of teaching, or whoever does it better for so many instances.
    suggest : int, default=0
        How many instances to suggest for labelling next.
    folds : int, default=5
        Folds in which given labels are held out to estimate the precision.
    random_state : int, RandomState or None, default=None
        Assigns given labels to folds. None is 0: results repeat.
    n_jobs : int, default=None
        Threads; None or -1 for one per core. The result is the same for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels that occur, in ascending order.
    transduction_ : ndarray of shape (n_samples,)
        The label of every instance of ``fit``, given or found; -1 (or '' for text) for what belongs to none of the
        classes.
    labels_iter_ : ndarray of shape (n_samples,)
        0 where the label was given, the round since which the instance has been teaching, and -1 where it never did.
    credibility_ : ndarray of shape (n_samples,)
        How credible each label is, from 0 to 1.
    trusted_ : ndarray of bool of shape (n_samples,)
        Whether the label was given or is trusted: what the classifier was trained on.
    verdict_ : ndarray of str of shape (n_samples,)
        'given', 'trusted', 'doubtful' or 'none of these'.
    probability_ : ndarray of shape (n_samples,)
        Probability of each label; of belonging to none of the classes, for those that do not.
    path_ : Path
        ``lambdas`` and ``gamma_norm``.
    followed_ : ndarray of int
        The instance of each column of ``path_.gamma_norm``.
    estimated_precision_ : float
        Share of right labels among the trusted, estimated from held-out labels; NaN where none could be held out.
    promised_precision_ : float
        Share that held-out labels let one promise on average; 0 where they promise nothing.
    suggestions_ : ndarray of int
        Instances to label next, best first.
    n_iter_ : int
        Rounds of teaching.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, where X is a data frame.

    Notes
    -----
    Arrays of float32 and float64 in C order are read where they lie; others are converted. The engine makes its own
    rows of unit length from them, in double precision. Only directions count: instances that are all zeros have none,
    and are taken for the mean of all, with a warning. Sparse matrices are refused, since neighbours and principal
    components need dense rows.

    Where y has the numbers -1 and 1 and nothing else, they are taken for two classes, with a warning.

    The interpreter is free for other threads during ``fit``. Ctrl-C returns at once; the threads at work end at their
    next stage.

    Examples
    --------
    Five bird species, three labels of each:

    >>> import numpy as np, trustpath
    >>> birds = trustpath.load_dataset("cub")
    >>> rows = birds.target % 10 == 0
    >>> X, truth = birds.data[rows], birds.target_names[birds.target[rows]]
    >>> y = np.where(np.arange(len(truth)) % 20 == 0, truth, "")
    >>> classifier = trustpath.TrustPathClassifier().fit(X, y)
    >>> int((y != "").sum()), len(y)
    (15, 299)
    >>> right = classifier.transduction_ == truth
    >>> bool(classifier.trusted_.mean() > 0.9), bool(right[classifier.trusted_].mean() > 0.9)
    (True, True)
    >>> classifier.predict(X[:1])
    array(['010.Red_winged_Blackbird'], dtype='<U29')
    """

    def __init__(
        self,
        *,
        credibility: float = 0.5,
        precision: Optional[float] = None,
        per_class: Optional[int] = None,
        none_of_these: bool = True,
        labeller: str = "auto",
        suggest: int = 0,
        folds: int = 5,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.credibility = credibility
        self.precision = precision
        self.per_class = per_class
        self.none_of_these = none_of_these
        self.labeller = labeller
        self.suggest = suggest
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> TrustPathClassifier:
        """Labels what has no label, and trains on what can be trusted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features of all instances, labelled or not.
        y : array-like of shape (n_samples,)
            Labels; -1, NaN, None or '' where there is none.

        Returns
        -------
        TrustPathClassifier
            Itself.
        """
        params = _params.label(**self.get_params())
        _inputs.refuse_sparse(X)
        X = validate_data(
            self, X, dtype=_inputs.FLOATS, order="C", ensure_min_samples=2, ensure_min_features=2
        )
        labels = _inputs.labels(y, X.shape[0], signed=True)
        self._centre = X.mean(axis=0)
        X = self._directed(X)
        found = _trustpath.label(X, labels.codes, len(labels.classes), params)
        given = labels.codes >= 0
        self.classes_ = labels.classes
        self.transduction_ = labels.decode(found["label"])
        accepted = found["accepted_in"]
        self.labels_iter_ = np.where(given, 0, np.where(accepted >= 0, accepted + 1, -1))
        self.verdict_ = np.array(found["verdict"])
        self.trusted_ = np.isin(self.verdict_, ("given", "trusted"))
        self.credibility_ = found["credibility"]
        self.probability_ = found["probability"]
        self.path_ = Path(found["lambda"], found["gamma_norm"])
        self.followed_ = found["followed"]
        estimate = found["estimate"]
        self.estimated_precision_ = float("nan") if estimate is None else float(estimate[0])
        self.promised_precision_ = float(found["promised"])
        self.suggestions_ = found["suggestions"]
        self.n_iter_ = int(found["rounds"])
        self._model = found["model"]
        return self

    def _predict(self, X: Any) -> dict[str, NDArray[Any]]:
        check_is_fitted(self)
        _inputs.refuse_sparse(X)
        X = validate_data(self, X, dtype=_inputs.FLOATS, order="C", reset=False)
        found: dict[str, NDArray[Any]] = self._model.predict(
            self._directed(X), _inputs.threads(self.n_jobs)
        )
        return found

    def _directed(self, X: NDArray[Any]) -> NDArray[Any]:
        """X with the mean of all instances for those that are all zeros."""
        zero = np.logical_not(X.any(axis=1))
        if zero.any():
            row = int(np.flatnonzero(zero)[0])
            warnings.warn(
                f"{int(zero.sum())} instances (the first is {row}) are all zeros, which have no direction: "
                "they are taken for the mean of the instances of fit; check the feature extractor",
                stacklevel=4,
            )
            X = np.where(np.expand_dims(zero, 1), self._centre.astype(X.dtype), X)
        return X

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of instances that were not in ``fit``, or were.

        An instance of ``fit`` may get another label than in ``transduction_``: there it was seen together with its
        neighbours, here it is seen alone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        codes = self._predict(X)["label"]
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, in the order of ``classes_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        return self._predict(X)["probabilities"]

    def predict_credibility(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """How credible the labels of ``predict`` are, and whether they can be trusted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        credibility : ndarray of shape (n_samples,)
            From 0 to 1, on the frozen path.
        trusted : ndarray of bool of shape (n_samples,)
            Whether the label is as credible as those that were trusted in ``fit``.
        """
        found = self._predict(X)
        return found["credibility"], found["trusted"]
