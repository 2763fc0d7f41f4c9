"""Which unlabeled data can be trusted?

Given features of many instances and labels for a few of them, trustpath labels the rest, says how credible each label is,
and keeps a model trained on the labels that can be trusted. The method is Instance Credibility Inference: labels are
regressed on a few coordinates of the features, and every instance gets a parameter of its own by which it may deviate, at
the price lambda. The smallest lambda at which that parameter is still zero says how credible the label is.

TrustPathClassifier
    All of it, as a scikit-learn estimator.
audit
    Finds labels that are likely wrong.
credibility, reduce, evaluate
    The parts of the method, as functions.
report
    A page about labels, which shows itself in a notebook.
load_dataset
    Features of real images that come with the package.
trustpath.distributed
    Many episodes, or more instances than one machine holds, on Ray.
"""

from ._audit import AuditResult, audit
from ._classifier import Path, TrustPathClassifier
from ._data import Dataset, load_dataset
from ._functions import credibility, evaluate, reduce
from ._report import Report, report
from ._trustpath import __version__

__all__ = [
    "AuditResult",
    "Dataset",
    "Path",
    "Report",
    "TrustPathClassifier",
    "__version__",
    "audit",
    "credibility",
    "evaluate",
    "load_dataset",
    "reduce",
    "report",
]
