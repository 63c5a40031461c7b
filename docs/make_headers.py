#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/headers.md: the header of each public name, found by Clang. With --check: exit status 1 where the page is not current, 77 without libclang.

usage: docs/make_headers.py [--check]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
sys.path.append(str(ROOT / "tools"))
from headers import public, spelled  # noqa: E402
PAGE = ROOT / "docs" / "headers.md"
OPTIONAL = {"krait/krait.h", "krait/krait_c.h", "krait/algorithm.h"}  # umbrellas, and C's header


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


def public_headers():
    return [name for name in map(spelled, public()) if name not in OPTIONAL]


def names_of(cindex, unit):
    """{name: headers} of namespace krait and the namespaces in it, without operators and what is the library's own."""
    kinds = cindex.CursorKind
    taken = {kinds.FUNCTION_DECL, kinds.FUNCTION_TEMPLATE, kinds.CLASS_DECL, kinds.CLASS_TEMPLATE, kinds.STRUCT_DECL, kinds.ENUM_DECL,
             kinds.VAR_DECL, kinds.TYPE_ALIAS_DECL, kinds.TYPE_ALIAS_TEMPLATE_DECL, kinds.UNEXPOSED_DECL}
    found = {}

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

    walk(unit.cursor, "")
    return found


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
    unit = clang.parse("all.cpp", ["-std=c++20", f"-I{INCLUDE}", "-fsyntax-only"],
                       unsaved_files=[("all.cpp", "".join(f"#include <{h}>\n" for h in headers))],
                       options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    bad = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if bad:
        sys.exit("\n".join(str(d) for d in bad[:5]))
    by_krait, by_algorithm = included_by("krait/krait.h"), included_by("krait/algorithm.h")
    parts, rows = {h: included_by(h) for h in headers}, []
    for name, where in sorted(names_of(cindex, unit).items(), key=lambda item: (item[0].lower(), item[0])):
        chosen = sorted({h for h in where if h.endswith(".h") and "/detail/" not in h})
        if not chosen:  # declared below a public header: the smallest that includes it
            chosen = [min((h for h in headers if where[0] in parts[h]), key=lambda h: (len(parts[h]), h))]
        extra = ["`krait.h`" if h in by_krait else "`algorithm.h`" if h in by_algorithm else "" for h in chosen]
        if len(set(extra)) > 1:  # some of its overloads
            extra = [f"`{h.split('/')[-1]}` with {e}" for h, e in zip(chosen, extra) if e]
        rows.append(f"| `{name}` | {', '.join(f'`<{h}>`' for h in chosen)} | {', '.join(dict.fromkeys(e for e in extra if e))} |")
    head = f"""# Which name is in which header

`#include <krait/krait.h>` has kernels, arrays, expressions and what stands in kernels. `#include <krait/algorithm.h>` adds the algorithms that are cheap to include.
Everything else has a header of its own. The last column names the umbrella that includes it.

Made by `docs/make_headers.py` from the headers; the test `docs.headers` compares. {len(rows)} names, `kr` is `namespace kr = krait;`.

| name | header | comes with |
|---|---|---|
"""
    return head + "\n".join(rows) + "\n", len(rows)


def main():
    text, count = written()
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit("docs/headers.md is not what the headers give: run docs/make_headers.py")
    else:
        PAGE.write_text(text)
    print(f"{count} names")


if __name__ == "__main__":
    main()
