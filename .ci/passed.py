"""Prints ``--ignore=FILE`` for each file of tests/gui_gym that passed whole, with nothing skipped, in the JUnit file argv[1].

That run had the packages of argv[2] (``pip freeze``) alone. Where this environment has another version of one, nothing is printed:
all tests are to be run with it too.
"""

import sys
import xml.etree.ElementTree as ET
from importlib.metadata import version
from pathlib import Path

packages = dict(line.split("==") for line in Path(sys.argv[2]).read_text().split())
others = [f"{name} {version(name)}, not {wanted}" for name, wanted in packages.items() if version(name) != wanted]
if others:
    print(f"here is {', '.join(others)}: tests that passed with it are run again", file=sys.stderr)
    sys.exit()

files = {".".join(path.with_suffix("").parts): path for path in Path("tests/gui_gym").rglob("test_*.py")}
passed: dict[str, int] = {}
again: set[str] = set()
for case in ET.parse(sys.argv[1]).getroot().iter("testcase"):
    name = case.get("classname") or case.get("name", "")  # the module, and the class if there is one; the name is that of a module skipped whole
    while name and name not in files:
        name = name.rpartition(".")[0]
    passed[name] = passed.get(name, 0) + 1
    if any(child.tag in ("skipped", "failure", "error") for child in case):
        again.add(name)
if "" in passed or not passed:
    sys.exit("a test of no known file: expected a JUnit file of tests/gui_gym")
whole = sorted(passed.keys() - again)
print(f"{sum(passed[name] for name in whole)} tests of {len(whole)} files have passed and are not run again", file=sys.stderr)
print(*(f"--ignore={files[name].as_posix()}" for name in whole))
