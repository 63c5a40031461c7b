#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a kept random kernel down to what still differs, or still kills the process:

    reduce.py KERNEL.kir OUT.kir PROGRAM [ARGUMENT...]

PROGRAM is random_kernels with the back end's arguments; `--races yes --file` is added. A step replaces an instruction, with what its regions hold,
by constants, or drops it; a step is kept while the program gives the same kind of answer: a difference, death by a signal, no end,
or a fault of the device. JOBS tries run at a time, each for LIMIT seconds (environment variables; as many as there are cores, 30).
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile


def answer(command, text):
    """'differs', 'dies', 'hangs', 'faults' (on the device), or 'fine' (which an invalid text is, too)."""
    with tempfile.NamedTemporaryFile("w", suffix=".kir", delete=False) as file:
        file.write(text)
    try:
        run = subprocess.run([*command, "--races", "yes", "--file", file.name], capture_output=True, text=True, errors="replace", timeout=float(os.environ.get("LIMIT", 30)))
    except subprocess.TimeoutExpired:
        return "hangs"
    finally:
        os.unlink(file.name)
    if run.returncode < 0 or run.returncode >= 128 or "signal" in run.stdout:
        return "dies"
    if "lost to this process" in run.stdout:
        return "faults"
    return "differs" if run.returncode and "expected bits" in run.stdout else "fine"


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
    if len(results) != head.count("%") or any(not re.fullmatch(r"bool|[iuf]\d+", kind) for _, kind in results):
        return None
    indent = re.match(r" *", line).group()
    return [f"{indent}{name}: {kind} = const {'false' if kind == 'bool' else '0x0p+0' if kind[0] == 'f' else '0'}" for name, kind in results]


def without_unused(lines):
    """Drops constants that nothing uses."""
    while True:
        used = {}
        for line in lines:
            for name in re.findall(r"%\d+", line):
                used[name] = used.get(name, 0) + 1
        # Numbers repeat between functions, so this keeps some that could go.
        left = [l for l in lines if not (re.match(r" *(%\d+): \w+ = const ", l) and used[re.match(r" *(%\d+)", l).group(1)] == 1)]
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
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        changed = True
        while changed:
            changed = False
            steps = sorted(spans(lines), key=lambda s: s[0] - s[1])  # the longest first
            tries = []
            for first, last in steps:
                by = constants(lines[first])
                if by is None or (first == last and by and lines[first].split(" ; ")[0].rstrip() == by[0]):
                    continue
                if re.match(r" *%\d+: \w+ = const ", lines[first]):
                    continue
                tries.append((first, last, by))
            done = set()
            for at in range(0, len(tries), 2 * jobs):
                group = [t for t in tries[at:at + 2 * jobs]]

                def attempt(step, now=tuple(lines)):
                    first, last, by = step
                    return answer(command, "\n".join(without_unused([*now[:first], *by, *now[last + 1:]])))

                good = [t for t, a in zip(group, pool.map(attempt, group)) if a == wanted]
                if not good:
                    continue
                # All of them at once where that works, else the first.
                def apply(several):
                    out = list(lines)
                    taken = []
                    for first, last, by in sorted(several, key=lambda t: -t[0]):
                        if any(not (last < f or first > l) for f, l in taken):
                            continue
                        out[first:last + 1] = by
                        taken.append((first, last))
                    return without_unused(out)

                # Outer steps hold inner ones, so those with the most lines come first.
                chosen = []
                for t in sorted(good, key=lambda t: t[0] - t[1]):
                    if not any(t[0] <= c[1] and c[0] <= t[1] for c in chosen):
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
