# mypy: ignore-errors
"""Print the accessibility tree of the desktop's applications as JSON: nodes as ``Desktop.accessibility_tree`` describes them.

Speaks AT-SPI over D-Bus (https://gitlab.gnome.org/GNOME/at-spi2-core, folder xml) with all questions of a level of the tree
under way at once, several times as fast as one after the other. What is not shown and has no place on the screen is left out.
"""

import json
import sys
import time

try:
    from gi.repository import Gio, GLib
except ImportError:
    sys.exit("the accessibility tree needs python3-gi: apt-get install python3-gi at-spi2-core")

SECONDS = 10.0  #: after which the tree is given as far as it is known
ANSWER_MS = 3000  #: after which a program counts as hung
MAX_NODES, MAX_DEPTH, MAX_CHILDREN = 10_000, 60, 1024
MAX_TEXT, MAX_ALL_TEXT = 100_000, 8_000_000  #: characters of one text, and of all, names and attributes included
NOWHERE = -(2**31)
ROOT = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
NULL = "/org/a11y/atspi/null"
A11Y, PROPERTIES = "org.a11y.atspi.", "org.freedesktop.DBus.Properties"
SCREEN = 0  #: coordinates relative to the screen
#: Names of the bits of a state, in AtspiStateType's order.
STATES = (
    "invalid active armed busy checked collapsed defunct editable enabled expandable expanded focusable focused has-tooltip horizontal iconified "
    "modal multi-line multiselectable opaque pressed resizable selectable selected sensitive showing single-line stale transient vertical visible "
    "manages-descendants indeterminate required truncated animated invalid-entry supports-autocompletion selectable-text is-default visited "
    "checkable has-popup read-only"
).split()


class Walker:
    def __init__(self):
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        reply = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, ANSWER_MS)
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(reply.unpack()[0], flags)
        self.loop = GLib.MainLoop()
        self.deadline = time.monotonic() + SECONDS
        self.waiting = self.nodes = 0
        self.room = MAX_ALL_TEXT
        self.hung = set()  # names of programs that did not answer

    def ask(self, reference, interface, method, then, arguments=None):
        """Call ``method`` of an accessible; ``then`` gets its answer as a tuple, or None if there is none."""
        if reference[0] in self.hung:
            then(None)
            return
        self.waiting += 1

        def answered(bus, result):
            self.waiting -= 1
            try:
                answer = bus.call_finish(result).unpack()
            except GLib.Error as error:
                if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT):
                    self.hung.add(reference[0])
                answer = None
            then(answer)
            if not self.waiting:
                self.loop.quit()

        self.bus.call(reference[0], reference[1], interface, method, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, ANSWER_MS, None, answered)

    def cut(self, text):
        """As much of ``text`` as there is room for."""
        text = text[: min(MAX_TEXT, self.room)]
        self.room -= len(text)
        return text

    def tree(self):
        root = {"role": "desktop frame", "name": "main", "bounds": [0, 0, 0, 0], "value": None, "children": []}
        self.children(ROOT, root, 0, 1)
        GLib.timeout_add(int(SECONDS * 1000), self.loop.quit)
        if self.waiting:
            self.loop.run()
        return tidy(root)

    def children(self, reference, node, depth, count):
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            return
        if count > MAX_CHILDREN:
            self.cells(reference, node, depth)
        elif count:
            self.ask(reference, A11Y + "Accessible", "GetChildren", lambda found: self.add_all(found[0] if found else [], node, depth))

    def add_all(self, references, node, depth):
        places = node["children"]
        for reference in references[:MAX_CHILDREN]:
            if reference[1] != NULL and self.nodes <= MAX_NODES:
                self.nodes += 1
                child = {"role": "unknown", "name": "", "bounds": [0, 0, 0, 0], "value": None, "count": 0, "children": []}
                places.append(child)
                self.describe(reference, child, depth + 1)

    def cells(self, reference, node, depth):
        """Of a table of very many cells, those from the one at its upper left corner on the screen to the one at its lower right."""
        x, y, width, height = node["bounds"]
        corners = {}

        def cell_found(corner, answer):
            if answer and answer[0][1] != NULL:
                self.ask(answer[0], A11Y + "Accessible", "GetIndexInParent", lambda index: place(corner, index))

        def place(corner, index):
            if index:
                argument = GLib.Variant("(i)", index)
                self.ask(reference, A11Y + "Table", "GetRowAtIndex", lambda row: known(corner, 0, row), argument)
                self.ask(reference, A11Y + "Table", "GetColumnAtIndex", lambda column: known(corner, 1, column), argument)

        def known(corner, axis, answer):
            if answer:
                corners[corner, axis] = answer[0]
            if len(corners) == 4:
                for row in range(corners[0, 0], min(corners[1, 0], corners[0, 0] + 100) + 1):
                    for column in range(corners[0, 1], min(corners[1, 1], corners[0, 1] + 100) + 1):
                        arguments = GLib.Variant("(ii)", (row, column))
                        self.ask(reference, A11Y + "Table", "GetAccessibleAt", lambda cell: self.add_all(cell or [], node, depth), arguments)

        for corner, point in enumerate(((x + 2, y + 2), (x + width - 2, y + height - 2))):
            arguments = GLib.Variant("(iiu)", (*point, SCREEN))
            self.ask(reference, A11Y + "Component", "GetAccessibleAtPoint", lambda cell, corner=corner: cell_found(corner, cell), arguments)

    def describe(self, reference, node, depth):
        """Ask all about an accessible, then go on to its children, or drop it if it is nowhere on the screen."""
        left = {"role", "name", "states", "interfaces", "extents"}
        accessible = A11Y + "Accessible"

        def done(part):
            left.discard(part)
            if not left:
                self.finish(reference, node, depth)

        def role(answer):
            node["role"] = self.cut(answer[0] if answer else "") or "unknown"
            done("role")

        def properties(answer):
            if answer:
                values = answer[0]
                node.update(name=self.cut(values.get("Name", "")), description=self.cut(values.get("Description", "")))
                node["count"] = values.get("ChildCount", 0)
                done("name")
            else:  # Qt's programs give them one by one only
                for name, key in (("Name", "name"), ("ChildCount", "count")):
                    left.add(name)
                    self.ask(reference, PROPERTIES, "Get", lambda value, name=name, key=key: single(value, name, key), pair(accessible, name))
                done("name")

        def single(answer, name, key):
            if answer:
                node[key] = self.cut(answer[0]) if key == "name" else answer[0]
            done(name)

        def states(answer):
            bits = sum(word << 32 * i for i, word in enumerate(answer[0])) if answer else 0
            node["states"] = [name for i, name in enumerate(STATES) if bits >> i & 1]
            done("states")

        def interfaces(answer):
            node["interfaces"] = {name.removeprefix(A11Y) for name in answer[0]} if answer else set()
            if "Component" in node["interfaces"]:
                self.ask(reference, A11Y + "Component", "GetExtents", extents, GLib.Variant("(u)", (SCREEN,)))
            else:
                done("extents")
            done("interfaces")

        def extents(answer):
            if answer:
                node["bounds"] = list(answer[0])
            done("extents")

        self.ask(reference, accessible, "GetRoleName", role)
        self.ask(reference, PROPERTIES, "GetAll", properties, GLib.Variant("(s)", (accessible,)))
        self.ask(reference, accessible, "GetState", states)
        self.ask(reference, accessible, "GetInterfaces", interfaces)

    def finish(self, reference, node, depth):
        interfaces, count = node.pop("interfaces"), node.pop("count")
        if "showing" not in node["states"] and "Component" in interfaces and (node["bounds"][0] == NOWHERE or min(node["bounds"][2:]) <= 0):
            node["gone"] = True
            return

        def attributes(answer):
            if answer and answer[0]:
                node["attributes"] = {self.cut(key): self.cut(text) for key, text in answer[0].items()}

        def length(answer):
            if answer and answer[0] > 0:
                self.ask(reference, A11Y + "Text", "GetText", text, GLib.Variant("(ii)", (0, min(answer[0], MAX_TEXT))))

        def text(answer):
            words = self.cut(answer[0].replace("\ufffc", "")) if answer else ""
            if words:
                node["text"] = words

        def value(answer):
            if answer and isinstance(answer[0], float):
                node["value"] = answer[0]

        self.ask(reference, A11Y + "Accessible", "GetAttributes", attributes)
        if "Text" in interfaces:
            self.ask(reference, PROPERTIES, "Get", length, pair(A11Y + "Text", "CharacterCount"))
        if "Value" in interfaces:
            self.ask(reference, PROPERTIES, "Get", value, pair(A11Y + "Value", "CurrentValue"))
        self.children(reference, node, depth, count)


def pair(*texts):
    return GLib.Variant("(ss)", texts)


def tidy(node):
    """``node`` without what is not shown, and without what is known of one that has not answered all."""
    for name in ("interfaces", "count"):
        node.pop(name, None)
    if not node.get("description"):
        node.pop("description", None)
    node["children"] = [tidy(child) for child in node["children"] if not child.pop("gone", False)]
    return node


if __name__ == "__main__":
    json.dump(Walker().tree(), sys.stdout)
