# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the site: which there are, in which order, and the file that each is made of."""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where the sources can be read and changed, with the folders that GitHub and Gitea have. All links to files that are not pages begin with it.
REPOSITORY = os.environ.get("KRAIT_REPOSITORY", "https://example.com/krait")
BRANCH = "main"
SOURCE = f"{REPOSITORY}/blob/{BRANCH}/"
FOLDER = f"{REPOSITORY}/tree/{BRANCH}/"
EDIT = f"{REPOSITORY}/edit/{BRANCH}/"

# Each group as the reader looks for it. `*` stands for pages whose name begins so. A page of docs that no group has is an error.
GROUPS = [
    ("Start", ["ten-minutes", "installing", "gallery", "examples/index", "why", "coming-from"]),
    ("Use", ["concepts", "calls", "dsl", "arrays", "algorithms", "files", "tiles", "dist", "howto", "traps", "debugging", "hints", "tool", "tuning", "caching", "shipping",
             "raw-kernels", "neighbours", "python", "opencl", "webgpu", "environment"]),
    ("Reference", ["reference", "headers", "operations", "errors", "glossary"]),
    ("Understand", ["performance", "performance-log", "numbers", "architecture", "ir", "code-generation"]),
    ("Change", ["contributing", "testing", "adding-an-op", "adding-a-target", "releasing", "changelog", "security"]),
]
# Pages below a page: `*` stands for names that begin so.
BELOW = {"coming-from": "coming-from-*"}
# Pages whose file is not docs/NAME.md.
ELSEWHERE = {"contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md", "security": "SECURITY.md"}
MADE = {"examples/index", "reference", "errors"}  # by the build

# The headers by topic, for the reference. A header with public names that no topic has is an error.
TOPICS = [
    ("Kernels and calls", ["kernel.h", "vectorize.h", "guvectorize.h", "options.h", "compilation.h", "function.h", "function_pointer.h", "raw_kernel.h",
                           "native.h", "error.h"]),
    ("Values in kernels", ["value.h", "types.h", "aggregate.h", "vec.h", "complex.h", "math.h", "math_utilities.h", "approx.h", "special_math.h", "bits.h", "random.h",
                           "random_generators.h", "quasirandom.h"]),
    ("Control flow, memory and threads", ["control.h", "index.h", "memory.h", "span.h", "atomic.h", "volatile.h", "warp.h", "cluster.h", "tile.h",
                                          "tile_elements.h", "tile_product.h", "debug.h"]),
    ("Arrays", ["array.h", "creation.h", "slice.h", "expression.h", "host_array.h", "array_element.h", "array_text.h", "dlpack.h", "files.h"]),
    ("Algorithms", ["algorithm.h", "numpy.h", "algorithm/*"]),
    ("Devices, streams and time", ["device.h", "async.h", "graph.h", "vulkan.h", "benchmark.h", "stats.h", "trace_file.h", "label.h", "progress.h", "tune.h"]),
    ("Several processes", ["dist.h", "dist/*", "detail/dist/*"]),
    ("Shipping and other languages", ["pack.h", "target.h", "web.h", "krait_c.h"]),
]


def docs():
    """The pages of the folder docs, without its generated parts and the log."""
    return {path.stem: path for path in sorted((ROOT / "docs").glob("*.md"))}


def sources():
    """By name of a page: its file."""
    found = docs()
    found.update({name: ROOT / file for name, file in ELSEWHERE.items() if (ROOT / file).exists()})
    return found


def groups():
    """(title, names of pages that there are)."""
    present = set(sources()) | MADE
    for title, names in GROUPS:
        listed = []
        for name in names:
            listed += sorted(p for p in present if p.startswith(name[:-1])) if name.endswith("*") else [name] * (name in present)
        yield title, listed


def title_of(name):
    """The first heading of a page."""
    if name in ("examples/index", "reference", "errors"):
        return {"examples/index": "Examples", "reference": "Reference", "errors": "Errors"}[name]
    return re.sub(r"[`*]", "", re.search(r"^# (.*)", sources()[name].read_text(), re.M).group(1))


def below(name):
    """The pages below one."""
    return sorted(p for p in docs() if name in BELOW and p.startswith(BELOW[name][:-1]))


def unlisted():
    listed = {name for _, names in groups() for name in names}
    return sorted(set(docs()) - listed - {child for name in listed for child in below(name)})


def topic_of(header):
    for title, headers in TOPICS:
        if any(header == h or (h.endswith("/*") and header.startswith(h[:-1])) for h in headers):
            return title
    return None


def in_order(headers, title):
    """Those of a topic, in its order."""
    listed = next(names for name, names in TOPICS if name == title)
    place = {h: at for at, h in enumerate(listed)}
    return sorted((h for h in headers if topic_of(h) == title), key=lambda h: (place.get(h, len(listed)), h))


def slug(header):
    """The name of the page of a header."""
    return "reference/" + header.removesuffix(".h").replace("/", "-").replace("_", "-")


# ---- examples --------------------------------------------------------------------------------------------------------------------


def examples():
    return sorted(path.name for path in (ROOT / "examples").glob("[0-9][0-9]_*.cpp"))


MARK = re.compile(r" *// \[/?[\w-]+\]\n")  # of a region that a page quotes


def example(name):
    """(paragraphs of its head, lines that say how it is called, the code)."""
    text = MARK.sub("", (ROOT / "examples" / name).read_text())
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    head, usage, paragraph = [], [], []
    for line in lines[1:at]:
        line = line[2:]
        if line.startswith("   "):
            usage.append(line.strip())
        elif line.strip():
            paragraph.append(line.strip())
        elif paragraph:
            head.append(" ".join(paragraph))
            paragraph = []
    if paragraph:
        head.append(" ".join(paragraph))
    return head, usage, "\n".join(lines[at:]).strip("\n") + "\n"


# ---- pictures and charts ------------------------------------------------------------------------------------------------------------


def pictures():
    """By example: the last picture of its section in the gallery, and its description."""
    found, picture = {}, None
    for line in (ROOT / "docs/gallery.md").read_text().splitlines():
        if line.startswith("#"):
            picture = None
        if shown := re.findall(r"!\[([^\]]*)\]\(images/([^)]*)\)", line):
            picture = (shown[-1][1], shown[-1][0])
        if picture and (name := re.search(r"\(\.\./examples/(\d\d_\w+\.cpp)\)", line)):
            found.setdefault(name.group(1), picture)
    return found


def charts():
    """(file below docs, description) of the charts that docs/performance.md shows, then of those that pages name."""
    found = {}
    for page in ("performance.md", "performance-log.md"):
        if (ROOT / "docs" / page).exists():
            for text, path in re.findall(r"!?\[([^\]]*)\]\((performance/[\w.-]+\.svg)\)", (ROOT / "docs" / page).read_text()):
                found.setdefault(path, text)
    return list(found.items())
