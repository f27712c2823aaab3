"""Pages, sites and the browser that goes through them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_rig import Rig

from gui_gym.actions import Action, Button, Key, Modifier
from gui_gym.desktops.sim.look import look_for
from gui_gym.desktops.sim.painting.picture import blank, write_picture
from gui_gym.desktops.sim.web import sites
from gui_gym.desktops.sim.web.flow import lay_out
from gui_gym.desktops.sim.web.pages import parse, plain

WEB = sites.WEB
SHOP = {
    "index": "title Mugs\n# Mugs\nWe sell [mugs](list?q=mug) and more.\n- [Cart](cart)\n- [Prices](get:prices.csv)\n- [Away](else.example/far)\n"
    "- [Gone](nowhere)\nimage lake.pic\nform ask find list\nfield text q | Search\nbutton Go\nend\n"
    "sortable\n| Name | Price |\n| Blue | 9.50 € |\n| Red | 12.00 € |\n| Green | 3.00 € |\n",
    "lake.pic": write_picture(blank(40, 20, (0, 0, 255))),
    "prices.csv": "a,1\n",
    "list": "title Results\nitems products.txt\n",
    "products.txt": "name | colour | price | page\nBlue mug | blue | 9.50 € | blue\nRed mug | red | 12.00 € | red\nPlate | red | 3 € | plate\n",
    "blue": "title Blue mug\nform cart add cart\nhidden item | Blue mug\nhidden price | 9.50 €\nfield radio size | Size | S; M; L | M\n"
    "field number quantity | Quantity | 1; 9 | 1\nbutton Add\nend\n",
    "cart": "title Cart\ncart\nform order order thanks\nfield text name* | Name\nfield email mail | E-mail\nbutton Order\nend\n",
    "thanks": "title Thanks\n# Thank you\n[Home](index)\n",
    "one": "title One\nform next one two\nfield text a* | A\nfield check b | B\nbutton Next\nend\n",
    "two": "title Two\nform send both thanks\nfield choice c* | C | x; y; z\nfield date d | D | | 2026-03-20\nfield area e | E\nbutton Send\nend\n",
    "secret": "title Secret\nmembers\nYou are in. [Leave](do:leave)\n",
    "login": "title Log in\nform enter login secret\nfield text user | User\nfield password password | Password\nbutton Enter\nend\n",
    "users.txt": "ada: 1234\n",
    "mails": "title Mails\nform keep mails mails\nfield check news | News | | yes\nfield check offers | Offers\nbutton Save\nend\n",
}
LONG = "title Long\n" + "".join(f"Line number {i} of a long page.\n" for i in range(80)) + "form send end index\nfield text a | A\nbutton Send\nend\n"


class Surfer(Rig):
    """A browser on the shop."""

    def __init__(self, size: tuple[int, int] = (640, 400), start: str = "mugs.example", **more: Any):
        files = {f"{WEB}/mugs.example/{name}": text for name, text in SHOP.items()}
        files |= {f"{WEB}/else.example/far": "title Far\nFar away.\n", f"{WEB}/long.example/index": LONG}
        super().__init__(files, size, **more)
        self.window = self.launch("browser", start)

    @property
    def address(self) -> str:
        return self.window.tab.visit.address

    @property
    def text(self) -> str:
        return self.window.tab.shown.text

    def file(self, name: str) -> str:
        return self.state.files.get(f"{WEB}/mugs.example/{name}", "")

    def go(self, address: str) -> Surfer:
        self.press(Key.L, Modifier.CTRL).type(address + "\n")
        return self

    def link(self, target: str, **more: Any) -> Surfer:
        view = self.window.view
        flow = view.flow(self.session.look)
        x, y, w, h = flow.link_rects(flow.links.index(target))[0]
        left, top, _, _ = self.window.rect_of(view)
        self.click((left + 1 + x, top + 1 + y - view.top, w, h), **more)
        return self


# Pages


def test_a_page_is_taken_apart() -> None:
    page = parse(SHOP["index"])
    assert page.title == "Mugs" and [block.kind for block in page.blocks] == ["h1", "p", *["item"] * 4, "image", "text", "button", "table"]
    assert [(span.text, span.link) for span in page.blocks[1].spans] == [("We sell ", ""), ("mugs", "list?q=mug"), (" and more.", "")]
    assert page.blocks[-1].sortable and [plain(row[0]) for row in page.blocks[-1].rows] == ["Name", "Blue", "Red", "Green"]
    assert page.forms[0].kind == "ask" and [field.name for field in page.fields(0)] == ["q"]


@given(st.text("title #-!|[]()formend fieldtxhidbuw;:*\n ", max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_a_page(text: str) -> None:
    for width in (60, 400):
        flow = lay_out("title x\n" + text, width, look_for(640, 400, "harbour"))
        assert flow.height > 0 and all(run.text in flow.texts[run.block] for run in flow.runs if run.block >= 0 and "▲" not in run.text)


def test_words_stay_within_the_width_in_any_script() -> None:
    text = (
        "title x\n" + "word " * 60 + "\n" + "長い文章は幅に合わせて折り返される。" * 5 + "\n" + "x" * 300 + "\n| a | " + "b " * 90 + "|\n| c | d |\n"
    )
    for width in (150, 300, 600):
        flow = lay_out(text, width, look_for(640, 400, "harbour"))
        assert all(run.box[0] + run.box[2] <= width for run in flow.runs)
        assert len({run.y for run in flow.runs}) > 5


def test_addresses_are_read_and_resolved() -> None:
    assert sites.read_address(" https://Mugs.Example/list?q=a+b&c= ").text == "mugs.example/list?q=a+b&c="
    assert sites.read_address("mugs.example/").text == "mugs.example" and sites.read_address("").text == "start"
    here = sites.read_address("mugs.example/blue")
    assert sites.resolve(here, "cart").text == "mugs.example/cart" and sites.resolve(here, "other.example/x").text == "other.example/x"
    assert sites.resolve(here, "list?q=1.5").text == "mugs.example/list?q=1.5"


@given(st.dictionaries(st.text("abc", min_size=1, max_size=5), st.text("xyz:\n ", max_size=20), max_size=4))
@settings(max_examples=80, deadline=None)
def test_a_record_is_read_as_it_was_written(values: dict[str, str]) -> None:
    assert sites.read_record(sites.write_record(values)) == values


# The browser


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (320, 200)])
def test_links_lead_on_and_back(size: tuple[int, int]) -> None:
    surfer = Surfer(size)
    surfer.link("list?q=mug")
    assert surfer.address == "mugs.example/list?q=mug" and "Blue mug" in surfer.text and "Plate" not in surfer.text
    surfer.link("blue").click("back")
    assert surfer.address == "mugs.example/list?q=mug"
    surfer.press(Key.LEFT, Modifier.ALT)
    assert surfer.address == "mugs.example" and not surfer.window.widget("back").enabled
    surfer.click("forward").press(Key.RIGHT, Modifier.ALT)
    assert surfer.address == "mugs.example/blue" and not surfer.window.widget("forward").enabled
    assert surfer.state.files[sites.HISTORY].splitlines()[:2] == ["mugs.example/list?q=mug", "mugs.example/blue"]
    surfer.go("nowhere.example/x?y=1")
    assert "nowhere.example/x?y=1" in surfer.text and surfer.window.tab.page.title == "Page not found"


def test_tabs_are_opened_chosen_and_closed() -> None:
    surfer = Surfer()
    surfer.link("else.example/far", button=Button.MIDDLE)
    assert [tab.visit.address for tab in surfer.window.tabs] == ["mugs.example", "else.example/far"] and surfer.window.current == 1
    surfer.press(Key.TAB, Modifier.CTRL)
    assert surfer.address == "mugs.example"
    surfer.press(Key.T, Modifier.CTRL).type("long.example\n")
    assert surfer.address == "long.example" and len(surfer.window.tabs) == 3
    tabs = surfer.window.widget("tabs")
    x, y, _, _ = surfer.window.rect_of(tabs)
    left, top, w, h = tabs.cross(tabs.tab_rects(surfer.session.look)[0])
    surfer.click((x + left, y + top, w, h))
    assert [tab.visit.address for tab in surfer.window.tabs] == ["long.example", "else.example/far"] and surfer.address == "long.example"
    for _ in range(20):
        surfer.press(Key.T, Modifier.CTRL)
    assert len(surfer.window.tabs) == 12
    for _ in range(12):
        surfer.press(Key.W, Modifier.CTRL)
    assert surfer.state.window("browser") is None


def test_bookmarks_are_a_file() -> None:
    surfer = Surfer()
    surfer.press(Key.D, Modifier.CTRL)
    surfer.go("else.example/far").click("bookmark")
    assert sites.bookmarks(surfer.state.files) == [("Mugs", "mugs.example"), ("Far", "else.example/far")]
    surfer.click("menu").choose("Bookmarks", "go mugs.example")
    assert surfer.address == "mugs.example" and surfer.window.widget("bookmark").value is True
    surfer.click("bookmark")
    assert sites.bookmarks(surfer.state.files) == [("Far", "else.example/far")]
    surfer.click("home")
    assert "else.example/far" in surfer.window.view.flow(surfer.session.look).links


def test_what_is_searched_is_marked_and_counted() -> None:
    surfer = Surfer(start="long.example")
    surfer.press(Key.F, Modifier.CTRL).type("number 7")
    assert surfer.window.widget("find count").name == "1 / 11"
    top = surfer.window.view.top
    surfer.press(Key.ENTER).press(Key.ENTER)
    assert surfer.window.view.top > top and surfer.window.widget("find count").name == "3 / 11"
    surfer.click("find previous").click("find").type("zzz")
    assert surfer.window.widget("find count").name == "Not found"
    surfer.press(Key.ESCAPE)
    assert surfer.window.find("find") is None and surfer.window.view.find == ""


def test_a_thing_is_put_into_the_cart_and_ordered() -> None:
    surfer = Surfer()
    surfer.go("mugs.example/blue").click("0:size:2").click("0:button")
    assert surfer.address == "mugs.example/cart"
    assert sites.cart_of(surfer.state.files, "mugs.example") == [{"item": "Blue mug", "price": "9.50 €", "size": "L", "quantity": "1"}]
    surfer.go("mugs.example/blue").click("0:button")
    surfer.go("mugs.example/blue").click("0:size:2").click("0:button")
    assert [item["quantity"] for item in sites.cart_of(surfer.state.files, "mugs.example")] == ["2", "1"] and "28.50" in surfer.text
    surfer.link("cart?remove=1")
    assert len(sites.cart_of(surfer.state.files, "mugs.example")) == 1 and surfer.address == "mugs.example/cart"
    surfer.click("0:button")
    assert surfer.active.id == "ask:browser" and not surfer.file("submitted/1.txt")
    surfer.press(Key.ENTER).click("0:name").type("Ada").click("0:mail").type("nobody\n").press(Key.ENTER)
    assert not surfer.file("submitted/1.txt")
    surfer.click("0:mail").press(Key.A, Modifier.CTRL).type("a@b.example\n")
    wanted = {"form": "order", "name": "Ada", "mail": "a@b.example", "article 1": "item=Blue mug; price=9.50 €; size=L; quantity=2"}
    assert sites.submissions(surfer.state.files, "mugs.example") == [wanted]
    assert surfer.address == "mugs.example/thanks" and not surfer.file("cart.txt")


def test_pages_of_a_form_are_sent_together() -> None:
    surfer = Surfer(start="mugs.example/one")
    surfer.click("0:button").press(Key.ENTER)
    assert surfer.address == "mugs.example/one"
    surfer.click("0:a").type("x y").click("0:b").click("0:button")
    assert surfer.address == "mugs.example/two" and not surfer.file("submitted/1.txt")
    surfer.click("0:c").choose("y").click("0:e").type("two\nlines").click("0:button")
    record = {"form": "both", "a": "x y", "b": "yes", "c": "y", "d": "2026-03-20", "e": "two\nlines"}
    assert sites.submissions(surfer.state.files, "mugs.example") == [record]
    surfer.press(Key.LEFT, Modifier.ALT).press(Key.LEFT, Modifier.ALT)
    assert surfer.address == "mugs.example/one"


def test_who_is_not_logged_in_is_asked() -> None:
    surfer = Surfer(start="mugs.example/secret")
    surfer.click("0:user").type("ada").press(Key.TAB).type("wrong\n")
    assert surfer.active.id == "ask:browser"
    surfer.press(Key.ENTER).click("0:password").press(Key.A, Modifier.CTRL).type("1234\n")
    assert "You are in" in surfer.text and sites.read_record(surfer.file("session.txt")) == {"user": "ada"}
    surfer.link("do:leave")
    assert not surfer.file("session.txt") and surfer.address == "mugs.example"


def test_settings_are_kept_and_filled_in_again() -> None:
    surfer = Surfer(start="mugs.example/mails")
    surfer.click("0:news").click("0:offers").click("0:button")
    assert sites.read_record(surfer.file("mails.txt")) == {"news": "no", "offers": "yes"}
    assert [widget.value for widget in surfer.window.tab.shown.controls[:2]] == [False, True]


def test_a_file_is_downloaded_under_a_free_name() -> None:
    surfer = Surfer()
    for _ in range(2):
        surfer.link("get:prices.csv").press(Key.ENTER)
    assert [surfer.state.files.get(f"{sites.DOWNLOADS}/prices{number}.csv") for number in ("", " 2")] == ["a,1\n", "a,1\n"]


def test_a_long_page_scrolls_and_its_fields_come_into_view() -> None:
    surfer = Surfer(start="long.example")
    view = surfer.window.view
    assert all(":" not in widget.id for widget in surfer.window.widgets)
    x, y, w, h = surfer.window.rect_of(view)
    surfer.do(Action.scroll_by(x + w // 2, y + h // 2, dy=4), Action.drag(x + w - 4, y + 60, x + w - 4, y + h))
    assert view.top > 1000 and any(widget.id == "0:button" for widget in surfer.window.widgets)
    surfer.press(Key.HOME)
    assert view.top == 0
    surfer.press(Key.TAB)
    assert surfer.window.focus == "0:a" and view.top > 0
    surfer.type("z\n")
    assert sites.read_record(surfer.state.files[f"{WEB}/long.example/submitted/1.txt"]) == {"form": "end", "a": "z"}


def test_keys_go_through_links_and_a_head_sorts_its_table() -> None:
    surfer = Surfer((1280, 720))
    surfer.click("page").press(Key.TAB).press(Key.TAB, Modifier.SHIFT)
    surfer.click("page").press(Key.TAB).press(Key.TAB).press(Key.ENTER)
    assert surfer.address == "mugs.example/cart"
    surfer.go("mugs.example")
    view, look = surfer.window.view, surfer.session.look
    rect = next(rect for table, column, rect in view.flow(look).heads if column == 1)
    left, top, _, _ = surfer.window.rect_of(view)
    orders = []
    for _ in range(2):
        surfer.click((left + 1 + rect[0], top + 1 + rect[1] - view.top, rect[2], rect[3]))
        prices = [run for run in view.flow(look).runs if "€" in run.text]
        orders.append([run.text for run in sorted(prices, key=lambda run: run.y)])
    assert orders == [["3.00 €", "9.50 €", "12.00 €"], ["12.00 €", "9.50 €", "3.00 €"]]


def test_a_right_click_copies_an_address() -> None:
    surfer = Surfer()
    surfer.link("else.example/far", button=Button.RIGHT).choose("Copy else.example/far")
    assert surfer.state.clipboard == "else.example/far"
    surfer.link("else.example/far", button=Button.RIGHT).choose("Tab else.example/far")
    assert len(surfer.window.tabs) == 2


def test_words_are_selected_and_copied() -> None:
    surfer = Surfer()
    view, look = surfer.window.view, surfer.session.look
    runs = view.flow(look).runs
    left, top, _, _ = surfer.window.rect_of(view)
    first, last = runs[1], runs[3]
    assert [run.text for run in runs[1:4]] == ["We sell ", "mugs", " and more."]

    def at(run: Any, characters: int) -> tuple[int, int]:
        return left + 1 + run.x + run.face.width(run.text[:characters]), top + 1 + run.y - view.top + run.face.height // 2

    surfer.do(Action.drag(*at(first, 3), *at(last, 4))).press(Key.C, Modifier.CTRL)
    assert surfer.state.clipboard == "sell mugs and" and surfer.address == "mugs.example"
    surfer.do(Action.click(*at(last, 7), clicks=2)).press(Key.C, Modifier.CTRL)
    assert surfer.state.clipboard == "more."
    surfer.press(Key.A, Modifier.CTRL).do(Action.click(*at(runs[0], 1), button=Button.RIGHT)).choose("Copy")
    assert surfer.state.clipboard.startswith("Mugs\nWe sell mugs and more.\n•\tCart\n") and "Blue\t9.50 €\nRed" in surfer.state.clipboard
    surfer.link("cart")
    assert surfer.address == "mugs.example/cart" and not view.selecting
    surfer.go("mugs.example").link("cart").press(Key.LEFT, Modifier.ALT)
    surfer.link("cart", clicks=2)  # the second click of two on a link is one on the next page
    assert surfer.address == "mugs.example/cart"
