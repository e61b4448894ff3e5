#!/bin/sh
# Installs the peers of `npm run bench` and `npm run bench:race`, pinned: the routers of vLLM and SGLang from PyPI, Portkey and the
# versions of Node from npm, and LiteLLM with the engines of the tests. About 500 MB to fetch, 1.4 GB on disk.
set -eu
cd "$(dirname "$0")"

# Made again where its Python has gone.
.venv/bin/python -c '' 2>/dev/null || { rm -rf .venv; python3 -m venv .venv; }
# The list has every package that the routers need, so that none is chosen anew.
.venv/bin/pip install --quiet --no-compile --disable-pip-version-check --only-binary :all: --no-deps -r requirements.txt
npm ci --silent --prefix ../portkey
for version in 20 24 26; do
  npm install --silent --no-audit --no-fund --no-save --prefix "node-$version" "node@$version"
done
sh ../../test/engines/install.sh
