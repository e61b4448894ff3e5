#!/bin/sh
# Installs aider, with 110 packages of its own: 570 MB, minutes, and too much for CI. setup.test.ts tests it where it is installed.
set -eu
cd "$(dirname "$0")"

mkdir -p .heavy/bin
python3 -m venv .heavy/aider
.heavy/aider/bin/pip install --quiet --no-compile --disable-pip-version-check aider-chat==0.86.2
ln -sf ../aider/bin/aider .heavy/bin/aider
