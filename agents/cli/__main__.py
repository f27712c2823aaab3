"""``python -m agents.cli``: the same as ``gui-agents``."""

import sys

from agents.cli import main

sys.exit(main())
