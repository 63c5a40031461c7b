# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Minimax polynomials by the exchange algorithm of Remez in multiple precision, with coefficients that are floats: each is
# rounded in turn, from the lowest power, and the rest is fitted again around it.
from mpmath import mp, mpf

mp.prec = 260
BITS = {"float": 24, "double": 53}


def rounded(x, bits):
    """x to `bits` significant bits, ties to even."""
    with mp.workprec(bits):
        return +mpf(x)


def hexfloat(x, bits):
    """C++ literal of a float that is exact in `bits` bits."""
    if x == 0:
        return "0.0f" if bits == 24 else "0.0"
    sign, mantissa, exponent, _ = x._mpf_
    while mantissa % 2 == 0:
        mantissa //= 2
        exponent += 1
    length = mantissa.bit_length()
    fraction_bits = length - 1
    digits = (fraction_bits + 3) // 4
    fraction = (mantissa - (1 << fraction_bits)) << (digits * 4 - fraction_bits)
    point = "." + format(fraction, "0%dx" % digits) if digits else ""
    return "%s0x1%sp%+d%s" % ("-" if sign else "", point, exponent + fraction_bits, "f" if bits == 24 else "")


def chebyshev_grid(a, b, n):
    mid, half = (mpf(a) + mpf(b)) / 2, (mpf(b) - mpf(a)) / 2
    return [mid - half * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]


def exchange(xs, g, w, powers):
    """Coefficients c that minimise max |w (g - sum c x^p)| on the grid, and that maximum."""
    n = len(powers)
    if n == 0:
        return [], max(abs(wi * gi) for wi, gi in zip(w, g))
    pick = [int((len(xs) - 1) * (1 - mp.cos(mp.pi * i / n)) / 2) for i in range(n + 1)]
    rows = [[x ** p for p in powers] for x in xs]
    best, least = None, mp.inf
    for _ in range(60):
        matrix = mp.matrix(n + 1, n + 1)
        right = mp.matrix(n + 1, 1)
        for r, i in enumerate(pick):
            for k in range(n):
                matrix[r, k] = rows[i][k] * w[i]
            matrix[r, n] = (-1) ** r
            right[r] = g[i] * w[i]
        solution = mp.lu_solve(matrix, right)
        c, level = [solution[k] for k in range(n)], abs(solution[n])
        error = [w[i] * (g[i] - mp.fdot(c, rows[i])) for i in range(len(xs))]
        worst = max(range(len(xs)), key=lambda i: abs(error[i]))
        if abs(error[worst]) < least:
            best, least = c, abs(error[worst])
        if abs(error[worst]) <= level * mpf("1.0005"):
            break
        pick = new_reference(error, n + 1) or one_point(error, pick, worst)
    return best, least


def one_point(error, pick, worst):
    """The reference with the worst point in, and the neighbour of its sign out."""
    if worst in pick:
        return pick
    pick = sorted(pick)
    if worst < pick[0]:
        return [worst] + (pick[1:] if error[worst] * error[pick[0]] > 0 else pick[:-1])
    if worst > pick[-1]:
        return (pick[:-1] if error[worst] * error[pick[-1]] > 0 else pick[1:]) + [worst]
    i = max(k for k in range(len(pick)) if pick[k] < worst)
    pick[i if error[worst] * error[pick[i]] > 0 else i + 1] = worst
    return pick


def new_reference(error, count):
    """`count` points of alternating sign with large errors, the worst among them; None where there are fewer."""
    peaks = []
    for i, e in enumerate(error):
        if peaks and (e > 0) == (error[peaks[-1]] > 0):
            if abs(e) > abs(error[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        if len(peaks) == count + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        else:  # drop the smallest and, to keep the signs alternating, its smaller neighbour
            i = min(range(len(peaks)), key=lambda k: abs(error[peaks[k]]))
            if i in (0, len(peaks) - 1):
                peaks.pop(i)
            else:
                j = i - 1 if abs(error[peaks[i - 1]]) < abs(error[peaks[i + 1]]) else i + 1
                for k in sorted((i, j), reverse=True):
                    peaks.pop(k)
    return peaks if len(peaks) == count else None


def fit(g, weight, a, b, powers, kind, free=False, fixed=None):
    """[coefficient for each power] and the weighted error. free: keep multiple precision. fixed: {power: value}."""
    bits = BITS[kind]
    xs = chebyshev_grid(a, b, 24 * (len(powers) + 2))
    values = [g(x) for x in xs]
    weights = [weight(x) for x in xs]
    done, error = {}, None
    for p, v in (fixed or {}).items():
        done[p] = v
        values = [y - v * x ** p for x, y in zip(xs, values)]
    rest = [p for p in powers if p not in done]
    while rest:
        c, error = exchange(xs, values, weights, rest)
        if free:
            done.update(zip(rest, c))
            break
        p, v = rest.pop(0), rounded(c[0], bits)
        done[p] = v
        values = [y - v * x ** p for x, y in zip(xs, values)]
    if not free:
        error = max(abs(w * y) for w, y in zip(weights, values))
    return [done[p] for p in powers], error


def split(x, bits, parts):
    """x as a sum of `parts` floats, each rounded."""
    out, rest = [], mpf(x)
    for _ in range(parts):
        out.append(rounded(rest, bits))
        rest -= out[-1]
    return out
