"""Makes deck.pptx, bold.pptx, changed.pptx, deck.pdf, changed.pdf from deck.fodp with LibreOffice, as a user would: /usr/bin/python3 make_slides.py

Needs LibreOffice Impress and python3-uno.
"""

import subprocess
import tempfile
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

HERE = Path(__file__).parent
FILTERS = {"pptx": "Impress MS PowerPoint 2007 XML", "pdf": "impress_pdf_Export"}


def prop(name, value):
    item = PropertyValue()
    item.Name, item.Value = name, value
    return item


def connect(pipe):
    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    for _ in range(100):
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except NoConnectException:
            time.sleep(0.3)
    raise SystemExit("LibreOffice did not start")


def note(page, text):
    notes = page.getNotesPage()
    for index in range(notes.Count):
        if notes.getByIndex(index).ShapeType.endswith("NotesShape"):
            notes.getByIndex(index).String = text


def first_word(pages):
    cursor = pages.getByIndex(0).getByIndex(0).createTextCursor()
    cursor.gotoStart(False)
    cursor.goRight(4, True)
    return cursor


def change(document):
    """A red number and word, a blue background, the picture over the whole slide, another number in the table, a transition."""
    master = document.MasterPages.getByIndex(0)
    for index in range(master.Count):
        if master.getByIndex(index).ShapeType.endswith("SlideNumberShape"):
            cursor = master.getByIndex(index).createTextCursor()
            cursor.gotoStart(False)
            cursor.gotoEnd(True)
            cursor.CharColor = 0xC9211E
    pages = document.DrawPages
    first_word(pages).CharColor = 0xFF0000
    picture = pages.getByIndex(0).getByIndex(2)
    size = picture.Size
    size.Width, size.Height = pages.getByIndex(0).Width, pages.getByIndex(0).Height
    corner = picture.Position
    corner.X = corner.Y = 0
    picture.Size, picture.Position = size, corner
    pages.getByIndex(1).getByIndex(0).Model.getCellByPosition(1, 0).String = "8"
    for index in range(pages.Count):
        background = document.createInstance("com.sun.star.drawing.Background")
        background.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
        background.FillColor = 0x0000FF
        pages.getByIndex(index).Background = background
        pages.getByIndex(index).TransitionType = 40  # com.sun.star.animations.TransitionType.DISSOLVE


def main():
    with tempfile.TemporaryDirectory() as profile:
        arguments = [f"-env:UserInstallation=file://{profile}", "--headless", "--norestore", f"--accept=pipe,name={Path(profile).name};urp;"]
        office = subprocess.Popen(["soffice", *arguments])
        context = connect(Path(profile).name)
        desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)

        def make(name, kinds, edit):
            document = desktop.loadComponentFromURL(f"file://{HERE}/deck.fodp", "_blank", 0, (prop("Hidden", True),))
            note(document.DrawPages.getByIndex(1), "Ask the crew.")
            edit(document)
            for kind in kinds:
                document.storeToURL(f"file://{HERE}/{name}.{kind}", (prop("FilterName", FILTERS[kind]),))
            document.close(True)

        make("deck", ("pptx", "pdf"), lambda document: None)
        make("bold", ("pptx",), lambda document: setattr(first_word(document.DrawPages), "CharWeight", 150.0))
        make("changed", ("pptx", "pdf"), change)
        desktop.terminate()
        office.wait(30)


if __name__ == "__main__":
    main()
