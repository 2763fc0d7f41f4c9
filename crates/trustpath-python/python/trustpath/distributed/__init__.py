"""Work for more than one machine, on Ray (``pip install trustpath[ray]``).

label
    Pools that no single machine holds, labelled as one machine labels a large pool: workers share one projection, exchange neighbours
    and label by the same rules; results are written block by block.
audit
    Labels of such pools, dealt at random to parts that workers audit as one machine does.
credibility
    The exact path of more rows than one machine holds: each worker keeps its block, and per step only coefficients go
    out and sums come back.
evaluate
    Many episodes, in chunks over workers; the features are in memory once per machine.

All start Ray where it does not run yet, use the cluster that it is connected to where it does, and go on when a worker
dies: what it held is loaded again and its step is repeated, so that results are the same.
"""

from ._credibility import credibility
from ._evaluate import evaluate
from ._label import audit, label

__all__ = ["audit", "credibility", "evaluate", "label"]
