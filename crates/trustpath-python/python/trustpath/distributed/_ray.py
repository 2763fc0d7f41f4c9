"""Ray, if it is there."""

from __future__ import annotations

import os
from typing import Any, Optional

from .. import _inputs


def connect() -> Any:
    """The module, connected to a cluster: the one that runs, else one of this machine."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("trustpath.distributed needs Ray: pip install 'trustpath[ray]'") from error
    if not ray.is_initialized():
        ray.init(include_dashboard=False, configure_logging=False, log_to_driver=False)
    return ray


def workers(ray: Any, asked: Optional[int], threads: int, most: int) -> int:
    """How many workers: as asked for, else as the cluster has room for; no more than there is work for."""
    if asked is not None:
        return min(_inputs.count("workers", asked, 1), most)
    cores = int(ray.cluster_resources().get("CPU", os.cpu_count() or 1))
    return max(1, min(cores // threads, most))


def gone(error: Exception, retries: int) -> RuntimeError:
    """What to say when a worker does not come back."""
    return RuntimeError(
        f"a worker was lost more than {retries} times ({type(error).__name__}): "
        "see Ray's logs for why it dies (often memory), give it more room or smaller blocks, or raise retries"
    )


def get(ray: Any, answers: Any, retries: int) -> Any:
    """The results of workers; what a worker could not do is raised as if it had been done here."""
    of_ray = ray.exceptions
    try:
        return ray.get(answers)
    except (of_ray.RayActorError, of_ray.WorkerCrashedError, of_ray.ObjectLostError, of_ray.OutOfMemoryError) as error:
        raise gone(error, retries) from error
    except of_ray.RayTaskError as error:
        cause = getattr(error, "cause", None)
        raise (cause if isinstance(cause, (ValueError, TypeError, OSError, ImportError)) else error) from None


def share(ray: Any, count: int, threads: int) -> float:
    """Cores to reserve for each of ``count`` workers: one per thread, or less where the cluster has fewer."""
    cores = float(ray.cluster_resources().get("CPU", 1.0))
    return min(float(threads), int(1e4 * cores / count) / 1e4)
