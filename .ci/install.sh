#!/usr/bin/env bash
# Makes the virtual environment $1 and, when all of it is there, the stamp file $2. A half-made one is removed.
# Reads PYTHON, TORCH, TORCH_INDEX and EXTRAS as the Makefile explains them.
set -euo pipefail

venv=$1 stamp=$2
making=$venv/.making  # marks an environment as ours from its first moment, so that one left by a kill is never built upon
started=$SECONDS
if [ -e "$making" ]; then rm -rf "$venv"; fi
if [ ! -d "$venv" ]; then
  mkdir -p "$venv"
  touch "$making"
  trap 'if [ -e "$making" ]; then echo "install: failed, $venv removed" >&2; rm -rf "$venv"; fi' EXIT
  trap 'exit 130' INT TERM
fi

python=$(bash "$(dirname "$0")/find_python.sh" ${PYTHON:-})
echo "Installing into $venv with $("$python" --version) (a few minutes; once)"
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# torch alone and first: its CPU build is a tenth of the CUDA one, and "+cpu" wins over the same version of PyPI. The
# index may be out of reach, where pip would try it again for every dependency.
if [[ ",$EXTRAS," =~ ,(train|vllm|qwen|ray|sb3|all), ]]; then
  index=(${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX" --retries 0 --timeout 10})
  pip install -qq --no-deps ${index[@]+"${index[@]}"} "$TORCH" || pip install -qq --no-deps "$TORCH"
fi
pip install -qq -e ".[$EXTRAS]"
pip check
date >"$stamp"
rm -f "$making"
echo "installed in $((SECONDS - started)) s"
