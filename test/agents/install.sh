#!/bin/sh
# Installs the pinned clients of test/agents: about 800 MB from npm and 70 MB from PyPI, 3.3 GB on disk.
set -eu
cd "$(dirname "$0")"

# Not npm ci, which refuses a lock file without the optional packages of all platforms: some of them are not to be had.
rm -rf node_modules
npm install --no-save --loglevel=error

# Made again where its Python has gone.
.venv/bin/python -c '' 2>/dev/null || { rm -rf .venv; python3 -m venv .venv; }
.venv/bin/pip install --quiet --no-compile --disable-pip-version-check -r requirements.txt
.venv/bin/pip freeze --disable-pip-version-check >.venv/installed.txt
