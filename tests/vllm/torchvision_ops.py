"""Declares the operators that torchvision looks up when it is imported, so that a CUDA build of it imports beside a CPU torch.

Its compiled operators cannot load there; image processing needs none of them. Imported at the start of Python by a .pth
file, so it costs nothing until torchvision is imported."""

import sys
from importlib.abc import MetaPathFinder
from typing import Any


class TorchvisionOps(MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name != "torchvision":
            return
        sys.meta_path.remove(self)
        import torch

        if not torch.cuda.is_available():
            self.library = torch.library.Library("torchvision", "DEF")
            for operator in ("nms", "qnms"):
                self.library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            sys.torchvision_ops = self  # type: ignore[attr-defined]  # a Library's operators go with it


sys.meta_path.insert(0, TorchvisionOps())
