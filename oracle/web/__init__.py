"""The service over HTTP: the calls of gRPC in the protocols of browsers, and the page.

`protocols` has Connect and gRPC-Web, `queries` the GET requests, `guards` the allowed hosts and
origins. `app` combines them, and `listening` serves them. `oracle.server` has costs, access and
threads. The package needs the extra `web`.
"""

from position_oracle.schema.extras import from_extra

with from_extra("web"):
    import h11  # noqa: F401 - before the modules that need it
    import starlette  # noqa: F401
    import uvicorn  # noqa: F401
