#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every file states the version of CMakeLists.txt, or sets it everywhere: tools/version.py [NEW].

With NEW, such as 0.2.0, it writes that version to CMakeLists.txt and to all other places, and turns the heading "Unreleased" of
CHANGELOG.md into the version and today's date. Without it, it prints each place that states another version. PLACES are the forms
in which a version is written; every tracked text file is searched, so a new file needs no entry here. Exit status 1 where a place
states another version, or a form of PLACES is found nowhere."""
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = re.compile(r"^(project\(krait VERSION )(\d+\.\d+\.\d+)", re.M)
FULL, MINOR = r"(\d+\.\d+\.\d+)", r"(\d+\.\d+)(?![\d.]*\d)"
# Files, and the text before a version, which is full (three numbers) or has two.
PLACES = [
    ("packaging/vcpkg/krait/vcpkg.json", r'"version": "', FULL),
    ("packaging/conan/conanfile.py", r'^    version = "', FULL),
    ("docs/tool.md", r'"version": "', FULL),
    ("*", r"\bkrait-", FULL + r"(?=\.tar\.gz)"),
    ("*", r"\blibkrait\.so\.", MINOR),
    ("*", r"`libkrait", MINOR),
    ("*", r"\bfind_package\(krait ", MINOR),
    ("*", r"\bdependency\('krait', version: '>=", MINOR),
    ("README.md", r"\bversion is ", MINOR),
]
HISTORY = ("CHANGELOG.md", "docs/log/", "docs/performance-log.md", "tools/version.py")


def tracked():
    """Path and text of each tracked text file, but for those that tell of earlier versions."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split("\0")
    if names == [""]:  # an archive of the sources: no repository
        names = [str(p.relative_to(ROOT)) for folder in ("docs", "examples", "packaging", "tests", "tools", "cmake")
                 for p in sorted((ROOT / folder).rglob("*"))] + ["CMakeLists.txt", "README.md"]
    for name in names:
        path = ROOT / name
        if not name or name.startswith(HISTORY) or path.is_symlink() or not path.is_file():
            continue
        try:
            yield name, path.read_text()
        except UnicodeDecodeError:
            continue


def patterns(name):
    for where, before, number in PLACES:
        if where in ("*", name):
            yield before, re.compile(f"({before}){number}", re.M)


def of_form(version, pattern):
    return version if FULL in pattern.pattern else ".".join(version.split(".")[:2])


def check(version):
    wrong, found = [], set()
    for name, text in tracked():
        for before, pattern in patterns(name):
            for match in pattern.finditer(text):
                found.add(before)
                if match.group(2) != of_form(version, pattern):
                    line = text.count("\n", 0, match.start()) + 1
                    wrong.append(f"{name}:{line}: {match.group(2)}, but CMakeLists.txt has {version}")
    wrong += [f"tools/version.py: this form is found nowhere: {before}" for _, before, _ in PLACES if before not in found]
    newest = re.search(r"^## (.*)", (ROOT / "CHANGELOG.md").read_text(), re.M).group(1)
    if newest != "Unreleased" and newest.split()[0] != version:
        wrong.append(f'CHANGELOG.md: the first section is "{newest}", expected "Unreleased" or "{version}"')
    return wrong


def write(version):
    for name, text in tracked():
        new = SOURCE.sub(rf"\g<1>{version}", text) if name == "CMakeLists.txt" else text
        for _, pattern in patterns(name):
            new = pattern.sub(lambda m, pattern=pattern: m.group(1) + of_form(version, pattern), new)
        if new != text:
            (ROOT / name).write_text(new)
            print(name)
    changes = ROOT / "CHANGELOG.md"
    changes.write_text(re.sub(r"^## Unreleased$", f"## {version} - {datetime.date.today()}", changes.read_text(), flags=re.M))


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and not re.fullmatch(FULL, sys.argv[1])):
        print("tools/version.py [NEW]: NEW is a version such as 0.2.0", file=sys.stderr)
        return 2
    if len(sys.argv) == 2:
        write(sys.argv[1])
    version = SOURCE.search((ROOT / "CMakeLists.txt").read_text()).group(2)
    wrong = check(version)
    print("\n".join(wrong) or f"every file states version {version}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
