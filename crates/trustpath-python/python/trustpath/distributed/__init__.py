"""Work for more than one machine, on Ray (``pip install trustpath[ray]``).

``label`` labels a dataset of any size by a model that is fitted to a random part of it, ``evaluate`` runs many episodes, and ``credibility``
computes the exact path of more rows than one machine holds. They use the cluster that Ray is connected to, or start one on this machine.
"""

from ._credibility import credibility
from ._evaluate import evaluate
from ._label import label

__all__ = ["credibility", "evaluate", "label"]
