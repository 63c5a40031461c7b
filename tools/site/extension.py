# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rest of the site in Sphinx: links between files of the repository, pages of examples, parts of the landing page, edit links."""
import html
import os
import pathlib
import re

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import colours
import pages
import reference

log = logging.getLogger(__name__)
ROOT = pages.ROOT


# ---- links -----------------------------------------------------------------------------------------------------------------------


def source_of(docname):
    """The file that a page is made of."""
    return pages.sources().get(docname)


def file_address(path):
    relative = path.relative_to(ROOT).as_posix()
    return (pages.FOLDER if path.is_dir() else pages.SOURCE) + relative


class Links(SphinxTransform):
    """Links of Markdown name files from the folder of their page. Those of pages lead to the page, those of other files to the repository."""

    default_priority = 10

    def apply(self, **kwargs):
        docname = self.env.docname
        home = source_of(docname)
        base = home.parent if home else ROOT / "docs"
        for node in list(self.document.traverse(lambda n: isinstance(n, (addnodes.pending_xref, addnodes.download_reference)) and n.get("reftype") == "myst")):
            target, _, heading = node["reftarget"].partition("#")
            if not target:
                node["krait"] = (docname, heading)
                continue
            path = pathlib.Path(os.path.normpath(base / target))
            page = self.page_of(path)
            if page:
                node["krait"] = (page, heading)
            elif path.exists() and ROOT in path.parents:
                link = nodes.reference("", "", *node.children, refuri=file_address(path))
                node.replace_self(link)
            else:
                log.warning("no such file: %s", node["reftarget"], location=node, type="krait")
                node.replace_self(node.children)

    def page_of(self, path):
        if path == ROOT / "README.md":
            return "index"
        made = {ROOT / "docs" / f"{name}.md": name for name in ("errors", "reference")}
        if path in made:
            return made[path]
        if path.parent == ROOT / "docs" and path.suffix == ".md" and path.stem.startswith("errors-"):
            return path.stem
        if path == ROOT / "examples":
            return "examples/index"
        if path.parent == ROOT / "examples" and path.name in pages.examples():
            return f"examples/{path.stem}"
        return next((name for name, file in pages.sources().items() if file == path), None)


class Headings(SphinxPostTransform):
    """Links to pages and their headings, as GitHub names them. Before MyST's own."""

    default_priority = 5

    def run(self, **kwargs):
        for node in list(self.document.traverse(addnodes.pending_xref)):
            if "krait" not in node:
                continue
            page, heading = node["krait"]
            address = self.env.app.builder.get_relative_uri(self.env.docname, page) if page != self.env.docname else ""
            if heading:
                labels = self.env.get_domain("std").anonlabels
                found = labels.get(f"{page}.md#{heading}") or labels.get(f"{page}.md#{heading.lower()}")
                if not found and page in self.env.all_docs and page.startswith(("reference/", "examples/")):
                    found = (page, heading)
                if not found:
                    log.warning("no such heading: %s", node["reftarget"], location=node, type="krait")
                    node.replace_self(node.children)
                    continue
                address += f"#{found[1]}"
            node.replace_self(nodes.reference("", "", *node.children, refuri=address or "#", internal=True))


# ---- code ------------------------------------------------------------------------------------------------------------------------

COMMAND = re.compile(r"(\$ |#|\./|build/bin/|(sudo|cmake|ctest|git|krait|python3?|npm|node|nice|export|g\+\+|clang\+\+|cd|tools/|docs/|\.ci/|KRAIT_\w+=|BLESS=|source|apt|apt-get|conan|vcpkg|meson|make|pip|nsys|ncu|gdb|perf|cpack|mkdir|curl|tar|dpkg)[\s\w/.])")


def language_of(code):
    """Of a block without a language: commands, a kernel in text form, or text."""
    lines = [line for line in code.splitlines() if line.strip()]
    if re.match(r"(;.*\n)*(kir \d|kernel @)", code) or sum(bool(re.match(r"\s*(%\d+: \w|store|\^\()", line)) for line in lines) * 2 > len(lines):
        return "kir"
    return "bash" if lines and all(COMMAND.match(line) or line.startswith("  ") or lines[at - 1].endswith("\\") for at, line in enumerate(lines)) else "text"


class Languages(SphinxTransform):
    default_priority = 12

    def apply(self, **kwargs):
        for node in self.document.traverse(nodes.literal_block):
            if node.get("language", "none") in ("none", "default", "") and "code" not in node["classes"][:-1]:
                node["language"] = language_of(node.astext())
            node["force"] = True  # a dash or an ellipsis in a piece of code is no mistake


# ---- directives -------------------------------------------------------------------------------------------------------------------


def literal(code, language="cpp", **more):
    node = nodes.literal_block(code, code, **more)
    node["language"] = language
    return node


def marked(text):
    """A paragraph of text with `code`."""
    paragraph = nodes.paragraph()
    for at, part in enumerate(text.split("`")):
        paragraph += nodes.literal("", part) if at % 2 else nodes.Text(part)
    return paragraph


def link(address, *inside):
    return nodes.reference("", "", *inside, refuri=address, internal=not address.startswith("http"))


class Example(SphinxDirective):
    """A page of an example: its head as text, the picture that it makes, its code, and how it is run."""

    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        stem = name.removesuffix(".cpp")
        self.env.note_dependency(str(ROOT / "examples" / name))
        head, usage, code = pages.example(name)
        made = [marked(text) for text in head]
        picture = pages.pictures().get(name)
        if picture:
            made.append(nodes.image(uri=f"/images/{picture[0]}", alt=picture[1], classes=["picture"]))
        words = usage[0].split() if usage else [stem]
        run = " ".join(["build/bin/" + stem, *(w.strip("[]") for w in words[1:] if not w.startswith("[particles") and "steps" not in w)][:3]) if usage else f"build/bin/{stem}"
        made.append(literal(f"cmake --preset release -DKRAIT_EXAMPLES=ON && cmake --build build --target {stem}\n{run}", "bash"))
        if len(usage) > 1 or (usage and "[" in usage[0]):
            made.append(marked("Arguments: " + "; ".join(f"`{line}`" for line in usage) + "."))
        made.append(literal(code))
        return made


class Examples(SphinxDirective):
    """The table of all examples."""

    def run(self):
        table = nodes.table(classes=["names"])
        group = nodes.tgroup(cols=2)
        table += group
        group += [nodes.colspec(colwidth=1), nodes.colspec(colwidth=3)]
        body = nodes.tbody()
        group += body
        for name in pages.examples():
            stem = name.removesuffix(".cpp")
            head, _, _ = pages.example(name)
            address = self.env.app.builder.get_relative_uri(self.env.docname, f"examples/{stem}")
            body += nodes.row("", nodes.entry("", nodes.paragraph("", "", link(address, nodes.literal("", stem)))), nodes.entry("", marked(head[0] if head else "")))
        return [table]


class Program(SphinxDirective):
    """The first program of README.md, as it stands there."""

    def run(self):
        self.env.note_dependency(str(ROOT / "README.md"))
        found = re.search(r"^```cpp\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M)
        if not found:
            raise self.error("README.md has no block of C++")
        return [literal(found.group(1).rstrip("\n"))]


class Charts(SphinxDirective):
    """The charts that docs/performance.md shows, or names, the first ones."""

    option_spec = {"most": directives.nonnegative_int}

    def run(self):
        self.env.note_dependency(str(ROOT / "docs/performance.md"))
        out = nodes.container(classes=["charts"])
        for path, alt in pages.charts()[: self.options.get("most", 2)]:
            address = self.env.app.builder.get_relative_uri(self.env.docname, "performance")
            out += link(address, nodes.image(uri=f"/{path}", alt=alt))
        return [out]


class Speed(SphinxDirective):
    """The lines on speed of README.md, which its test compares with the tables."""

    def run(self):
        self.env.note_dependency(str(ROOT / "README.md"))
        text = (ROOT / "README.md").read_text()
        found = re.search(r"<!-- speed:.*?-->\n(.*?)<!-- /speed -->", text, re.S)
        out = nodes.container(classes=["speed"])
        if found:
            out += marked("Two samples of kernels that nobody had tuned for, as geometric means. Above 1, Krait is faster.")
            rows = nodes.bullet_list()
            for line in found.group(1).splitlines():
                if line.startswith("- "):
                    rows += nodes.list_item("", marked(line[2:]))
            out += rows
        address = self.env.app.builder.get_relative_uri(self.env.docname, "performance")
        more = nodes.paragraph("", "Every table has its machine, driver and date: ")
        more += link(address, nodes.Text("performance"))
        more += nodes.Text(".")
        out += more
        return [out]


class Cards(SphinxDirective):
    """A list `page: what is there`; pages that do not exist are left out."""

    has_content = True
    required_arguments = 1

    def run(self):
        present = set(pages.sources()) | pages.MADE
        rows = nodes.bullet_list()
        for line in self.content:
            name, _, text = line.partition(": ")
            if name not in present:
                continue
            address = self.env.app.builder.get_relative_uri(self.env.docname, name)
            title = pages.title_of(name)
            paragraph = nodes.paragraph("", "", link(address, nodes.Text(title)))
            paragraph += nodes.inline("", text, classes=["about"])
            rows += nodes.list_item("", paragraph)
        return [nodes.container("", nodes.paragraph("", self.arguments[0], classes=["card-title"]), rows, classes=["card"])]


class Buttons(SphinxDirective):
    """The first ways to go on: `page: words` each."""

    has_content = True

    def run(self):
        present = set(pages.sources()) | pages.MADE
        rows = nodes.bullet_list(classes=["buttons"])
        for line in self.content:
            name, _, text = line.partition(": ")
            if name in present:
                rows += nodes.list_item("", nodes.paragraph("", "", link(self.env.app.builder.get_relative_uri(self.env.docname, name), nodes.Text(text))))
        return [rows]


# ---- the application --------------------------------------------------------------------------------------------------------------


def page_context(app, pagename, templatename, context, doctree):
    file = source_of(pagename)
    if file:
        edit = file.relative_to(ROOT).as_posix()
    elif pagename == "index":
        edit = "tools/site/landing.md"
    elif pagename.startswith("examples/") and pagename != "examples/index":
        edit = pagename + ".cpp"
    elif pagename in app.krait_pages:
        edit = reference.source_of(app.krait_pages[pagename])
    else:
        edit = None
    if pagename in app.krait_pages:  # the list of names beside the page
        entries = app.krait_reference[app.krait_pages[pagename]]
        if len(entries) > 1:
            rows = "".join(f'<li><a class="reference internal" href="#{reference.anchor(e.name)}"><code>{html.escape(e.name)}</code></a></li>' for e in entries)
            context["toc"] = context["furo_toc"] = f'<ul class="names"><li><a class="reference internal" href="#">{html.escape(f"<krait/{app.krait_pages[pagename]}>")}</a><ul>{rows}</ul></li></ul>'
            context["furo_hide_toc"] = False
    context["page_source_suffix"] = ".md" if edit else ""
    context["theme_source_edit_link"] = pages.EDIT + edit if edit else ""


def navigation(app, pagename, templatename, context, doctree):
    """The tree of pages as the theme asks for it. Sphinx's own resolves and copies the whole tree for each page: a third of a build."""
    env = app.env

    def rows(names, level):
        made = []
        for name in names:
            below = env.toctree_includes.get(name, [])
            here = " current" if name == pagename or pagename in below else ""
            address = html.escape(app.builder.get_relative_uri(pagename, name)) if name != pagename else "#"
            title = html.escape(env.titles[name].astext())
            inside = f"<ul>{rows(below, level + 1)}</ul>" if below else ""
            made.append(f'<li class="toctree-l{level}{here}"><a class="{here.strip()} reference internal" href="{address}">{title}</a>{inside}</li>')
        return "".join(made)

    def toctree(**kwargs):
        return "".join(f'<p class="caption" role="heading"><span class="caption-text">{title}</span></p><ul>{rows(names, 1)}</ul>' for title, names in pages.groups())

    context["toctree"] = toctree


def one_folder(app, exception):
    """Debian's furo takes two files from elsewhere: a style sheet from the folder of the server, and a script as a module. Here they are one."""
    static = pathlib.Path(app.outdir) / "_static"
    style, script = static / "styles/furo.css", static / "scripts/furo.js"
    if exception or not style.exists():
        return
    asked = "@import url(/javascript/normalize.css/normalize.css);"
    text = style.read_text()
    if asked in text:
        style.write_text(text.replace(asked, pathlib.Path("/usr/share/javascript/normalize.css/normalize.css").read_text()))
    text = script.read_text()
    module = 'import Gumshoe from "./gumshoe-patched.js";'
    if module in text:
        script.write_text((static / "scripts/gumshoe-patched.js").read_text() + text.replace(module, ""))


def setup(app):
    app.connect("build-finished", one_folder)
    for name, directive in (("krait-example", Example), ("krait-examples", Examples), ("krait-program", Program), ("krait-charts", Charts), ("krait-cards", Cards), ("krait-buttons", Buttons),
                            ("krait-speed", Speed)):
        app.add_directive(name, directive)
    app.add_transform(Links)
    app.add_transform(Languages)
    app.add_post_transform(Headings)
    app.add_lexer("kir", colours.Kir)
    app.add_lexer("cpp", colours.Cpp)
    app.connect("html-page-context", navigation, priority=100)  # before the theme
    app.connect("html-page-context", page_context, priority=900)  # after the theme
    return {"parallel_read_safe": False}
