#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes lib/math/coefficients.h: every polynomial and constant of the mathematical functions, as own minimax fits (remez.py).
# fit.py NAME… fits those again, fit.py alone all of them. Needs python3 and mpmath.
import os
import sys

from mpmath import mp, mpf

import remez

HEADER = os.path.join(os.path.dirname(__file__), "..", "..", "lib", "math", "coefficients.h")
PREAMBLE = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials and constants of the mathematical functions. Made by tools/fit/fit.py: own minimax
// fits (Remez in multiple precision, coefficients rounded one after another); do not edit. The
// lowest power comes first; "error" is the largest weighted error of the polynomial itself, relative
// to the function.
#pragma once

namespace krait::math {

"""
LN2, PI = mp.log(2), mp.pi


def sqrt_form(f):
    """A function of r as one of z = r * r."""
    return lambda z: f(mp.sqrt(z))


# name: (what it is, function of the variable, weight, (interval of f32), (interval of f64), terms f32, terms f64)
R = LN2 / 2 * mpf("1.0001")
T = PI / 4 * mpf("1.008")
T10 = mp.log(2, 10) / 2 * mpf("1.0001")
K2 = 2 / LN2
ERF_C = 2 / mp.sqrt(PI)
THIRD = mpf(1) / 3
POW_Z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")


def pow_series(z):
    s = mp.sqrt(z)
    return 2 * mp.atanh(s) / (s * LN2)


def erfc_fit(shift, end):
    """erfc(x) exp(x^2) / r by r - shift, r = 1 / (2 + x), 0 <= x <= end."""
    def target(a):
        r = a + shift
        x = 1 / r - 2
        return mp.erfc(x) * mp.exp(x * x) / r
    return target, lambda a: 1 / target(a), 1 / (2 + end) - shift, mpf("0.5") - shift


def stirling(z):
    """x (log gamma x - (x - 1/2) log x + x - log(2 pi) / 2) at z = 1 / x^2."""
    x = 1 / mp.sqrt(z)
    return x * (mp.loggamma(x) - (x - mpf("0.5")) * mp.log(x) + x - mp.log(2 * PI) / 2)


def erfinv_of(w):
    """erfinv(x) / x where w = -log(1 - x^2)."""
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


def erfinv_fit(f):
    return f, lambda v: 1 / f(v)


def fits(kind):
    single = kind == "float"
    half = 24 if single else 53
    c0, k = remez.rounded(K2 / 3, half), remez.rounded(K2, half)
    c_erf = remez.rounded(ERF_C, half)

    def terms(f32, f64):
        return list(range(f32 if single else f64))

    end = mpf("3.95") if single else mpf("5.93")
    return {
        "exp_q": ("e^r = 1 + r + r^2 Q(r), |r| <= ln2 / 2", lambda r: (mp.expm1(r) - r) / r ** 2,
                  lambda r: r ** 2 / mp.exp(r), -R, R, terms(5, 10)),
        "expm1_q": ("e^r - 1 = r + r^2 Q(r), |r| <= ln2 / 2", lambda r: (mp.expm1(r) - r) / r ** 2,
                    lambda r: r ** 2 / abs(mp.expm1(r)), -R, R, terms(5, 11)),
        "exp2_q": ("2^r = 1 + r Q(r), |r| <= 1/2", lambda r: mp.expm1(r * LN2) / r,
                   lambda r: abs(r) * mpf(2) ** -r, mpf("-0.5"), mpf("0.5"), terms(6, 11)),
        "exp10_q": ("10^r = 1 + r Q(r), |r| <= log10(2) / 2", lambda r: mp.expm1(r * mp.log(10)) / r,
                    lambda r: abs(r) * mpf(10) ** -r, -T10, T10, terms(6, 11)),
        "log_q": ("log(1 + f) = f + f^2 Q(f), |f| <= 1/3", lambda f: (mp.log1p(f) - f) / f ** 2,
                  lambda f: f ** 2 / abs(mp.log1p(f)), -THIRD, THIRD, terms(9, 20)),
        "log_w": ("log((1 + s) / (1 - s)) = s W(z), z = s^2, |s| <= 1/5; absolute", lambda z: 2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z),
                  mp.sqrt, mpf("1e-30"), mpf("0.0400001"), terms(3, 8)),
        "log2_q": ("log2(1 + f) = f log2(e) + f^2 Q(f), |f| <= 1/3", lambda f: (mp.log1p(f) - f) / f ** 2 / LN2,
                   lambda f: f ** 2 * LN2 / abs(mp.log1p(f)), -THIRD, THIRD, terms(9, 20)),
        "log10_q": ("log10(1 + f) = f log10(e) + f^2 Q(f), -1/3 <= f <= 0.3337", lambda f: (mp.log1p(f) - f) / f ** 2 / mp.log(10),
                    lambda f: f ** 2 * mp.log(10) / abs(mp.log1p(f)), -THIRD, mpf("0.3337"), terms(9, 20)),
        "sin_q": ("sin r = r + r z Q(z), z = r^2, |r| <= pi / 4", sqrt_form(lambda r: (mp.sin(r) - r) / r ** 3),
                  sqrt_form(lambda r: r ** 3 / mp.sin(r)), mpf(0), T ** 2, terms(3, 6)),
        "cos_q": ("cos r = 1 + z Q(z), z = r^2, |r| <= pi / 4", sqrt_form(lambda r: (mp.cos(r) - 1) / r ** 2),
                  sqrt_form(lambda r: r ** 2 / mp.cos(r)), mpf(0), T ** 2, terms(4, 7)),
        "sin_wide_q": ("sin r = r + r z Q(z), z = r^2, |r| <= pi / 2", sqrt_form(lambda r: (mp.sin(r) - r) / r ** 3),
                       sqrt_form(lambda r: r ** 3 / mp.sin(r)), mpf(0), (2 * T) ** 2, terms(4, 7)),
        "tan_q": ("tan r = r + r z Q(z), z = r^2, |r| <= pi / 4", sqrt_form(lambda r: (mp.tan(r) - r) / r ** 3),
                  sqrt_form(lambda r: r ** 3 / mp.tan(r)), mpf(0), T ** 2, terms(6, 14)),
        "atan_q": ("atan t = t + t z Q(z), z = t^2, |t| <= 1", sqrt_form(lambda t: (mp.atan(t) - t) / t ** 3),
                   sqrt_form(lambda t: t ** 3 / mp.atan(t)), mpf(0), mpf(1), terms(8, 19)),
        "asin_q": ("asin x = x + x z Q(z), z = x^2, |x| <= 1/2", sqrt_form(lambda x: (mp.asin(x) - x) / x ** 3),
                   sqrt_form(lambda x: x ** 3 / mp.asin(x)), mpf(0), mpf("0.25"), terms(5, 12)),
        "pow_w": ("log2((1 + s) / (1 - s)) = s (K + z (c0 + W(z))), z = s^2, K = 2 / ln 2, c0 = pow_c0",
                  lambda z: (pow_series(z) - K2) / z - c0, lambda z: z / pow_series(z), mpf(0), POW_Z, terms(1, 10)),
        "pow_p": ("log2((1 + s) / (1 - s)) = s (K + P(z)), z = s^2, K = pow_k[0]", lambda z: pow_series(z) - k,
                  lambda z: 1 / pow_series(z), mpf("1e-30"), POW_Z, terms(5, 1)),
        "erf_q": ("erf x = x + x Q(z), z = x^2, |x| <= 1", sqrt_form(lambda x: mp.erf(x) / x - 1),
                  sqrt_form(lambda x: x / mp.erf(x)), mpf(0), mpf(1), terms(8, 1)),
        "erf_tail": ("log2(erfc x) = P(x), 1 <= x <= %s" % mp.nstr(end, 3), lambda x: mp.log(mp.erfc(x), 2),
                     lambda x: mp.erfc(x) * LN2 / mp.erf(x), mpf(1), end, terms(6, 1)),
        "erf_p": ("8 (1 - (erfc x)^(1/8)) = x (c + P(x)), c = erf_c, 0 <= x <= %s" % mp.nstr(end, 3),
                  lambda x: -8 * mp.expm1(mp.log(mp.erfc(x)) / 8) / x - c_erf, lambda x: x * mp.erfc(x) ** (mpf(7) / 8) / mp.erf(x),
                  mpf("1e-9"), end, terms(1, 26)),
        "erfc_q": ("erfc x = exp(-x^2) r Q(r - c), r = 1 / (2 + x), c = 0 (f32), 1/4 (f64), x >= 0",
                   *(erfc_fit(mpf(0), mpf("10.2")) if single else erfc_fit(mpf("0.25"), mpf("27.4"))), terms(9, 25)),
        "gamma_q": ("gamma(2 + t) = 1 + t Q(t), -3/4 <= t <= 1/4", lambda t: (mp.gamma(2 + t) - 1) / t,
                    lambda t: abs(t) / mp.gamma(2 + t), mpf("-0.75"), mpf("0.25"), terms(9, 20)),
        "sinpi_q": ("sin(pi f) = pi f + f z Q(z), z = f^2, |f| <= 1/2", sqrt_form(lambda f: (mp.sin(PI * f) / f - PI) / f ** 2),
                    sqrt_form(lambda f: f ** 3 / mp.sin(PI * f)), mpf("1e-20"), mpf("0.25"), terms(4, 8)),
        "lgamma_q": ("log gamma(2 + t) = t Q(t), -3/4 <= t <= 1/4", lambda t: mp.loggamma(2 + t) / t,
                     lambda t: t / mp.loggamma(2 + t), mpf("-0.75"), mpf("0.25"), terms(10, 20)),
        "stirling_q": ("log gamma x = (x - 1/2) log x - x + log(2 pi) / 2 + Q(z) / x, z = 1 / x^2, x >= 6; absolute", stirling,
                       mp.sqrt, mpf("1e-12"), mpf(1) / 36, terms(3, 8)),
        "erfinv_near": ("erfinv x = x P(w), w = log(1 - x^2) >= -6", *erfinv_fit(lambda w: erfinv_of(-w)),
                        mpf(-6), mpf("-1e-30"), terms(10, 23)),
        "erfinv_far": ("erfinv x = x P(sqrt w - 13/4), 6 <= w <= 16", *erfinv_fit(lambda v: erfinv_of((v + mpf("3.25")) ** 2)),
                       mpf("-0.81"), mpf("0.76"), terms(9, 20)),
        "erfinv_farther": ("erfinv x = x P(sqrt w - 5), 16 <= w <= 37", *erfinv_fit(lambda v: erfinv_of((v + 5) ** 2)),
                           mpf(-1), mpf("1.1"), terms(1, 18)),
    }


def constants(kind):
    """name: list of values of this kind."""
    bits = remez.BITS[kind]
    two_over_pi = 2 / PI
    return {
        "log2_e": remez.split(1 / LN2, bits, 2),
        "ln2": remez.split(LN2, bits, 2),
        "log2_10": remez.split(mp.log(10, 2), bits, 1),
        "log10_2": remez.split(mp.log(2, 10), bits, 2),
        "log10_e": remez.split(1 / mp.log(10), bits, 2),
        "two_over_pi": remez.split(two_over_pi, bits, 1),
        "one_over_pi": remez.split(1 / PI, bits, 1),
        "half_pi": remez.split(PI / 2, bits, 3),
        "pi": remez.split(PI, bits, 3),
        "pow_k": remez.split(K2, bits, 2),
        "pow_c0": remez.split(K2 / 3, bits, 1),
        "erf_c": remez.split(ERF_C, bits, 1),
        "gamma_c": [remez.rounded(v, bits) for v in (mp.log(2 * PI, 2) / 2, (mp.log(2 * PI) - 1) / 2)],
    }


def words(kind):
    """2/pi as an integer in words, the most significant first, behind one word of zeros."""
    width, count = (32, 8) if kind == "float" else (64, 20)
    with mp.workprec(width * count + 64):
        value = int(mp.floor(mp.ldexp(2 / mp.pi, width * count)))
    out = [0] + [(value >> (width * (count - 1 - i))) & ((1 << width) - 1) for i in range(count)]
    unit = "unsigned" if kind == "float" else "unsigned long long"
    suffix = "u" if kind == "float" else "ull"
    body = ", ".join("0x%x%s" % (w, suffix) for w in out)
    return ["template <> inline constexpr %s two_over_pi_words<%s>[] = {%s};" % (unit, kind, body)]


def wrapped(line):
    out = []
    while len(line) > 100:
        cut = line.rfind(" ", 0, 100)
        out.append(line[:cut])
        line = "    " + line[cut + 1:]
    return out + [line]


def definition(name, kind, values):
    bits = remez.BITS[kind]
    return "template <> inline constexpr %s %s<%s>[] = {%s};" % (
        kind, name, kind, ", ".join(remez.hexfloat(v, bits) for v in values))


def block(name):
    """The lines of one entry."""
    primary = "template <class Float> inline constexpr int %s = 0;" % name
    if name == "two_over_pi_words":
        lines = ["// 2/pi in words, a word of zeros first", primary] + words("float") + words("double")
        return [w for line in lines for w in wrapped(line)]
    if name in constants("float"):
        lines = [primary] + [definition(name, k, constants(k)[name]) for k in ("float", "double")]
        return [w for line in lines for w in wrapped(line)]
    out, errors = [primary], []
    for kind in ("float", "double"):
        what, g, weight, a, b, powers = fits(kind)[name]
        c, error = remez.fit(g, weight, a, b, powers, kind)
        errors.append("2^%s" % mp.nstr(mp.log(error, 2), 4))
        out += wrapped(definition(name, kind, c))
    return ["// %s: %s; error %s / %s" % (name, what, *errors)] + out


def main():
    entries = {}
    if os.path.exists(HEADER):
        for text in open(HEADER).read().split("\n\n"):
            key = next((line.split("constexpr int ")[1].split(" ")[0] for line in text.split("\n") if "constexpr int " in line), None)
            if key:
                entries[key] = text.strip("\n")
    every = list(constants("float")) + ["two_over_pi_words"] + list(fits("float"))
    for name in sys.argv[1:] or every:
        entries[name] = "\n".join(block(name))
        print(entries[name], flush=True)
    with open(HEADER, "w") as f:
        f.write(PREAMBLE + "\n\n".join(entries[n] for n in every if n in entries) + "\n\n}  // namespace krait::math\n")


if __name__ == "__main__":
    main()
