#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the classes of lib by the number of their member functions, the largest first, with their data members. One with more than 40 functions
may do several things that can be taken apart: a reader judges.

    tools/class_sizes.py [--most N] [file or folder...]

Each overload counts; what is deleted or defaulted does not, and neither does what a base class has."""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 40
HEAD = re.compile(r"\b(class|struct)\s+([A-Za-z_]\w*)[^;(){}=]*$")
NO_MEMBER = re.compile(r"^(using|typedef|friend|static_assert|enum|class|struct|union)\b")


def stripped(text):
    """Without comments, directives, and what stands in quotes."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', '""', text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def end_of(text, begin):
    """Behind the bracket that closes the one at `begin`."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] in "{(") - (text[at] in "})")
        if depth == 0:
            return at + 1
    return len(text)


def without_arguments(text):
    """Of templates, so that std::function<void(int)> has no bracket left."""
    text = text.replace("->", "").replace("<=", "").replace(">=", "").replace("<<", "").replace("operator<", "operator")
    while True:
        less = re.sub(r"<[^<>]*>", "", text)
        if less == text:
            return text
        text = less


def is_function(declaration):
    plain = without_arguments(declaration)
    bracket = plain.find("(")
    before = plain[:bracket] if bracket >= 0 else ""
    return bracket >= 0 and ("operator" in before or not re.search(r"[={]", before))


def count_names(declaration):
    """Of data: `int a, b = 1;` are two."""
    plain = re.sub(r"\{[^{}]*\}|\([^()]*\)|\[[^\[\]]*\]", "", without_arguments(declaration))
    return plain.count(",") + 1


def members(body):
    """(functions, data) of a class's body, without those of classes in it."""
    functions = data = 0
    at = begin = 0
    while at < len(body):
        if body[at] == ";":
            end, at = at, at + 1
        elif body[at] in "{(":
            bracket, after = body[at], end_of(body, at)
            behind = body[after:].lstrip()
            declaration = body[begin:at].strip()
            # A function's body ends its declaration; an initialiser, a parameter list and a class's body do not.
            if bracket == "(" or behind[:1] in (";", ",") or HEAD.search(declaration) or not is_function(declaration + "("):
                if not (bracket == "{" and is_function(declaration) and behind[:1] not in (",", "{")):
                    at = after
                    continue
            elif not is_function(declaration):
                at = after
                continue
            end, at = after, after
        else:
            at += 1
            continue
        declaration = re.sub(r"\b(public|private|protected)\s*:(?!:)", " ", body[begin:end]).strip()
        declaration = re.sub(r"^(template\s*<[^{};]*?>\s*|\[\[\w+\]\]\s*)+(?=\w)", "", declaration)
        begin = at
        if not declaration or NO_MEMBER.match(declaration) or re.search(r"=\s*(delete|default)$", declaration):
            continue
        if is_function(declaration):
            functions += 1
        else:
            data += count_names(declaration)
    return functions, data


def classes(path):
    text = stripped(path.read_text())
    for brace in re.finditer(r"\{", text):
        head = HEAD.search(text[max(0, brace.start() - 300) : brace.start()])
        if head and not re.search(r"\benum\s+$", text[: brace.start()][-300:][: head.start()]):
            body = text[brace.end() : end_of(text, brace.start()) - 1]
            yield (*members(body), head.group(2))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, default=[ROOT / "lib"])
    parser.add_argument("--most", type=int, default=10, help="so many classes are printed, and all that are too large")
    asked = parser.parse_args()
    found = []
    for top in asked.paths:
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.suffix in (".h", ".cpp"):
                found += [(*size, path.resolve()) for size in classes(path)]
    found.sort(key=lambda c: (-c[0], -c[1], c[2]))
    bad = 0
    print("functions  data  class")
    for number, (functions, data, name, path) in enumerate(found):
        place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        bad += functions > LIMIT
        if number < asked.most or functions > LIMIT:
            print(f"{functions:9}  {data:4}  {name}  ({place})" + (f": more than {LIMIT}" if functions > LIMIT else ""))
    print(f"class_sizes: {len(found)} classes, {bad} with more than {LIMIT} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
