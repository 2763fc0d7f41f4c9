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
embed
    Features of texts, which the others also take in place of features.
report
    A page about labels, which shows itself in a notebook.
load_dataset
    Features of real images that come with the package.
trustpath.distributed
    Datasets of any size, many episodes, and paths of more instances than one machine holds, on Ray.
"""

from typing import TYPE_CHECKING

from ._trustpath import __version__

if TYPE_CHECKING:
    from ._audit import AuditResult, audit
    from ._classifier import Path, TrustPathClassifier
    from ._data import Dataset, load_dataset
    from ._functions import credibility, evaluate, reduce
    from ._report import Report, report
    from ._texts import embed
else:
    # Imported on first use: scikit-learn takes a second, which the command line need not wait for.
    _MODULES = {
        "_audit": ["AuditResult", "audit"],
        "_classifier": ["Path", "TrustPathClassifier"],
        "_data": ["Dataset", "load_dataset"],
        "_functions": ["credibility", "evaluate", "reduce"],
        "_report": ["Report", "report"],
        "_texts": ["embed"],
    }
    _HOME = {name: module for module, names in _MODULES.items() for name in names}

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module("." + _HOME[name], __name__), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})


__all__ = [
    "AuditResult",
    "Dataset",
    "Path",
    "Report",
    "TrustPathClassifier",
    "__version__",
    "audit",
    "credibility",
    "embed",
    "evaluate",
    "load_dataset",
    "reduce",
    "report",
]
