#!/usr/bin/env bash
# Prints the Python to build .venv with: $1 if given, else the first that works. One line on stderr if there is none.
set -euo pipefail

works() { "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

candidates=(${1:-python3.11 python3.12 python3.13 python3.14 python3})
for python in "${candidates[@]}"; do
  if works "$python"; then echo "$python"; exit 0; fi
done
echo "Python 3.11 or newer with venv is missing (tried: ${candidates[*]}): run apt-get install python3 python3-venv, or set PYTHON" >&2
exit 1
