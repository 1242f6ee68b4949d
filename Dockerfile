# One image for the build job and the service: Python, the program and what it needs, no tools.
# `make image` builds it without Docker, and tags it with the version of the package.
ARG BASE=python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d

FROM ${BASE} AS wheel
WORKDIR /src
COPY pyproject.toml LICENSE ./
COPY schema schema
COPY engine engine
COPY oracle oracle
COPY clients clients
COPY position_oracle position_oracle
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM ${BASE} AS install
COPY requirements.lock /
COPY --from=wheel /wheels /wheels
# The versions of the lock, of what the service needs alone.
RUN python -m venv --without-pip /opt/oracle \
 && pip --python /opt/oracle/bin/python install --no-cache-dir --constraint requirements.lock \
    "$(echo /wheels/position_oracle-*.whl)[engine,web,metrics,tracing,tables]"
# A third of that is never loaded: tests, headers, pyarrow's own network, and symbols for debuggers.
RUN apt-get update && apt-get install --yes --no-install-recommends binutils \
 && cd /opt/oracle/lib/python3*/site-packages \
 && find . -type d -name tests -prune -exec rm -r {} + \
 && rm -r pyarrow/include pyarrow/src pyarrow/*flight* pyarrow/*_s3* \
 && strip --strip-unneeded llvmlite/binding/*.so pyarrow/*.so* uvloop/*.so

FROM ${BASE}
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Position oracle" org.opencontainers.image.version=${VERSION}
RUN useradd --create-home --uid 10001 oracle && install -d -o oracle /data
COPY --from=install /opt/oracle /opt/oracle
COPY deploy/ready.sh /usr/local/bin/ready
ENV PATH=/opt/oracle/bin:$PATH PYTHONUNBUFFERED=1 ORACLE_DB=/data ORACLE_ADDRESS=0.0.0.0:50051
USER oracle
# Compile the kernels once, into the image, so that the first answer does not wait for them.
RUN oracle build chomp3 --limit 200 --db /tmp/warm \
 && python -c "from pathlib import Path; from position_oracle.oracle.core import Oracle; Oracle.open(Path('/tmp/warm')).warm_up()" \
 && rm -r /tmp/warm
VOLUME /data
EXPOSE 50051 8081 9464
ENTRYPOINT ["oracle"]
# Reached from outside the container only where a port is published: plain text and without tokens.
# To let others in, mount a certificate and tokens, and give --tls-cert, --tls-key and --tokens.
CMD ["serve", "--insecure", "--metrics", "0.0.0.0:9464"]
HEALTHCHECK --interval=5s --timeout=5s --start-period=120s CMD ["ready"]
