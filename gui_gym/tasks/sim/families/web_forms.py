"""Forms of the web: buying, booking, signing up, reviewing and changing what one gets."""

from __future__ import annotations

from typing import Any

from gui_gym.actions import Key, Modifier
from gui_gym.desktops.sim.state import State
from gui_gym.desktops.sim.web.sites import WEB, cart_of, read_record, submissions, write_record
from gui_gym.tasks.sim.brief import Brief
from gui_gym.tasks.sim.families.common import listed, quoted, wording
from gui_gym.tasks.sim.families.entering import WORDS
from gui_gym.tasks.sim.families.web_world import (
    TOPICS,
    FormFamily,
    WebFamily,
    browser_of,
    click_link,
    draw_products,
    draw_site,
    enter,
    euros,
    filler,
    go_to,
    page,
    press_button,
    slug,
    tidy,
)  # fmt: skip
from gui_gym.tasks.sim.family import Params
from gui_gym.tasks.sim.solver import Solver
from gui_gym.tasks.sim.words import CITIES, FIRST, LAST, SENTENCES
from gui_gym.tasks.task import TaskError
from gui_gym.verifiers.score import Outcome

SIZES, COLOURS = ("Small", "Medium", "Large"), ("red", "green", "blue", "yellow", "black", "white")


def draw_mail_address(brief: Brief) -> str:
    """An e-mail address."""
    return f"{brief.pick(WORDS)}.{brief.pick(WORDS)}@{brief.pick(WORDS)}.example"


class BuyItem(FormFamily):
    """Put the right variants into the cart and order them with the data given."""

    id = "buy-item"
    max_steps = 70

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, n, count = draw_site(brief, "shop"), brief.by_level(4, 6, 10), brief.by_level(1, 1, 2)
        names, label = draw_products(brief, n), brief.label
        prices = {name: euros(brief.integer(3, 150) * 50) for name in names}
        sizes, colours = brief.labels(SIZES), brief.labels(brief.sample(COLOURS, 4))
        with_colour = brief.by_level(False, True, True)
        home, cart = f"[{label('Home page')}](index)", f"[{label('Cart')}](cart)"
        order = brief.sample(names, n)
        files = {"index": page(label("All products"), *filler(brief, 1), *(f"- [{name}]({slug(name)}) {prices[name]}" for name in order), cart)}
        for name in names:
            fields = [f"field radio size | {label('Size')} | {'; '.join(sizes)} | {sizes[0]}"]
            fields += [f"field choice colour | {label('Colour')} | {'; '.join(colours)} | {colours[0]}"] if with_colour else []
            files[slug(name)] = page(
                name, *filler(brief, brief.by_level(0, 1, 1)), f"{label('Price')}: {prices[name]}", "form cart cart cart",
                f"hidden item | {name}", f"hidden price | {prices[name]}", *fields, f"field number quantity* | {label('Quantity')} | 1; 20 | 1",
                f"button {label('Add to cart')}", "end", home,
            )  # fmt: skip
        person = f"{brief.pick(FIRST)} {brief.pick(LAST)}"
        payments = brief.labels(["By card", "By invoice", "Cash"])
        data = {"name": person, "payment": brief.pick(payments), "street": f"{brief.pick(TOPICS)} Street {brief.integer(1, 99)}"}
        asked = brief.by_level(["name"], ["name", "payment"], ["name", "street", "payment"])
        forms = {
            "name": f"field text name* | {label('Name')}",
            "street": f"field text street* | {label('Street')}",
            "payment": f"field radio payment* | {label('Payment')} | {'; '.join(payments)}",
        }
        lines = [forms[name] for name in asked]
        files["cart"] = page(label("Cart"), "cart", "form order order thanks", *lines, f"button {label('Place order')}", "end", home)
        files["thanks"] = page(label("Order"), *filler(brief, 1), home)
        items = []
        for name in names[:count]:
            item = {"item": name, "price": prices[name], "size": brief.pick(sizes)}
            item |= {"colour": brief.pick(colours)} if with_colour else {}
            items.append(item | {"quantity": str(brief.by_level(1, brief.integer(1, 4), brief.integer(2, 9)))})
        goods = " and ".join(
            f"{item['quantity']} × {quoted(item['item'])} ({', '.join(quoted(item[part]) for part in ('size', 'colour') if part in item)})"
            for item in items
        )
        details = [f"to the name {quoted(person)}"]
        details += [f"to {quoted(data['street'])}"] if "street" in asked else []
        details += [f"paying {quoted(data['payment'])}"] if "payment" in asked else []
        instruction = wording(
            brief,
            [
                "Buy {goods} on the site that is open, {details}.",
                "Order {goods} in this shop, {details}.",
                "In the shop that is open, order {goods}, {details}.",
            ],
            goods=goods,
            details=", ".join(details),
        )  # fmt: skip
        record = {"form": "order", **{name: data[name] for name in asked}}
        return self.drawn(instruction, {site: files}, [site], [f"file:{WEB}/{site}/cart.txt"], site=site, record=record, items=items)

    def sent(self, state: State, params: Params) -> bool:
        """Whether exactly one order was made: of these articles, in any order, with this data."""
        orders = [tidy(record) for record in submissions(state.files, params["site"])]
        if len(orders) != 1 or cart_of(state.files, params["site"]):
            return False
        goods = sorted(value for name, value in orders[0].items() if name.startswith("article "))
        data = {name: value for name, value in orders[0].items() if not name.startswith("article ")}
        wanted = sorted("; ".join(f"{name}={value}" for name, value in item.items()) for item in params["items"])
        return goods == wanted and data == params["record"]

    def fill(self, solver: Solver, params: Params) -> None:
        site, wanted = params["site"], params["items"]
        while (at := next((i for i, item in enumerate(cart_of(solver.state.files, site)) if item not in wanted), -1)) >= 0:
            go_to(solver, f"{site}/cart")
            click_link(solver, f"cart?remove={at}")
        for item in wanted:
            if item not in cart_of(solver.state.files, site):
                go_to(solver, site)
                click_link(solver, slug(item["item"]))
                enter(solver, {name: item[name] for name in ("size", "colour", "quantity") if name in item})
                press_button(solver)
        go_to(solver, f"{site}/cart")
        enter(solver, {name: value for name, value in params["record"].items() if name != "form"})
        press_button(solver)


class BookTrip(FormFamily):
    """Search for connections, take the cheapest or the earliest one that will do, and book it."""

    id = "book-trip"
    max_steps = 60

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, label = draw_site(brief, "travel"), brief.label
        cities = brief.sample(CITIES, brief.by_level(3, 5, 8))
        start, end = cities[:2]
        days = [f"2026-03-{day}" for day in brief.sample(range(12, 30), brief.by_level(1, 2, 3))]
        rows = []
        routes = [(start, end, days[0])] * brief.by_level(3, 5, 8)
        others = [(a, b, day) for a in cities for b in cities for day in days if a != b and (a, b, day) != routes[0]]
        routes += brief.sample(others, min(len(others), brief.by_level(4, 12, 24)))
        prices = brief.sample(range(1900, 15000, 50), len(routes))
        times = sorted(brief.sample(range(60, 270), len(routes)))  # in units of five minutes, all different
        for number, ((a, b, day), price, at) in enumerate(zip(brief.sample(routes, len(routes)), prices, times, strict=True)):
            leave, length = 5 * at, brief.integer(8, 40) * 5
            arrive = min(leave + length, 1435)
            train = f"T{100 + 7 * number + brief.integer(0, 6)}"
            rows.append([train, a, b, day, f"{leave // 60:02d}:{leave % 60:02d}", f"{arrive // 60:02d}:{arrive % 60:02d}", euros(price)])
        good = [row for row in rows if (row[1], row[2], row[3]) == (start, end, days[0])]
        after = brief.by_level("", "", brief.pick(sorted(row[4] for row in good)[1:4]))
        if after:
            good = [row for row in good if row[4] >= after]
        cheapest = brief.chance(0.5)
        best = min(good, key=lambda row: float(row[6][:-2])) if cheapest else min(good, key=lambda row: row[4])
        shown = ["train", "from", "to", "date", "departure", "arrival", "price"]
        lines = [" | ".join([*shown, "page"]), *(" | ".join([*row, f"book-{row[0].lower()}"]) for row in rows)]
        dated = len(days) > 1
        classes = brief.labels(["First class", "Second class"])
        ask = [
            f"field choice from | {label('Starting point')} | {'; '.join(sorted(cities))}",
            f"field choice to | {label('Destination')} | {'; '.join(sorted(cities))}",
        ]
        ask += [f"field date date | {label('Date')} | | {days[0] if not dated else '2026-03-11'}"]
        files = {
            "index": page(label("Travel"), *filler(brief, 1), "form ask find trips", *ask, f"button {label('Search')}", "end"),
            "trips": page(label("Travel"), "items trips.txt", f"[{label('Search')}](index)"),
            "trips.txt": "\n".join(lines) + "\n",
            "thanks": page(label("Booking"), *filler(brief, 1)),
        }
        for row in rows:
            files[f"book-{row[0].lower()}"] = page(
                f"{row[0]} {row[1]} – {row[2]}", f"{row[3]}, {row[4]}–{row[5]}, {row[6]}", "form send booking thanks", f"hidden train | {row[0]}",
                f"field text passenger* | {label('Passenger')}", f"field radio class* | {label('Class')} | {'; '.join(classes)}",
                f"button {label('Book the trip')}", "end", f"[{label('Search')}](index)",
            )  # fmt: skip
        person, seat = f"{brief.pick(FIRST)} {brief.pick(LAST)}", brief.pick(classes)
        which = f"the {'cheapest' if cheapest else 'earliest'} trip"
        later = f" that leaves at {after} or later" if after else ""
        instruction = wording(
            brief,
            [
                "Book {which} from {start} to {end} on {day}{later}, for {person}, {seat}.",
                "On the site that is open, book {which} on {day} from {start} to {end}{later}. The passenger is {person}, the class {seat}.",
                "Find {which} from {start} to {end} on {day}{later}, and book it in {seat} for {person}.",
            ],
            which=which,
            start=start,
            end=end,
            day=days[0],
            later=later,
            person=quoted(person),
            seat=quoted(seat),
        )
        record = {"form": "booking", "train": best[0], "passenger": person, "class": seat}
        search = {"from": start, "to": end, "date": days[0]}
        return self.drawn(instruction, {site: files}, [site], site=site, record=record, search=search)

    def fill(self, solver: Solver, params: Params) -> None:
        go_to(solver, params["site"])
        enter(solver, params["search"])
        press_button(solver)
        click_link(solver, f"book-{params['record']['train'].lower()}")
        enter(solver, {name: params["record"][name] for name in ("passenger", "class")})
        press_button(solver)


class WebSignUp(FormFamily):
    """Create an account by a form of several pages."""

    id = "web-sign-up"
    max_steps = 60

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, label = draw_site(brief), brief.label
        countries = brief.sample(["Norway", "Kenya", "Japan", "Brazil", "Spain", "Canada", "Poland", "Peru"], 5)
        plans = brief.labels(["Basic", "Standard", "Premium"])
        fields: dict[str, tuple[str, str, str]] = {
            "first": ("First name", "text", brief.pick(FIRST)),
            "last": ("Last name", "text", brief.pick(LAST)),
            "mail": ("E-mail", "email", draw_mail_address(brief)),
            "city": ("City", "text", brief.pick(CITIES)),
            "country": ("Country", "choice", brief.pick(countries)),
            "plan": ("Plan", "radio", brief.pick(plans)),
            "day": ("Delivery date", "date", f"2026-{brief.integer(2, 4):02d}-{brief.integer(1, 28):02d}"),
            "news": ("Newsletter", "check", brief.pick(["yes", "no"])),
            "password": ("Password", "password", f"{brief.pick(WORDS)}{brief.integer(100, 999)}"),
        }
        steps = brief.by_level(
            [["first", "last"], ["plan"]], [["first", "last", "mail"], ["country", "plan"]],
            [["first", "last", "mail"], ["city", "country", "day"], ["plan", "password", "news"]],
        )  # fmt: skip
        options = {"country": countries, "plan": plans}
        files: dict[str, str] = {"thanks": page(label("Account"), *filler(brief, 1))}
        for i, step in enumerate(steps):
            last = i + 1 == len(steps)
            lines = [f"form {'send account thanks' if last else f'next step step{i + 2}'}"]
            for name in step:
                star = "" if fields[name][1] in ("check", "date") else "*"
                lines.append(f"field {fields[name][1]} {name}{star} | {label(fields[name][0])} | {'; '.join(options.get(name, []))}")
            lines += [f"button {label('Create account' if last else 'Next')}", "end"]
            files["index" if i == 0 else f"step{i + 1}"] = page(
                f"{label('Account')} {i + 1}/{len(steps)}", *filler(brief, brief.by_level(0, 1, 1)), *lines
            )
        named = [name for step in steps for name in step if name != "news"]
        told = "; ".join(f"{label(fields[name][0])}: {quoted(fields[name][2])}" for name in named)
        news = "news" in [name for step in steps for name in step]
        told += f"; {'with' if fields['news'][2] == 'yes' else 'without'} the option {quoted(label('Newsletter'))}" if news else ""
        instruction = wording(
            brief,
            [
                "Create an account on the site that is open with this data: {told}.",
                "Sign up on this site. Your data: {told}.",
                "Fill in all pages of the form and create the account: {told}.",
            ],
            told=told,
        )
        record = {"form": "account", **{name: fields[name][2] for step in steps for name in step}}
        return self.drawn(instruction, {site: files}, [site], site=site, record=record, steps=steps)

    def fill(self, solver: Solver, params: Params) -> None:
        go_to(solver, params["site"])
        for step in params["steps"]:
            enter(solver, {name: params["record"][name] for name in step})
            press_button(solver)


class PostReview(FormFamily):
    """Write a review of the named product."""

    id = "post-review"
    skills = ("browse", "form", "type")

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, n, label = draw_site(brief), brief.by_level(4, 7, 12), brief.label
        names = draw_products(brief, n)
        plain = brief.by_level(False, True, True)
        files = {
            "index": page(label("All products"), *filler(brief, 1), *(f"- [{name}]({slug(name)})" for name in brief.sample(names, n))),
            "thanks": page(label("Review"), *filler(brief, 1), f"[{label('Home page')}](index)"),
        }
        for name in names:
            extra = [f"field check recommend | {label('I would recommend it')}"] if brief.by_level(False, False, True) else []
            files[slug(name)] = page(
                name, *filler(brief, brief.by_level(0, 1, 2)), "form send review thanks", f"hidden product | {name}",
                f"field radio stars* | {label('Rating')} | 1; 2; 3; 4; 5", f"field {'area' if plain else 'text'} text* | {label('Your review')}",
                *extra, f"button {label('Publish')}", "end", f"[{label('Home page')}](index)",
            )  # fmt: skip
        stars = brief.integer(1, 5)
        text = brief.pick([sentence for sentence in SENTENCES if "|" not in sentence])
        recommend = brief.by_level("", "", brief.pick(["yes", "no"]))
        more = {"": "", "yes": f", and tick {quoted(label('I would recommend it'))}", "no": f", without {quoted(label('I would recommend it'))}"}
        instruction = wording(
            brief,
            [
                "Review the {name} with a rating of {stars} and the text {text}{more}.",
                "Publish a review of the {name}: the rating is {stars}, the text {text}{more}.",
                "Write {text} as a review of the {name} and rate it {stars}{more}. Publish it.",
            ],
            name=quoted(names[0]),
            stars=stars,
            text=quoted(text),
            more=more[recommend],
        )
        record = {"form": "review", "product": names[0], "stars": str(stars), "text": text} | ({"recommend": recommend} if recommend else {})
        return self.drawn(instruction, {site: files}, [site], site=site, record=record)

    def fill(self, solver: Solver, params: Params) -> None:
        go_to(solver, params["site"])
        click_link(solver, slug(params["record"]["product"]))
        enter(solver, {name: value for name, value in params["record"].items() if name not in ("form", "product")})
        press_button(solver)


class Unsubscribe(WebFamily):
    """Turn mails of a site off, or on, on its page of settings; on harder tasks after logging in."""

    id = "unsubscribe"
    skills = ("browse", "form", "read", "scroll")

    def draw(self, brief: Brief) -> dict[str, Any]:
        site, n, label = draw_site(brief), brief.by_level(5, 9, 16), brief.label
        topics = brief.sample(TOPICS, n)
        before = {slug(topic): brief.pick(["yes", "no"]) for topic in topics}
        flips = brief.sample(topics, brief.by_level(1, 2, 4))
        for i, topic in enumerate(flips):
            before[slug(topic)] = "yes" if i == 0 or brief.by_level(True, False, False) else before[slug(topic)]
        off, on = [t for t in flips if before[slug(t)] == "yes"], [t for t in flips if before[slug(t)] == "no"]
        login, user = brief.by_level(False, True, True), f"{brief.pick(WORDS)}{brief.integer(10, 99)}"
        password = f"{brief.pick(WORDS)}{brief.integer(100, 999)}"
        fields = [f"field check {slug(topic)} | {topic}" for topic in topics]
        saved = page(label("Newsletter"), *filler(brief, 1), f"[{label('Home page')}](index)")
        files = {
            "mails": page(label("Newsletter"), *(["members"] if login else []), "form keep mails saved", *fields, f"button {label('Save')}", "end"),
            "saved": saved,
            "mails.txt": write_record(before),
            "index": page(label("Home page"), *filler(brief, 2), f"- [{label('Newsletter')}](mails)", f"- [{label('Help')}](help)"),
            "help": page(label("Help"), *filler(brief, 3)),
        }
        if login:
            files["users.txt"] = write_record({user: password})
            files["login"] = page(
                label("Log in"), "form enter login mails", f"field text user* | {label('User name')}",
                f"field password password* | {label('Password')}", f"button {label('Log in')}", "end",
            )  # fmt: skip
        jobs = [f"turn off the mails about {listed(off)}"] if off else []
        jobs += [f"turn on those about {listed(on)}"] if on else []
        instruction = wording(
            brief,
            [
                "In the settings of the newsletter of this site, {jobs}; leave all others as they are, and save.",
                "On the site that is open, {jobs}. Nothing else shall change. Save it.",
                "Change which mails this site sends: {jobs}, keep the rest, and save.",
            ],
            jobs=" and ".join(jobs),
        )
        if login:
            instruction += f" You log in as {quoted(user)} with the password {quoted(password)}."
        after = before | {slug(topic): "no" for topic in off} | {slug(topic): "yes" for topic in on}
        kept = f"{WEB}/{site}/mails.txt"
        return self.drawn(
            instruction, {site: files}, [site], [f"file:{kept}", f"file:{WEB}/{site}/session.txt"], site=site, kept=kept, after=after,
            user=user if login else "", password=password,
        )  # fmt: skip

    def check(self, state: State, start: State, params: Params, outcome: Outcome) -> bool:
        return read_record(state.files.get(params["kept"], "")) == params["after"]

    def solve(self, solver: Solver, params: Params) -> None:
        if read_record(solver.state.files.get(params["kept"], "")) == params["after"]:
            return
        browser = go_to(solver, params["site"])
        click_link(solver, "mails")
        if any(head.kind == "enter" for head in browser.tab.page.forms):
            enter(solver, {"user": params["user"], "password": params["password"]})
            press_button(solver)
        enter(solver, params["after"])
        press_button(solver)

    def spoil(self, solver: Solver, params: Params) -> bool:
        browser = browser_of(solver)
        solver.press(Key.LEFT, Modifier.ALT)
        if not any(head.kind == "keep" for head in browser.tab.page.forms):
            raise TaskError("the page before is not the one of the settings")
        name = next(iter(params["after"]))
        enter(solver, {name: "no" if params["after"][name] == "yes" else "yes"})
        press_button(solver)
        return True
