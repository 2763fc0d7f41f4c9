"""Which unlabeled data can be trusted?

Features of many instances, labels for a handful of them: trustpath labels the rest, says how credible each label is, and
keeps a model trained on what can be trusted. It does so by Instance Credibility Inference: the labels are regressed on
few coordinates of the features, and every instance gets a parameter of its own by which it may deviate, at the price
lambda. The smallest lambda at which that parameter is still zero says how credible the label is.

TrustPathClassifier
    All of it, as a scikit-learn estimator.
credibility, audit, reduce, evaluate
    The parts, as functions.
report
    A page about one's labels, which shows in a notebook.
load_dataset
    Features of real images that come with the package.
trustpath.distributed
    Many episodes, or more instances than one machine holds, on Ray.
"""

from ._classifier import Path, TrustPathClassifier
from ._data import Dataset, load_dataset
from ._functions import audit, credibility, evaluate, reduce
from ._report import Report, report

__all__ = [
    "Dataset",
    "Path",
    "Report",
    "TrustPathClassifier",
    "audit",
    "credibility",
    "evaluate",
    "load_dataset",
    "reduce",
    "report",
]
