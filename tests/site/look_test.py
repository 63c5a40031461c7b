#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site as a reader sees it: look_test.py FOLDER [--pictures DIR] [--built]

Builds the site into FOLDER, and opens its pages in headless Chromium, wide and as wide as a phone, light and dark. Fails where
  - the text of a block of code is not that of its source: README.md, docs, examples,
  - a page is wider than a phone, its text cannot be read on its background, or the console has an error,
  - a link leads nowhere, the search does not find kr::sum, or code has no colours,
  - the reference lacks a public name that the compiler knows (tests/docs/public_names.py).
--pictures also takes the pictures of docs/images/site-*.png. Exit status 77: Chromium or a generator is missing, and the reason is printed."""
import argparse
import functools
import http.server
import importlib.util
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import threading
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/site"), str(ROOT / "tools")]
import pages  # noqa: E402

failures = []


def fail(text):
    failures.append(text)
    print(text, file=sys.stderr)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


# ---- without a browser -----------------------------------------------------------------------------------------------------------


def inventory(folder):
    """The names of C++ in objects.inv, and the pages where they are."""
    data = (folder / "objects.inv").read_bytes()
    for _ in range(4):
        data = data[data.index(b"\n") + 1 :]
    names = {}
    for line in zlib.decompress(data).decode().splitlines():
        name, kind, _, address, _ = line.split(" ", 4)
        if kind.startswith("cpp:"):
            names.setdefault(name, address)
    return names


def check_names(folder):
    """Each name of the compiler's list is in the reference."""
    program = ROOT / "tests/docs/public_names.py"
    if not program.exists():
        fail("tests/docs/public_names.py is missing: the reference cannot be compared with the compiler's names")
        return 0
    done = subprocess.run(["/usr/bin/python3", program], capture_output=True, text=True)
    if done.returncode == 77:
        skip(f"public_names.py: {done.stdout.strip()}")
    known, count = inventory(folder), 0
    tails = {name.removeprefix("krait::") for name in known}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) < 3:
            continue
        kind, name, place = words[:3]
        if ":" not in place:
            continue
        count += 1
        if name.removeprefix("krait::").removeprefix("detail::") not in tails:  # classes that calls give are shown without detail
            fail(f"{place}: the reference lacks {kind} {name}")
    if count < 500:
        fail(f"public_names.py lists {count} names")
    return count


def check_links(folder):
    """Each link inside of the site leads to a page and to a place on it."""
    ids, seen = {}, set()

    @functools.cache
    def text_of(path):
        return path.read_text()

    def ids_of(path):
        if path not in ids:
            ids[path] = set(re.findall(r'\bid="([^"]*)"', text_of(path)))
        return ids[path]

    for page in sorted(folder.rglob("*.html")):
        if "_static" in page.parts:
            continue
        for address in set(re.findall(r'<a\b[^>]*\bhref="([^"]*)"', text_of(page))):
            if re.match(r"[a-z]+:", address) or address in ("", "#") or (address[0] != "#" and (page.parent, address) in seen):
                continue
            seen.add((page.parent, address) if address[0] != "#" else (page, address))
            file, _, place = address.replace("&amp;", "&").partition("#")
            target = (page.parent / file).resolve() if file else page
            if not target.exists():
                fail(f"{page.relative_to(folder)}: no such page: {address}")
            elif place and target.suffix == ".html" and place not in ids_of(target):
                fail(f"{page.relative_to(folder)}: no such place: {address}")
    return len(seen)


# ---- code ------------------------------------------------------------------------------------------------------------------------


def fences(path):
    """The texts of a page's blocks of code."""
    from markdown_it import MarkdownIt

    def walk(tokens):
        for token in tokens:
            if token.type in ("fence", "code_block"):
                yield token.content.strip("\n")

    return list(walk(MarkdownIt("commonmark").enable("table").parse(path.read_text())))


def shown(browser):
    return browser.execute_script("return [...document.querySelectorAll('article .highlight pre')].map(e => e.textContent)")


def check_code(name, browser, expected):
    got = [text.strip("\n") for text in shown(browser)]
    for text in expected:
        if text not in got:
            first = next((line for line in text.splitlines() if not any(line in g.splitlines() for g in got)), text.splitlines()[0])
            fail(f"{name}: the page does not show the code of its source: {first}")
    return len(expected)


# ---- the browser -----------------------------------------------------------------------------------------------------------------

CONTRAST = """
const luminance = c => { const p = c.match(/[\\d.]+/g).slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]; };
const background = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$|transparent/.test(c)) return c; } return 'rgb(255,255,255)'; };
const bad = new Map();
for (const e of document.querySelectorAll('article p, article li, article td, article th, article dt *, article pre span, article a, article code, .sidebar-tree a, h1, h2, h3')) {
  if (!e.textContent.trim() || !e.getClientRects().length || e.matches('.headerlink') || e.closest('.headerlink')) continue;
  const a = luminance(getComputedStyle(e).color), b = luminance(background(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.45) bad.set(e.tagName + '.' + e.className, [ratio.toFixed(2), e.textContent.trim().slice(0, 40)]);
}
return [...bad].map(([k, v]) => k + ' ' + v.join(' '));
"""


# Scrolls to a place in each frame until it has lain still for ten of them.
SETTLE = """
const [place, done] = arguments, start = Date.now();
const entry = place && document.getElementById(place);
let still = 0, last = NaN;
const frame = () => {
  if (entry) entry.scrollIntoView();
  const now = entry ? entry.getBoundingClientRect().top : 0;
  still = now === last ? still + 1 : 0;
  last = now;
  if (still >= 10 || Date.now() - start > 30000) done(); else requestAnimationFrame(frame);
};
document.documentElement.style.scrollBehavior = 'auto';
document.fonts.ready.then(() => requestAnimationFrame(frame));
"""


class Browser:
    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1",
                       "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
            options.add_argument(option)
        options.binary_location = shutil.which("chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(120)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def theme(self, name):
        self.driver.execute_script(f"document.body.dataset.theme = '{name}'")

    def open(self, address):
        """The page, at the place that the address names, once it has come to rest there: fonts, colours and furo's own smooth
        scrolling move it after the browser calls it loaded."""
        self.driver.get(address)
        self.settle(address.partition("#")[2])

    def settle(self, place):
        self.driver.execute_async_script(SETTLE, place)

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def __getattr__(self, name):
        return getattr(self.driver, name)


def serve(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def picture(browser, path):
    """The window as a picture of 256 colours: the most frequent ones, which are those of text, then those far from all before."""
    import numpy

    path.parent.mkdir(parents=True, exist_ok=True)
    data, at, packed = browser.get_screenshot_as_png(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, _, colours = struct.unpack(">IIBB", data[at + 8 : at + 18])
        if kind == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    size = {2: 3, 6: 4}[colours]
    rows = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(height, 1 + width * size)
    image = numpy.zeros((height, width, size), numpy.uint8)
    for y in range(height):
        kind, line, above = rows[y, 0], rows[y, 1:].reshape(width, size), image[y - 1] if y else numpy.zeros((width, size), numpy.uint8)
        if kind == 0:
            image[y] = line
        elif kind == 1:
            image[y] = numpy.cumsum(line, axis=0, dtype=numpy.uint8)
        elif kind == 2:
            image[y] = line + above
        else:  # the left neighbour is needed, as it was just computed
            left, corner = [0] * size, [0] * size
            out = []
            for x, values in enumerate(line.tolist()):
                up = above[x].tolist()
                if kind == 3:
                    left = [(v + (l + u) // 2) & 255 for v, l, u in zip(values, left, up)]
                else:
                    new = []
                    for v, l, u, c in zip(values, left, up, corner):
                        p = l + u - c
                        near = min((abs(p - l), 0, l), (abs(p - u), 1, u), (abs(p - c), 2, c))[2]
                        new.append((v + near) & 255)
                    left, corner = new, up
                out.append(left)
            image[y] = out
    flat = image[:, :, :3].reshape(-1, 3).astype(numpy.int32)
    coarse = (flat >> 2 << 2 | flat >> 6) @ [65536, 256, 1]
    colours, places, counts = numpy.unique(coarse, return_inverse=True, return_counts=True)
    parts = numpy.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)
    kept = list(numpy.argsort(-counts)[:64])
    far = numpy.min([((parts - parts[k]) ** 2).sum(axis=1) for k in kept], axis=0)
    while len(kept) < 256 and far.any():
        kept.append(numpy.argmax(far * numpy.sqrt(counts)))
        far = numpy.minimum(far, ((parts - parts[kept[-1]]) ** 2).sum(axis=1))
    nearest = numpy.array([numpy.argmin(((parts[kept] - c) ** 2).sum(axis=1)) for c in parts], numpy.uint8)
    pixels = nearest[places].reshape(height, width)
    lines = numpy.hstack([numpy.zeros((height, 1), numpy.uint8), pixels]).tobytes()

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    path.write_bytes(data[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) + chunk(b"PLTE", parts[kept].astype(numpy.uint8).tobytes())
                     + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


SEEN = [("landing", "index.html"), ("reference", "reference/algorithm-reduce.html#sum"), ("gallery", "gallery.html"), ("performance", "performance.html")]


def look(folder, pictures):
    address = serve(folder)
    browser = Browser()
    blocks = 0
    try:
        for name, page in SEEN:
            tall = 1640 if name == "landing" else 900
            for width, height, theme in ((1280, tall, "light"), (1280, tall, "dark"), (390, 800, "light")):
                browser.size(width, height)
                browser.open(f"{address}/{page}")
                browser.theme(theme)
                browser.settle(page.partition("#")[2])
                for wrong in browser.errors():
                    fail(f"{page}: the console says: {wrong}")
                if "#" in page:
                    top = browser.execute_script("return document.getElementById(arguments[0]).getBoundingClientRect().top", page.split("#")[1])
                    if not 0 <= top < height / 4:
                        fail(f"{page}: the entry is at {top:.0f} in a window of {height} pixels")
                if width < 600:
                    wide = browser.execute_script("return document.documentElement.scrollWidth")
                    if wide > width:
                        fail(f"{page}: {wide} pixels wide on a phone of {width}")
                else:
                    for wrong in browser.execute_script(CONTRAST):
                        fail(f"{page}, {theme}: too little contrast: {wrong}")
                if pictures:
                    kind = "phone" if width < 600 else theme
                    picture(browser, pictures / f"site-{name}-{kind}.png")
            if name == "landing":
                program = re.search(r"^```cpp\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M).group(1).strip("\n")
                blocks += check_code("index.html", browser, [program])
                kinds = browser.execute_script("return new Set([...document.querySelectorAll('article .highlight pre span')].map(e => getComputedStyle(e).color)).size")
                if kinds < 4:
                    fail(f"index.html: the program has {kinds} colours")
            if name in ("gallery", "performance"):
                blocks += check_code(page, browser, fences(ROOT / f"docs/{name}.md"))
            if name == "reference":
                text = browser.execute_script("return document.getElementById('sum').parentElement.textContent")
                for words in ("sum(", "#include <krait/algorithm/reduce.h>", "sum of"):
                    if words not in text:
                        fail(f"{page}: the entry of kr::sum lacks {words!r}")
        # Each page with code, once: its blocks are those of its source.
        browser.size(390, 800)
        for name, file in pages.sources().items():
            browser.open(f"{address}/{name}.html")
            blocks += check_code(f"{name}.html", browser, fences(file))
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            if wide > 390:
                fail(f"{name}.html: {wide} pixels wide on a phone of 390")
        for name in pages.examples():
            browser.open(f"{address}/examples/{name.removesuffix('.cpp')}.html")
            blocks += check_code(f"examples/{name}", browser, [pages.example(name)[2].strip("\n")])
        browser.open(f"{address}/search.html?q=sum")
        found = browser.execute_async_script("""
          const done = arguments[0], start = Date.now();
          const look = () => { const rows = [...document.querySelectorAll('#search-results ul.search li a')].map(e => e.textContent);
            if (rows.some(r => /^kr::sum$/.test(r)) || Date.now() - start > 60000) done(rows); else setTimeout(look, 100); };
          look();""")
        if "kr::sum" not in found[:2]:
            fail(f"search.html?q=sum: kr::sum is not the first of {found[:5]}")
        for wrong in browser.errors():
            fail(f"the console says: {wrong}")
    finally:
        browser.quit()
    return blocks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--built", action="store_true", help="take the site that is there")
    options = parser.parse_args()
    folder = options.folder.resolve()
    if not options.built:
        done = subprocess.run(["/usr/bin/python3", ROOT / "tools/site/build", folder], text=True, capture_output=True)
        print(done.stdout, end="")
        if done.returncode == 77:
            skip(done.stderr.strip())
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
    links, names = check_links(folder), check_names(folder)
    lacking = [package for module, package in (("selenium", "python3-selenium"), ("markdown_it", "python3-markdown-it")) if not importlib.util.find_spec(module)]
    lacking += [package for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")) if not shutil.which(program)]
    if lacking:
        if failures:
            return 1
        skip(f"{links} links and {names} names are right; the pages were not rendered, as these are not installed (Debian): {' '.join(lacking)}")
    blocks = look(folder, options.pictures)
    print(f"{links} links, {names} public names, {blocks} blocks of code equal to their sources, {len(failures)} mistakes")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
