"""Fails if a test of the JUnit file in argv[1] was skipped for want of anything but a GPU or OSWorld's task files: all else is installed.

Ends with the counts as pytest writes them, so that they are the last line of the log.
"""

import sys
import xml.etree.ElementTree as ET

ALLOWED = ("gpu", "cuda", "osworld's task files are not here")

suites = list(ET.parse(sys.argv[1]).getroot().iter("testsuite"))
total = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "failures", "errors", "skipped")}
cases = [case for suite in suites for case in suite.iter("testcase")]
skips = [(case.get("classname"), case.get("name"), skip.get("message", "")) for case in cases for skip in case.iter("skipped")]
unexpected = [skip for skip in skips if not any(word in skip[2].lower() for word in ALLOWED)]
for classname, name, reason in unexpected:
    print(f"skipped though all it needs is installed: {classname}::{name}: {reason}", file=sys.stderr)
passed = total["tests"] - total["failures"] - total["errors"] - total["skipped"]
print(f"{passed} passed, {total['skipped']} skipped in {sum(float(suite.get('time', 0)) for suite in suites):.2f}s")
sys.exit(1 if unexpected else 0)
