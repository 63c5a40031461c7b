#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/headers.md, the header of each public name, and include/krait/detail/elsewhere.h, which names it in the compiler's error. Both are
found by Clang. With --check: exit status 1 where one is not current, 77 without libclang.

usage: docs/make_headers.py [--check]
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
sys.path.append(str(ROOT / "tools"))
from headers import public, spelled  # noqa: E402
PAGE = ROOT / "docs" / "headers.md"
ELSEWHERE = INCLUDE / "krait" / "detail" / "elsewhere.h"
OPTIONAL = {"krait/krait.h", "krait/krait_c.h", "krait/algorithm.h", "krait/numpy.h"}  # umbrellas, and C's header


def index():
    sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, where python3 is another one
    try:
        from clang import cindex
        if not cindex.Config.loaded:
            cindex.Config.set_library_file("libclang-16.so.1")
        return cindex, cindex.Index.create()
    except Exception as why:  # no module, or no library
        print(f"skipped: no libclang 16 for Python (Debian: python3-clang-16): {why}")
        sys.exit(77)


FIRST, LAST = "// The rows: docs/make_headers.py.\n", "// The end of the rows.\n"
TYPES_OF_STD = {"identity", "map", "stack"}


def public_headers():
    return [name for name in map(spelled, public()) if name not in OPTIONAL]


def names_of(cindex, unit):
    """{name: headers} of namespace krait and the namespaces in it, without operators and what is the library's own; and of the functions
    among them the kinds of their first template parameters."""
    kinds = cindex.CursorKind
    taken = {kinds.FUNCTION_DECL, kinds.FUNCTION_TEMPLATE, kinds.CLASS_DECL, kinds.CLASS_TEMPLATE, kinds.STRUCT_DECL, kinds.ENUM_DECL,
             kinds.VAR_DECL, kinds.TYPE_ALIAS_DECL, kinds.TYPE_ALIAS_TEMPLATE_DECL, kinds.UNEXPOSED_DECL}
    found, first = {}, {}

    def walk(cursor, prefix):
        for c in cursor.get_children():
            if c.location.file is None or not c.location.file.name.startswith(str(INCLUDE)):
                continue
            header = spelled(pathlib.Path(c.location.file.name))
            if c.kind == kinds.NAMESPACE:
                if c.spelling not in ("detail", "std", ""):
                    walk(c, prefix + c.spelling + "::" if prefix or c.spelling != "krait" else "kr::")
                continue
            if not prefix or not c.spelling or c.kind not in taken or c.spelling.startswith("operator") or "<" in c.spelling:
                continue
            found.setdefault(prefix + c.spelling, []).append(header)
            kind = first.setdefault(prefix + c.spelling, set())
            kind.add(first_parameter(c) if c.kind in (kinds.FUNCTION_DECL, kinds.FUNCTION_TEMPLATE) else "no function")

    walk(unit.cursor, "")
    return found, first


def first_parameter(function):
    """By numbers: this module of Python knows fewer kinds than its library."""
    for part in function.get_children():
        if part._kind_id == 28:
            return "text" if "fixed_text" in part.type.spelling else "value"
        if part._kind_id in (27, 29):
            break
    return "type"


def elsewhere(places, first, by_krait):
    """The rows of functions that krait.h does not have. Left out are functions of tiles, whose type is missed before them, and names that are
    types in std: programs may have both namespaces open."""
    calls = {}
    for name, headers in sorted(places.items()):
        headers = [h for h in headers if not re.search(r"/(tile\w*|dist|dist/\w+)\.h$", h)]
        short = name.removeprefix("kr::")
        if not headers or "::" in short or "no function" in first[name] or short in TYPES_OF_STD or any(h in by_krait for h in places[name]):
            continue
        calls.setdefault(" or ".join(f"<{h}>" for h in headers), []).extend(
            f'KRAIT_ELSEWHERE{"" if kind == "type" else "_" + kind.upper()}({short})' for kind in sorted(first[name]))
    rows = ["// clang-format off"]
    for header, names in sorted(calls.items()):
        rows += [f'#define KRAIT_HEADER "{header}"', *textwrap.wrap(" ".join(names), 100, break_on_hyphens=False), "#undef KRAIT_HEADER"]
    return [*rows, "// clang-format on"]


def included_by(umbrella):
    """The public headers that a header includes, directly or through others."""
    seen, todo = set(), [umbrella]
    while todo:
        name = todo.pop()
        if name in seen or not (INCLUDE / name).exists():
            continue
        seen.add(name)
        todo += re.findall(r"^#include <(krait/[^>]+)>", (INCLUDE / name).read_text(), re.MULTILINE)
    return seen


def written():
    cindex, clang = index()
    headers = public_headers()
    above, below = ELSEWHERE.read_text().partition(FIRST)[0] + FIRST, LAST + ELSEWHERE.read_text().rpartition(LAST)[2]
    unit = clang.parse("all.cpp", ["-std=c++20", f"-I{INCLUDE}", "-fsyntax-only"],
                       unsaved_files=[("all.cpp", "".join(f"#include <{h}>\n" for h in headers)), (str(ELSEWHERE), above + below)],
                       options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    bad = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if bad:
        sys.exit("\n".join(str(d) for d in bad[:5]))
    by_krait, by_algorithm, by_numpy = (included_by(f"krait/{name}.h") for name in ("krait", "algorithm", "numpy"))
    parts, rows, places = {h: included_by(h) for h in headers}, [], {}
    found, first = names_of(cindex, unit)
    for name, where in sorted(found.items(), key=lambda item: (item[0].lower(), item[0])):
        chosen = sorted({h for h in where if h.endswith(".h") and "/detail/" not in h})
        if not chosen:  # declared below a public header: the smallest that includes it, of those of krait.h if there are some
            chosen = [min((h for h in headers if where[0] in parts[h]), key=lambda h: (h not in by_krait, len(parts[h]), h))]
        places[name] = chosen
        extra = ["`krait.h`" if h in by_krait else "`algorithm.h`" if h in by_algorithm else "`numpy.h`" if h in by_numpy else "" for h in chosen]
        if len(set(extra)) > 1:  # some of its overloads
            extra = [f"`{h.split('/')[-1]}` with {e}" for h, e in zip(chosen, extra) if e]
        rows.append(f"| `{name}` | {', '.join(f'`<{h}>`' for h in chosen)} | {', '.join(dict.fromkeys(e for e in extra if e))} |")
    head = f"""# Which name is in which header

`#include <krait/krait.h>` has kernels, arrays, expressions and what stands in kernels. `#include <krait/algorithm.h>` adds the algorithms that are cheap to include,
and `#include <krait/numpy.h>` all that [NumPy's names](coming-from-numpy.md) stand for. Everything else has a header of its own. The last column names the umbrella that includes it.

Made by `docs/make_headers.py` from the headers; the test `docs.headers` compares. {len(rows)} names, `kr` is `namespace kr = krait;`.

| name | header | comes with |
|---|---|---|
"""
    functions = above + "".join(row + "\n" for row in elsewhere(places, first, by_krait)) + below
    return {PAGE: head + "\n".join(rows) + "\n", ELSEWHERE: functions}, len(rows)


def main():
    texts, count = written()
    for path, text in texts.items():
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path.relative_to(ROOT)} is not what the headers give: run docs/make_headers.py")
    print(f"{count} names")


if __name__ == "__main__":
    main()
