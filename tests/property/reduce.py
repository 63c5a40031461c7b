#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a kept random kernel down to what still differs, or still kills the process:

    reduce.py KERNEL.kir OUT.kir PROGRAM [ARGUMENT...]

PROGRAM is kernels with the back end's arguments; `--races yes` is added. A step replaces an instruction, with what its regions hold,
by constants, by one of its operands or by the instructions of one region, or drops it; fills an argument by a word in place of its bytes;
or drops a parameter. A step is kept while the program gives the same kind of answer: a difference, death by a signal, no end, or a fault
of the device. JOBS processes run at a time, each for LIMIT seconds (environment variables; as many as there are cores, 30). A kernel of
a fault that is repaired needs a PROGRAM with the repair taken out.
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


def regions(lines, first, last):
    """(lines, {result: value}) for each region of an `if` or `switch`: its instructions in place of the whole."""
    if not re.search(r"(^ *|= )(if|switch) ", lines[first]):
        return
    results = re.findall(r"(%\d+): ", lines[first].split(" = ")[0]) if " = " in lines[first] else []
    indent = re.match(r" *", lines[first]).group()
    edges = [i for i in range(first, last + 1) if re.match(indent + r"(\}|\S.*\{$)", lines[i])]
    for begin, end in zip(edges, edges[1:]):
        body = lines[begin + 1:end]
        left = re.fullmatch(r" *yield ?(.*)", body[-1]) if body else None
        values = left[1].split(", ") if left and left[1] else []
        if left and len(values) == len(results):
            yield [re.sub("^  ", "", line) for line in body[:-1]], dict(zip(results, values))


def arguments(lines):
    """(first, last) of each argument of the launch."""
    at = next((i for i, line in enumerate(lines) if line.startswith("; run:")), len(lines)) + 1
    while at < len(lines) and lines[at].startswith(";   "):
        end = at
        while lines[at].endswith("(") and not lines[end].endswith(")"):
            end += 1
        yield at, end
        at = end + 1


def words_for(lines, first):
    """Shorter texts of an argument, the shortest first."""
    whole = re.match(r";   (\[[\d,*]+\]=)bytes\($", lines[first])
    return [f";   {whole[1]}{word}" for word in ("0", "random(1)", "random(2)", "ramp(0,1)")] if whole else []


def without_parameter(lines, k):
    """None where the kernel uses it, or it is not the text of one kernel that nothing calls."""
    head = next(i for i, line in enumerate(lines) if line.startswith("kernel "))
    parameters = re.findall(r"(%\d+: (?:[a-z]+\w*<[^>]*>|\w+))", lines[head])
    spans_of = list(arguments(lines))
    if len(parameters) != len(spans_of) or k >= len(parameters):
        return None
    name = parameters[k].split(":")[0]
    if any(re.search(name + r"\b", line) for line in functions(lines)[1][1:]):
        return None
    before, after = lines[head].split("(" + parameters[0], 1)
    left = ", ".join(p for i, p in enumerate(parameters) if i != k)
    tail = after[after.rindex(")"):]
    first, last = spans_of[k]
    return lines[:first] + lines[last + 1:head] + [f"{before}({left}{tail}"] + lines[head + 1:]


def numbered(lines):
    """Values by the order in which they come, in each function."""
    out, names = [], {}
    for line in lines:
        if line.startswith(("kernel ", "func ")):
            names = {}
        comment = line.startswith(";")
        out.append(line if comment else re.sub(r"%\d+", lambda m: names.setdefault(m[0], f"%{len(names)}"), line))
    return out


def functions(lines):
    """What comes before the kernel, then each function; numbers mean something within one."""
    heads = [i for i, line in enumerate(lines) if line.startswith(("kernel ", "func "))]
    return [lines[a:b] for a, b in zip([0, *heads], [*heads, len(lines)])]


def without_unused(lines):
    """Drops constants and slots that nothing uses, and functions that nothing calls."""
    head, *all_ = functions(lines)
    while True:
        left = []
        for f in all_:
            used = {}
            for name in re.findall(r"%\d+", "\n".join(f)):
                used[name] = used.get(name, 0) + 1
            left.append([l for l in f if not (re.match(r" *(%\d+): [\w<>]+ = (const|slot) ", l) and used[re.match(r" *(%\d+)", l).group(1)] == 1)])
        text = "\n".join(line for f in left for line in f)
        left = [f for f in left if f[0].startswith("kernel ") or len(re.findall(re.escape(f[0].split(" ")[1]) + r"(?![\w.])", text)) > 1]
        if left == all_:
            return head + [line for f in left for line in f]
        all_ = left


def main():
    source, target, *command = sys.argv[1:]
    lines = open(source).read().split("\n")
    wanted = answer(command, "\n".join(lines))
    print(f"{len(lines)} lines: {wanted}", flush=True)
    if wanted == "fine":
        return 1

    # A step: (first, last, lines in their place, {value: another}).
    def steps(lines):
        for first, last in sorted(spans(lines), key=lambda s: s[0] - s[1]):  # the longest first
            by = constants(lines[first])
            if by is not None and not re.match(r" *%\d+: \w+ = const ", lines[first]):
                yield first, last, by, {}
            for body, names in regions(lines, first, last):
                yield first, last, body, names
        for i, name, operand in shortcuts(lines):
            yield i, i, [], {name: operand}
        for first, last in arguments(lines):
            for word in words_for(lines, first):
                yield first, last, [word], {}

    def apply(several, now):
        out = list(now)
        for first, last, by, _ in sorted(several, key=lambda t: -t[0]):
            out[first:last + 1] = by
        for name, operand in (pair for t in several for pair in t[3].items()):
            out = [re.sub(name + r"\b", operand, line) for line in out]
        return without_unused(out)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        def told(texts):
            shares = [list(range(len(texts)))[k::JOBS] for k in range(JOBS)]
            said = pool.map(lambda share: answers(command, ["\n".join(texts[i]) for i in share]), shares)
            by_index = dict(pair for share, all_ in zip(shares, said) for pair in zip(share, all_))
            return [by_index[i] == wanted for i in range(len(texts))]

        changed = True
        while changed:
            changed = False
            tries = list(steps(lines))
            for at in range(0, len(tries), 32 * JOBS):
                group = tries[at:at + 32 * JOBS]
                good = [t for t, is_good in zip(group, told([apply([t], lines) for t in group])) if is_good]
                if not good:
                    continue
                # All of them at once where that works, else half of them, and so on. Outer steps hold inner ones, so those with the most
                # lines come first.
                chosen = []
                for t in sorted(good, key=lambda t: t[0] - t[1]):
                    if not any(t[0] <= c[1] and c[0] <= t[1] for c in chosen) and not (t[3] and any(c[3] for c in chosen)):
                        chosen.append(t)
                while len(chosen) > 1 and answer(command, "\n".join(apply(chosen, lines))) != wanted:
                    chosen = chosen[:len(chosen) // 2]
                lines = apply(chosen, lines)
                changed = True
                break
            else:
                for less_of in (without_unused, *(lambda now, k=k: without_parameter(now, k) for k in range(len(list(arguments(lines))) - 1, -1, -1))):
                    less = less_of(lines)
                    if less and less != lines and answer(command, "\n".join(less)) == wanted:
                        lines, changed = less, True
            print(f"{len(lines)} lines", flush=True)
            open(target, "w").write("\n".join(lines))
    if answer(command, "\n".join(numbered(lines))) == wanted:
        open(target, "w").write("\n".join(numbered(lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
