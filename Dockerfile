# One image for the build job and the service.
FROM python:3.11-slim AS build
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN python -m venv /opt/oracle \
 && /opt/oracle/bin/pip install --no-cache-dir --requirement requirements.lock
COPY schema schema
COPY engine engine
COPY oracle oracle
COPY clients clients
RUN /opt/oracle/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 oracle && install -d -o oracle /data
COPY --from=build /opt/oracle /opt/oracle
ENV PATH=/opt/oracle/bin:$PATH PYTHONUNBUFFERED=1 ORACLE_DB=/data ORACLE_ADDRESS=0.0.0.0:50051
USER oracle
# Compile the kernels once, into the image, so that the first answer does not wait for them.
RUN oracle build chomp3 --limit 200 --db /tmp/warm && oracle ask 'chomp3:[100,0,0]' --db /tmp/warm \
 && rm -r /tmp/warm
VOLUME /data
EXPOSE 50051
ENTRYPOINT ["oracle"]
# Reached from outside the container only where a port is published: plain text and without tokens.
# To let others in, mount a certificate and tokens, and give --tls-cert, --tls-key and --tokens.
CMD ["serve", "--insecure"]
