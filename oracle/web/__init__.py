"""The service over HTTP: the same questions in the envelopes of browsers, and the page.

`envelopes` has Connect and gRPC-Web, `queries` the GETs, `guards` who may ask; `app` puts
them together, `listening` serves them. What a question costs, who may ask it and whose turn it is:
that `oracle.server` knows.
"""
