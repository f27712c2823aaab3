"""Reads a PDF file in a process of its own: a program, run as ``python read_pdf.py FILE WHAT``, that imports nothing of this package.

The library is fast machine code; what a hostile file makes of it, a crash or an endless loop, ends this process only. Prints
JSON: for WHAT "pages" their number, for "text" their text, for "images" the images on the pages in order, each as 32x32 grey
values in hexadecimal. What cannot be read ends with status 1 and the reason on standard error.
"""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

import pypdfium2
from pypdfium2 import raw

MAX_PAGES = 2_000  #: most pages that are looked at
MAX_TEXT = 400_000  #: most characters that are compared
MAX_IMAGES = 500  #: most images
MAX_PIXELS = 64_000_000  #: most pixels of an image
SIZE = 32  #: pixels of a side of what is kept of an image
CPU_SECONDS = 30
MEMORY = 4 << 30  #: bytes of address space


def text_of(document: Any) -> str:
    texts: list[str] = []
    for index in range(min(len(document), MAX_PAGES)):
        page = document[index].get_textpage()
        texts.append(page.get_text_range(count=min(page.count_chars(), MAX_TEXT)).replace("\r\n", "\n").strip())
        if sum(map(len, texts)) > MAX_TEXT:
            break
    return "\n".join(texts)[:MAX_TEXT].strip()


def images_of(document: Any) -> list[str]:
    from PIL import Image

    images: list[str] = []
    for index in range(min(len(document), MAX_PAGES)):
        for item in document[index].get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,)):
            width, height = item.get_px_size()
            if len(images) == MAX_IMAGES or width * height > MAX_PIXELS:
                raise ValueError(f"expected at most {MAX_IMAGES} images of at most {MAX_PIXELS} pixels")
            image = item.get_bitmap(render=False).to_pil().convert("L").resize((SIZE, SIZE), Image.Resampling.LANCZOS)
            images.append(image.tobytes().hex())
    return images


READERS = {"pages": len, "text": text_of, "images": images_of}


def main(path: str, what: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        value = READERS[what](pypdfium2.PdfDocument(path))
    except (pypdfium2.PdfiumError, ValueError, TypeError, OSError, MemoryError, RuntimeError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    json.dump(value, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
