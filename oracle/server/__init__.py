"""The oracle over gRPC and HTTP. No module here knows a game.

A call passes through these modules:

    grpc_handlers   reads the message, or oracle.web does; `telemetry` begins its record
    connections     holds the call at the gate while the server stops
    admission       admits the caller by a token (`auth`), within the limits of the settings
    codec           checks the size of the message, and parses it
    contract        turns it into a question with its plan; `requests` reads the fields
    fair_queue      gives the question a thread, unless it takes microseconds
    compute_pool    answers it in a process of its own, if it takes long
    contract        writes the answer
    errors          turns an exception into a status
    telemetry       hands the record to `logs`, `metrics` and `traces`

`server` is one server from start to drain, `process` a process with its tables and signals, and
`supervisor` several processes on one port. `settings` has the settings of all, and `garbage` when
processes free what calls leave behind.
"""

from position_oracle.oracle.server.settings import ServerSettings

__all__ = ["ServerSettings"]
