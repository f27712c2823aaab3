# The two commands: `make demo` and `make test`. `make help` lists the rest.
#
# Variables you may set:
#   PYTHON       the Python that .venv is made of (3.11 or newer, with venv)
#   TORCH        the torch to install, for example TORCH='torch==2.9.*'
#   TORCH_INDEX  where its build comes from besides PyPI; the CPU builds' index unless a GPU is found
#   EXTRAS       the extras of pyproject.toml to install
#   DEMO         arguments of the demo
#   TINY_VLM     arguments of tiny-vlm
#   PYTEST       arguments of pytest
#   GPU_CHECK    arguments of gpu-check
#   JOBS         processes that tests run in

VENV ?= .venv
PYTHON ?=
TORCH ?= torch>=2.8,<2.14
TORCH_INDEX ?= $(shell test "$$(uname -sm)" = "Linux x86_64" && ! nvidia-smi -L >/dev/null 2>&1 && echo https://download.pytorch.org/whl/cpu)
EXTRAS ?= train,qlora,x11,osworld,guest,serve,sb3,dev
DEMO ?= --out runs/demo
TINY_VLM ?= --out runs/tiny-vlm --assets assets/tiny-vlm
PYTEST ?=
GPU_CHECK ?=
JOBS ?= $(shell nproc)
NEED_MB ?= 4000

STAMP := $(VENV)/.installed
BIN := $(VENV)/bin

# What the x11 desktop needs, then the applications that only some tasks need.
SYSTEM_PACKAGES := xvfb x11-xkb-utils openbox bubblewrap util-linux dbus-daemon python3 procps x11-utils mousepad l3afpad fonts-dejavu-core \
  python3-xlib python3-gi gir1.2-atspi-2.0 at-spi2-core libatk-adaptor libglib2.0-bin dconf-gsettings-backend gsettings-desktop-schemas \
  xdg-utils socat wmctrl xdotool tzdata
HEAVY_PACKAGES := libreoffice libreoffice-gtk3 gimp chromium thunderbird vlc mpv gnome-terminal nautilus gedit evince eog \
  pulseaudio pulseaudio-utils gnome-shell-common gnome-settings-daemon-common bc jq xsel xclip zip unzip expect sysstat python3-pysrt \
  python3-fitz ffmpeg tesseract-ocr fonts-noto-cjk fonts-noto-color-emoji fonts-liberation

# Programs for the inside of a desktop or a guest: they import what is there.
INSIDE := gui_gym/desktops/x11/guest gui_gym/desktops/guest/programs

.DEFAULT_GOAL := help
.PHONY: help install demo tiny-vlm test test-slow test-vllm gpu-check lint types doctest system system-heavy clean preflight
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-14s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

# One line for each thing that is missing, before anything is made.
preflight:
	@python='$(PYTHON)'; \
	if [ ! -e $(STAMP) ]; then \
	  command -v git >/dev/null || { echo "git is missing: apt-get install git" >&2; exit 1; }; \
	  bash .ci/find_python.sh $$python >/dev/null; \
	  free=$$(df -Pm . | awk 'NR==2 {print $$4}'); \
	  [ "$$free" -ge $(NEED_MB) ] || { echo "disk: $$free MB free here, $(NEED_MB) MB needed: free some, or set VENV to a folder on another disk" >&2; exit 1; }; \
	fi

install: $(STAMP) ## .venv with everything demo and test need

$(STAMP): pyproject.toml | preflight
	@PYTHON='$(PYTHON)' TORCH='$(TORCH)' TORCH_INDEX='$(TORCH_INDEX)' EXTRAS='$(EXTRAS)' bash .ci/install.sh '$(VENV)' '$(STAMP)'

demo: $(STAMP) ## warm up and train the small model, write runs/demo/report.html
	@$(BIN)/python examples/demo.py $(DEMO)

tiny-vlm: $(STAMP) ## make the small model in assets/tiny-vlm again: an hour on two idle cores
	@$(BIN)/python assets/make_tiny_vlm.py $(TINY_VLM)

test: $(STAMP) ## all tests; as root, or where sudo asks no password, with the system packages
	@bash .ci/apt_install.sh $(SYSTEM_PACKAGES) || echo "Going on without them: the tests that need them are listed at the end." >&2
	@$(BIN)/python -m pytest -q -rs -n $(JOBS) --dist loadfile $(PYTEST)

test-slow: $(STAMP) ## 1,000 resets, every OSWorld task with its solution: half an hour, with the applications of system-heavy
	@bash .ci/apt_install.sh $(SYSTEM_PACKAGES) $(HEAVY_PACKAGES)
	@$(BIN)/python -m pytest -q -rs tests/slow $(PYTEST)

test-vllm: $(STAMP) ## the vllm engine over vLLM itself on the CPU, installed into .venv-vllm (3.5 GB, Python 3.11): ten minutes
	@TORCH_INDEX='$(TORCH_INDEX)' bash tests/vllm/install.sh .venv-vllm
	@$(BIN)/python -m pytest -q -rs tests/vllm $(PYTEST)

# With whatever torch is there: an install could take CUDA's build, of gigabytes, without being asked.
gpu-check: ## the learner on a GPU: exactness, tokens/s, memory; under 8 minutes, downloads nothing (to try it: GPU_CHECK="--device cpu --scale tiny")
	@python=$(BIN)/python; [ -x "$$python" ] || python=python3; \
	"$$python" -c 'import tyro, peft, transformers, torch' 2>/dev/null || \
	  { echo "gpu-check: no torch or transformers in $$python: run make install, or set VENV to an environment that has them" >&2; exit 1; }; \
	HF_HUB_OFFLINE=1 "$$python" -m agents.gpu_check $(GPU_CHECK)

lint: $(STAMP) ## ruff
	@$(BIN)/ruff check .

types: $(STAMP) ## mypy
	@$(BIN)/mypy

doctest: $(STAMP) ## the examples in docstrings
	@$(BIN)/python -m pytest -q --doctest-modules gui_gym wrappers agents $(addprefix --ignore=,$(INSIDE))

system: ## system packages of the x11 desktop (apt; never asks for a password)
	@bash .ci/apt_install.sh $(SYSTEM_PACKAGES)

system-heavy: ## LibreOffice, GIMP, Chromium and VLC, for the tasks that use them
	@bash .ci/apt_install.sh $(HEAVY_PACKAGES)

clean: ## remove what was built, .venv included; runs/ stays
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
