# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference: pages of headers in Sphinx's domain of C++, from the entries that doxygen.py reads.

A page says `.. krait-header:: algorithm/reduce.h`. Entries are made by the domain's own directives, so that names are found by search, by
links from other signatures and in objects.inv; docstrings become nodes here, and a mistake in one names its header and line."""
import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.domains import cpp
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import doxygen
import headers
import pages

log = logging.getLogger(__name__)


# ---- docstrings ------------------------------------------------------------------------------------------------------------------


CODE = re.compile(r"((?:kr|krait|std|numpy|np|cupy)(?:::|\.)\w+(?:::\w+)*(?:<\w[\w:, *&]*>+)?(?:\(\))?|error\{\w+\}|<[\w/]+\.h>|-?\b\w+\(\)|`[^`]+`)")


def words(text):
    """Text with names of C++ as code; those of the reference are links."""
    for at, part in enumerate(CODE.split(re.sub(r"\s+", " ", text))):
        if not at % 2:
            if part:
                yield nodes.Text(part)
            continue
        node = nodes.literal("", part.strip("`"))
        name = re.match(r"(?:kr|krait)::([\w:]+)", part)
        place = HERE.get(name.group(1)) or LINKS.get(name.group(1)) if name else LINKS.get("error") if part.startswith("error{") else None
        yield nodes.reference("", "", node, refuri=place, internal=True) if place else node


HERE = {}  # by name: its place on the page that is being made
LINKS = {}  # by name: its place, from another page of the reference


def inline(element, out):
    """The words of an element and of those in it."""
    if element.text:
        out += list(words(element.text))
    for child in element:
        tag = child.tag
        if tag in ("computeroutput", "verbatim"):
            out += nodes.literal("", doxygen.text_of(child))
        elif tag == "bold":
            out += nodes.strong("", doxygen.text_of(child))
        elif tag == "emphasis":
            out += nodes.emphasis("", doxygen.text_of(child))
        elif tag == "ulink":
            out += nodes.reference("", doxygen.text_of(child), refuri=child.get("url"))
        elif tag in ("superscript", "subscript"):
            out += getattr(nodes, tag)("", doxygen.text_of(child))
        elif tag in SIGNS:
            out += nodes.Text(SIGNS[tag])
        elif tag == "linebreak":
            out += nodes.Text(" ")
        elif tag == "ref":
            out += list(words(doxygen.text_of(child)))
        elif tag not in BLOCKS:
            inline(child, out)
        if child.tail and tag not in BLOCKS:
            out += list(words(child.tail))


SIGNS = {"ndash": "–", "mdash": "—", "nonbreakablespace": " ", "sect": "§", "plusmn": "±", "times": "×", "le": "≤", "ge": "≥"}
BLOCKS = {"programlisting", "preformatted", "verbatim", "itemizedlist", "orderedlist", "simplesect", "parameterlist", "blockquote", "para"}


def code_of(element):
    lines = []
    for line in element.findall("codeline"):
        text = ""
        for part in line.iter():
            if part.tag == "sp":
                text += " " + (part.tail or "")
            else:
                text += (part.text or "") + ((part.tail or "") if part is not line else "")
        lines.append(text.rstrip())
    if not lines:
        lines = "".join(element.itertext()).strip("\n").splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines).strip("\n")


def literal(code, language="cpp"):
    node = nodes.literal_block(code, code)
    node["language"] = language
    return node


def blocks(element):
    """The nodes of a description."""
    made = []
    for para in element:
        if para.tag in ("itemizedlist", "orderedlist"):
            made += listed(para)
            continue
        if para.tag not in ("para", "blockquote"):
            if para.tag in BLOCKS:
                made += block(para)
            continue
        if para.tag == "blockquote":
            made += blocks(para)
            continue
        words, rest = nodes.paragraph(), []
        part = type(para)("para")
        part.text = para.text

        def flush():
            nonlocal part, words
            words = nodes.paragraph()
            inline(part, words)
            if words.astext().strip():
                trimmed(words)
                made.append(words)
            part = type(para)("para")

        for child in para:
            if child.tag in BLOCKS and not (child.tag == "verbatim" and "\n" not in (child.text or "").strip()):
                flush()
                made += block(child)
                part.text = child.tail
            else:
                part.append(child)
        flush()
        made += rest
    return made


def trimmed(paragraph):
    for at, turn in ((0, str.lstrip), (-1, str.rstrip)):
        if isinstance(paragraph[at], nodes.Text):
            paragraph[at] = nodes.Text(turn(paragraph[at].astext()))


def listed(element):
    out = nodes.bullet_list() if element.tag == "itemizedlist" else nodes.enumerated_list()
    for item in element.findall("listitem"):
        out += nodes.list_item("", *blocks(item))
    return [out]


def block(element):
    if element.tag in ("programlisting", "preformatted", "verbatim"):
        return [literal(code_of(element))]
    if element.tag in ("itemizedlist", "orderedlist"):
        return listed(element)
    if element.tag == "simplesect":
        made = blocks(element)
        if made and isinstance(made[0], nodes.paragraph):
            made[0].insert(0, nodes.strong("", {"return": "Returns ", "see": "See ", "note": "Note: "}.get(element.get("kind"), "")))
        return made
    if element.tag == "parameterlist":
        rows = nodes.bullet_list()
        for item in element.findall("parameteritem"):
            names = [doxygen.text_of(name) for name in item.findall("parameternamelist/parametername")]
            text = blocks(item.find("parameterdescription"))
            words = text[0] if text else nodes.paragraph()
            words.insert(0, nodes.Text(": "))
            words.insert(0, nodes.literal("", ", ".join(names)))
            if element.get("kind") == "exception":
                words.insert(0, nodes.Text("Throws "))
            rows += nodes.list_item("", words, *text[1:])
        return [rows]
    return blocks(element)


def description(entry):
    made, seen = [], set()
    for docs in entry.docs:
        text = " ".join(map(doxygen.text_of, docs))
        if text in seen:
            continue
        seen.add(text)
        parts = [b for d in docs for b in blocks(d)]
        for part in parts:
            if made and isinstance(part, nodes.paragraph) and part.astext() in {m.astext() for m in made}:
                continue
            made.append(part)
    for node in made:
        for one in node.traverse():
            one.source, one.line = source_of(entry.header), entry.line
    return made


def first_sentence(entry):
    for docs in entry.docs:
        for part in docs:
            for node in blocks(part):
                if isinstance(node, nodes.paragraph):
                    text = node.astext()
                    end = re.search(r"(?<![.\s]\w)[.;:](?=\s|$)", text)
                    return node, text[: end.start()] if end else text
    return None, ""


# ---- entries ---------------------------------------------------------------------------------------------------------------------


def nested(base):
    """A directive of the domain whose content is made here."""

    class Made(base):
        def handle_signature(self, signature, node):
            """One that another page has, too, stands in a tree of its own: names are to lead to one place."""
            if signature not in self.again:
                return super().handle_signature(signature, node)
            data = self.env.temp_data
            kept = {key: data.get(key) for key in ("cpp:parent_symbol", "cpp:last_symbol")}
            root = cpp.Symbol(None, None, None, None, None, None, None)
            data["cpp:parent_symbol"] = root._add_symbols(cpp.DefinitionParser("krait", location=node, config=self.config).parse_namespace_object().nestedName, [], None, None, None)
            data["cpp:last_symbol"] = None
            made = super().handle_signature(signature, node)
            data["cpp:parent_symbol"] = kept["cpp:parent_symbol"]
            data["cpp:last_symbol"] = kept["cpp:last_symbol"] or data["cpp:last_symbol"]
            return made

        def add_target_and_index(self, ast, signature, node):
            if signature not in self.again:
                super().add_target_and_index(ast, signature, node)

        def transform_content(self, content):
            for node in self.filled():
                content += node

    return Made


DIRECTIVES = {
    "function": ("cpp:function", nested(cpp.CPPFunctionObject)),
    "class": ("cpp:class", nested(cpp.CPPClassObject)),
    "enum": ("cpp:enum", nested(cpp.CPPEnumObject)),
    "enum class": ("cpp:enum-class", nested(cpp.CPPEnumObject)),
    "enumerator": ("cpp:enumerator", nested(cpp.CPPEnumeratorObject)),
    "var": ("cpp:var", nested(cpp.CPPMemberObject)),
    "type": ("cpp:type", nested(cpp.CPPTypeObject)),
    "concept": ("cpp:concept", nested(cpp.CPPConceptObject)),
}


def anchor(name):
    return re.sub(r"[^\w]+", "-", name.replace("operator()", "call").replace("operator[]", "subscript").replace("operator=", "assign")).strip("-")


class Header(SphinxDirective):
    required_arguments = 1

    def run(self):
        header = self.arguments[0]
        entries = self.env.app.krait_reference[header]
        self.env.temp_data.pop("cpp:parent_symbol", None)
        HERE.clear()
        HERE.update({entry.name: f"#{anchor(entry.name)}" for entry in entries})
        self.names = {}
        made = self.namespace("krait") if header != "krait_c.h" else []
        made += self.contents(entries)
        for entry in entries:
            made += self.entry(entry)
        return made

    def namespace(self, name):
        return cpp.CPPNamespaceObject("cpp:namespace", [name], {}, StringList(), self.lineno, 0, "", self.state, self.state_machine).run()

    def contents(self, entries):
        """A table of names with a sentence each, where there are several."""
        if len(entries) < 2:
            return []
        table = nodes.table(classes=["names"])
        group = nodes.tgroup(cols=2)
        table += group
        group += [nodes.colspec(colwidth=1), nodes.colspec(colwidth=3)]
        body = nodes.tbody()
        group += body
        for entry in entries:
            node, _ = first_sentence(entry)
            name = nodes.paragraph("", "", nodes.reference("", "", nodes.literal("", entry.name), refid=self.id_of(entry), internal=True))
            sentence = nodes.paragraph()
            if node is not None:
                short = node.deepcopy()
                cut = shortened(short)
                sentence += cut
            body += nodes.row("", nodes.entry("", name), nodes.entry("", sentence))
        return [table]

    def id_of(self, entry, owner=None):
        return anchor(f"{owner.name}-{entry.name}" if owner else entry.name)

    def entry(self, entry, owner=None):
        name, directive = DIRECTIVES[entry.kind]
        signatures = entry.signatures
        options = {"nocontentsentry": None} if entry.kind == "enumerator" else {}
        source = source_of(entry.header)
        content = StringList([], items=[])
        one = directive(name, ["\n".join(s.replace("\n", " ") for s in signatures)], options, content, self.lineno, 0, "", self.state, self.state_machine)
        one.get_source_info = lambda: (source, entry.line)

        def filled():
            made = description(entry)
            for member in entry.members:
                made += self.entry(member, entry)
            return made

        one.filled, one.again = filled, entry.again
        one.get_signatures = lambda: signatures
        index, desc = one.run()
        desc["classes"].append("member" if owner else "entry")
        identity = self.id_of(entry, owner)
        for text, signature in zip(signatures, [n for n in desc.children if isinstance(n, addnodes.desc_signature)]):
            redrawn(signature, text, entry)
        for signature in desc.traverse(addnodes.desc_signature):
            if signature.parent is desc:
                if identity not in self.names:
                    self.names[identity] = True
                    signature["ids"].insert(0, identity)
                break
        if owner is None:
            where = nodes.container(classes=["where"])
            line = nodes.paragraph("", "")
            line += nodes.literal("", f"#include <krait/{entry.header}>")
            line += nodes.Text(" ")
            line += nodes.reference("", "source", refuri=f"{pages.SOURCE}{source}#L{entry.line}")
            where += line
            content_node = next(c for c in desc.children if isinstance(c, addnodes.desc_content))
            content_node.insert(0, where)
        return [index, desc]


KEYWORDS = set("template class typename auto const constexpr static noexcept int unsigned bool float double void char long signed struct enum using concept".split())


def redrawn(node, text, entry):
    """The signature as the sources are written, in lines that wrap with an indent; types that the reference has are links."""
    node.clear()
    node["is_multiline"] = False
    kind = {"enum": "enum ", "enum class": "enum class ", "class": "class ", "type": "using ", "concept": "concept "}.get(entry.kind, "")
    head = ""
    if text.startswith("template"):
        end = doxygen.closing(text, text.index("<"))
        head, text = text[:end], text[end:].strip()
    if head:
        node += nodes.inline("", "", *colours_of(head, None), classes=["template-head"])
    node += nodes.inline("", "", *colours_of(kind + text, entry.name), classes=["declaration"])


def colours_of(text, name):
    at = text.find(name + "(") if name and name + "(" in text else text.rfind(name) if name else -1
    parts = [(text, False)] if at < 0 else [(text[:at], False), (name, True), (text[at + len(name) :], False)]
    for part, is_name in parts:
        if is_name:
            yield addnodes.desc_name("", "", addnodes.desc_sig_name(part, part))
            continue
        for found in re.finditer(r"\w+|\W+", part):
            word = found.group(0)
            if word in KEYWORDS:
                yield nodes.inline("", word, classes=["word"])
            elif word in TYPES and re.match(r"\s*[<&*]|\s+\w|::|$", part[found.end() :]):  # else it is a parameter's name
                yield nodes.reference("", word, refuri=TYPES[word], internal=True)
            else:
                yield nodes.Text(word)


TYPES = {}  # classes and the like, as LINKS


def remember(reference):
    """Fills the tables of names that texts and signatures link to."""
    for header, entries in reference.items():
        page = pages.slug(header).removeprefix("reference/") + ".html"
        for entry in entries:
            LINKS.setdefault(entry.name, f"{page}#{anchor(entry.name)}")
            if entry.kind in ("class", "enum", "enum class", "concept", "type"):
                TYPES.setdefault(entry.name, f"{page}#{anchor(entry.name)}")
            for member in entry.members:
                LINKS.setdefault(f"{entry.name}::{member.name}", f"{page}#{anchor(entry.name + '-' + member.name)}")


def shortened(paragraph):
    """The children of the first sentence."""
    out = []
    for child in paragraph.children:
        if isinstance(child, nodes.Text):
            text = child.astext()
            end = re.search(r"(?<!e\.g)(?<!i\.e)[.;](?=\s|$)", text)
            if end:
                out.append(nodes.Text(text[: end.start()]))
                return out
        out.append(child)
    text = out[-1].astext() if out else ""
    if out and isinstance(out[-1], nodes.Text) and text.rstrip().endswith(":"):
        out[-1] = nodes.Text(text.rstrip()[:-1])
    return out


class Topics(SphinxDirective):
    """The first page of the reference: headers by topic, each with links to its names."""

    def run(self):
        made = []
        for title, _ in pages.TOPICS:
            section = nodes.section(ids=[anchor(title.lower())])
            section += nodes.title("", title)
            table = nodes.table(classes=["names", "topics"])
            group = nodes.tgroup(cols=2)
            table += group
            group += [nodes.colspec(colwidth=1), nodes.colspec(colwidth=4)]
            body = nodes.tbody()
            group += body
            for header in pages.in_order(self.env.app.krait_reference, title):
                entries = self.env.app.krait_reference[header]
                page = self.env.app.builder.get_relative_uri(self.env.docname, pages.slug(header))
                names = nodes.paragraph(classes=["name-list"])
                for entry in entries:
                    names += nodes.reference("", "", nodes.literal("", entry.name), refuri=f"{page}#{anchor(entry.name)}", internal=True)
                    names += nodes.Text(" ")
                head = nodes.paragraph("", "", nodes.reference("", "", nodes.literal("", header), refuri=page, internal=True))
                body += nodes.row("", nodes.entry("", head), nodes.entry("", names))
            section += table
            made.append(section)
        return made


def page(header):
    """The page of a header, as reStructuredText."""
    about, code = head_of(header)
    title = f"<krait/{header}>"
    return (f":tocdepth: 2\n\n{title}\n{'=' * len(title)}\n\n.. krait-about:: {header}\n\n"
            f".. krait-header:: {header}\n")


def source_of(header):
    """Its path in the repository."""
    return str(headers.home("krait/" + header).relative_to(headers.ROOT))


def head_of(header):
    """The text and the code of the comment that a header begins with."""
    lines = headers.home("krait/" + header).read_text().splitlines()
    text, code = [], []
    for line in lines[1:]:
        if not line.startswith("//") or line.startswith("///"):
            break
        line = line[2:]
        if line.startswith("   "):
            code.append(line)
        elif line.strip():
            text.append(line.strip())
    indent = min((len(line) - len(line.lstrip()) for line in code), default=0)
    return " ".join(text), "\n".join(line[indent:] for line in code)


class About(SphinxDirective):
    required_arguments = 1

    def run(self):
        text, code = head_of(self.arguments[0])
        made = []
        if text:
            paragraph = nodes.paragraph()
            paragraph += list(words(text))
            made.append(paragraph)
        if code:
            made.append(literal(code))
        return made


class Names(cpp.CPPDomain):
    """The domain of C++, whose search finds kr::sum, and no parameters."""

    def get_objects(self):
        for name, shown, kind, page, place, priority in super().get_objects():
            if kind not in ("templateParam", "functionParam"):
                yield name, re.sub(r"^krait::", "kr::", shown), kind, page, place, priority


def setup(app):
    app.add_domain(Names, override=True)
    app.add_directive("krait-header", Header)
    app.add_directive("krait-topics", Topics)
    app.add_directive("krait-about", About)
    return {"parallel_read_safe": False}
