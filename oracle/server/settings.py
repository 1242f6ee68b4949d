"""Everything about a running server that may be set."""

from dataclasses import dataclass

MAX_MESSAGE_BYTES = 4 * 1024 * 1024
MAX_BATCH_POSITIONS = 100_000


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How the service listens, what it accepts and how it stops.

    Attributes:
        address: where to listen, `host:port`; port 0 takes a free one.
        max_batch_positions: positions in one batch; the contract promises clients 100,000.
        max_message_bytes: size of one request; the contract promises clients 4 MiB.
        max_concurrent_calls: calls answered at a time; further ones get RESOURCE_EXHAUSTED.
            With `max_message_bytes` it bounds the memory that requests can take.
        batch_threads: threads that answer batches and search; one a core is enough.
        reload_seconds: how often to look for newly published tables; 0 looks only on SIGHUP.
        notice_seconds: on SIGTERM, how long to go on answering while the health check already
            says NOT_SERVING, so that a load balancer notices first.
        drain_seconds: after that, how long calls in progress may take before they are cut.
        access_log: write one JSON object for each call to the logger `oracle.access`.
    """

    address: str = "127.0.0.1:50051"
    max_batch_positions: int = MAX_BATCH_POSITIONS
    max_message_bytes: int = MAX_MESSAGE_BYTES
    max_concurrent_calls: int = 512
    batch_threads: int = 2
    reload_seconds: float = 5.0
    notice_seconds: float = 0.0
    drain_seconds: float = 10.0
    access_log: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            ValueError: a number is below what it allows.
        """
        for name in (
            "max_batch_positions",
            "max_message_bytes",
            "max_concurrent_calls",
            "batch_threads",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}; allowed is 1 or more")
        for name in ("reload_seconds", "notice_seconds", "drain_seconds"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ValueError(f"{name} = {getattr(self, name)}; allowed is 0 or more")
