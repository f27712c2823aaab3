#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages in $@, as root or where sudo asks no password; else prints the command and fails.
set -euo pipefail

missing=()
for package in "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if ! command -v apt-get >/dev/null; then
  echo "This system has no apt-get. Install what these Debian packages hold: ${missing[*]}" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=(env)
elif sudo -n true 2>/dev/null </dev/null; then
  as_root=(sudo -n env)
else
  echo "System packages are missing. As root, run: apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "Installing system packages: ${missing[*]}"
install=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}")
"${install[@]}" </dev/null >/dev/null 2>&1 || { "${as_root[@]}" apt-get update -qq </dev/null && "${install[@]}" </dev/null >/dev/null; }
