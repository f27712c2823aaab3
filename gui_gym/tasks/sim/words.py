"""The words tasks are made of."""

from __future__ import annotations

import numpy as np

from gui_gym.desktops.sim.canvas import Color

BUTTONS = (
    "OK", "Cancel", "Apply", "Save", "Send", "Next", "Back", "Retry", "Skip", "Help", "Open", "Pause", "Print", "Share", "Reload",
    "Accept", "Decline", "Continue", "Finish", "Add", "Remove", "Copy", "Move", "Search", "Reset", "Submit", "Details", "Yes", "No",
)  # fmt: skip
COLORS: dict[str, Color] = {
    "red": (214, 48, 49), "green": (38, 158, 72), "blue": (36, 92, 214), "yellow": (246, 206, 44), "orange": (240, 128, 24),
    "purple": (132, 58, 178), "pink": (244, 128, 178), "grey": (128, 132, 140),
}  # fmt: skip
#: Colours beside those, some of which are near to one of them.
MORE_COLORS: dict[str, Color] = {"black": (24, 26, 32), "white": (255, 255, 255), "brown": (122, 78, 44), "turquoise": (36, 180, 178)}
#: Buttons that are easily taken for each other.
ALIKE = (
    "Save", "Save as", "Don't save", "Share", "Reload", "Reset", "Retry", "Revert", "Replace", "Restore", "Rename", "Remove", "Close", "Clear",
    "Continue", "Copy", "Cut", "Delete", "Details", "Decline", "Discard", "Find", "Finish", "Forward", "Search", "Select all", "Open", "Options",
)  # fmt: skip
TITLES = (
    "Calendar", "Contacts", "Weather", "Music", "Photos", "Camera", "Maps", "Travel", "Recipes", "Budget", "Invoices", "Garden", "Library",
    "Projects", "Printer", "Network", "Backup", "Updates", "Messages", "Storage",
)  # fmt: skip
OPTIONS = (
    "Bold text", "Large icons", "Dark mode", "Word count", "Bluetooth", "Sounds", "Alarms", "Auto save", "Spelling", "Previews", "Grid lines",
    "Rulers", "Comments", "Reminders", "Sync", "Location", "Captions", "Hints", "Backups", "Cookies",
)  # fmt: skip
FIRST = ("Ada", "Björn", "Chloé", "Dmitri", "Élodie", "Farid", "Grace", "Håkon", "Inês", "João", "Kofi", "Łucja", "Mia", "Noël", "Oksana", "Zoë")
LAST = ("Novák", "O'Brien", "Müller", "Okafor", "D'Angelo", "Sørensen", "Tanaka", "Lefèvre", "Garcia", "Ekström", "Kovács", "Smith", "Öztürk")
CITIES = ("Zürich", "Kraków", "Málaga", "Oslo", "Québec", "São Paulo", "Kyoto", "Nairobi", "Malmö", "Brno", "Lima", "Perth")
SENTENCES = (
    "The train leaves at nine", "It's a café near the river", 'She said "maybe" twice', "Don't forget the keys", "Über 40 guests are coming",
    "Price: 12.50 + tax", "Meet Zoë at 8:15", "Room #42 (2nd floor)", "Mañana is fine, isn't it?", "50% off until Friday", "rain & wind <all day>",
    "Buy milk, eggs, bread", "The door code is 7*31", "Send it by e-mail", "Thanks; see you soon!", "Straße und Brücke",
)  # fmt: skip
STEMS = (
    "agenda", "budget", "draft", "guests", "ideas", "invoice", "journal", "letter", "menu", "minutes", "notes", "orders", "plan", "quotes",
    "recipe", "report", "schedule", "shopping", "speech", "summary", "tickets", "todo", "travel", "wishes",
)  # fmt: skip
FOLDERS = ("Archive", "Bills", "Club", "Drafts", "Garden", "House", "Letters", "Private", "School", "Taxes", "Trips", "Work")
LINES = (
    "Call the bank about the card", "Water the plants on Monday", "Return the library books", "Order new filters", "Book the dentist",
    "Pay the electricity bill", "Clean the bicycle", "Write to grandmother", "Fix the kitchen lamp", "Renew the passport", "Print the tickets",
    "Pick up the parcel", "Check the smoke alarm", "Sort the photos", "Plan the garden", "Ask about the deposit",
)  # fmt: skip
MENUS: dict[str, tuple[str, ...]] = {
    "File": ("New", "Open", "Save as", "Print", "Export", "Quit"),
    "Edit": ("Undo", "Redo", "Cut", "Copy", "Paste", "Find"),
    "View": ("Zoom in", "Zoom out", "Full screen", "Status bar", "Side bar"),
    "Insert": ("Image", "Table", "Link", "Date", "Page break"),
    "Format": ("Font", "Colour", "Margins", "Columns", "Bullets"),
    "Tools": ("Spelling", "Word count", "Options", "Macros"),
    "Help": ("Contents", "Shortcuts", "About"),
}
#: Menus with submenus.
SUBMENUS: dict[str, dict[str, tuple[str, ...]]] = {
    "File": {"Export": ("As PDF", "As text", "As image"), "New": ("Folder", "Calendar", "Spreadsheet")},
    "Edit": {"Select all": (), "Find": ("Next", "Back", "Replace")},
    "View": {"Zoom": ("Zoom in", "Zoom out", "Full screen"), "Panels": ("Status bar", "Side bar", "Rulers")},
    "Insert": {"Image": ("From file", "From camera", "From link"), "Table": ("Row above", "Row below", "Column left", "Column right"), "Date": ()},
    "Format": {"Font": ("Bold", "Italic", "Underlined"), "Align": ("Left", "Right", "Centre", "Justified"), "Margins": ()},
    "Tools": {"Language": ("Spelling", "Word count"), "Macros": ("Add", "Remove", "Rename"), "Options": ()},
}
TABS = (
    "General", "Keyboard", "Mouse", "Display", "Security", "Privacy", "Accounts", "Power", "Network", "Updates", "Printer", "Language",
)  # fmt: skip
ACTIONS = ("Open", "Rename", "Copy", "Move", "Print", "Share", "Delete", "Send", "Properties", "Export", "Details", "Remove")
MEASURES = ("Price", "Weight", "Points", "Distance")
SLIDERS = ("Volume", "Brightness", "Contrast", "Balance", "Speed", "Warmth", "Zoom", "Opacity")
PLANS = ("Basic", "Standard", "Premium", "Family", "Student")


def person(rng: np.random.Generator) -> str:
    """A first and a last name."""
    return f"{FIRST[int(rng.integers(len(FIRST)))]} {LAST[int(rng.integers(len(LAST)))]}"


def filename(stem: str, rng: np.random.Generator) -> str:
    """A name for a text file."""
    return f"{stem}{int(rng.integers(1, 60)):02d}.{('txt', 'md', 'log')[int(rng.integers(3))]}"


def note(rng: np.random.Generator, lines: int) -> str:
    """A text of so many different lines, ending in a line end."""
    return "".join(LINES[int(i)] + "\n" for i in rng.permutation(len(LINES))[:lines])
