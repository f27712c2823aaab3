"""Sites as files: addresses, pages with what the site puts into them, and what forms do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from urllib.parse import parse_qsl, urlencode

from gui_gym.desktops.sim import filesystem
from gui_gym.desktops.sim.filesystem import HOME, Files
from gui_gym.desktops.sim.web.pages import FormHead, cells_of, is_page

WEB = f"{HOME}/.web"
BOOKMARKS = f"{WEB}/bookmarks.txt"  #: a bookmark a line: ``TITLE | ADDRESS``
HISTORY = f"{WEB}/history.txt"  #: an address a line, the latest last
START = "start"  #: the address of the page a new tab shows
DOWNLOADS = f"{HOME}/Downloads"
MAX_HISTORY = 100
MAX_CART = 99  #: different things in a cart

Label = Callable[..., str]  #: gives a label in the language of the desktop, as :meth:`~gui_gym.desktops.sim.session.Session.label`


@dataclass(frozen=True)
class Address:
    """Where a page is. ``query`` is what a form asked, in order."""

    site: str
    page: str = "index"
    query: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """As it is written."""
        page = "" if self.page == "index" and self.site != START else f"/{self.page}"
        asked = f"?{urlencode(self.query, errors='replace')}" if self.query else ""
        return self.site if self.site == START else self.site + page + asked

    def beside(self, name: str) -> str:
        """The path of a file of its site."""
        return f"{WEB}/{self.site}/{name}"


def read_address(text: str) -> Address:
    """The address that was typed."""
    text = re.sub(r"^\s*[a-z]+://", "", text.strip())[:2000]
    place, _, asked = text.partition("?")
    site, _, page = place.strip("/ ").partition("/")
    site = site.lower()
    return Address(site or START, page.strip("/ ") or "index", tuple(parse_qsl(asked, keep_blank_values=True)))


def resolve(base: Address, target: str) -> Address:
    """Where a link of a page leads."""
    first = target.partition("?")[0].partition("/")[0]
    return read_address(target if "." in first or first == START else f"{base.site}/{target.lstrip('/')}")


# Records


def write_record(values: Mapping[str, str]) -> str:
    """The text of a record: ``field: value`` lines; further lines of a value are indented."""
    return "".join(f"{name}: " + value.replace("\n", "\n  ") + "\n" for name, value in values.items())


def read_record(text: str) -> dict[str, str]:
    """The values of a record."""
    values: dict[str, str] = {}
    last = ""
    for line in text.split("\n"):
        if line.startswith("  ") and last:
            values[last] += "\n" + line[2:]
        elif ":" in line:
            last, _, value = line.partition(":")
            values[last] = value.removeprefix(" ")
    return values


def read_records(text: str) -> list[dict[str, str]]:
    """The records of a file, parted by empty lines."""
    return [read_record(part) for part in re.split(r"\n\n+", text.strip("\n")) if part]


def submissions(files: Files, site: str) -> list[dict[str, str]]:
    """What was sent to a site, in order; "form" is the name of the form."""
    start = f"{WEB}/{site}/submitted/"
    numbers = sorted(int(path[len(start) : -4]) for path in files if re.fullmatch(re.escape(start) + r"[0-9]{1,9}\.txt", path))
    return [read_record(files.get(f"{start}{number}.txt", "")) for number in numbers]


def cart_of(files: Files, site: str) -> list[dict[str, str]]:
    """What is in the cart of a site."""
    return read_records(files.get(f"{WEB}/{site}/cart.txt", ""))


def _write_cart(files: Files, site: str, cart: list[dict[str, str]]) -> None:
    path = f"{WEB}/{site}/cart.txt"
    if cart:
        files[path] = "\n".join(write_record(entry) for entry in cart)
    else:
        files.pop(path, None)


def bookmarks(files: Files) -> list[tuple[str, str]]:
    """Titles and addresses of the bookmarks."""
    rows = [line.rpartition("|") for line in files.get(BOOKMARKS, "").splitlines()]
    return [(title.strip() or address.strip(), address.strip()) for title, _, address in rows if address.strip()]


def toggle_bookmark(files: Files, title: str, address: str) -> None:
    """Add a bookmark, or take it away."""
    known = bookmarks(files)
    rest = [row for row in known if row[1] != address]
    rows = rest if len(rest) < len(known) else [*known, (title.replace("|", "/") or address, address)]
    files[BOOKMARKS] = "".join(f"{name} | {place}\n" for name, place in rows)


def remember(files: Files, address: str) -> None:
    """Add an address to the history, unless it is the latest one."""
    known = files.get(HISTORY, "").splitlines()
    if known[-1:] != [address]:
        files[HISTORY] = "\n".join([*known, address][-MAX_HISTORY:]) + "\n"


def price_of(text: str) -> Decimal | None:
    """The number in a price such as "12.50 €", or None."""
    match = re.search(r"\d+(?:\.\d+)?", text.replace(",", ""))
    return Decimal(match[0]) if match else None


# Pages


def page_text(files: Files, address: Address, label: Label) -> str:
    """The text of the page at an address, with all that the site puts into it."""
    if address.site == START:
        return _start(files, label)
    text = files.get(address.beside(address.page), "")
    if not is_page(text):
        missing = label("There is no page at “{}”.", address.text)
        return f"title {label('Page not found')}\n# {label('Page not found')}\n{missing}\n"
    if "\nmembers" in text and not files.get(address.beside("session.txt")):
        login = files.get(address.beside("login"), "")
        text = login if is_page(login) else text
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("items "):
            lines += _items(files, address, line[6:].strip(), label)
        elif line == "cart":
            lines += _cart(files, address, label)
        elif line != "members":
            lines.append(line)
    return "\n".join(lines) + "\n"


def _start(files: Files, label: Label) -> str:
    """The page a new tab shows: bookmarks, and the sites there are."""
    sites = [name for name in filesystem.listing(files, WEB)[0] if is_page(files.get(f"{WEB}/{name}/index", ""))]
    titles = {name: files[f"{WEB}/{name}/index"].split("\n", 1)[0][6:].strip() for name in sites}
    lines = [f"title {label('Start page')}", f"# {label('Start page')}"]
    if marks := bookmarks(files):
        lines += [f"## {label('Bookmarks')}", *(f"- [{_safe(title)}]({place})" for title, place in marks if " " not in place)]
    if sites:
        lines += [f"## {label('Sites')}", *(f"- [{_safe(titles[name])}]({name}) {name}" for name in sites)]
    return "\n".join(lines) + "\n"


def _safe(text: str) -> str:
    return re.sub(r"[\[\]|]", " ", text).strip() or "-"


def _items(files: Files, address: Address, name: str, label: Label) -> list[str]:
    """The rows of a table that the query wants."""
    rows = [cells_of(line) for line in files.get(address.beside(name), "").splitlines() if line.strip()]
    if not rows:
        return []
    head, *body = rows
    body = [(row + [""] * len(head))[: len(head)] for row in body]
    asked = dict(address.query)
    words = asked.get("q", "").casefold().split()
    link = head.index("page") if "page" in head else -1
    seen = [i for i in range(len(head)) if i != link]
    found = [row for row in body if all(word in " ".join(row[i] for i in seen).casefold() for word in words)]
    for i, column in enumerate(head):
        if wanted := asked.get(column.casefold(), ""):
            found = [row for row in found if row[i].casefold() == wanted.casefold()]
    order = asked.get("sort", "")
    if order in head:
        found.sort(key=lambda row: sort_key(row[head.index(order)]))
    count = label("1 result") if len(found) == 1 else label("{} results", str(len(found)))
    if not found:
        return [label("Nothing was found.")]
    table = ["| " + " | ".join(head[i] for i in seen) + " |"]
    for row in found:
        cells = [row[i] for i in seen]
        if link >= 0 and row[link]:
            cells[0] = f"[{cells[0]}]({row[link]})"
        table.append("| " + " | ".join(cells) + " |")
    return [count, *table]


def sort_key(text: str) -> tuple[int, Decimal, str]:
    """The order of cells: numbers first, then texts."""
    try:
        return 0, Decimal(re.sub(r"[^0-9.\-]", "", text) if re.match(r"[^A-Za-z]*\d", text) and ":" not in text else "x"), text
    except InvalidOperation:
        return 1, Decimal(0), text.casefold()


def amount_of(entry: Mapping[str, str]) -> int:
    """How many of a thing are in the cart."""
    number = entry.get("quantity", "1")
    return int(number) if re.fullmatch(r"[0-9]{1,4}", number) else 1


def _cart(files: Files, address: Address, label: Label) -> list[str]:
    """What is in the cart, with the total."""
    cart = cart_of(files, address.site)
    if not cart:
        return [label("The cart is empty.")]
    lines = ["| " + " | ".join(label(name) for name in ("Article", "Details", "Price", "Quantity")) + " |  |"]
    total = Decimal(0)
    for i, entry in enumerate(cart):
        details = ", ".join(value for name, value in entry.items() if name not in ("item", "price", "quantity"))
        amount, price = amount_of(entry), price_of(entry.get("price", ""))
        total += amount * (price or Decimal(0))
        remove = f"[{label('Remove')}]({address.page}?remove={i})"
        lines.append(f"| {_safe(entry.get('item', ''))} | {_safe(details)} | {_safe(entry.get('price', ''))} | {amount} | {remove} |")
    return [*lines, label("Total: {}", f"{total:.2f} €")]


def visit(files: Files, address: Address) -> Address:
    """Do what a query orders the site to do, and give the address that is shown then."""
    remove = dict(address.query).get("remove", "")
    text = files.get(address.beside(address.page), "")
    if "\ncart" in text and re.fullmatch(r"[0-9]{1,3}", remove):
        cart = cart_of(files, address.site)
        _write_cart(files, address.site, [entry for i, entry in enumerate(cart) if i != int(remove)])
        return Address(address.site, address.page)
    return address


def download(files: Files, address: Address, name: str) -> str:
    """Put a file of a site into the folder Downloads, and give its path, or "" if there is no such file."""
    source = address.beside(name)
    if source not in files:
        return ""
    path = filesystem.join(DOWNLOADS, filesystem.free_name(files, DOWNLOADS, filesystem.name_of(name)))
    files[path] = files[source]
    return path


def leave(files: Files, site: str) -> None:
    """Log out of a site."""
    files.pop(f"{WEB}/{site}/session.txt", None)


def kept(files: Files, address: Address, form: FormHead) -> dict[str, str]:
    """The values that a form of kind "keep" was filled in with."""
    return read_record(files.get(address.beside(f"{form.name}.txt"), "")) if form.kind == "keep" else {}


def hand_in(files: Files, address: Address, form: FormHead, values: Mapping[str, str]) -> bool:
    """Do what a form does with its values, but for going on to its page; False if who wants to log in is not known."""
    site = address.site
    if form.kind in ("send", "order"):
        record = {"form": form.name, **values}
        if form.kind == "order":
            for i, entry in enumerate(cart_of(files, site), 1):
                record[f"article {i}"] = "; ".join(f"{name}={value}" for name, value in entry.items())
            _write_cart(files, site, [])
        taken = len(submissions(files, site))
        while f"{WEB}/{site}/submitted/{taken + 1}.txt" in files:
            taken += 1
        files[f"{WEB}/{site}/submitted/{taken + 1}.txt"] = write_record(record)
    elif form.kind == "cart":
        cart = cart_of(files, site)
        entry = {name: value.replace("\n", " ") for name, value in values.items()}
        same = next((other for other in cart if {**other, "quantity": ""} == {**entry, "quantity": ""}), None)
        if same is not None:
            same["quantity"] = str(min(amount_of(same) + amount_of(entry), 9999))
        elif len(cart) < MAX_CART:
            cart.append(entry)
        _write_cart(files, site, cart)
    elif form.kind == "keep":
        before = read_record(files.get(address.beside(f"{form.name}.txt"), ""))
        files[address.beside(f"{form.name}.txt")] = write_record({**before, **values})
    elif form.kind == "enter":
        users = read_record(files.get(address.beside("users.txt"), ""))
        user = values.get("user", "").strip()
        if not user or users.get(user) != values.get("password"):
            return False
        files[address.beside("session.txt")] = write_record({"user": user})
    return True
