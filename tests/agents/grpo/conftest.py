import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for grpo_fakes, which the import mode of pyproject.toml would not find
