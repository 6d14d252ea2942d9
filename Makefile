# Everything here works on a machine that has Python 3.11 with its headers, git, make, a C++ compiler (for the
# simulated device, in the tests) and a package index, and nothing else.
# A step says its name; what it prints is shown only when it fails.
#
#   make demo    set up what running needs, then report what the newest upstream release breaks in the lane before it
#   make test    set up, then lint, type check and all tests
#   make nightly-tests   set up, then the tests with many generated inputs instead of few
#   make documents   set up, then the documents as a site with search, its links checked
#   make verify-all    set up, then every check of every lane, with its evidence into the matrix
#   make nightly       set up, then what of it is stale, as much as is done in two hours (BUDGET=3h)
#   make ecosystem     set up, then what this state finds otherwise than main on forty pairs of the package index
#   make findings      set up, then what the contract engine finds otherwise than benchmarks/findings.txt has it
#   make plan-cost UPSTREAM=REPO BACKEND=DIR   set up, then time the server and a plan over a thousand commits, cold
#   make verify-plugin set up, then a published plugin, unchanged, on a simulated device
#
# The first `make test` installs the environments of two lanes below syncbot's cache directory
# (SYNCBOT_CACHE, else the user's), later ones find them there. Packages come from where pip is told to
# look. Where that offers only the CUDA build of torch (several GB), UV_TORCH_BACKEND=cpu asks for the
# CPU build instead.

.DEFAULT_GOAL := install
.DELETE_ON_ERROR:
.PHONY: install lock lowest demo test lint format types unit e2e documents ecosystem findings plan-cost verify-all nightly nightly-tests verify-plugin simulator-wheel simulator-in-ci generated new-rule new-check clean

PYTHON ?= $(or $(shell command -v python3.11),$(shell command -v python3),python3.11)
BIN := .venv/bin
RUNS := .venv/.runs
INSTALLED := .venv/.installed
EDITABLE := .[dev,typecheck]
LOCK := .ci/locks/syncbot.txt
LOCK_OF_TOOLS := .ci/locks/development.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# How many processes, tests/conftest.py says; a file of tests stays in one, which makes once what the file shares.
# One that ends in the midst, as where a test hangs, is not begun again: that test would hang again.
TESTS := $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0

EXPORT = $(BIN)/uv export --quiet --frozen --group build --no-emit-project --no-header --no-annotate --format requirements-txt

# $(call step,name,command): one line, and the command's output when it fails.
define step
@printf '%s\n' '$(1)'; output=$$({ $(2); } 2>&1) || { status=$$?; printf '%s\n' "$$output"; exit $$status; }
endef

install: $(INSTALLED)

# What running syncbot needs: the very files that the lock names by their hashes, from whatever index pip asks.
$(RUNS): pyproject.toml Makefile $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 4))' || \
	  { echo 'syncbot needs Python 3.11.4 or newer: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	$(call step,install: syncbot into .venv,$(PYTHON) -m venv .venv && $(BIN)/python .ci/install.py $(LOCK))
	@touch $@

# And what working on it needs: the tools for tests, types and documents.
$(INSTALLED): $(RUNS) $(LOCK_OF_TOOLS)
	$(call step,install: its tools into .venv,$(BIN)/python .ci/install.py $(LOCK_OF_TOOLS))
	@touch $@

# Resolves anew from the public index, and writes what the installations read. To renew: make lock UPGRADE=--upgrade
lock: $(INSTALLED)
	@$(BIN)/uv lock --quiet --no-config --default-index https://pypi.org/simple $(UPGRADE)
	@$(EXPORT) --output-file $(LOCK)
	@$(EXPORT) --extra dev --extra typecheck --output-file $(LOCK_OF_TOOLS)

# The unit tests with the oldest versions that pyproject.toml allows.
lowest: $(INSTALLED)
	$(call step,install: the oldest versions into .venv-lowest,$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest && \
	  $(BIN)/uv pip install --quiet --python .venv-lowest --resolution lowest-direct --editable '$(EDITABLE)')
	@.venv-lowest/bin/pytest -n auto --dist loadfile -m 'not machine and not long'

demo: $(RUNS)
	@$(BIN)/syncbot verify --static --lane v0.32.0
	@$(BIN)/syncbot check --backend build/lanes/v0.32.0 --by releases --from latest~1 --to latest --fail-on never

test: $(INSTALLED)
	@$(MAKE) --no-print-directory --jobs 2 lint types
	@printf '%s\n' 'tests'
	@$(TESTS)

lint: $(INSTALLED)
	$(call step,lint,$(BIN)/ruff check .)
	$(call step,format,$(BIN)/ruff format --check .)

types: $(INSTALLED)
	$(call step,types,$(BIN)/mypy --strict)

documents: $(INSTALLED)
	@$(BIN)/python .ci/documents.py

# Inputs that are commits need both histories: make findings RANGES=FILE UPSTREAM=REPO BACKEND=REPO
findings: $(INSTALLED)
	@$(BIN)/python benchmarks/findings.py $(addprefix --ranges ,$(RANGES)) $(addprefix --upstream ,$(UPSTREAM)) \
	  $(addprefix --backend-repository ,$(BACKEND))

# Printed as Markdown. Other states: make ecosystem BEFORE=COMMIT AFTER=COMMIT
ecosystem: $(INSTALLED)
	@$(BIN)/python benchmarks/ecosystem.py $(addprefix --before ,$(BEFORE)) $(addprefix --after ,$(AFTER))

format: $(INSTALLED)
	$(call step,format,$(BIN)/ruff check --fix . && $(BIN)/ruff format .)

# Without the tests that need a network, real releases, environments, a browser or a cluster (machine), and
# without those that try thousands of files or inputs, or start many processes (long), or run whole commands,
# servers or git (commands).
unit: $(INSTALLED)
	@$(TESTS) -m 'not machine and not long and not commands'

# The tests that make their inputs try ten times as many, and others each time.
nightly-tests: export HYPOTHESIS_PROFILE := nightly
nightly-tests: $(INSTALLED)
	@$(TESTS) -m 'not machine'

e2e: $(INSTALLED)
	@$(TESTS) tests/e2e

verify-all: $(INSTALLED)
	@$(BIN)/syncbot verify --jobs 2

# What is stale, the newest and the oldest lane first; then of the published plugin and of its overlays' lanes, each
# within a budget of its own. An engine for each processor. And whether the plugin's lanes lack a patch.
BUDGET ?= 60m
BUDGET_EACH ?= 20m
nightly: export VLLM_NPU_CASES_AT_ONCE ?= $(shell nproc)
nightly: $(INSTALLED)
	@status=0; \
	$(BIN)/syncbot verify --budget $(BUDGET) $(addprefix --shard ,$(SHARD)) || status=$$?; \
	$(BIN)/syncbot verify-plugin --budget $(BUDGET_EACH) || status=$$?; \
	for overlay in overlays/*/syncbot.toml; do $(BIN)/syncbot verify --backend $${overlay%/*} --budget $(BUDGET_EACH) || status=$$?; done; \
	$(BIN)/syncbot apply --check --backend overlays/vllm-ascend || status=$$?; \
	exit $$status

# What a plan over the newest thousand commits costs where nothing was kept.
plan-cost: $(INSTALLED)
	@$(BIN)/python benchmarks/thousand_commits.py --upstream $(UPSTREAM) --backend $(BACKEND) --plan

# The releases of the published plugin in overlays/as-published, with their evidence.
verify-plugin: $(INSTALLED)
	@$(BIN)/syncbot verify-plugin

# The simulator with its device compiled for the torch of each environment that TORCH_PYTHONS names; those of the lanes:
# make simulator-wheel TORCH_PYTHONS="$$(.venv/bin/python .ci/torch_pythons.py)"
simulator-wheel: $(INSTALLED)
	@rm -rf build/device
	@for python in $(TORCH_PYTHONS); do \
	  PYTHONPATH=simulator/src $$python -m torch_npu_sim.device build/device || exit 1; done
	@cd simulator && TORCH_NPU_SIM_COMPILED=$(if $(TORCH_PYTHONS),$(CURDIR)/build/device) ../$(BIN)/python -m hatchling build -t wheel -d ../dist
	@cd simulator/vllm && ../../$(BIN)/python -m hatchling build -t wheel -d ../../dist

# The workflow for other repositories, on this machine: an empty environment, a published plugin, one case.
simulator-in-ci: simulator-wheel
	@$(BIN)/python .ci/simulated_npu_in_ci.py --simulator dist

# Schemas and tables that are made from the code.
generated: $(INSTALLED)
	@$(BIN)/python .ci/generated.py

# A rewrite, or a check of contracts, with its cases: make new-rule NAME=call_awaited
new-rule: $(INSTALLED)
	@$(BIN)/python .ci/scaffold.py rule '$(NAME)'

new-check: $(INSTALLED)
	@$(BIN)/python .ci/scaffold.py check '$(NAME)'

clean:
	rm -rf .venv .venv-lowest build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
