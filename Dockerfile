# Two stages: the compiler stays in the first. hnswlib has only a source distribution.
FROM python:3.11-slim-bookworm AS build
ENV HNSWLIB_NO_NATIVE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY engine engine
COPY actors actors
COPY persistence persistence
COPY adapters adapters
COPY rearview rearview
RUN python -m venv /opt/rearview && /opt/rearview/bin/pip install .

FROM python:3.11-slim-bookworm
ENV PATH=/opt/rearview/bin:$PATH OMP_NUM_THREADS=1 RAY_USAGE_STATS_ENABLED=0 PYTHONUNBUFFERED=1
RUN apt-get update && apt-get install -y --no-install-recommends libgomp1 && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 rearview && mkdir /data && chown rearview /data
COPY --from=build /opt/rearview /opt/rearview
USER rearview
VOLUME /data
EXPOSE 8100
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8100/readyz', timeout=2)"]
CMD ["rearview", "serve", "--host", "0.0.0.0", "--port", "8100", "--data-dir", "/data"]
