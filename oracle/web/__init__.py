"""The service over HTTP: the same questions in the protocols of browsers, and the page.

`protocols` has Connect and gRPC-Web, `queries` the GETs, `guards` who may ask; `app` puts
them together, `listening` serves them. `oracle.server` knows what a question costs,
who may ask it and which thread answers. Needs the extra `web`.
"""

from position_oracle.schema.extras import from_extra

with from_extra("web"):
    import h11  # noqa: F401 - before the modules that need it
    import starlette  # noqa: F401
    import uvicorn  # noqa: F401
