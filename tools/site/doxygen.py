# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public names of the headers, read from Doxygen's XML: a list of entries per header, in the order of the source.

A signature is shown as a reader needs it: without attributes, constraints, the source location that a call passes on, and krait::detail.
Overloads are one entry; those that look alike after that are one signature."""
import dataclasses
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
sys.path.append(str(ROOT / "tools"))
import headers  # noqa: E402


def run(folder):
    """Runs Doxygen. Returns the folder of the XML, and the warnings about comments."""
    settings = (pathlib.Path(__file__).parent / "Doxyfile").read_text()
    settings += f"\nOUTPUT_DIRECTORY = {folder}\nINPUT = {INCLUDE}/krait\nINCLUDE_PATH = {INCLUDE}\nSTRIP_FROM_PATH = {INCLUDE}\n"
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"tools/site/build: doxygen failed\n{done.stderr}")
    # A view is a kind of itself with const elements; Doxygen warns of that.
    wrong = [line.replace(f"{ROOT}/", "") for line in done.stderr.splitlines() if ": warning: " in line and "recursive class relation" not in line]
    return folder / "xml", wrong


@dataclasses.dataclass
class Entry:
    kind: str  # function, class, enum, enumerator, var, type, concept
    name: str  # below krait, as a reader writes it: warp::shfl
    header: str
    line: int
    signatures: list = dataclasses.field(default_factory=list)
    docs: list = dataclasses.field(default_factory=list)  # elements of the XML: those of each overload that has some
    members: list = dataclasses.field(default_factory=list)
    again: set = dataclasses.field(default_factory=set)  # signatures that look like those of another header


# ---- signatures ------------------------------------------------------------------------------------------------------------------


def text_of(element):
    return "" if element is None else re.sub(r"\s+", " ", "".join(element.itertext())).strip()


def split(text):
    """The parts between commas that are in no bracket."""
    parts, depth, part = [], 0, ""
    for at, c in enumerate(text):
        if c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[at - 1 : at] != "-"):
            depth -= 1
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return [p.strip() for p in [*parts, part] if p.strip()]


def closing(text, at):
    """The position after the bracket that closes the one at `at`."""
    pairs, depth = {"(": ")", "<": ">", "[": "]", "{": "}"}, 0
    opening, close = text[at], pairs[text[at]]
    for i in range(at, len(text)):
        depth += (text[i] == opening) - (text[i] == close)
        if depth == 0:
            return i + 1
    return len(text)


def spaced(text):
    """As clang-format writes it: `const array<Elem, Rank>& a`."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\s*<\s*", "<", text)
    text = re.sub(r"\s+>", ">", text)
    text = re.sub(r"\s*(&&?|\*)\s*(?=[\w(.])", r"\1 ", text)
    text = re.sub(r"\(\s*([&*]+)\s*(\w*)\)", r"(\1\2)", text)
    text = re.sub(r"\s+([&*]+)$", r"\1", text)
    text = re.sub(r"([&*]) \.\.\.", r"\1...", text)
    return re.sub(r"\s*\.\.\.\s*", "... ", text).strip()


WORDS = [
    (r"\[\[[^\]]*\]\]", ""),
    (r"\b(inline|KRAIT_API|explicit)\b(?!\s*\()", ""),
    (r"\bexplicit\s*\([^()]*(\([^()]*\))*[^()]*\)", ""),
    (r"\btypename (\w+)::traced_type\b", r"\1"),
    (r"\bstd::remove_cvref_t< *(\w+) *>", r"\1"),
    (r"\bdetail::any_extent\b", "Extent"),
    (r"\bdetail::(operand|subscript|logical_left)\b", "operand"),
    (r"\bdetail::(located_double)\b", "double"),
    (r"\bconst detail::(fixed_text|located_text) ?&", "const char*"),
    (r"\bdetail::(fixed_text|located_text)\b", "const char*"),
    (r"\bkrait::", ""),
    (r"\bdetail::(\w+::)*", ""),
]


def shortened(text, traced):
    """Without words that a reader does not need. A parameter of a traced type is a value of that type."""
    for pattern, new in WORDS:
        text = re.sub(pattern, new, text)
    for name in traced:
        text = re.sub(rf"\bconst {name} ?& ?", f"value<{name}> ", text)
    return spaced(text)


def template_of(element):
    """(parameters as they are shown, names of those that are traced types)."""
    shown, traced = [], []
    for param in element.findall("templateparamlist/param"):
        kind, name = text_of(param.find("type")), text_of(param.find("declname"))
        default = text_of(param.find("defval"))
        if not name and (found := re.match(r"(.*[\s.>])(\w+)$", kind)):  # Doxygen leaves the name of a class in its type
            kind, name = found.group(1).strip(), found.group(2)
        if re.match(r"detail::(traced|traced_operand|traced_number)\b", kind) and "..." not in kind:
            traced.append(name)
        if re.match(r"(detail|std)::\w+", kind) and not re.match(r"std::(size_t|u?int\d+_t)\b", kind):
            kind = "class..." if "..." in kind else "class"
        kind = re.sub(r"\s*\.\.\.", "...", shortened(kind, ()))
        shown.append(f"{kind} {name}".strip() + (f" = {shortened(default, ())}" if default and "detail::" not in default and default != "void" else ""))
    return shown, traced


# Types of parameters that no user's call has: constructors and the like for the library's own.
INTERNAL = re.compile(r"detail::(node|node_source|node_list|place|place_source|access|kernel_state|memory_share|layout|tile_nodes|known_csr|storage|web_kernel_state|candidate_state)\b")


def function(member, name):
    """(signature, parameters and qualifiers), or None for one that is not to be called."""
    arguments = text_of(member.find("argsstring"))
    if text_of(member.find("name")) == "explicit":  # Doxygen reads explicit(condition) as a function
        made = re.search(r"(\w+)\(", arguments[closing(arguments, 0) :])
        if made.group(1) != name:  # of a base
            return None
        arguments = arguments[closing(arguments, 0) + made.end(1) :]
    if INTERNAL.search(arguments) or re.match(rf"\((const )?{re.escape(name)}(< ?\w+ ?>)? ?&&? ?\w*\)", arguments):
        return None
    if name == "operator=" and re.match(r"\((const )?\w+(< ?\w+ ?>)? ?&&? ?(other|from|x)?\)", arguments) and (member.get("refqual") is None or "&&" in arguments):
        return None
    if arguments.endswith("=delete") or arguments.endswith("= delete"):
        return None
    template, traced = template_of(member)
    end = closing(arguments, 0) if arguments else 0
    params = []
    for param in split(arguments[1 : end - 1]):
        if re.match(r"(detail::)?location\b", param):
            continue
        kind, _, default = param.partition("=") if not re.search(r"operator|<=|>=|==", param) else (param, "", "")
        shown = shortened(kind, traced)
        if default.strip():
            shown += " = " + (shortened(default, ()) if "detail::" not in default else "…")
        params.append(shown)
    after = re.sub(r"=\s*default|override|\bfinal\b", "", arguments[end:])
    after = re.sub(r"(?<=&)noexcept", " noexcept", re.sub(r"\brequires\b.*", "", after))
    result = text_of(member.find("type"))
    result = re.sub(r"^(friend|static|constexpr|virtual|auto)\s+(?=\w)", "", re.sub(r"\b(constexpr|consteval|friend|virtual)\b", "", result)).strip()
    result = re.sub(r"^::\w+ ", "", result)  # the end of a constraint
    if "decltype(" in result or result.startswith("->"):
        result = "auto"
    result = shortened(result, ())
    static = "static " if member.get("static") == "yes" and "::" not in name and member.get("id", "").startswith(("class", "struct")) else ""
    head = f"template<{', '.join(template)}> " if template else ""
    shown = f"{head}{static}{result} {name}({', '.join(params)}) {after}"
    return re.sub(r"\s+", " ", shown).strip(), ", ".join(params) + after


def same_words(signature):
    """A signature without the names and defaults of parameters: those that the domain of C++ takes for the same are the same."""
    begin = signature.index("(", closing(signature, signature.index("<")) if signature.startswith("template") else 0)
    while signature[begin - 8 : begin + 2] == "operator()":
        begin = signature.index("(", begin + 1)
    params = split(signature[begin + 1 : closing(signature, begin) - 1])
    params = [re.sub(r"(?<=[>&*.\w] )\w+$", "", re.sub(r"(?<!=|<|>|!)=(?!=).*", "", p).strip()).strip() if " " in p else p for p in params]
    params = [re.sub(r"\s+", "", re.sub(r"(?<=&|\*)\w+$", "", p)) for p in params]
    head = signature[: closing(signature, signature.index("<"))] if signature.startswith("template") else ""
    return re.sub(r"\s|=[^,>]*", "", head) + re.search(r"\S*$", signature[:begin]).group(0) + "(" + ",".join(params) + ")" + signature[closing(signature, begin) :].replace(" ", "").replace("noexcept", "")


# ---- entries ---------------------------------------------------------------------------------------------------------------------

HOMES = {"detail/all.h": "slice.h", "detail/text.h": "kernel.h", "detail/arguments.h": "kernel.h", "detail/deferred_members.h": "expression.h", "detail/vec_operators.h": "vec.h", "algorithm/detail/result.h": "algorithm/reduce.h",
         "detail/dist/calls.h": "dist.h", "detail/dist/elements.h": "dist.h", "detail/dist/functions.h": "dist.h"}
# Classes of krait::detail that calls give, and whose members users call: shown as if they were krait's.
RETURNED = {"atomic_element": "atomic.h", "attributes_type": "kernel.h", "bound_kernel": "kernel.h", "elementwise_call": "vectorize.h",
            "generalized_call": "guvectorize.h", "if_chain": "control.h", "switch_chain": "control.h"}
CLASS_HOMES = {**RETURNED, "var": "value.h", "ref": "memory.h"}  # their forms for structs stand in another header
HIDDEN = re.compile(r"^(operator(?!\(\)|\[\]|=$)|~)")


class Reader:
    def __init__(self, folder):
        self.folder = folder
        self.headers = {}  # header: entries
        self.compounds = {}
        for path in folder.glob("*.xml"):
            if path.name.startswith(("class", "struct", "union", "namespace", "concept")) or path.name.endswith("_8h.xml"):
                for compound in ET.parse(path).getroot().iter("compounddef"):
                    self.compounds[compound.get("id")] = compound

    def read(self):
        classes = {}
        for compound in self.compounds.values():
            name = re.sub(r"\s", "", text_of(compound.find("compoundname")))
            kind = compound.get("kind")
            if name.split("<")[0].removeprefix("krait::detail::") in RETURNED and kind in ("class", "struct"):
                name = name.replace("detail::", "", 1)
            if not name.startswith("krait") or re.search(r"\bdetail\b", name.split("<")[0]):
                continue
            if kind == "namespace":
                self.members(compound, name.removeprefix("krait").removeprefix("::"), None)
            elif kind in ("class", "struct", "union") and compound.get("prot") == "public" and "::" not in name.split("<")[0].removeprefix("krait::").removeprefix("vulkan::").removeprefix("dist::"):
                classes.setdefault(name.split("<")[0], []).append(compound)
            elif kind == "concept":
                self.concept(compound, name.removeprefix("krait::"))
        for name, found in classes.items():
            self.klass(name.removeprefix("krait::"), sorted(found, key=lambda c: "<" in text_of(c.find("compoundname"))))
        c = next((c for name, c in self.compounds.items() if name.endswith("krait__c_8h") and c.find("sectiondef") is not None), None)
        if c is not None:
            self.members(c, "", None)
        for entries in self.headers.values():
            entries.sort(key=lambda e: e.line)
        return {header: self.headers[header] for header in sorted(self.headers)}

    def place(self, element):
        """(header, line). Names of krait that stand in a folder detail belong to the header that gives them to users."""
        where = element.find("location")
        if where is None:
            return "", 0
        header = headers.spelled(where.get("file", "")).removeprefix("krait/")
        return HOMES.get(header, header), int(where.get("line", 0))

    def add(self, entry, owner):
        if owner is not None:
            owner.members.append(entry)
        else:
            self.headers.setdefault(entry.header, []).append(entry)

    def members(self, compound, scope, owner):
        """Those of a namespace or a class, overloads as one."""
        known = {}
        for member in compound.findall("sectiondef/memberdef"):
            self.member(member, scope, owner, known)

    def member(self, member, scope, owner, known):
        kind, name = member.get("kind"), text_of(member.find("name"))
        header, line = self.place(member)
        if member.get("prot") != "public" or kind in ("friend", "define") or HIDDEN.match(name) or not header or not name or name.startswith("@"):
            return
        if owner is None and (name.startswith("operator") or (kind == "function" and not text_of(member.find("type")))):  # also guides of deduction
            return
        if owner is not None and name in ("explicit", "handle"):
            name = owner.name.split("::")[-1] if name == "explicit" else ""
            if not name:
                return
        if owner is not None and name == owner.name and name in RETURNED:  # nobody makes one
            return
        shown = name if owner is not None or not scope else f"{scope}::{name}"
        docs = [member.find(part) for part in ("briefdescription", "detaileddescription")]
        docs = [d for d in docs if d is not None and text_of(d)]
        if docs and text_of(docs[0]).lower().startswith("never usable"):  # an assertion that tells how it is written
            return
        if kind == "function":
            made = function(member, shown)
            if made is None:
                return
            signature, params = made
            # Without the name of its class: a constructor that the class has anyway.
            if owner is not None and name == owner.name.split("::")[-1] and not docs and not params.strip():
                return
            key = (header, name)
            if key not in known:
                known[key] = (Entry("function", shown, header, line), set())
                self.add(known[key][0], owner)
            entry, seen = known[key]
            alike = same_words(signature)
            if alike not in seen:
                seen.add(alike)
                entry.signatures.append(signature)
            entry.docs += [docs] if docs else []
        elif kind == "enum":
            entry = Entry("enum class" if member.get("strong") == "yes" else "enum", shown, header, line, [shown], [docs] if docs else [])
            for value in member.findall("enumvalue"):
                inside = [value.find(part) for part in ("briefdescription", "detaileddescription")]
                inside = [d for d in inside if d is not None and text_of(d)]
                entry.members.append(Entry("enumerator", text_of(value.find("name")), header, line, [text_of(value.find("name"))], [inside] if inside else []))
            self.add(entry, owner)
        elif kind in ("variable", "typedef"):
            if (header, name) in known:
                return
            template, _ = template_of(member)
            head = f"template<{', '.join(template)}> " if template else ""
            kind_text = text_of(member.find("type"))
            if kind == "typedef" and kind_text.split()[-1:] == [name]:  # typedef struct x x;
                if kind_text.startswith("enum") or any(text_of(c.find("compoundname")) == name for c in self.compounds.values()):
                    return
                kind_text = "detail::"
            if kind == "typedef":
                signature = f"{head}{shown}" + (f" = {shortened(kind_text, ())}" if "detail::" not in kind_text and len(kind_text) < 60 else "")
            else:
                static = "static " if member.get("static") == "yes" and owner is not None else ""
                plain = re.sub(r"\b(inline|constexpr|static|mutable|extern)\b", "", kind_text).strip()
                plain = "const auto" if "detail::" in plain else shortened(plain, ())
                extents = text_of(member.find("argsstring"))
                signature = f"{head}{static}{'constexpr ' if 'constexpr' in kind_text else ''}{plain} {shown}{extents}"
            entry = Entry("var" if kind == "variable" else "type", shown, header, line, [spaced(signature)], [docs] if docs else [])
            known[header, name] = (entry, set())
            self.add(entry, owner)

    def concept(self, compound, name):
        header, line = self.place(compound)
        template, _ = template_of(compound)
        docs = [d for d in (compound.find("briefdescription"), compound.find("detaileddescription")) if text_of(d)]
        self.add(Entry("concept", name, header, line, [f"template<{', '.join(template) or 'class T'}> {name}"], [docs] if docs else []), None)

    def klass(self, name, compounds):
        """A class with its specialisations and the public classes that it comes from."""
        first = next((c for c in compounds if self.place(c)[0].endswith(f"{name}.h")), None) or next((c for c in compounds if text_of(c.find("briefdescription"))), compounds[0])
        header, line = self.place(first)
        template, _ = template_of(compounds[0])
        head = f"template<{', '.join(template)}> " if template else ""
        docs = next((d for c in (first, *compounds) if (d := [d for d in (c.find("briefdescription"), c.find("detaileddescription")) if text_of(d)])), [])
        if name in CLASS_HOMES:
            header = CLASS_HOMES[name]
        entry = Entry("class", name, header, line, [head + name], [docs] if docs else [])
        known, done = {}, set()

        def take(compound):
            if compound is None or compound.get("id") in done:
                return
            done.add(compound.get("id"))
            for member in compound.findall("sectiondef/memberdef"):
                if member.get("kind") != "friend" and not (member.get("kind") == "function" and text_of(member.find("name")) in inherited_out and compound not in compounds):
                    self.member(member, "", entry, known)
            for base in compound.findall("basecompoundref"):
                if base.get("prot") == "public":
                    take(self.base(base))

        inherited_out = {text_of(c.find("compoundname")).split("::")[-1].split("<")[0].strip() for c in map(self.base, first.findall("basecompoundref")) if c is not None}
        for compound in compounds:
            take(compound)
        # Overloads of bases are one with the class's.
        by_name = {}
        for member in entry.members:
            if member.kind == "function" and (one := by_name.get(member.name)):
                alike = {same_words(s) for s in one.signatures}
                one.signatures += [s for s in member.signatures if same_words(s) not in alike]
                one.docs += member.docs
            else:
                by_name.setdefault(member.name, member)
        entry.members = list(by_name.values())
        self.add(entry, None)

    def base(self, reference):
        if reference.get("refid"):
            return self.compounds.get(reference.get("refid"))
        name = text_of(reference).split("<")[0].strip().removeprefix("krait::")
        return next((c for c in self.compounds.values() if text_of(c.find("compoundname")).split("<")[0].strip().removeprefix("krait::") == name), None)


def without_twins(signatures):
    """Extents in braces are taken as whole numbers of one type, and as those of several: one line for both, with the head that names the type."""
    kept = {}
    for signature in signatures:
        head = signature[: closing(signature, signature.index("<"))] if signature.startswith("template") else ""
        key = signature[len(head) :].strip() if "Extent(&" in signature else signature
        if key not in kept or len(kept[key]) < len(signature):
            kept[key] = signature
    return list(kept.values())


def entries(folder):
    """By header. Signatures that another header has, too, once they are shortened, are in `again` of theirs."""
    found = Reader(folder).read()
    for listed in found.values():
        for entry in listed:
            for one in (entry, *entry.members):
                one.signatures = without_twins(one.signatures)
    seen = set()
    for listed in found.values():
        for entry in listed:
            if entry.kind == "function":
                for signature in entry.signatures:
                    key = same_words(signature)
                    (entry.again if key in seen else seen).add(key if key not in seen else signature)
    return found


if __name__ == "__main__":
    xml, warnings = run(pathlib.Path(sys.argv[1]))
    print(*warnings, sep="\n", file=sys.stderr)
    for header, found in entries(xml).items():
        print(f"== {header}")
        for e in found:
            print(f"{e.line} {e.kind} {e.name} docs={len(e.docs)}")
            for s in e.signatures:
                print("     ", s)
            for m in e.members:
                print("    .", m.line, m.kind, m.name, "docs=%d" % len(m.docs))
                for s in m.signatures:
                    print("          ", s)
