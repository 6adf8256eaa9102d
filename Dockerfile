# The image of `workforce`: built with the packages that ./run builds with, run with the libraries alone.

# All but the program. It comes first, so that `--target runtime` compiles nothing.
FROM debian:12.11-slim AS runtime
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
        ca-certificates curl tzdata \
        libargon2-1 libcurl4 libdate-tz3 libfmt9 libmimalloc2.0 libpq5 libpqxx-6.4 libprometheus-cpp-core1.0 librdkafka1 libssl3 libstdc++6 libtomlplusplus3 \
        libutf8proc2 libzstd1 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin workforce
USER workforce
# Within a container the outside is on another address than 127.0.0.1. The admin port stays inside: whoever runs several
# processes sets WORKFORCE_ADMIN_HOST too.
ENV WORKFORCE_HOST=0.0.0.0
EXPOSE 8080 8081 8090
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
    CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8090/healthz"]
ENTRYPOINT ["workforce"]
CMD ["serve"]

FROM debian:12.11-slim AS build
WORKDIR /source
COPY scripts/packages scripts/packages
RUN scripts/packages build
COPY . .
RUN cmake --preset release -DWORKFORCE_TESTS=OFF \
 && cmake --build --preset release --target workforce \
 && strip build/release/workforce

FROM runtime
COPY --from=build /source/build/release/workforce /usr/local/bin/workforce
