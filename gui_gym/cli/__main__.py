"""``python -m gui_gym.cli``: the same as ``gui-gym``."""

import sys

from gui_gym.cli import main

sys.exit(main())
