#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation as a site: tools/site.py [FOLDER], by default out/site. Needs mkdocs (Debian: mkdocs).

The pages are README.md and docs/*.md, and those that are made here: the errors from their tests (error_pages.py), and the reference of public
names from the headers' comments. tools/site.py --check makes no site: it fails where a link leads nowhere, a public name has no comment, or
the pages of errors lack messages. It takes seconds and needs Python alone."""
import pathlib
import re
import shutil
import subprocess
import sys

import error_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAV = [
    ("Start", ["index.md", "installing.md", "why.md", "concepts.md", "ten-minutes.md", "howto.md", "traps.md", "coming-from.md", "coming-from-cuda.md", "coming-from-numpy.md", "coming-from-numba.md", "coming-from-kokkos-sycl.md", "coming-from-ispc.md", "coming-from-halide.md", "gallery.md"]),
    ("Using Krait", ["calls.md", "dsl.md", "arrays.md", "algorithms.md", "tiles.md", "tuning.md", "shipping.md", "raw-kernels.md", "neighbours.md", "python.md", "debugging.md", "hints.md", "tool.md", "environment.md", "caching.md"]),
    ("Targets", ["opencl.md", "webgpu.md", "numbers.md"]),
    ("Reference", ["reference.md", "headers.md", "operations.md", "ir.md"]),
    ("Performance", ["performance.md", "performance-log.md"]),
    ("Inside", ["architecture.md", "code-generation.md", "testing.md", "adding-an-op.md", "adding-a-target.md"]),
]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


# ---- reference -----------------------------------------------------------------------------------------------------------------

DECLARED = [
    re.compile(r"^(?:class|struct|union)(?: KRAIT_API)?(?: alignas\([^()]*\))? (\w+)(?: final)?\b"),
    re.compile(r"^enum (?:class |struct )?(\w+)"),
    re.compile(r"^using (\w+) ="),
    re.compile(r"^concept (\w+) ="),
    re.compile(r"^(?:inline )?constexpr (?!auto operator)[\w:<>, ]+ (\w+)(?: =|\{)"),
]


def balanced(text, opening, closing):
    """What follows the bracket that the text begins with, and its pair."""
    depth = 0
    for at, c in enumerate(text):
        depth += (c == opening) - (c == closing)
        if depth == 0:
            return text[at + 1 :].strip()
    return ""


def bare(text):
    """A declaration without its templates' heads, constraints and attributes."""
    while True:
        text = re.sub(r"^\[\[[^\]]*\]\] *", "", text)
        if text.startswith("template"):
            text = balanced(text[len("template") :].strip(), "<", ">")
        elif text.startswith("requires"):
            text = text[len("requires") :].strip()
            while True:
                name = re.match(r"!?[\w:]*", text).group(0)
                text = text[len(name) :].strip()
                if text.startswith("<"):
                    text = balanced(text, "<", ">")
                elif text.startswith("(") and name in ("", "requires"):
                    text = balanced(text, "(", ")")
                if name == "requires":
                    text = balanced(text, "{", "}")
                if not text.startswith(("&&", "||")):
                    break
                text = text[2:].strip()
        else:
            return text


def declared_name(text):
    for pattern in DECLARED:
        if found := pattern.match(text):
            return found.group(1)
    if text.startswith(("using ", "friend ", "namespace ", "class ", "struct ", "extern ", "typedef ", "static_assert")) or "operator" in text.split("(")[0]:
        return None
    depth = 0
    for at, c in enumerate(text):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            name = re.search(r"[\w>&*\]] ?[&*]* ?\b(\w+)$", text[:at])
            return name.group(1) if name and " " in text[:at].strip() else None
        if c in "={;":
            return None
    return None


NOT_NAMES = {"alignas", "if", "for", "while", "switch", "return", "decltype", "noexcept"}


def declarations(path):
    """(name, comment, declaration) of what namespace krait declares in a header: comments `///` stand before it or behind it."""
    depth, detail, comment, krait = 0, None, [], None
    pending = ""
    for raw in path.read_text().splitlines():
        line = raw.strip()
        if line.startswith("///"):
            comment.append(line[3:].strip())
            continue
        code = re.sub(r"//.*", "", line).strip()
        behind = re.search(r"///<? ?(.*)", line)
        if behind and code:
            comment = comment or [behind.group(1)]
        if line.startswith("//") or code.startswith("#"):
            continue
        if re.match(r"(inline )?namespace krait\b.*\{", code) and krait is None:
            krait = depth
            inside = re.match(r"namespace krait::(\w+)", code)
            detail = depth if inside and inside.group(1) == "detail" else detail
        elif re.match(r"namespace detail\b", code):
            detail = depth if detail is None else detail
        elif krait is not None and detail is None and depth == krait + 1 and code:
            pending = (pending + " " + code).strip()
            # Nothing but a constraint with a body of its own: the declaration follows.
            if re.search(r"[;{}]$", pending) and (text := bare(pending)):
                name = declared_name(text)
                if re.match(r"(class|struct|union) .*;$", text) and not comment:  # declared here, explained elsewhere
                    name = None
                if name and name not in NOT_NAMES and not name.isupper():
                    yield name, " ".join(comment), re.sub(r"\s*(\{[^{}]*\}?|;)$", "", text)
                comment, pending = [], ""
        if not code and not raw.strip():
            comment, pending = [], ""
        depth += code.count("{") - code.count("}")
        if krait is not None and depth <= krait:
            krait = None
        if detail is not None and depth <= detail:
            detail = None


def public_names():
    """By header: names with the first comment of each, and one declaration."""
    for path in sorted((ROOT / "include/krait").rglob("*.h")):
        if "detail" in path.parts:
            continue
        names = {}
        for name, comment, declared in declarations(path):
            known = names.get(name)
            if known is None or (comment and not known[0]):
                names[name] = (comment, declared)
        if names:
            yield str(path.relative_to(ROOT / "include")), names


def reference():
    out = ["# Reference", "", "The public names of namespace `krait`, by header, as the headers' comments tell them. Operations of kernels and mathematical",
           "functions are in [operations](operations.md).", ""]
    for header, names in public_names():
        out += [f"## {header}", ""]
        for name, (comment, declared) in sorted(names.items()):
            out += [f"### {name}", "", "```cpp", declared, "```", "", comment, ""]
    return "\n".join(out)


# ---- pages ----------------------------------------------------------------------------------------------------------------------


def anchors(text):
    """Of the headings, as GitHub and mkdocs make them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)", re.sub(r"```.*?```", "", text, flags=re.S), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        found.add(re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", words).strip()))
    return found


def broken_links():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    made = {"reference.md", "errors.md"}
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        for link in LINK.findall(re.sub(r"`[^`]*`", "", text)):
            if link.startswith(("http:", "https:", "mailto:")):
                continue
            file, _, anchor = link.partition("#")
            target = page if not file else (page.parent / file)
            if pathlib.Path(file).name in made and page.parent.name == "docs":
                continue
            if not target.exists():
                yield f"{page.relative_to(ROOT)}: no such file: {link}"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                yield f"{page.relative_to(ROOT)}: no such heading: {link}"


def check():
    wrong = list(broken_links())
    names = [(header, name, comment) for header, found in public_names() for name, (comment, _) in found.items()]
    wrong += [f"{header}: {name} has no comment in its header" for header, name, comment in names if not comment]
    lost, shown = error_pages.mistakes()
    wrong += lost
    listed = {page for _, pages in NAV for page in pages} | {"index.md"}
    present = {p.name for p in (ROOT / "docs").glob("*.md")}
    wrong += [f"tools/site.py: NAV lacks docs/{page}" for page in sorted(present - listed)]
    print("\n".join(wrong), file=sys.stderr)
    print(f"{len(names)} public names; {shown} errors with the code that provokes them; {len(present) + 1} pages, {len(wrong)} mistakes")
    return 1 if wrong else 0


def moved(text):
    """README.md as a page beside those of docs; what lies outside is named, not linked."""
    text = re.sub(r"\]\(docs/", "](", text)
    return re.sub(r"\[([^\]]*)\]\((?!https?:|[\w-]+\.md|#|images/)[^)]*\)", r"\1", text)


def build(target):
    source = target.parent / (target.name + "-pages")
    shutil.rmtree(source, ignore_errors=True)
    pages = source / "pages"
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("*.sh", "*.kir"))
    for page in pages.glob("*.md"):
        page.write_text(re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", re.sub(r"^<!--.*-->\n", "", page.read_text(), flags=re.M)))
    (pages / "index.md").write_text(moved((ROOT / "README.md").read_text()))
    (pages / "reference.md").write_text(reference())
    errors = error_pages.pages()
    for name, text in errors:
        (pages / name).write_text(text)
    nav = [*NAV, ("Errors", [name for name, _ in errors])]
    nav = "".join(f"  - {title}:\n" + "".join(f"      - {page}\n" for page in listed) for title, listed in nav)
    (source / "mkdocs.yml").write_text(
        f"site_name: Krait\ndocs_dir: pages\nsite_dir: {target}\nuse_directory_urls: false\ntheme:\n  name: readthedocs\n  highlightjs: false\n"
        f"markdown_extensions: [tables, fenced_code, toc]\nstrict: true\nnav:\n{nav}")
    if not shutil.which("mkdocs"):
        sys.exit("tools/site.py: mkdocs is not installed (Debian: mkdocs)")
    return subprocess.run(["mkdocs", "build", "--quiet", "--clean", "-f", source / "mkdocs.yml"]).returncode


def main():
    if "--check" in sys.argv:
        return check()
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out/site").resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    status = build(target)
    if status == 0:
        print(f"{target}/index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
