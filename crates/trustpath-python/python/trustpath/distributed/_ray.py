"""Ray, if it is there."""

from typing import Any


def connect() -> Any:
    """The module, connected to a cluster: the one that runs, else one of this machine."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("trustpath.distributed needs Ray: pip install 'trustpath[ray]'") from error
    if not ray.is_initialized():
        ray.init(include_dashboard=False, configure_logging=False, log_to_driver=False)
    return ray


def get(ray: Any, answers: Any, retries: int) -> Any:
    """The results of workers; what a worker could not do is raised as if it had been done here."""
    try:
        return ray.get(answers)
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as error:
        raise lost(error, retries) from error
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, (ValueError, TypeError, OSError)) else error) from None


def lost(error: Exception, retries: int) -> RuntimeError:
    """The error for a worker that does not come back."""
    remedy = "see Ray's logs for why it dies (often memory), give it more room or smaller blocks, or raise retries"
    return RuntimeError(f"a worker was lost more than {retries} times ({type(error).__name__}): {remedy}")


def share(ray: Any, count: int, threads: int) -> float:
    """Cores to reserve for each of ``count`` workers: one per thread, or less where the cluster has fewer."""
    return min(float(threads), int(1e4 * ray.cluster_resources().get("CPU", 1.0) / count) / 1e4)
