#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which tests were skipped and why, from what `ctest --output-junit FILE` wrote.

    tools/skipped.py build/tests.xml…

Exits with 1 where a test was skipped for want of a device whose back end KRAIT_TEST_BACK_ENDS names, or a file holds no test that ran."""
import collections
import os
import re
import sys
import xml.etree.ElementTree as xml

NO_DEVICE = re.compile(r'there is no (\w+) device|no (\w+) device;|no device is called "(\w+)', re.I)
FRAME = re.compile(r"^\[|^Running main|^Note: |^$")


def reason(output):
    """What a test prints before it is skipped: GoogleTest's text after the place, else the first line."""
    lines = output.strip().splitlines()
    for at, line in enumerate(lines[:-1]):
        if re.search(r":\d+: Skipped$", line):
            return lines[at + 1].strip()
    told = [line.strip() for line in lines if not FRAME.match(line)]
    return told[0] if told else "no reason was printed"


def skipped(path):
    """(name, reason) of each; None in place of the list where nothing ran."""
    cases = xml.parse(path).getroot().findall(".//testcase")
    told = [(case.get("name"), reason(case.findtext("system-out") or "")) for case in cases if case.find("skipped") is not None]
    return told if len(cases) > len(told) else None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    needed = {name.lower() for name in os.environ.get("KRAIT_TEST_BACK_ENDS", "").split(",") if name}
    by_reason, wrong = collections.defaultdict(list), []
    for path in sys.argv[1:]:
        told = skipped(path)
        if told is None:
            wrong.append(f"{path}: no test ran")
            continue
        for name, why in told:
            by_reason[why].append(name)
            back_ends = {group.lower() for group in (NO_DEVICE.search(why) or re.match("()", "")).groups() if group}
            if back_ends & needed:
                wrong.append(f"{name} was skipped, but KRAIT_TEST_BACK_ENDS asks for it: {why}")
    print(f"{sum(map(len, by_reason.values()))} tests were skipped")
    for why, names in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        print(f"{len(names):5}  {why}: {shown}")
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
