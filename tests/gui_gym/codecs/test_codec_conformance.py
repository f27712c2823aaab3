"""Every registered codec, in every kind of frame, keeps the contract."""

from __future__ import annotations

import pytest

from gui_gym.codecs import CODECS, Codec, make_codec
from gui_gym.codecs.conformance import CodecConformance


@pytest.mark.parametrize("frame", ["pixels", "resized:1024x576", "unit", "thousand", "grid:10"])
@pytest.mark.parametrize("name", CODECS.names())
class TestEveryCodec(CodecConformance):
    @pytest.fixture(autouse=True)
    def _choose(self, name: str, frame: str) -> None:
        self.chosen = (name, frame)

    def make(self) -> Codec:
        return make_codec(*self.chosen)
