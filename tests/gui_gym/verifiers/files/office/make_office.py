"""Makes the files of this folder with LibreOffice itself: ``flock /tmp/heavy.lock /usr/bin/python3 make_office.py`` (needs python3-uno).

Made with LibreOffice 7.4.7. Names that end in ``_wrong`` differ in everything that a metric looks at; ``sales_by_hand``
looks like ``sales`` but was made in another way.
"""

import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import zlib

import uno
from com.sun.star.awt import Rectangle, Size
from com.sun.star.beans import PropertyValue
from com.sun.star.sheet.ConditionOperator import GREATER
from com.sun.star.sheet.DataPilotFieldOrientation import COLUMN, DATA, ROW
from com.sun.star.sheet.GeneralFunction import COUNT, SUM
from com.sun.star.sheet.ValidationType import LIST
from com.sun.star.style import LineSpacing, TabStop
from com.sun.star.style.BreakType import PAGE_BEFORE
from com.sun.star.style.NumberingType import ARABIC
from com.sun.star.style.ParagraphAdjust import CENTER
from com.sun.star.style.TabAlign import RIGHT
from com.sun.star.table import CellRangeAddress
from com.sun.star.text.ControlCharacter import PARAGRAPH_BREAK
from com.sun.star.text.TextContentAnchorType import AS_CHARACTER

HERE = pathlib.Path(__file__).parent
SALES = [
    ["Month", "Shop", "Price"],
    ["Jan", "North", 10],
    ["Feb", "North", 20.5],
    ["Mar", "South", 40],
    ["Apr", "South", 5],
    ["May", "North", 33.3333],
]
FILTERS = {".xlsx": "Calc MS Excel 2007 XML", ".docx": "MS Word 2007 XML", ".odt": "writer8", ".csv": "Text - txt - csv (StarCalc)"}


PICTURES = {"red.png": b"\xff\0\0", "green.png": b"\0\xff\0"}


def png(color, size=8):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + color * size) * size
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def prop(name, value):
    return PropertyValue(Name=name, Value=value)


def save(document, name, *more):
    path = HERE / name
    document.storeToURL(path.as_uri(), (prop("FilterName", FILTERS[path.suffix]), *more))


def sales(desktop, name, wrong=False, by_hand=False):
    book = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, (prop("Hidden", False),))
    sheets = book.Sheets
    sheet = sheets.getByIndex(0)
    sheet.Name = "Sheet1"
    for row, line in enumerate(SALES):
        for column, value in enumerate(line):
            cell = sheet.getCellByPosition(column, row)
            if isinstance(value, str):
                cell.String = value
            else:
                cell.Value = value
    sheet.getCellByPosition(0, 6).String = "Total"
    sheet.getCellByPosition(2, 6).Formula = "=SUM(C2:C5)" if wrong else "=C2+C3+C4+C5+C6" if by_hand else "=SUM(C2:C6)"
    title = sheet.getCellRangeByName("A9:C9")
    title.merge(not wrong)
    sheet.getCellRangeByName("A9").String = "Summary"
    sheet.getCellRangeByName("A9").CellBackColor = 0xFF0000 if wrong else 0x0000FF
    sheet.getCellRangeByName("A9").CharColor = 0xFFFFFF
    sheet.getCellRangeByName("A9").CharWeight = 100.0 if wrong else 150.0
    # Prices above 15 are red, by a condition or by hand.
    style = book.createInstance("com.sun.star.style.CellStyle")
    book.StyleFamilies.getByName("CellStyles").insertByName("Dear", style)
    style.CellBackColor = 0xFF0000
    if by_hand:
        for row in (2, 3, 5):
            sheet.getCellByPosition(2, row).CellBackColor = 0xFF0000
    else:
        cells = sheet.getCellRangeByName("C2:C6")
        formats = cells.ConditionalFormat
        formats.addNew((prop("Operator", GREATER), prop("Formula1", "35" if wrong else "15"), prop("StyleName", "Dear")))
        cells.ConditionalFormat = formats
    # D2:D6 takes one of two words from a list.
    cells = sheet.getCellRangeByName("D2:D4" if wrong else "D2:D6")
    validation = cells.Validation
    validation.Type = LIST
    validation.setFormula1('"Pass";"Fail"')
    cells.Validation = validation
    sheet.Rows.getByIndex(4 if wrong else 3).IsVisible = False
    sheet.Columns.getByIndex(1).Width = 5000 if wrong else 4000
    chart(sheet, wrong)
    pivot(book, wrong)
    view = book.CurrentController
    view.setActiveSheet(sheet)
    view.select(sheet.getCellRangeByName("A1:B6" if wrong else "A1:C6"))
    dispatcher = CONTEXT.ServiceManager.createInstance("com.sun.star.frame.DispatchHelper")
    dispatcher.executeDispatch(view.Frame, ".uno:DataFilterAutoFilter", "", 0, ())
    view.freezeAtPosition(1, 0 if wrong else 1)
    if by_hand:
        view.setFirstVisibleRow(4)
    view.ZoomType = 3
    view.ZoomValue = 120 if wrong else 80
    save(book, f"{name}.xlsx")
    save(book, f"{name}-Sheet1.csv", prop("FilterOptions", "44,34,76,1"))
    book.close(True)


def chart(sheet, wrong):
    place = Rectangle(12000, 1000, 9000, 6000)
    sheet.Charts.addNewByName("Prices", place, (CellRangeAddress(0, 0, 1, 0, 5), CellRangeAddress(0, 2, 1, 2, 5)), False, True)
    document = sheet.Charts.getByName("Prices").EmbeddedObject
    if wrong:
        document.Diagram = document.createInstance("com.sun.star.chart.LineDiagram")
    document.HasMainTitle = True
    document.Title.String = "Cost" if wrong else "Price"
    document.Diagram.HasXAxisTitle = True
    document.Diagram.XAxisTitle.String = "Weeks" if wrong else "Months"
    document.HasLegend = not wrong


def pivot(book, wrong):
    book.Sheets.insertNewByName("Sheet2", 1)
    tables = book.Sheets.getByName("Sheet2").DataPilotTables
    descriptor = tables.createDataPilotDescriptor()
    descriptor.setSourceRange(CellRangeAddress(0, 0, 0, 2, 5))
    fields = descriptor.DataPilotFields
    fields.getByIndex(1).Orientation = COLUMN if wrong else ROW
    fields.getByIndex(2).Orientation = DATA
    fields.getByIndex(2).Function = COUNT if wrong else SUM
    address = book.Sheets.getByName("Sheet2").getCellByPosition(0, 0).CellAddress
    tables.insertNewByName("Prices", address, descriptor)


def essay(desktop, name, wrong=False):
    document = desktop.loadComponentFromURL("private:factory/swriter", "_blank", 0, (prop("Hidden", True),))
    text = document.Text

    def write(words, **looks):
        written = text.createTextCursorByRange(text.End)
        text.insertString(written, words, True)
        for key, value in looks.items():
            if not wrong:
                setattr(written, key, value)

    def new_paragraph():
        text.insertControlCharacter(text.End, PARAGRAPH_BREAK, False)
        text.createTextCursorByRange(text.End).setAllPropertiesToDefault()

    document.StyleFamilies.getByName("ParagraphStyles").getByName("Standard").CharFontName = "Arial" if wrong else "Liberation Serif"
    write("Water", ParaAdjust=CENTER)
    new_paragraph()
    write("H")
    write("2", CharEscapement=-14000, CharEscapementHeight=58)
    write("O is ", CharEscapement=0, CharEscapementHeight=100)
    write("wet", CharPosture=uno.Enum("com.sun.star.awt.FontSlant", "ITALIC"), CharHeight=14.0)
    write(" and clear.", CharPosture=uno.Enum("com.sun.star.awt.FontSlant", "NONE"), CharHeight=12.0)
    new_paragraph()
    write("Lines far from each other.", ParaLineSpacing=LineSpacing(0, 200))
    new_paragraph()
    write("one two three\tpage 4", ParaTabStops=(TabStop(12000, RIGHT, ".", " "),))
    new_paragraph()
    write("A new page.", BreakType=PAGE_BEFORE)
    new_paragraph()
    table = document.createInstance("com.sun.star.text.TextTable")
    table.initialize(2, 2)
    text.insertTextContent(text.End, table, False)
    for cell, word, color in (("A1", "apple", 0xFF0000), ("B1", "tree", 0x0000FF), ("A2", "egg", 0xFF0000), ("B2", "we", 0x0000FF)):
        at = table.getCellByName(cell)
        at.String = word if not wrong or cell != "B2" else "us"
        all_of_it = at.createTextCursor()
        all_of_it.gotoEnd(True)
        all_of_it.CharColor = 0x00FF00 if wrong else color
    image = document.createInstance("com.sun.star.text.TextGraphicObject")
    image.Graphic = graphic(HERE / ("green.png" if wrong else "red.png"))
    image.AnchorType = AS_CHARACTER
    image.Size = Size(1000, 1000)
    text.insertTextContent(text.End, image, False)
    new_paragraph()
    write("References")
    new_paragraph()
    write("[1] A. Author, The book of water, 2001." if not wrong else "[1] B. Writer, Another one, 1999.")
    new_paragraph()
    write("Struck out.", CharStrikeout=1)
    page = document.StyleFamilies.getByName("PageStyles").getByName("Standard")
    page.FooterIsOn = True
    footer = page.FooterText
    if wrong:
        footer.String = "page 1"
    else:
        field = document.createInstance("com.sun.star.text.TextField.PageNumber")
        field.NumberingType = ARABIC
        field.SubType = uno.Enum("com.sun.star.text.PageNumberType", "CURRENT")
        footer.insertTextContent(footer.End, field, False)
    save(document, f"{name}.docx")
    document.close(True)


def graphic(path):
    return CONTEXT.ServiceManager.createInstance("com.sun.star.graphic.GraphicProvider").queryGraphic((prop("URL", path.as_uri()),))


def notes(desktop, name, wrong=False):
    document = desktop.loadComponentFromURL("private:factory/swriter", "_blank", 0, (prop("Hidden", True),))
    text = document.Text
    for words, yellow in (("Call ", False), ("at once", True), ("  after five.", False)):
        written = text.createTextCursorByRange(text.End)
        text.insertString(written, words, True)
        written.CharBackColor = 0xFFFF00 if yellow and wrong else -1
    save(document, f"{name}.odt")
    document.close(True)


def configure(path, **values):
    provider = CONTEXT.ServiceManager.createInstance("com.sun.star.configuration.ConfigurationProvider")
    access = provider.createInstanceWithArguments("com.sun.star.configuration.ConfigurationUpdateAccess", (prop("nodepath", path),))
    for name, value in values.items():
        access.setPropertyValue(name, value)
    access.commitChanges()


def main():
    global CONTEXT
    for name, color in PICTURES.items():
        (HERE / name).write_bytes(png(color))
    home = pathlib.Path(tempfile.mkdtemp())
    office = subprocess.Popen(
        ["soffice", "--headless", "--norestore", f"-env:UserInstallation={home.as_uri()}", "--accept=pipe,name=make_office;urp;"],
        start_new_session=True,
    )
    try:
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        for _ in range(120):
            try:
                CONTEXT = resolver.resolve("uno:pipe,name=make_office;urp;StarOffice.ComponentContext")
                break
            except Exception:
                time.sleep(0.5)
        desktop = CONTEXT.ServiceManager.createInstance("com.sun.star.frame.Desktop")
        sales(desktop, "sales")
        sales(desktop, "sales_wrong", wrong=True)
        sales(desktop, "sales_by_hand", by_hand=True)
        essay(desktop, "essay")
        essay(desktop, "essay_wrong", wrong=True)
        notes(desktop, "notes")
        notes(desktop, "notes_wrong", wrong=True)
        configure("/org.openoffice.Office.Writer/DefaultFont", Standard="Times New Roman")
        configure("/org.openoffice.Office.Impress/Misc/Start", EnablePresenterScreen=False)
        configure("/org.openoffice.Office.Common/Save/Document", AutoSave=True, AutoSaveTimeIntervall=3)
        try:
            desktop.terminate()
        except Exception:  # the office ends in the middle of its answer
            pass
        office.wait(60)
    except BaseException:
        os.killpg(office.pid, signal.SIGKILL)
        raise
    shutil.copy(home / "user" / "registrymodifications.xcu", HERE / "registrymodifications.xcu")
    shutil.rmtree(home)
    for name in PICTURES:
        (HERE / name).unlink()


CONTEXT = None
if __name__ == "__main__":
    main()
