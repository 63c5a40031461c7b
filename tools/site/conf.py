# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Settings of Sphinx for tools/site/build, which gives the folders.
import hashlib
import os
import pathlib
import re
import sys

HERE = pathlib.Path(os.environ["KRAIT_SITE_TOOLS"])
sys.path.insert(0, str(HERE))
import doxygen  # noqa: E402
import pages  # noqa: E402
import reference  # noqa: E402

project = "Krait"
author = "the authors of Krait"
release = version = re.search(r"project\(krait[^)]*?VERSION (\S+)", (pages.ROOT / "CMakeLists.txt").read_text(), re.S | re.I).group(1)
extensions = ["myst_parser", "sphinx_copybutton", "reference", "extension"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["images", "performance"]
highlight_language = "text"
smartquotes = False
language = "en"
# The list of a page of the reference is made by extension.py: each page resolves the whole tree, and names would make that slow.
toc_object_entries = False
cpp_index_common_prefix = ["krait::"]
# Heads of names, of operations and of files may have equal headings.
suppress_warnings = ["myst.anchor"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

html_theme = "furo"
html_title = f"Krait {version}"
html_static_path = [str(HERE / "static")]
html_css_files = ["krait.css"]
html_favicon = str(HERE / "static/favicon.svg")
html_search_scorer = str(HERE / "static/scorer.js")
html_copy_source = False
html_show_sphinx = True
html_show_copyright = False
pygments_style = "colours.Light"
pygments_dark_style = "colours.Dark"
html_theme_options = {
    "source_repository": pages.REPOSITORY,
    "source_branch": pages.BRANCH,
    "source_edit_link": pages.EDIT,
    "footer_icons": [],
    "light_css_variables": {
        "color-brand-primary": "#0b6e4f", "color-brand-content": "#0b6e4f", "color-foreground-secondary": "#4c545e", "color-foreground-muted": "#5f6771",
        "font-stack": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif",
        "font-stack--monospace": "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
        "color-code-background": "#f6f7f9", "color-inline-code-background": "#eef0f3", "api-background-color": "#eef3f1",
        "color-api-background": "#f1f5f3", "color-api-name": "#0a5c3e", "color-api-pre-name": "#3d444d", "color-api-keyword": "#5b6470", "color-api-paren": "#5b6470",
    },
    "dark_css_variables": {
        "color-brand-primary": "#5fd3a4", "color-brand-content": "#5fd3a4", "color-foreground-secondary": "#b0b8c2", "color-foreground-muted": "#96a0ac",
        "color-code-background": "#1b1f24", "color-inline-code-background": "#23282e",
        "color-api-background": "#1a2420", "color-api-name": "#7fe0b5", "color-api-pre-name": "#c2cad3", "color-api-keyword": "#96a0ac", "color-api-paren": "#96a0ac",
    },
}
copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True


def setup(app):
    # Pages of the reference change with any header, and all pages with the tools that make them.
    digest = hashlib.sha256()
    for path in sorted([*HERE.glob("*.py"), *doxygen.INCLUDE.rglob("*.h"), *doxygen.INCLUDE.rglob("*.def")]):
        digest.update(path.read_bytes())
    app.add_config_value("krait_sources", digest.hexdigest(), "env")
    folder = pathlib.Path(os.environ["KRAIT_SITE_XML"])
    app.krait_reference = doxygen.entries(folder)
    reference.remember(app.krait_reference)
    app.krait_pages = {pages.slug(header): header for header in app.krait_reference}
