#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public names of Krait's headers, as the compiler knows them.

  public_names.py                 prints a line per name and header: kind, name, header:line, "documented" or not
  public_names.py --check         fails for a name without a docstring, and names its header:line
  public_names.py --xml DIR       fails for a name that Doxygen's XML in DIR lacks or shows without a brief sentence

Public names are those that namespace krait declares in the headers of include/krait: functions, classes, their public members and
those of their bases, enumerations, aliases, constants and concepts, and the functions of krait_c.h. Of krait::detail only the classes
RETURNED count. Operators, constructors, destructors and friends are left out. A name counts once per header.

A docstring is a comment that begins with /// directly before the declaration, or before the line of the macro that makes it. A comment
before a line `/// @{` is the docstring of all names up to `/// @}`. Overloads that a macro makes, or the rows of ops.def, have the
docstring of the same name in another header unless they have their own. Enumerators have that of their enumeration.
"""
import argparse
import os
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

try:
    from clang import cindex
except ImportError:
    print("public_names.py: clang.cindex is missing: install python3-clang-16, and run /usr/bin/python3")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
sys.path.append(str(ROOT / "tools"))
from headers import public, spelled  # noqa: E402
HEADERS = public()

KIND = cindex.CursorKind
if not hasattr(KIND, "CONCEPT_DECL"):
    KIND.CONCEPT_DECL = KIND(604)  # the binding of Clang 16 does not know it
CLASSES = {KIND.CLASS_DECL, KIND.STRUCT_DECL, KIND.CLASS_TEMPLATE, KIND.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
KINDS = {
    KIND.CLASS_DECL: "class", KIND.STRUCT_DECL: "struct", KIND.CLASS_TEMPLATE: "class",
    KIND.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: "class", KIND.ENUM_DECL: "enum", KIND.ENUM_CONSTANT_DECL: "enumerator",
    KIND.FUNCTION_DECL: "function", KIND.FUNCTION_TEMPLATE: "function", KIND.CXX_METHOD: "function", KIND.VAR_DECL: "variable",
    KIND.FIELD_DECL: "member", KIND.TYPE_ALIAS_DECL: "alias", KIND.TYPEDEF_DECL: "alias",
    KIND.TYPE_ALIAS_TEMPLATE_DECL: "alias", KIND.CONCEPT_DECL: "concept",
}


# Classes of krait::detail that public functions return, and whose members users call.
RETURNED = {"atomic_element", "attributes_type", "bound_kernel", "elementwise_call", "generalized_call", "if_chain", "switch_chain"}


class Source:
    """A header's lines, and the docstrings that stand in them."""

    def __init__(self, path):
        self.lines = path.read_text().split("\n")
        self.shared = {}  # line number: the docstring of the group around it
        opened = None
        for number, line in enumerate(self.lines, 1):
            if re.match(r"\s*/// *[@\\]\{", line):
                opened = self.above(number)
            elif re.match(r"\s*/// *[@\\]\}", line):
                opened = None
            elif opened:
                self.shared[number] = opened

    def above(self, number):
        """The text of the comment that ends in the line before this one, the first of which is number 1."""
        text = []
        at = number - 2
        while at >= 0 and re.match(r"\s*(template\s*<.*>|requires\b.*)$", self.lines[at]):
            at -= 1
        while at >= 0 and (found := re.match(r"\s*///(?!<)(.*)", self.lines[at])):
            if not re.match(r"\s*[@\\][{}]\s*$", found[1]):
                text.insert(0, found[1].strip())
            at -= 1
        return " ".join(text).strip()

    def docstring(self, number):
        return self.above(number) or self.shared.get(number, "")


class Names:
    """All public names: (kind, name, header, line) and the docstring of each."""

    def __init__(self):
        self.sources = {}
        self.entries = {}  # (name, header): [kind, line, docstring]
        self.everywhere = {}  # name: the docstring of one of its declarations
        self.from_table = set()
        index = cindex.Index.create()
        text = "".join(f"#include <{spelled(header)}>\n" for header in HEADERS)
        options = cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
        arguments = ["-std=c++20", f"-I{INCLUDE}"]
        unit = index.parse("all.cpp", args=arguments, unsaved_files=[("all.cpp", text)], options=options)
        broken = [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if broken:
            sys.exit("public_names.py: the headers do not compile:\n" + "\n".join(broken))
        self.unit = unit
        self.walk(unit.cursor, "")
        for key in list(self.entries):
            entry = self.entries[key]
            if not entry[2] and (key in self.from_table or key[1].startswith("krait/detail/")):
                entry[2] = self.everywhere.get(key[0], "")

    def source(self, path):
        if path not in self.sources:
            self.sources[path] = Source(Path(path))
        return self.sources[path]

    def walk(self, cursor, scope):
        for child in cursor.get_children():
            if not child.location.file:
                if child.kind != KIND.LINKAGE_SPEC:
                    continue
            elif "/krait/" not in child.location.file.name:
                continue
            if child.kind in (KIND.LINKAGE_SPEC, KIND.UNEXPOSED_DECL) and not scope:
                self.walk(child, scope)
            elif child.kind == KIND.NAMESPACE:
                if scope or child.spelling == "krait":
                    self.walk(child, f"{scope}{child.spelling}::")
            elif "detail::" in scope and not (child.spelling in RETURNED and child.is_definition()):
                continue
            elif child.kind in KINDS and (scope or os.path.basename(child.location.file.name) == "krait_c.h"):
                self.declare(child, scope, "")

    def declare(self, cursor, scope, shared, inherited=None):
        name = cursor.spelling
        if not name or name.startswith(("operator", "~", "<deduction", "(")) or cursor.kind not in KINDS:
            return
        if cursor.kind == KIND.FUNCTION_TEMPLATE and name.split("<")[0] == cursor.semantic_parent.spelling:
            return  # a constructor
        if cursor.kind in (KIND.CLASS_DECL, KIND.STRUCT_DECL) and not cursor.get_definition():
            return  # hidden, or opaque and named by its typedef
        where = cursor.location
        header = str(Path(where.file.name).resolve().relative_to(INCLUDE))
        source = self.source(where.file.name)
        comment = cursor.raw_comment or ""
        text = re.sub(r"(?m)^\s*(///?<?|/\*\*|\*/?)", " ", comment).strip() if comment.startswith(("///", "/**")) else ""
        text = re.sub(r"[@\\][{}]", "", text).strip() or source.docstring(cursor.extent.start.line) or source.docstring(where.line)
        key = (scope + name, inherited or header)
        if header.endswith("ops.def"):
            key = (scope + name, self.table_user)
            self.from_table.add(key)
        elif "/detail/" not in header:
            self.table_user = header
        if cursor.kind == KIND.ENUM_CONSTANT_DECL:
            text = text or shared
        if re.match(r"\s*KRAIT_[A-Z_]+\d?\(", source.lines[where.line - 1]):
            self.from_table.add(key)
        entry = self.entries.setdefault(key, [KINDS[cursor.kind], where.line, "", header])
        entry[2] = entry[2] or text
        if text:
            self.everywhere.setdefault(key[0], text)
        if cursor.kind in CLASSES or cursor.kind == KIND.ENUM_DECL:
            self.members(cursor, f"{scope}{name}::", text, key[1])

    def members(self, cursor, scope, shared, header):
        if cursor.kind == KIND.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION and scope.endswith("tag::"):
            return
        for child in cursor.get_children():
            if child.kind == KIND.CXX_BASE_SPECIFIER:
                if child.access_specifier == cindex.AccessSpecifier.PUBLIC:
                    base = child.referenced
                    base = cindex.conf.lib.clang_getSpecializedCursorTemplate(base) or base if base else None
                    base = base.get_definition() if base else None
                    if base and base.location.file and "/krait/" in base.location.file.name and "detail" in base.semantic_parent.spelling:
                        self.members(base, scope, "", header)
            elif child.kind == KIND.ENUM_CONSTANT_DECL:
                self.declare(child, scope, shared, header)
            elif child.access_specifier == cindex.AccessSpecifier.PUBLIC:
                self.declare(child, scope, shared, header)

    def sorted(self):
        return sorted(self.entries.items(), key=lambda e: (e[0][1], e[1][1]))


def xml_names(folder):
    """By qualified name: whether Doxygen's XML has a sentence for one of its declarations. Classes have their bases' members, too."""
    found, bases = {}, {}
    for path in sorted(Path(folder).glob("*.xml")):
        if path.name in ("index.xml", "Doxyfile.xml"):
            continue
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            kind = compound.get("kind")
            if kind not in ("namespace", "class", "struct", "concept", "file", "union"):
                continue
            scope = re.sub(r"\s*<.*", "", compound.findtext("compoundname"))
            if kind in ("class", "struct", "concept", "union"):
                found[scope] = found.get(scope, False) or has_text(compound)
                for base in compound.iter("basecompoundref"):
                    bases.setdefault(scope, set()).add(re.sub(r"<.*", "", "".join(base.itertext())).strip())
            if kind == "file":
                scope = ""
            for member in compound.iter("memberdef"):
                name = (scope + "::" if scope else "") + member.findtext("name")
                found[name] = found.get(name, False) or has_text(member)
                for value in member.iter("enumvalue"):
                    found[name + "::" + value.findtext("name")] = found[name] or has_text(value)
    members = {}
    for name in found:
        scope, _, member = name.rpartition("::")
        members.setdefault(scope, []).append(member)

    def inherit(scope, seen):
        for base in bases.get(seen[-1], ()):
            full = next((b for b in (base, "krait::" + base, "krait::detail::" + base) if b in found), None)
            if full and full not in seen:
                for member in members.get(full, []):
                    found.setdefault(f"{scope}::{member}", found[f"{full}::{member}"])
                inherit(scope, [*seen, full])

    for scope in bases:
        inherit(scope, [scope])
    return found


def has_text(node):
    return any("".join(node.find(tag).itertext()).strip() for tag in ("briefdescription", "detaileddescription") if node.find(tag) is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail for a public name without a docstring")
    parser.add_argument("--xml", metavar="DIR", help="fail for a public name that Doxygen's XML does not show")
    options = parser.parse_args()
    names = Names()
    missing = 0
    if options.xml:
        shown = xml_names(options.xml)
        for (name, header), (kind, line, _, declared) in names.sorted():
            if not shown.get(name):
                print(f"{header}:{line}: {name}: " + ("no sentence in the XML" if name in shown else "not in the XML"))
                missing += 1
    for (name, header), (kind, line, text, declared) in names.sorted():
        if options.check and not text:
            print(f"include/{declared}:{line}: the {kind} {name} has no docstring")
            missing += 1
        elif not options.check and not options.xml:
            print(f"{kind}\t{name}\t{header}:{line}\t{'documented' if text else 'undocumented'}")
    if options.check or options.xml:
        print(f"{len(names.entries)} public names, {missing} without a docstring" if options.check else f"{missing} names missing")
        sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
