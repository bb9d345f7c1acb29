# docker build --build-arg COMMIT=$(git rev-parse HEAD) --tag tokenscope .
#
# For linux/amd64 and linux/arm64: every compiled dependency has wheels for both, so nothing is compiled here.
# BASE is pinned to a release of Python and of Debian; give a digest for a build that can be repeated exactly.
ARG BASE=python:3.13-slim-trixie

FROM ${BASE} AS build
WORKDIR /source
RUN python -m venv /opt/tokenscope
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY templates templates
COPY static static
COPY webapp webapp
RUN /opt/tokenscope/bin/pip install --no-cache-dir --disable-pip-version-check -c requirements.lock '.[postgresql,redis,metrics]' \
    && /opt/tokenscope/bin/pip uninstall --yes --disable-pip-version-check pip

FROM ${BASE}
# Debian keeps only the newest release of a package, so there is none to pin.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        fonts-noto-cjk fonts-noto-color-emoji fonts-noto-core tini \
    && rm -rf /var/lib/apt/lists/* \
    && fc-cache --system-only --force \
    && useradd --system --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin tokenscope \
    && install --directory --owner=10001 --group=10001 --mode=0750 /data
COPY --from=build /opt/tokenscope /opt/tokenscope

# PYTHONSAFEPATH: no module is loaded from the current folder. The three folders are the only ones written to, besides
# that of temporary files; the rest of the file system may be read-only. (The rule is about the TOKEN in the names.)
# hadolint ignore=DL3064
ENV PATH=/opt/tokenscope/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONSAFEPATH=1 \
    PYTHONUNBUFFERED=1 \
    TMPDIR=/tmp \
    TOKENSCOPE_DATABASE_FILE=/data/tokenscope.sqlite \
    TOKENSCOPE_VOCABULARY_FOLDER=/data/vocabularies \
    TOKENSCOPE_CORPUS_FOLDER=/data/corpora
ARG COMMIT=""
# hadolint ignore=DL3064
ENV TOKENSCOPE_COMMIT=${COMMIT}

USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=12s --start-period=90s --retries=3 \
    CMD ["python", "-m", "webapp.server.healthcheck"]
# tini collects the processes of trainings and chat templates whose parents have ended.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["python", "-m", "webapp", "--host", "0.0.0.0"]
