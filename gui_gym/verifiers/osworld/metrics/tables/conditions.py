"""Conditional formats: which of a sheet's are active on which cell."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any

from openpyxl.formatting.rule import Rule
from openpyxl.styles.differential import DifferentialStyle

from gui_gym.verifiers.osworld.metrics.tables.books import Sheet, cells
from gui_gym.verifiers.osworld.metrics.tables.formulas import Budget, CalculationError, Formula, UnsupportedFormula, compare

Place = tuple[int, int]
Test = Callable[[Place, Any], bool]

_OPERATORS = {
    "equal": "=",
    "notEqual": "<>",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
}
_ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")


def active_formats(sheet: Sheet, strict: bool) -> dict[Place, list[DifferentialStyle]]:
    """The conditional formats that are active by ``(row, column)``, the strongest first.

    A rule that cannot be judged here is an :class:`UnsupportedFormula` if ``strict``, and else left out.
    """
    written, budget = cells(sheet.written), Budget(sheet.book.path)
    rules = [(rule, block.cells) for block in sheet.written.conditional_formatting for rule in block.rules if rule.dxf is not None]
    found: dict[Place, list[DifferentialStyle]] = {}
    stopped: set[Place] = set()
    for rule, ranges in sorted(rules, key=lambda pair: pair[0].priority):
        budget.spend(len(written) * len(ranges.ranges))
        inside = [place for place in written if any(_within(place, block) for block in ranges)]
        corner = (min(block.min_row for block in ranges), min(block.min_col for block in ranges))
        try:
            test = _test(sheet, rule, corner, [sheet.values.get(place) for place in inside], budget)
        except UnsupportedFormula:
            if strict:
                raise
            continue
        for place in inside:
            if place not in stopped and test(place, sheet.values.get(place)):
                found.setdefault(place, []).append(rule.dxf)
                if rule.stopIfTrue:
                    stopped.add(place)
    return found


def _within(place: Place, block: Any) -> bool:
    return block.min_row <= place[0] <= block.max_row and block.min_col <= place[1] <= block.max_col


def _test(sheet: Sheet, rule: Rule, corner: Place, values: list[Any], budget: Budget) -> Test:
    """The condition of a rule, as a function of a cell's place and value."""
    kind, text = rule.type, (rule.text or "").lower()
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if kind in ("expression", "cellIs"):
        formulas = [Formula(source, sheet, corner, budget) for source in rule.formula]
        return _formula_test(rule, formulas)
    if kind == "containsText":
        return lambda _, value: text in str(value or "").lower()
    if kind == "notContainsText":
        return lambda _, value: text not in str(value or "").lower()
    if kind == "beginsWith":
        return lambda _, value: str(value or "").lower().startswith(text)
    if kind == "endsWith":
        return lambda _, value: str(value or "").lower().endswith(text)
    if kind in ("containsBlanks", "notContainsBlanks"):
        return lambda _, value: (str(value if value is not None else "").strip() == "") == (kind == "containsBlanks")
    if kind in ("containsErrors", "notContainsErrors"):
        return lambda _, value: (value in _ERRORS) == (kind == "containsErrors")
    if kind in ("duplicateValues", "uniqueValues"):
        count = Counter(_key(value) for value in values if value is not None)
        return lambda _, value: value is not None and (count[_key(value)] > 1) == (kind == "duplicateValues")
    if kind == "top10":
        many = max(1, int(len(numbers) * rule.rank / 100)) if rule.percent else rule.rank
        chosen = sorted(numbers, reverse=not rule.bottom)[:many]
        return lambda _, value: bool(chosen) and _is_number(value) and (value <= chosen[-1] if rule.bottom else value >= chosen[-1])
    if kind == "aboveAverage" and not rule.stdDev:
        mean = statistics.fmean(numbers) if numbers else 0.0
        above = rule.aboveAverage is not False
        return lambda _, value: _is_number(value) and ((value > mean if above else value < mean) or bool(rule.equalAverage and value == mean))
    raise UnsupportedFormula(f"conditional format: expected a type that is supported, got {kind!r}")


def _formula_test(rule: Rule, formulas: list[Formula]) -> Test:
    operator = rule.operator
    if rule.type == "cellIs" and operator not in (*_OPERATORS, "between", "notBetween"):
        raise UnsupportedFormula(f"conditional format: expected an operator that is supported, got {operator!r}")

    if len(formulas) < (2 if operator in ("between", "notBetween") else 1):
        raise UnsupportedFormula("conditional format: expected more formulas")

    def test(place: Place, value: Any) -> bool:
        if rule.type == "cellIs" and value is None:
            return False
        try:
            found = [formula(place) for formula in formulas]
        except CalculationError:
            return False
        if rule.type == "expression":
            return not isinstance(found[0], str) and bool(found[0])
        if operator in ("between", "notBetween"):
            inside = compare(">=", value, found[0]) and compare("<=", value, found[1])
            return inside == (operator == "between")
        return compare(_OPERATORS[operator], value, found[0])

    return test


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _key(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value
