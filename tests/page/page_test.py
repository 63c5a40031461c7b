#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `krait dump --html` in headless Chromium, and what is refused.

    page_test.py KRAIT PROGRAM SOURCE KERNEL.kir
    page_test.py KRAIT --pictures FOLDER PROGRAM FILE:LINE [SOURCES]     pictures of the page: dark, light, as on a phone
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def missing(why):
    print(f"skipped: {why}: ./bootstrap packages")
    sys.exit(1 if "webgpu" in os.environ.get("KRAIT_TEST_BACK_ENDS", "").split(",") else 77)


try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    missing("python3-selenium is not installed")

failures = []


def check(right, what):
    if not right:
        failures.append(what)
        print("wrong:", what)


def same(found, expected, what):
    check(found == expected, f"{what}: {found!r} is not {expected!r}")


class Page:
    """A window of Chromium, as wide and high as asked."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for option in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        try:
            self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        except (WebDriverException, OSError) as error:
            missing(f"chromium and chromium-driver do not start ({str(error).splitlines()[0]})")

    def open(self, path, width=1280, height=800, scheme="light", place=""):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get("about:blank")
        self.driver.get(f"file://{path}#{place}")
        return self

    def ask(self, script, *arguments):
        return self.driver.execute_script("const all = (s) => [...document.querySelectorAll(s)];" + script, *arguments)

    def element(self, selector):
        return self.driver.find_element("css selector", selector)

    def shown(self):
        """The stages that can be seen."""
        return self.ask("return all('section').filter((s) => s.offsetParent).map((s) => s.id.slice(6));")

    def marked(self, name):
        """The places of the lines with a class, by stage."""
        return self.ask("const found = {}; for (const l of all('.l.' + arguments[0]))"
                        " (found[l.closest('section').id.slice(6)] ??= []).push(l.dataset.at); return found;", name)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def hover(self, selector, place):
        line = self.ask("const l = all(arguments[0]).find((l) => l.dataset.at === arguments[1] && l.offsetParent);"
                        "l.scrollIntoView({ block: 'center' }); return l;", selector, place)
        ActionChains(self.driver).move_to_element(line).perform()
        return line


def dump(krait, *options):
    return subprocess.run([krait, "dump", *options], capture_output=True, text=True, check=False)


def refuses(krait, folder, program, kernel):
    wrong = dump(krait, "--html", f"{folder}/none/x.html", kernel)
    same(wrong.returncode, 1, "a page that cannot be written")
    same(wrong.stderr, f"krait: {folder}/none/x.html cannot be written: No such file or directory\n", "its message")
    same(dump(krait, "--html", f"{folder}/x.html", "--run", "true").stderr,
         "krait dump: true compiled no kernel of its own; --all shows Krait's own kernels, too\n", "a program without kernels")
    same(dump(krait, kernel, "--html", f"{folder}/x.html", "--emit", "spv").returncode, 2, "words of SPIR-V on a page")
    pathlib.Path(folder, "broken.kir").write_text("kir 1\nkernel one\n", encoding="utf8")
    check(re.match(r"krait: .*broken\.kir: 2:8: expected 'fp'", dump(krait, "--html", f"{folder}/x.html", f"{folder}/broken.kir").stderr),
          "a broken kernel's message")
    failing = dump(krait, "--html", f"{folder}/failing.html", "--run", "sh", "-c", f'"{program}"; exit 3')
    same(failing.returncode, 3, "the status of a program that fails")
    check('"what":"kernel blend (' in pathlib.Path(folder, "failing.html").read_text(encoding="utf8"), "its page lacks the kernel")
    changes = dump(krait, kernel, "--emit", "diff", "--target", "cpu").stdout
    check(re.search(r"^; ---- contract\n  …\n(.*\n)*- .* = mul .*\n(.*\n)*\+ .* = fma ", changes, re.M), "changes of passes as text")
    check(len(changes) < len(dump(krait, kernel, "--emit", "passes", "--target", "cpu").stdout), "changes are shorter than all")


def kernels(page, data):
    """The program's own kernels are first; Krait's are behind the switch."""
    names = lambda: page.ask("return all('#kernel option').map((o) => o.textContent);")
    same([k["own"] for k in data["kernels"]][0], True, "a kernel of Krait's was compiled first")
    users = [n for n in names()]
    check(len(users) == 2 and users[0].startswith("blend — program.cpp:") and users[1].startswith("square — program.cpp:"),
          f"the user's kernels are listed: {users}")
    same(page.ask("return document.querySelector('#stage-ir .f').textContent;"), "@blend", "the first kernel on show")
    page.press("o")
    check(names()[:2] == users and len(names()) == len(data["kernels"]), f"with the switch all kernels are listed: {names()}")
    page.press("]", "]")
    same(page.ask("return kernels[current].own;"), True, "] goes on to Krait's own")
    page.press("o")
    same(names(), users, "without the switch the user's are listed")
    same(page.ask("return document.querySelector('#stage-ir .f').textContent;"), "@blend", "the kernel on show, after Krait's own went")


def texts(page, source, stages):
    """The code is that of the source and of the stages, line by line."""
    code = lambda stage: page.ask("return all(`#stage-${arguments[0]} .l > code`).map((c) => c.textContent);", stage)
    same(code("source"), source.read_text(encoding="utf8").splitlines(), "the source's lines")
    for stage in stages:
        same(code(stage["name"]), stage["text"].rstrip("\n").split("\n"), f"the lines of {stage['name']}")
    numbers = page.ask("return all('#stage-source .l > i').map((i) => i.textContent);")
    same(numbers, [str(n + 1) for n in range(len(numbers))], "the numbers of lines")
    wide = page.ask("return Math.max(...all('.l > i').filter((i) => i.offsetParent).map((i) => i.offsetWidth));")
    check(wide <= 45, f"the column of line numbers is {wide} pixels wide")
    for stage, kinds in {"source": "k t f s n c", "ir": "k t f v n", "llvm": "k t f v", "asm": "k v n f"}.items():
        for kind in kinds.split():
            check(page.ask(f"return all('#stage-{stage} .{kind}').length;") > 0, f"{stage} has nothing of the colour {kind}")


def whole(page, where):
    """No line of code is cut at the right."""
    cut = page.ask("return all('.l > code').filter((c) => c.offsetParent && c.scrollWidth > c.clientWidth + 1)"
                   ".map((c) => c.textContent);")
    same(cut, [], f"lines that are cut {where}")
    cut = page.ask("return all('.text').filter((t) => t.offsetParent && t.scrollWidth > t.clientWidth).map((t) => t.closest('section').id);")
    same(cut, [], f"panes with lines beyond their right edge {where}")


def lights(page, place):
    """Lines light up in both directions, are kept by a click, and by keys."""
    page.hover("#stage-source .l", place)
    lit = page.marked("lit")
    for stage in ("source", "ir", "passes", "final", "llvm", "asm"):
        check(lit.get(stage) and set(lit[stage]) == {place}, f"over {place} of the source {stage} lights {lit.get(stage)}")
    page.hover("#stage-ir .l", place)
    same(page.marked("lit")["source"], [place], "over the IR the source lights")
    page.hover("#stage-asm .l", place).click()
    pinned = page.marked("pinned")
    for stage in ("source", "ir", "passes", "final", "llvm", "asm"):
        check(pinned.get(stage) and set(pinned[stage]) == {place}, f"a click in the assembly keeps {pinned.get(stage)} in {stage}")
    check(place in page.driver.current_url.replace("%3A", ":"), "the place is in the address")
    seen = page.ask("return all('.l.pinned').filter((l) => { const b = l.closest('.text').getBoundingClientRect(), a = l.getBoundingClientRect();"
                    "return a.top >= b.top - 1 && a.bottom <= b.bottom + 1; }).map((l) => l.closest('section').id.slice(6));")
    same(sorted(set(seen)), ["asm", "final", "ir", "llvm", "passes", "source"], "stages that show lines that are kept")
    page.press(Keys.ESCAPE)
    same(page.marked("pinned"), {}, "after Escape")
    page.ask("document.querySelector('#stage-source .text').focus();")
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    first = page.marked("pinned")["source"][0]
    same(first, page.ask("return all('#stage-source .l').find((l) => l.dataset.at).dataset.at;"), "the keys keep the first line with code")
    page.press(Keys.ARROW_RIGHT)
    same(page.ask("const l = document.activeElement; return [l.closest('section').id, l.dataset.at];"), ["stage-ir", first],
         "to the right is the same place in the IR")
    page.press(Keys.ESCAPE)


def options(page):
    page.press("/", "sqrt", Keys.ENTER)
    check(re.fullmatch(r"1 of \d+ lines", page.element("#found").text), f"the search found {page.element('#found').text}")
    check(page.marked("hit").get("ir") and page.marked("hit").get("source"), "the search marks lines")
    page.press(Keys.ESCAPE)
    same(page.marked("hit"), {}, "lines found, after Escape")
    loc = "return all('#stage-asm .l').filter((l) => l.offsetParent && /\\.loc/.test(l.textContent)).length;"
    same(page.ask(loc), 0, "lines .loc on show")
    page.press("d")
    check(page.ask(loc) > 0, "details show lines .loc")
    page.press("d", "w")
    check(page.ask("return all('#stage-source .text').some((t) => t.scrollWidth > t.clientWidth);"), "lines that do not wrap")
    page.press("w", "5")
    check("llvm" not in page.shown(), "5 hides the fifth stage")
    page.press("5")
    page.element("#stage-asm .head button").click()
    same(page.shown(), ["asm"], "a stage alone")
    page.press("m")
    same(len(page.shown()), 6, "all stages again")
    check(page.ask("return all('#stage-passes .gone').length && all('#stage-passes .add').length;"), "changes of passes are marked")


CONTRAST = """
const channels = (c) => c.match(/[\\d.]+/g).slice(0, 3).map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
const light = (c) => { const [r, g, b] = channels(c); return .2126 * r + .7152 * g + .0722 * b; };
const ratio = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
const back = getComputedStyle(document.querySelector('.l')).backgroundColor, low = {};
for (const kind of 'ktfsncvd') {
  const e = document.querySelector(`.l:not(.add, .gone) .${kind}`);
  if (e && ratio(getComputedStyle(e).color, back) < 4.5) low[kind] = ratio(getComputedStyle(e).color, back);
}
return [low, back];
"""


def test(krait, program, source, kernel):
    source = pathlib.Path(source)
    with tempfile.TemporaryDirectory(prefix="krait-page-") as folder:
        refuses(krait, folder, program, kernel)
        made = dump(krait, "--html", f"{folder}/run.html", "--all", "--sources", str(source.parent), "--run", program)
        same((made.returncode, made.stderr), (0, ""), "krait dump --html --run")
        html = pathlib.Path(folder, "run.html").read_text(encoding="utf8")
        check(not re.search(r"(src|href)=\"?https?:|fetch\(|@import|url\(", html), "the page asks for something from elsewhere")
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)[1])
        heads = dump(krait, "--emit", "ir", "--all", "--run", program).stdout
        check(re.match(r"; ==== kernel .*, Krait's own — ir\n", heads), f"Krait's own kernel is marked: {heads[:100]}")
        users = [k for k in data["kernels"] if not k["own"]]
        lines = source.read_text(encoding="utf8").splitlines()
        place = f"{source.name}:{1 + next(n for n, l in enumerate(lines) if 'kr::sqrt' in l)}"
        page = Page()
        try:
            page.open(f"{folder}/run.html")
            same(page.shown(), ["source", "ir", "passes", "final", "llvm", "asm"], "stages at 1,280 pixels")
            boxes = page.ask("return all('section').map((s) => { const b = s.getBoundingClientRect(); return [b.width, b.height, b.right, b.bottom]; });")
            for width, height, right, bottom in boxes:
                check(width >= 380 and height >= 220 and right <= 1280 and bottom <= 800, f"a stage is {width} x {height} to {right}, {bottom}")
            whole(page, "at 1,280 pixels")
            texts(page, source, users[0]["stages"])
            lights(page, place)
            options(page)
            kernels(page, data)
            light = page.open(f"{folder}/run.html", scheme="light").ask(CONTRAST)
            dark = page.open(f"{folder}/run.html", scheme="dark").ask(CONTRAST)
            same((light[0], dark[0]), ({}, {}), "colours of too little contrast")
            check(light[1] != dark[1], "dark and light are the same")
            page.open(f"{folder}/run.html", 390, 844, place=f"at={place}")
            same(page.shown(), ["source", "ir"], "stages on a phone")
            check(page.ask("return document.documentElement.scrollWidth;") <= 390, "the page is wider than a phone")
            whole(page, "on a phone")
            page.ask("all('#stages button').at(-1).click();")
            same(page.shown(), ["source", "asm"], "the stage that was chosen on a phone")
            check(page.marked("pinned").get("asm"), "the place is kept in it")
            kernel_page(krait, kernel, folder, page)
            same([l["message"] for l in page.driver.get_log("browser")], [], "the browser's complaints")
        finally:
            page.driver.quit()
    print(f"{len(failures)} wrong" if failures else "the page is right")
    return 1 if failures else 0


def kernel_page(krait, kernel, folder, page):
    """Of a file: every stage has lines of the place that is asked for, also those that are opened later."""
    same(dump(krait, "--html", f"{folder}/file.html", kernel).returncode, 0, "krait dump --html FILE")
    page.open(f"{folder}/file.html", 1600, 1000, place="find=fma&at=saxpy.cpp:21")
    page.ask("for (const b of all('#stages button[aria-pressed=false]')) b.click();")
    same(page.shown(), ["source", "ir", "passes", "final", "llvm", "asm", "ptx", "spirv", "wgsl"], "stages of a file")
    pinned = page.marked("pinned")
    for stage in page.shown():
        check(pinned.get(stage), f"{stage} has no line of saxpy.cpp:21")
    for stage in ("passes", "final", "ptx", "wgsl"):
        check(page.ask("return all('#stages button').find((b) => b.firstChild.data === titles[arguments[0]]).lastChild.textContent;", stage),
              f"{stage} has no line with fma")


def pictures(krait, folder, program, place, *sources):
    with tempfile.TemporaryDirectory(prefix="krait-page-") as work:
        named = [word for each in sources for word in ("--sources", each)]
        dump(krait, "--html", f"{work}/run.html", *named, "--run", program)
        page = Page()
        for name, width, height, scheme in (("dark", 1280, 800, "dark"), ("light", 1280, 800, "light"), ("phone", 390, 844, "dark")):
            page.open(f"{work}/run.html", width, height, scheme, f"at={place}").driver.save_screenshot(f"{folder}/dump-{name}.png")
        page.driver.quit()
    return 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(pictures(words[0], *words[2:]) if "--pictures" in words else test(*words))
