#!/bin/sh
# Installs the pinned engines of test/engines: about 200 MB from PyPI, 900 MB on disk.
set -eu
cd "$(dirname "$0")"

# Made again where its Python has gone.
.venv/bin/python -c '' 2>/dev/null || { rm -rf .venv; python3 -m venv .venv; }
# The list has every package that these need, so that none is chosen anew.
.venv/bin/pip install --quiet --no-compile --disable-pip-version-check --only-binary :all: --no-deps -r requirements.txt
.venv/bin/pip freeze --disable-pip-version-check >.venv/installed.txt
