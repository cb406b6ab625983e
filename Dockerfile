# lagwatch alone on a base image. `make image` builds it with docker, podman or
# buildah; `make test-all` builds and runs it without root and without a registry.

# GO_IMAGE has the Go release line of go.mod (a test holds that). BASE is what
# lagwatch runs on: it needs nothing of it but, for brokers with certificates of
# public authorities, /etc/ssl/certs/ca-certificates.crt.
ARG GO_IMAGE=docker.io/library/golang:1.26
ARG BASE=gcr.io/distroless/static-debian12:nonroot

# The compiler runs on the machine's own platform and builds for the image's.
FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
WORKDIR /src
# Modules change less often than the source: this layer is kept until they do.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# One ARG a line: buildah 1.28 reads only the first of several.
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=devel
# .git is not in the context: nothing in the binary depends on where it was built.
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/lagwatch/lagwatch/internal/buildinfo.version=${VERSION}" \
    -o /out/lagwatch ./cmd/lagwatch

FROM ${BASE}
ARG VERSION=devel
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lagwatch" \
      org.opencontainers.image.description="Watches Kafka consumer lag, for Prometheus; it only reads" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Owned by root and run by somebody else: lagwatch cannot change itself. In the PATH,
# so that `kubectl exec deploy/lagwatch -- lagwatch explain GROUP` finds it.
COPY --from=build /out/lagwatch /usr/bin/lagwatch
# In numbers, so that Kubernetes can see that it is not root (runAsNonRoot).
USER 65532:65532
EXPOSE 9742
# No HEALTHCHECK: it would run a command in the container, and there is none but
# lagwatch. Kubernetes asks /-/healthy and /-/ready over HTTP.
ENTRYPOINT ["/usr/bin/lagwatch"]
CMD ["serve"]
