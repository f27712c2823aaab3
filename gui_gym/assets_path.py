"""Where the shipped assets are."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def asset(*parts: str) -> Path:
    """The path of the shipped file or folder ``assets/<parts>``; FileNotFoundError if the installation lacks it.

    A wheel holds them in the package; in an editable installation they lie beside it.
    """
    for root in (_PACKAGE / "assets", _PACKAGE.parent / "assets"):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise FileNotFoundError(f"the asset {'/'.join(parts)} is in neither {_PACKAGE / 'assets'} nor {_PACKAGE.parent / 'assets'}: reinstall gui-gym")
