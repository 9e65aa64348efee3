# The commands of this project; `make` alone lists them. CMake does the building: see
# CMakePresets.json for the builds and CONTRIBUTING.md for working with them directly.
.DEFAULT_GOAL := help
.PHONY: help deps deps-run deps-bench deps-test deps-lint deps-docs run build examples test \
        check bench latency instructions simulate mutants crash drills soak docs tidy format \
        lint fuzz install install-arrow deps-package package deps-release release-check wheels \
        deps-contestants contestants deps-wasm wasm clean

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
SIMULATE_SECONDS ?= 600
SIMULATE_SEED ?= 1000000
CRASH_RUNS ?= 10000
SOAK_SECONDS ?= 3600
DRILL_ROUNDS ?= 40
DEPS ?= yes
HARDENED ?= yes
STAGES ?=
TESTED ?=
LAYERS ?=
LINT ?=
BENCH ?=
PICTURE ?=
HFFIX ?=
FIX8 ?=
OLDER ?=
CONTESTANTS ?=
KEY ?=
# A first build leaves the tests out, so that it needs none of their libraries; a build folder that
# has them keeps them.
first_build = $(if $(wildcard build/$(1)/CMakeCache.txt),,-D NEXUSFIX_TESTS=OFF)
FIRST_BUILD := $(call first_build,release)

help:
	@echo "NexusFIX: a FIX-protocol engine in C++23"
	@echo
	@echo "  make run       build, then let a trader and a venue trade on this machine"
	@echo "  make test      run the tests of the core, some with sanitizers, and the rules of style"
	@echo "  make check     run all tests: also sanitizers and threads, products, drills, interop"
	@echo
	@echo "  make bench     measure parsing, encoding and queues, compared with QuickFIX"
	@echo "  make latency   measure an order's round trip, and draw docs/images/latency.svg"
	@echo "  make instructions"
	@echo "                 count the instructions of the engine's paths, by part"
	@echo
	@echo "  make examples  build the command and the programs of examples/, without tests"
	@echo "  make build     build the release with its tests, in build/release"
	@echo "  make deps      show and install the Debian packages that run and test need"
	@echo "  make docs      write the documents as a site with search, in build/site"
	@echo "  make tidy      check layers, names, lengths, links and format (seconds)"
	@echo "  make format    rewrite the sources with clang-format-19"
	@echo "  make lint      run clang-tidy on what differs from main; LINT=--all: on everything"
	@echo "  make fuzz      fuzz each target for FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "  make simulate  simulate engines under faults for SIMULATE_SECONDS=$(SIMULATE_SECONDS)"
	@echo "  make mutants   plant hundreds of bugs, one at a time: the tests must find each"
	@echo "  make crash     test the store with CRASH_RUNS=$(CRASH_RUNS) kills and power losses"
	@echo "  make drills    kill, freeze and cut off engines of a cluster, PostgreSQL, etcd and"
	@echo "                 Kafka, and fill their disks, in DRILL_ROUNDS=$(DRILL_ROUNDS) rounds"
	@echo "  make soak      run two engines over TCP under faults for SOAK_SECONDS=$(SOAK_SECONDS):"
	@echo "                 memory must not grow, and no message may be missing"
	@echo "  make contestants"
	@echo "                 play the suites of nexusfix test against QuickFIX, QuickFIX/J,"
	@echo "                 QuickFIX/Go, quickfix-tokio and jspurefix, and write the table in"
	@echo "                 docs/reference/conformance.md; CONTESTANTS=a,b: only these"
	@echo "  make install   install libraries, headers, the command, its systemd unit,"
	@echo "                 documents and examples to PREFIX=$(PREFIX), hardened (HARDENED=no:"
	@echo "                 the faster build of the other commands)"
	@echo "  make install-arrow"
	@echo "                 install what nexusfix export needs, if make install left it out"
	@echo "  make package   make .deb and .rpm packages and a portable archive, in"
	@echo "                 build/package/out; KEY=...: sign their checksums with this key of gpg;"
	@echo "                 ARM=yes: the command for 64-bit ARM, too"
	@echo "  make release-check"
	@echo "                 make the packages, and try them on Debian 11, 12 and 13 (root)"
	@echo "  make wheels    make the wheels of the Python package, in build/python/wheels, and test"
	@echo "                 them with each CPython that is found; ARM=yes: for 64-bit ARM, too"
	@echo "  make wasm      make the WebAssembly module, the npm package with it, and the page that"
	@echo "                 decodes logs in a browser, in build/release/wasm"
	@echo "  make clean     remove build/"
	@echo
	@echo "  make check STAGES=\"release clang\"        only these stages: release, clang,"
	@echo "                                           tsan, hardened"
	@echo "  make check TESTED=yes                      without the tests that make test runs"
	@echo "  make bench BENCH=\"--quick --rows parse\"   pass options; --help lists them"
	@echo "  make bench HFFIX=PREFIX FIX8=PREFIX        compare with these libraries, too"
	@echo
	@echo "All but tidy and clean install missing packages; DEPS=no prevents it."
	@echo "One test: ctest --preset release -R resend"

deps: deps-test

deps-run:
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh run
endif

deps-bench:
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh bench
endif

deps-test:
ifeq ($(DEPS),yes)
	@QUIET=$(if $(filter deps,$(MAKECMDGOALS)),,1) tools/deps.sh test
	@tools/columns.py >/dev/null || echo "deps: without pyarrow, nexusfix export is left out"
endif

# nexusfix-demo has the subcommands that the demonstration runs: `make examples` builds all others.
run: deps-run
	@tools/build.py release --target nexusfix_demo $(FIRST_BUILD)
	@build/release/apps/nexusfix/nexusfix-demo demo
	@echo
	@echo "make examples builds the command nexusfix with all its subcommands, and the examples."

build: deps-test
	@tools/build.py release -D NEXUSFIX_TESTS=ON -D NEXUSFIX_POSTGRES=ON \
	  -D NEXUSFIX_ARROW=AUTO -D NEXUSFIX_KAFKA=AUTO -D NEXUSFIX_NATS=AUTO

examples: deps-run
	@tools/build.py release --target nexusfix --target nexusfix_examples $(FIRST_BUILD)

test: deps-test
	@tools/run_tests.py --only quick $(STAGES)

check: deps-test
	@tools/run_tests.py $(if $(TESTED),--only rest) $(STAGES)

# PICTURE=yes makes the front page's picture again, too. HFFIX, FIX8, OLDER and QUICKFIX are
# prefixes of other libraries: docs/internals/published.md.
contestants = $(if $(HFFIX),hffix) $(if $(FIX8),fix8) $(if $(OLDER),older_nexusfix)
bench: deps-bench
	@tools/build.py release --target nexusfix_bench $(FIRST_BUILD) \
	  $(addprefix --target nexusfix_contestant_,$(contestants)) \
	  -D NEXUSFIX_BENCH_HFFIX=$(HFFIX) -D NEXUSFIX_BENCH_FIX8=$(FIX8) \
	  -D NEXUSFIX_BENCH_OLDER=$(OLDER) -D NEXUSFIX_BENCH_CONTESTANT_FLAGS=-march=native \
	  $(if $(QUICKFIX),-D QUICKFIX_INCLUDE_DIR=$(QUICKFIX)/include \
	  -D QUICKFIX_LIBRARY=$(QUICKFIX)/lib/libquickfix.a)
	@tools/build.py hardened --target nexusfix_bench_module $(call first_build,hardened)
	@build/release/bench/nexusfix_bench \
	  --hardened build/hardened/bench/libnexusfix_bench_module.so --json build/bench/report.json \
	  $(patsubst %,--contestant build/release/bench/contestants/%.so,$(contestants)) \
	  --html build/bench/report.html $(BENCH)
	@$(if $(PICTURE),tools/pictures.py --bench build/bench/report.json)

# The machine must be idle. Only what it draws is measured.
latency: deps-bench
	@tools/build.py release --target nexusfix_bench $(FIRST_BUILD)
	@build/release/bench/nexusfix_bench --rows rtt/spin --json build/bench/latency.json
	@tools/pictures.py --latency build/bench/latency.json

instructions: deps-test
	@tools/build.py release --target nexusfix_instructions -D NEXUSFIX_TESTS=ON
	@tools/instructions.py

deps-docs:
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh docs
endif

docs: deps-docs
	@tools/build.py release --target nexusfix_wasm $(FIRST_BUILD)
	@tools/docs.py

tidy:
	@tools/tidy.py

format: deps-test
	@tools/tidy.py --list-sources | xargs clang-format-19 -i

deps-lint:
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh lint
endif

# Some seconds for a source, so that make test does without. The checks: .clang-tidy.
lint: deps-lint
	@tools/lint.py $(LINT)

fuzz: deps-test
	@tools/build.py clang --target nexusfix_tests_fuzz-smoke -D NEXUSFIX_TESTS=ON
	@tools/fuzz.sh $(FUZZ_SECONDS)

# Seeds that the tests do not use. Two runs at once need different SIMULATE_SEEDs. Clusters take a
# quarter of the time.
simulate: deps-test
	@tools/build.py release --target nexusfix --target cluster_test -D NEXUSFIX_TESTS=ON \
	  -D NEXUSFIX_POSTGRES=ON
	@build/release/apps/nexusfix/nexusfix simulate --seed $(SIMULATE_SEED) \
	  --for $$(($(SIMULATE_SECONDS) * 3 / 4))
	@build/release/tests/simulate/cluster/cluster_test for $$(($(SIMULATE_SECONDS) / 4)) \
	  $(SIMULATE_SEED)

# LAYERS="session store": only these.
mutants: deps-test
	@tools/mutants.py $(addprefix --layer ,$(LAYERS))

# The crash tests with more runs, in each durability mode.
crash: deps-test
	@tools/build.py release --target store_test --target store_threads_test \
	  --target store_crash_test -D NEXUSFIX_TESTS=ON
	@cd build/release/tests/unit/store && export NEXUSFIX_RANDOM_RUNS=$(CRASH_RUNS) && \
	  ./store_test --gtest_filter='*JournalPower.*' && \
	  ./store_crash_test --gtest_filter='*JournalKillAtAnyMoment.*' && \
	  ./store_threads_test --gtest_filter='*JournalPowerThreads.*:*JournalPowerMapped.*'

# Kills, freezes and cuts off programs and the servers that they need. Maven fetches the jars of a
# broker. With 40 rounds each kind of fault comes once at least. The cluster needs root.
drills: deps-test
	@tools/build.py release --target nexusfix --target example_20_audit_consumer \
	  -D NEXUSFIX_TESTS=ON -D NEXUSFIX_POSTGRES=ON -D NEXUSFIX_KAFKA=ON
	@tests/faults/drills/stream_drill.py --nexusfix build/release/apps/nexusfix/nexusfix \
	  --consumer build/release/examples/example_20_audit_consumer --build build/drills \
	  --rounds 20
	@tests/faults/drills/cluster_drill.py --nexusfix build/release/apps/nexusfix/nexusfix \
	  --consumer build/release/examples/example_20_audit_consumer --build build/drills \
	  --rounds $(DRILL_ROUNDS) --late 3

soak: deps-test
	@tools/build.py release --target soak -D NEXUSFIX_TESTS=ON
	@build/release/tests/faults/soak/soak $(SOAK_SECONDS)

deps-contestants: deps-test
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh contestants
endif

# Cargo, Go, Maven and npm fetch the engines. One that cannot be had is named, and the others are
# played. In some minutes.
contestants: deps-contestants
	@tools/build.py release --target nexusfix -D NEXUSFIX_TESTS=ON
	-@tools/build.py release --target nexusfix_quickfix_peer
	-@tools/build.py release --target nexusfix_quickfixj_peer
	@tests/peers/contestants/contestants.py --nexusfix build/release/apps/nexusfix/nexusfix \
	  --quickfix build/release/tests/peers/interop/quickfix_peer \
	  --quickfixj build/release/tests/peers/interop/quickfixj \
	  $(if $(CONTESTANTS),--only $(CONTESTANTS))

# What faces a network has a distribution's protections: docs/operations/security.md. HARDENED=no
# installs the faster build of the other commands. With Apache Arrow, if it can be had: nexusfix
# export needs it, and nothing else.
INSTALLED = $(if $(filter no,$(HARDENED)),release,hardened)
install: deps-run
ifeq ($(DEPS),yes)
	@tools/columns.py >/dev/null || echo "install: without pyarrow, nexusfix export is left out"
endif
	@tools/build.py $(INSTALLED) --target nexusfix_installed $(call first_build,$(INSTALLED))
	@cmake --install build/$(INSTALLED) --prefix $(PREFIX)

# What `make install` left out, for an installed command: builds and installs nexusfix-arrow only.
install-arrow: deps-run
	@tools/columns.py >/dev/null
	@tools/build.py $(INSTALLED) --target nexusfix_arrow_command -D NEXUSFIX_ARROW=ON \
	  $(call first_build,$(INSTALLED))
	@cmake --install build/$(INSTALLED) --prefix $(PREFIX) --component arrow

deps-package:
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh package
endif

# Two runs of one commit give the same bytes. docs/operations/install.md says what is in them.
package: deps-package
	@tools/package.py --key "$(KEY)" $(if $(filter yes,$(ARM)),--arm)

deps-release:
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh release
endif

release-check: ARM = yes
release-check: deps-release package
	@tests/product/release/release_check.py

# PyPI has the tools that build and test a wheel: python/requirements.txt.
wheels: deps-test
	@tools/wheels.py
	$(if $(filter yes,$(ARM)),@tools/wheels.py --arm)

deps-wasm:
ifeq ($(DEPS),yes)
	@QUIET=1 tools/deps.sh wasm
endif

wasm: deps-wasm
	@tools/build.py release --target nexusfix_wasm -D NEXUSFIX_WASM=ON $(FIRST_BUILD)
	@ls -l build/release/wasm/decoder.html build/release/wasm/nexusfix-*.tgz

clean:
	rm -rf build
