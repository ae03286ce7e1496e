# Heldstream. `make` or `make help` lists what there is.
.DEFAULT_GOAL := help
CODEX_VERSION := 0.171.0
GO            ?= go
REPLAY        := bin/replay
VERSIONS      := 0.111.0 0.130.0 0.153.3 0.159.1 $(CODEX_VERSION)
LIBRARY        = $(filter-out scenarios/failing/,$(wildcard scenarios/*/))
SHELL         := bash

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/replay
	@$(GO) build -trimpath -o $(REPLAY) ./cmd/replay

NPM := npm install --silent --no-audit --no-fund --no-package-lock

clients: adapter-ts ## build the sample subjects of scenarios/subjects
	$(GO) build -trimpath -o bin/sample-manager ./harness/testdata/manager
	$(GO) build -trimpath -o bin/openai-go ./harness/testdata/openai-go
	@mkdir -p bin/openai-node && cp harness/testdata/openai-node/client.mjs bin/openai-node/
	$(NPM) --prefix bin/openai-node openai@6.49.0

adapter-ts: ## check the types of doc/adapter-ts, and compile it to bin/adapter-ts
	@mkdir -p bin/adapter-ts && cp doc/adapter-ts/*.ts doc/adapter-ts/*.json bin/adapter-ts/
	$(NPM) --prefix bin/adapter-ts
	cd bin/adapter-ts && npx --no-install tsc

VERSION   ?= $(shell git describe --tags --always 2>/dev/null || echo dev)
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

dist: ## build replay for linux and darwin into dist/, with checksums, man pages and completions
	@.ci/dist dist $(VERSION) $(PLATFORMS)

dist-check: ## build all of dist twice, the second time from an empty cache: the same bytes, whose checksums are right
	@.ci/dist .work/dist-1 $(VERSION) $(PLATFORMS)
	@GOCACHE="$(CURDIR)/.work/dist-cache" .ci/dist .work/dist-2 $(VERSION) $(PLATFORMS)
	diff -r .work/dist-1 .work/dist-2
	cd .work/dist-1 && sha256sum -c --quiet SHA256SUMS
	rm -rf .work/dist-1 .work/dist-2 .work/dist-cache

demo: build ## bring the pinned codex and play getpaseo/paseo#5728 against it
	@$(REPLAY) codex install $(CODEX_VERSION)
	@$(REPLAY) run --codex live@$(CODEX_VERSION) scenarios/compaction/issue-5728.toml

test: build clients ## the units, and issue-5728 live; brings the pinned codex and the sample subjects first
	@$(REPLAY) codex install $(CODEX_VERSION)
	HELDSTREAM_LIVE=1 CODEX_BIN="$$($(REPLAY) codex path $(CODEX_VERSION))" $(GO) test ./...

replay: build ## the whole library from tape: no codex, no npm, nothing on PATH
	@env -i PATH=/nowhere HOME="$$HOME" $(REPLAY) run --codex tape scenarios

test-html: ## the HTML report in a headless Chromium; as root it installs Debian's
	@.ci/chromium
	HELDSTREAM_CHROMIUM=1 $(GO) test -count=1 ./harness/report/html/

scenarios: build clients ## the whole library against the pinned codex, counted and timed
	@$(REPLAY) codex install $(CODEX_VERSION)
	@$(REPLAY) codex install 0.111.0 # one scenario is about its endpoint
	@printf '%s scenarios\n' "$$(find scenarios -name '*.toml' -not -path 'scenarios/failing/*' | wc -l)"
	@start=$$(date +%s); export CODEX_BIN="$$($(REPLAY) codex path $(CODEX_VERSION))"; \
	$(REPLAY) run --codex live --no-skip $(LIBRARY) | grep -v '^pass '; code=$${PIPESTATUS[0]}; \
	echo "$$(( $$(date +%s) - start )) s"; exit $$code

versions: build ## issue-5728, an approval, a WebSocket, and two failures that versions differ in, on five versions
	@for v in $(VERSIONS); do \
	  $(REPLAY) codex install $$v || exit; \
	  $(REPLAY) run --codex live@$$v scenarios/compaction/issue-5728.toml scenarios/tools/approval-accepted.toml \
	    scenarios/websocket/tool-chain.toml scenarios/public/agent-message-aborts-compaction.toml scenarios/public/steers-arrive-one-reply-late.toml || exit; \
	done

mutate: build ## plant faults into our own code: the library must find each
	@$(REPLAY) codex install $(CODEX_VERSION)
	HELDSTREAM_MUTATE=1 $(GO) test -count=1 -run 'Planted|Mutation' .

race: ## the units under the race detector
	$(GO) test -race ./...

lint: ## gofmt, go vet, staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

bench: build ## speed: provider, manager, live runs against bare ones, the library from tape
	@$(REPLAY) codex install $(CODEX_VERSION)
	CODEX_BIN="$$($(REPLAY) codex path $(CODEX_VERSION))" $(GO) test -run '^$$' -bench . -benchtime 2s ./...

.PHONY: help mutate build clients adapter-ts dist dist-check demo scenarios versions test replay test-html race lint bench
