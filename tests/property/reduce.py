#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a kept random kernel down to what still differs, or still kills the process:

    reduce.py KERNEL.kir OUT.kir PROGRAM [ARGUMENT...]

PROGRAM is kernels with the back end's arguments; `--races yes` is added. A step replaces an instruction, with what its regions hold,
by constants or by one of its operands, or drops it; a step is kept while the program gives the same kind of answer: a difference, death by a signal, no end,
or a fault of the device. JOBS processes run at a time, each for LIMIT seconds (environment variables; as many as there are cores, 30).
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile


LIMIT = float(os.environ.get("LIMIT", 30))
JOBS = int(os.environ.get("JOBS", os.cpu_count()))


def answer(command, text):
    """'differs', 'dies', 'hangs', 'faults' (on the device), or 'fine' (which an invalid text is, too)."""
    with tempfile.NamedTemporaryFile("w", suffix=".kir", delete=False) as file:
        file.write(text)
    try:
        run = subprocess.run([*command, "--races", "yes", file.name], capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "hangs"
    finally:
        os.unlink(file.name)
    if run.returncode < 0 or run.returncode >= 128 or "signal" in run.stdout:
        return "dies"
    if "lost to this process" in run.stdout:
        return "faults"
    return "differs" if run.returncode and "expected bits" in run.stdout else "fine"


def answers(command, texts):
    """The answer to each text: by one process, as opening a device takes longer than a kernel; those that it did not live to tell, one by one."""
    known = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(texts):
            with open(f"{folder}/{i:06}.kir", "w") as file:
                file.write(text)
        try:
            run = subprocess.run([*command, "--races", "yes", folder], capture_output=True, text=True, errors="replace", timeout=LIMIT)
            for name, said in re.findall(re.escape(folder) + r"/(\d+)\.kir: (.*)", run.stdout):
                if "signal" not in said and "lost to this process" not in said:
                    known[int(name)] = "differs" if "expected bits" in said else "fine"
        except subprocess.TimeoutExpired:
            pass
    return [known.get(i) or answer(command, text) for i, text in enumerate(texts)]


ZERO = {"bool": "false", "f8e4m3": "0x0p+0", "f8e5m2": "0x0p+0", "f16": "0x0p+0", "bf16": "0x0p+0", "f32": "0x0p+0", "f64": "0x0p+0"}


def spans(lines):
    """(first, last) of each instruction of a body, with its regions."""
    found, open_at = [], []
    for i, line in enumerate(lines):
        code = line.split(" ; ")[0].rstrip()
        text = code.strip()
        if not text or text.startswith((";", "kir ", "kernel ", "func ", "^")):
            if text.startswith(("kernel ", "func ")) and text.endswith("{"):
                open_at.append(None)
            continue
        if text.startswith("}"):
            if text.endswith("{"):
                continue  # "} else {", another region of the same instruction
            start = open_at.pop()
            if start is not None:
                found.append((start, i))
        elif text.endswith("{"):
            open_at.append(i)
        elif not re.match(r"(yield|continue|break|return|unreachable)\b", text):
            found.append((i, i))
    return found


def constants(line):
    """The instruction's results as constants; None where one of them is not a number."""
    head = line.split(" = ")[0]
    if " = " not in line:
        return []
    results = re.findall(r"(%\d+): ([a-z0-9]+)", head)
    if len(results) != head.count("%") or any(not re.fullmatch(r"bool|[iu]\d+|b?f\d+", kind) for _, kind in results):
        return None
    indent = re.match(r" *", line).group()
    return [f"{indent}{name}: {kind} = const {ZERO.get(kind, '0')}" for name, kind in results]


def shortcuts(lines):
    """(line, result, operand) of each instruction with an operand of its result's type, which may stand in for it."""
    kinds = dict(re.findall(r"(%\d+): ([a-z0-9]+)", "\n".join(lines)))
    for i, line in enumerate(lines):
        made = re.match(r" *(%\d+): (\w+) = (?!const )(.*)", line)
        if made and not line.rstrip().endswith("{"):
            for operand in dict.fromkeys(re.findall(r"%\d+", made[3])):
                if kinds.get(operand) == made[2]:
                    yield i, made[1], operand


def without_unused(lines):
    """Drops constants and slots that nothing uses."""
    while True:
        used = {}
        for line in lines:
            for name in re.findall(r"%\d+", line):
                used[name] = used.get(name, 0) + 1
        # Numbers repeat between functions, so this keeps some that could go.
        left = [l for l in lines if not (re.match(r" *(%\d+): [\w<>]+ = (const|slot) ", l) and used[re.match(r" *(%\d+)", l).group(1)] == 1)]
        if len(left) == len(lines):
            return lines
        lines = left


def main():
    source, target, *command = sys.argv[1:]
    lines = open(source).read().split("\n")
    wanted = answer(command, "\n".join(lines))
    print(f"{len(lines)} lines: {wanted}", flush=True)
    if wanted == "fine":
        return 1
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        changed = True
        while changed:
            changed = False
            steps = sorted(spans(lines), key=lambda s: s[0] - s[1])  # the longest first
            tries = []
            for first, last in steps:
                by = constants(lines[first])
                if by is None or re.match(r" *%\d+: \w+ = const ", lines[first]):
                    continue
                tries.append((first, last, by, None))
            tries += [(i, i, [], (name, operand)) for i, name, operand in shortcuts(lines)]
            for at in range(0, len(tries), 32 * JOBS):
                group = tries[at:at + 32 * JOBS]

                def apply(several, now=tuple(lines)):
                    out = list(now)
                    for first, last, by, _ in sorted(several, key=lambda t: -t[0]):
                        out[first:last + 1] = by
                    for name, operand in (t[3] for t in several if t[3]):
                        out = [re.sub(name + r"\b", operand, line) for line in out]
                    return without_unused(out)

                shares = [group[k::JOBS] for k in range(JOBS)]
                told = pool.map(lambda share: answers(command, ["\n".join(apply([t])) for t in share]), shares)
                good = [t for share, said in zip(shares, told) for t, a in zip(share, said) if a == wanted]
                if not good:
                    continue
                # All of them at once where that works, else the first. Outer steps hold inner ones, so those with the most lines come first.
                chosen = []
                for t in sorted(good, key=lambda t: t[0] - t[1]):
                    if not any(t[0] <= c[1] and c[0] <= t[1] for c in chosen) and not (t[3] and any(c[3] for c in chosen)):
                        chosen.append(t)
                together = apply(chosen)
                lines = together if answer(command, "\n".join(together)) == wanted else apply(chosen[:1])
                changed = True
                break
            print(f"{len(lines)} lines", flush=True)
            open(target, "w").write("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
