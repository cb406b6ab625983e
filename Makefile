# lagwatch: `make demo` and `make test` work on a fresh machine with Go.
# `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

GO_NEEDED := $(shell sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X github.com/lagwatch/lagwatch/internal/buildinfo.version=$(VERSION)
MINUTES ?= 5
# Packages that start real Kafka run one after the other: two cores are just
# enough for three brokers.
KAFKA_TESTS := /internal/(testkafka|integration)$$
# A scrape has 50 ms; under the race detector nothing would be proved by that.
TIMED := ^TestBreakingAllBrokersAway$$
# Clusters of other releases, each started for itself: not of the shared one.
OTHER_RELEASES := ^(TestOldKafka|TestRealClusterWithZooKeeper)$$
# A module of its own, with the parsers of the newest Prometheus. What it reads
# is a program of this one, so its results are never taken from the cache. Races of the
# engine that evaluates our rules are not ours to look for, and ten times as slow.
NEWEST := internal/promtest/newest
# Another, with a validator of the JSON API's description.
OPENAPI := internal/api/openapi
# The dashboards as Go code, with Grafana's SDK, and what holds of them.
DASHBOARDS := dashboards/build
FUZZTIME ?= 10s
# make bench takes two minutes or so; huge, with a million group-partitions, more.
# PROFILE names a folder for profiles of lagwatch, which are not for a document.
SIZES ?= small,large

.PHONY: help build image demo test test-all paging soak mutate fuzz bench accuracy reasons lint docs alerts dashboards clean check-go

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

build: check-go ## build bin/lagwatch and bin/lagwatch-lab
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/lagwatch ./cmd/lagwatch-lab

# docker without its daemon builds nothing: info fails then.
image: ## build the container image lagwatch:VERSION with docker, podman or buildah
	@builder="$(BUILDER)"; \
	for b in docker podman buildah; do \
		if [ -z "$$builder" ] && $$b info >/dev/null 2>&1; then builder=$$b; fi; \
	done; \
	if [ -z "$$builder" ]; then echo "make image needs docker with its daemon running, podman or buildah: install one (on Debian: apt-get install podman)" >&2; exit 1; fi; \
	echo "building lagwatch:$(VERSION) with $$builder"; \
	$$builder build --build-arg VERSION=$(VERSION) --build-arg REVISION=$(REVISION) --tag lagwatch:$(VERSION) $(IMAGE_FLAGS) .

demo: check-go ## an embedded cluster with live groups, in this terminal
	@echo "building the demo (the first time takes about a minute: modules are fetched and compiled)"
	@go build -o bin/lagwatch-lab ./cmd/lagwatch-lab && echo "built in $$SECONDS s"
	@bin/lagwatch-lab demo

test: check-go lint ## everything fast, and one shared Apache Kafka 4.4.0; 15 minutes at most
	@.ci/gotest fast $$(go list ./... | grep -v -E '$(KAFKA_TESTS)')
	@RACE=off .ci/gotest reasons -run '^TestReasons$$' ./internal/reasons -args -seeds 20 -calm 13
	@RACE=off .ci/gotest scenes -tags synctests -run '^(TestScenesAreRecognised|TestPromises)$$' ./cmd/lagwatch-lab/ ./internal/lab/
	@cd $(NEWEST) && RACE=off ../../../.ci/gotest newest -count=1 ./...
	@cd $(OPENAPI) && ../../../.ci/gotest openapi -count=1 ./...
	@cd $(DASHBOARDS) && ../../.ci/gotest dashboards -count=1 ./...
	@.ci/gotest kafka -p 1 -skip '$(OTHER_RELEASES)' $$(go list ./... | grep -E '$(KAFKA_TESTS)')

test-all: check-go ## other releases, what breaks clusters, long runs, mutations, fuzzing; 45 minutes at most
	@.ci/gotest releases -p 1 -run '$(OTHER_RELEASES)' ./internal/testkafka/ ./internal/integration/
	@.ci/gotest breaking -tags breaking -timeout 35m -run '^TestBreaking' -skip '$(TIMED)' ./internal/integration/
	@RACE=off .ci/gotest timed -tags breaking -run '$(TIMED)' ./internal/integration/
	@RACE=off .ci/gotest reasons -timeout 30m -run '^TestReasons$$' ./internal/reasons -args -seeds 100 -calm 100
	@RACE=off .ci/gotest hours -tags synctests -run '(AnHour|InTime)$$' ./internal/lab/ ./cmd/lagwatch-lab/
	@RACE=off .ci/gotest dashboards-demo -tags demo -count=1 -run '^TestDashboardsOnDemo$$' ./cmd/lagwatch-lab/
	@FORMAT=standard-verbose .ci/gotest image -tags image -count=1 -run '^TestImage$$' ./internal/image/
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory mutate
	@$(MAKE) --no-print-directory soak MINUTES=$(MINUTES)

paging: check-go ## what pages, how soon and what it says, on a real Prometheus and Alertmanager; five minutes of an idle machine
	@RACE=off FORMAT=standard-verbose .ci/gotest paging -tags paging -count=1 -run '^TestPaging$$' ./internal/paging/

soak: check-go ## three real brokers under load and faults for MINUTES=n
	@SOAK_MINUTES=$(MINUTES) FORMAT=standard-verbose .ci/gotest soak -tags soak -run '^TestSoak$$' -timeout $$(( $(MINUTES) + 10 ))m ./internal/integration/

mutate: check-go ## break the product on purpose, one line at a time; each break must turn a test red
	@go run ./internal/mutate

fuzz: check-go ## run every fuzz target for FUZZTIME (10s)
	@.ci/fuzz $(FUZZTIME)

bench: check-go ## one poll and one scrape beside the least possible work; SIZES=small,large,huge, WRITE=1, PROFILE=dir
	@go run ./internal/bench --sizes $(SIZES) $(if $(WRITE),--write docs/performance.md) $(if $(PROFILE),--profile $(PROFILE))

accuracy: check-go ## estimates beside simulated truth; SEEDS=n, WRITE=1, or SCENARIO=x SEED=n DRAW=1, or TRACE=file (docs/traces.md)
	@go run ./internal/accuracy $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SCENARIO),--scenario $(SCENARIO)) $(if $(SEED),--seed $(SEED)) \
		$(if $(DRAW),--draw) $(if $(SVG),--svg $(SVG)) $(if $(TRACE),--trace $(TRACE)) $(if $(RECORD),--record $(RECORD)) $(if $(DUMP),--dump $(DUMP)) \
		$(if $(CHECK),--check) $(if $(WRITE),--write docs/estimates.md)

reasons: check-go ## whether lagwatch says why simulated groups lag; SEEDS=n, FIRST=n, WRITE=1, or WORLD=x SEED=n
	@cd internal/reasons && go test -count=1 -timeout 30m -run '^TestReasons$$' -args -print -seeds $(or $(SEEDS),100) -calm $(or $(SEEDS),100) \
		$(if $(WORLD),-world $(WORLD)) $(if $(FIRST),-first $(FIRST)) $(if $(SEED),-show $(SEED)) $(if $(WRITE),-write ../../docs/reasons.md)

lint: check-go ## formatting and vet
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	@go vet ./...
	@go vet -tags breaking,soak ./internal/integration/...
	@cd $(NEWEST) && go vet ./...
	@cd $(OPENAPI) && go vet ./...
	@cd $(DASHBOARDS) && go vet ./...
	@go vet -tags image ./internal/image/
	@go vet -tags synctests ./internal/lab/ ./cmd/lagwatch-lab/
	@go vet -tags demo ./cmd/lagwatch-lab/
	@go vet -tags paging ./internal/paging/

docs: check-go ## regenerate docs/metrics.md from the metric table
	go run ./internal/metricsdoc > docs/metrics.md

alerts: check-go ## print the shipped alert rules anew from their table
	go run ./cmd/lagwatch rules > alerts/lagwatch.rules.yaml
	go run ./cmd/lagwatch rules --format prometheusrule > alerts/lagwatch.prometheusrule.yaml

dashboards: check-go ## make the Grafana dashboards anew from their Go code
	@cd $(DASHBOARDS) && go run . ..

clean: ## remove what was built
	rm -rf bin dist

check-go:
	@command -v go >/dev/null || { echo "lagwatch needs Go $(GO_NEEDED) or newer, and there is no go command here: see https://go.dev/dl/" >&2; exit 1; }
	@have=$$(go env GOVERSION | sed 's/^go\([0-9]*\.[0-9]*\).*/\1/'); \
	if [ "$$(printf '%s\n' "$(GO_NEEDED)" "$$have" | sort -V | head -n 1)" != "$(GO_NEEDED)" ]; then \
		echo "lagwatch needs Go $(GO_NEEDED) or newer, and this is Go $$have: see https://go.dev/dl/" >&2; exit 1; \
	fi
