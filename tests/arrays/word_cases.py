#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""word_cases.py SEED COUNT: calls of NumPy's daily functions on arrays of every element type with what NumPy makes of them, a case a
line, for numpy_words.

A line is words: a function, the element type, its arrays (rank, extents, elements) and numbers, `=`, and its results (rank, extents,
elements), or `error`. Complex elements are two numbers.
"""
import random
import sys
import warnings

import numpy as np

INTEGERS = {"u8": np.uint8, "i16": np.int16, "i32": np.int32, "u32": np.uint32, "i64": np.int64}
FLOATS = {"f32": np.float32, "f64": np.float64}
COMPLEX = {"c64": np.complex64, "c128": np.complex128}
BOOL = {"bool": np.bool_}
REAL = {**INTEGERS, **FLOATS}
NUMBERS = {**REAL, **COMPLEX}
ALL = {**BOOL, **NUMBERS}


def number(x):
    if isinstance(x, complex):
        return f"{number(x.real)} {number(x.imag)}"
    if isinstance(x, float):
        return "nan" if x != x else "inf" if x == float("inf") else "-inf" if x == -float("inf") else repr(x)
    return str(int(x))


def text(x):
    x = np.asarray(x)
    if x.ndim == 0:
        x = x.reshape(1)
    return " ".join(map(str, (x.ndim, *x.shape, *(number(v) for v in x.ravel().tolist()))))


def cosine(a, which, axis, points, norm, inverse):
    """The cosine transform as scipy.fft defines it, term by term."""
    which = {2: 3, 3: 2}.get(which, which) if inverse else which
    x = np.zeros((points, a.shape[1 - axis]))
    rows = np.moveaxis(a, axis, 0)[:points]
    x[:len(rows)] = rows
    k, m = np.arange(points)[:, None], np.arange(points)[None, :]
    terms = 2 * np.cos(np.pi * {1: lambda: k * m / (points - 1), 2: lambda: k * (2 * m + 1) / (2 * points),
                                3: lambda: (2 * k + 1) * m / (2 * points), 4: lambda: (2 * k + 1) * (2 * m + 1) / (4 * points)}[which]())
    root, period = np.sqrt(2), 2 * (points - 1) if which == 1 else 2 * points
    if which in (1, 3):
        terms[:, 0] /= 2
    if which == 1:
        terms[:, -1] /= 2
    if norm == "ortho":
        if which in (1, 3):
            terms[:, 0] *= root
        if which == 1:
            terms[:, -1] *= root
            terms[-1] /= root
        if which in (1, 2):
            terms[0] /= root
        terms /= np.sqrt(period)
    elif (norm == "forward") != inverse:
        terms /= period
    return np.moveaxis(terms @ x, 0, axis)


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def array(self, kind, shape, nan=0.0, least=None, most=None):
        """Small whole numbers and halves: sums of them are exact, and equal ones are frequent."""
        def one():
            value = self.random.randint(-9 if least is None else least, 9 if most is None else most)
            if kind in FLOATS or kind in COMPLEX:
                if self.random.random() < nan:
                    return float("nan")
                return value / 2
            return value
        size = int(np.prod(shape))
        if kind == "bool":
            values = [self.random.random() < 0.5 for _ in range(size)]
        elif kind in COMPLEX:
            values = [complex(one(), one()) for _ in range(size)]
        elif kind in ("u8", "u32"):
            values = [abs(one()) for _ in range(size)]
        else:
            values = [one() for _ in range(size)]
        return np.array(values, ALL[kind]).reshape(shape)

    def shape(self, rank, empty=0.0):
        return [0 if self.random.random() < empty else self.random.choice([1, 2, 3, 4, 5, 7]) for _ in range(rank)]

    def axis(self, rank=2):
        return self.random.randint(-rank, rank - 1)

    # ---- functions: each gives the words of its arguments and NumPy's result ------------------------------------------------------
    def matrix(self, kind, **how):
        return self.array(kind, self.shape(2), **how)

    def vector(self, kind, least=1, **how):
        return self.array(kind, [self.random.randint(least, 12)], **how)

    def concatenate(self, kind):
        axis, shape = self.axis(), self.shape(2)
        other = list(shape)
        other[axis] = self.random.randint(0, 3)
        a, b = self.array(kind, shape), self.array(kind, other)
        return f"{text(a)} {text(b)} {axis}", np.concatenate([a, b], axis)

    def stack(self, kind):
        shape, axis = self.shape(2), self.axis(3)
        a, b = self.array(kind, shape), self.array(kind, shape)
        return f"{text(a)} {text(b)} {axis}", np.stack([a, b], axis)

    def hstack(self, kind):
        shape = self.shape(2)
        a, b = self.array(kind, shape), self.array(kind, [shape[0], 2])
        return f"{text(a)} {text(b)}", np.hstack([a, b])

    def vstack(self, kind):
        n = self.random.randint(0, 5)
        a, b = self.array(kind, [n]), self.array(kind, [n])
        return f"{text(a)} {text(b)}", np.vstack([a, b])

    def split(self, kind):
        a = self.matrix(kind)
        axis, at = self.axis(), sorted([self.random.randint(0, 6), self.random.randint(0, 6)])
        return f"{text(a)} {at[0]} {at[1]} {axis}", tuple(np.split(a, at, axis))

    def repeat(self, kind):
        a, times, axis = self.matrix(kind), self.random.randint(0, 3), self.axis()
        return f"{text(a)} {times} {axis}", np.repeat(a, times, axis)

    def repeat_counts(self, kind):
        a = self.vector(kind)
        counts = self.array("i64", a.shape, least=0, most=3)
        return f"{text(a)} {text(counts)}", np.repeat(a, counts)

    def tile(self, kind):
        a, r, c = self.matrix(kind), self.random.randint(0, 3), self.random.randint(1, 4)
        return f"{text(a)} {r} {c}", np.tile(a, (r, c))

    def roll(self, kind):
        a, by, axis = self.matrix(kind), self.random.randint(-9, 9), self.axis()
        return f"{text(a)} {by} {axis}", np.roll(a, by, axis)

    def roll_flat(self, kind):
        a, by = self.matrix(kind), self.random.randint(-9, 9)
        return f"{text(a)} {by}", np.roll(a, by)

    def pad(self, kind):
        a = self.matrix(kind)
        mode = self.random.choice(["constant", "edge", "reflect", "symmetric", "wrap"])
        # Before 1.25 NumPy repeats wrongly where "wrap" needs an element more than once, or the mirrors often and on one side.
        most = {"wrap": 1, "symmetric": 2, "reflect": 1}.get(mode, 9)
        w = [[self.random.randint(0, min(9, most * extent)) for _ in range(2)] for extent in a.shape]
        return f"{text(a)} {w[0][0]} {w[0][1]} {w[1][0]} {w[1][1]} {mode}", np.pad(a, w, mode)

    def rot90(self, kind):
        a, times = self.matrix(kind), self.random.randint(-5, 5)
        return f"{text(a)} {times}", np.rot90(a, times)

    def tril(self, kind):
        a, k = self.matrix(kind), self.random.randint(-3, 3)
        return f"{text(a)} {k}", np.tril(a, k)

    def triu(self, kind):
        a, k = self.matrix(kind), self.random.randint(-3, 3)
        return f"{text(a)} {k}", np.triu(a, k)

    def take_along_axis(self, kind):
        a, axis = self.matrix(kind), self.axis()
        shape = list(a.shape)
        shape[axis] = self.random.randint(1, 4)
        n = a.shape[axis]
        i = self.array("i64", shape, least=-n, most=n - 1)
        return f"{text(a)} {text(i)} {axis}", np.take_along_axis(a, i, axis)

    def put_along_axis(self, kind):
        a, axis = self.matrix(kind), self.axis()
        shape = list(a.shape)
        shape[axis] = 1
        n = a.shape[axis]
        i, v = self.array("i64", shape, least=-n, most=n - 1), self.array(kind, shape)
        b = a.copy()
        np.put_along_axis(b, i, v, axis)
        return f"{text(a)} {text(i)} {text(v)} {axis}", b

    def diff(self, kind):
        a, n, axis = self.matrix(kind), self.random.randint(0, 3), self.axis()
        return f"{text(a)} {n} {axis}", np.diff(a, n, axis)

    def gradient(self, kind):
        a = self.array(kind, [self.random.randint(2, 6), self.random.randint(2, 6)])
        axis, h = self.axis(), self.random.choice([1, 2, 0.5])
        return f"{text(a)} {h} {axis}", np.gradient(a if kind in FLOATS else a.astype(float), h, axis=axis)

    def gradient_at(self, kind):
        a = self.vector(kind, 2)
        at = np.cumsum(self.array(kind, a.shape, least=1)).astype(ALL[kind])
        return f"{text(a)} {text(at)}", np.gradient(a.astype(float), at.astype(float))

    def interp(self, kind):
        n = self.random.randint(1, 6)
        points = np.cumsum(self.array(kind, [n], least=1, most=4)).astype(ALL[kind])
        values, x = self.array(kind, [n]), self.vector(kind, least=0, nan=0.1)
        return f"{text(x)} {text(points)} {text(values)}", np.interp(x, points, values)

    def trapezoid(self, kind):
        a, d = self.matrix(kind), self.random.choice([1, 0.5])
        return f"{text(a)} {d}", np.trapz(a.astype(float), dx=d)

    def median(self, kind):
        a, axis = self.matrix(kind, nan=0.02), self.axis()
        return f"{text(a)} {axis}", np.median(a, axis)

    def quantile(self, kind):
        a, axis, q = self.matrix(kind, nan=0.02), self.axis(), self.random.choice([0, 0.25, 0.5, 1, 0.3, 0.99])
        method = self.random.choice(["linear", "lower", "higher", "midpoint", "nearest"])
        return f"{text(a)} {q} {axis} {method}", np.quantile(a, q, axis, method=method)

    def percentiles(self, kind):
        a, q = self.vector(kind, nan=0.02), [0, 10.5, 50, 100]
        return f"{text(a)} {text(q)}", np.percentile(a, q)

    def average(self, kind):
        a, axis = self.matrix(kind), self.axis()
        w = self.array(kind, [a.shape[axis]], least=1)
        return f"{text(a)} {text(w)} {axis}", np.average(a, axis, w)

    def cov(self, kind):
        a = self.array(kind, [self.random.randint(2, 4), self.random.randint(3, 7)])
        return text(a), np.cov(a)

    def corrcoef(self, kind):
        a = self.array(kind, [self.random.randint(2, 4), self.random.randint(5, 9)])
        a[:, 0], a[:, 1] = 1, 9
        return text(a), np.corrcoef(a)

    def ptp(self, kind):
        a, axis = self.matrix(kind), self.axis()
        return f"{text(a)} {axis}", np.ptp(a, axis)

    def nan_reduction(self, kind, f):
        a, axis = self.matrix(kind, nan=0.4), self.axis()
        return f"{text(a)} {axis}", f(a, axis=axis)

    def nansum(self, kind):
        return self.nan_reduction(kind, np.nansum)

    def nanprod(self, kind):
        return self.nan_reduction(kind, np.nanprod)

    def nanmean(self, kind):
        return self.nan_reduction(kind, np.nanmean)

    def nanmin(self, kind):
        return self.nan_reduction(kind, np.nanmin)

    def nanmax(self, kind):
        return self.nan_reduction(kind, np.nanmax)

    def nanstd(self, kind):
        return self.nan_reduction(kind, np.nanstd)

    def nanvar(self, kind):
        return self.nan_reduction(kind, np.nanvar)

    def cummax(self, kind):
        a, axis = self.matrix(kind, nan=0.05), self.axis()
        return f"{text(a)} {axis}", np.maximum.accumulate(a, axis)

    def cummin(self, kind):
        a, axis = self.matrix(kind, nan=0.05), self.axis()
        return f"{text(a)} {axis}", np.minimum.accumulate(a, axis)

    def lexsort(self, kind):
        a = self.vector(kind, 0, nan=0.1)
        b = self.array(kind, a.shape, least=0, most=2)
        return f"{text(a)} {text(b)}", np.lexsort((a, b))

    def bincount(self, kind):
        a, least = self.vector(kind, least=0) if kind[0] == "u" else abs(self.vector(kind, 0)), self.random.choice([0, 4, 12])
        return f"{text(a)} {least}", np.bincount(a.astype(np.int64), minlength=least)

    def bincount_weights(self, kind):
        a = abs(self.vector(kind))
        w = self.array("f64", a.shape)
        return f"{text(a)} {text(w)}", np.bincount(a.astype(np.int64), w)

    def digitize(self, kind):
        x, edges = self.vector(kind, 0), np.sort(self.vector(kind))
        right = self.random.randint(0, 1)
        if self.random.random() < 0.5:
            edges = edges[::-1].copy()
        return f"{text(x)} {text(edges)} {right}", np.digitize(x, edges, bool(right))

    def sets(self, kind):
        """Of one to three dimensions, with another element type: that of C++'s x + y holds all of these numbers, as NumPy's does."""
        rank, other = self.random.choice([(1, "i64"), (2, "f64"), (3, "i64")])
        a, b = self.array(kind, self.shape(rank)), self.array(other, [self.random.randint(2, 12)])
        edges = np.sort(b)
        return (f"{rank} {text(a)} {text(b)}",
                (np.isin(a, b), np.isin(b, a), np.union1d(a, b), np.intersect1d(a, b), np.setdiff1d(a, b), np.setxor1d(b, a), np.searchsorted(edges, a),
                 np.searchsorted(edges, a, "right"), np.digitize(a, edges), np.unique(a), *np.unique(a, return_counts=True), np.unique(
                     a, return_inverse=True)[1], np.histogram(a, 3)[0], np.histogram(a, edges)[0], np.percentile(a, [10, 50, 95.5])))

    def unique_all(self, kind):
        a = self.vector(kind, 0)
        return text(a), np.unique(a, True, True, True)

    def trace(self, kind):
        a, k = self.array(kind, [5, self.random.randint(4, 6)]), self.random.randint(-3, 3)
        return f"{text(a)} {k}", np.trace(a, k)

    def outer(self, kind):
        a, b = self.vector(kind), self.vector(kind)
        return f"{text(a)} {text(b)}", np.outer(a, b)

    def inner(self, kind):
        a = self.matrix(kind)
        b = self.array(kind, [self.random.randint(1, 4), a.shape[1]])
        return f"{text(a)} {text(b)}", np.inner(a, b)

    def tensordot(self, kind):
        s = self.shape(3)
        a, b = self.array(kind, s), self.array(kind, [s[2], 3, s[0]])
        return f"{text(a)} {text(b)}", np.tensordot(a, b, ((0, 2), (2, 0)))

    def vdot(self, kind):
        a = self.vector(kind)
        b = self.array(kind, a.shape)
        return f"{text(a)} {text(b)}", np.vdot(a, b)

    def kron(self, kind):
        a, b = self.matrix(kind), self.matrix(kind)
        return f"{text(a)} {text(b)}", np.kron(a, b)

    def cross(self, kind):
        n = self.random.randint(1, 4)
        a, b = self.array(kind, [n, 3]), self.array(kind, [n, 3])
        return f"{text(a)} {text(b)}", np.cross(a, b)

    def sum(self, kind):
        a, axis = self.matrix(kind), self.axis()
        return f"{text(a)} {axis}", a.sum(axis)

    def prod(self, kind):
        a, axis = self.array(kind, [2, 3]), self.axis()
        return f"{text(a)} {axis}", a.prod(axis)

    def mean(self, kind):
        a, axis = self.matrix(kind), self.axis()
        return f"{text(a)} {axis}", a.mean(axis)

    def variance(self, kind):
        a, axis = self.matrix(kind), self.axis()
        return f"{text(a)} {axis}", a.var(axis)

    def stddev(self, kind):
        a = self.matrix(kind)
        return text(a), a.std()

    def norm(self, kind):
        a, axis = self.matrix(kind), self.axis()
        return f"{text(a)} {axis}", np.linalg.norm(a, axis=axis)

    def cumsum(self, kind):
        a, axis = self.matrix(kind), self.axis()
        return f"{text(a)} {axis}", np.cumsum(a, axis)

    def cumprod(self, kind):
        a = self.array(kind, [4])
        return text(a), np.cumprod(a)

    def matmul(self, kind):
        a = self.matrix(kind)
        b = self.array(kind, [a.shape[1], self.random.randint(1, 9)])
        return f"{text(a)} {text(b)}", a @ b

    def dot(self, kind):
        a = self.vector(kind)
        b = self.array(kind, a.shape)
        return f"{text(a)} {text(b)}", a @ b

    def einsum(self, kind):
        a, b = self.matrix(kind), self.matrix(kind)
        return f"{text(a)} {text(b)}", np.einsum("ij,kl->ki", a, b)

    def where(self, kind):
        a = self.matrix(kind)
        b, m = self.array(kind, a.shape), self.array("bool", a.shape)
        return f"{text(a)} {text(b)} {text(m)}", np.where(m, a, b)

    def equal(self, kind):
        a = self.matrix(kind)
        b = self.array(kind, a.shape)
        return f"{text(a)} {text(b)}", a == b

    def arithmetic(self, kind):
        a = self.matrix(kind)
        b = self.array(kind, a.shape, least=1)
        return f"{text(a)} {text(b)}", (a * b + a) / b - a * ALL[kind](2)

    def parts(self, kind):
        a = self.matrix(kind)
        return text(a), (np.abs(a), np.real(a), np.imag(a), np.conj(a), np.angle(a))

    def functions(self, kind):
        a = self.matrix(kind)
        return text(a), tuple(f(a) for f in (np.exp, np.log, np.sqrt, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.log2, np.log10)
                              ) + (a ** ALL[kind](2), np.isnan(a), np.isinf(a), np.isfinite(a))

    def any_all(self, kind):
        a, axis = self.matrix(kind, least=0, most=1), self.axis()
        return f"{text(a)} {axis}", (a.any(axis), a.all(axis), np.count_nonzero(a, axis))

    # ---- indices and masks ----------------------------------------------------------------------------------------------------------
    def places(self, n, shape):
        return self.array("i64", shape, least=-n, most=n - 1)

    def index_pairs(self, kind):
        a, shape = self.matrix(kind), self.shape(2)
        i, j = self.places(a.shape[0], shape), self.places(a.shape[1], [shape[1]])
        return f"{text(a)} {text(i)} {text(j)}", a[i, j]

    def index_columns(self, kind):
        a = self.array(kind, self.shape(3))
        j = self.places(a.shape[1], [self.random.randint(0, 4)])
        return f"{text(a)} {text(j)}", a[:, j]

    def index_apart(self, kind):
        a, n = self.array(kind, self.shape(3)), self.random.randint(1, 4)
        i, k = self.places(a.shape[0], [n]), self.places(a.shape[2], [n])
        return f"{text(a)} {text(i)} {text(k)}", (a[i, :, k], a[0, :, k], a[:, -1, k], a[:, None, i % a.shape[1]], a[i, 0:1])

    def index_rows(self, kind):
        a = self.matrix(kind)
        i = self.places(a.shape[0], self.shape(2))
        return f"{text(a)} {text(i)}", a[i]

    def mask_rows(self, kind):
        a = self.array(kind, self.shape(3))
        rows, both = self.array("bool", [a.shape[0]]), self.array("bool", a.shape[:2])
        columns = self.array("bool", [a.shape[2]])
        return f"{text(a)} {text(rows)} {text(both)} {text(columns)}", (a[rows], a[both], a[:, :, columns])

    def assign_pairs(self, kind):
        a = self.matrix(kind)
        n = min(a.shape)
        i = np.array(self.random.sample(range(a.shape[0]), n), np.int64)
        j, v = self.places(a.shape[1], [n]), self.array(kind, [n])
        b = a.copy()
        b[i, j] = v
        b[:, j[:1]] = v[:1]
        return f"{text(a)} {text(i)} {text(j)} {text(v)}", b

    def add_at(self, kind):
        a = self.array(kind, self.shape(3))
        j = np.array(self.random.sample(range(a.shape[1]), self.random.randint(1, a.shape[1])), np.int64)
        rows = self.array("bool", [a.shape[0]])
        b = a.copy()
        b[:, j] += ALL[kind](3)
        b[rows] *= ALL[kind](2)
        return f"{text(a)} {text(j)} {text(rows)}", b

    def part(self, n):
        """A slice of any bounds and step, as Python and as words: first, last, step."""
        first, last = self.random.randint(-n - 1, n + 1), self.random.randint(-n - 1, n + 1)
        step = self.random.choice([1, 2, 3, -1, -2])
        return slice(first, last, step), f"{first} {last} {step}"

    def index_parts(self, kind):
        """Arrays of indices beside slices and new axes, and those that broadcast to a table."""
        a = self.array(kind, self.shape(3))
        part, words = self.part(a.shape[0])
        i, j = self.places(a.shape[0], [self.random.randint(1, 3), 1]), self.places(a.shape[1], [self.random.randint(0, 4)])
        k = self.places(a.shape[2], [self.random.randint(1, 3)])
        return (f"{text(a)} {words} {text(i)} {text(j)} {text(k)}",
                (a[part, j], a[i, j], a[part, :, k], a[part, 0, k], a[part, None, j[None], 0], a[i, j, ::-1]))

    def mask_logic(self, kind):
        a = self.array(kind, self.shape(2))
        m, n = self.array("bool", a.shape), self.array("bool", a.shape)
        rows, both = self.array("bool", [a.shape[0]]), self.array("bool", [a.shape[0]])
        return (f"{text(a)} {text(m)} {text(n)} {text(rows)} {text(both)}",
                (m & n, m | n, m ^ n, ~m, a[m & n], a[m | ~n], a[m ^ n], a[rows & ~both], a[rows | both, 0]))

    def logic(self, kind):
        """Of numbers as truths: && || !, and bits of integers."""
        a = self.matrix(kind, least=-2, most=2)
        b = self.array(kind, a.shape, least=-2, most=2)
        bits = (a & b, a | b, a ^ b, ~a) if kind in INTEGERS or kind == "bool" else ()
        wide = tuple(x if kind in BOOL else x.astype(np.promote_types(x.dtype, np.int32)) for x in bits)
        if kind in ("u8", "i16"):  # C++ computes in int
            wide = (*wide[:3], ~a.astype(np.int32))
        return (f"{text(a)} {text(b)}",
                (np.logical_and(a, b), np.logical_or(a, b), np.logical_not(a), a[np.logical_and(a > b, a != 0)], *wide))

    def assign_parts(self, kind):
        a = self.array(kind, self.shape(3))
        n, m = a.shape[:2]
        i = np.array(self.random.sample(range(n), self.random.randint(1, n)), np.int64)[:, None]
        j = np.array(self.random.sample(range(m), self.random.randint(1, m)), np.int64)
        v, w = self.array(kind, [i.size, j.size, 1]), self.array(kind, [a.shape[2]])
        part, words = self.part(n)
        both, rows = self.array("bool", a.shape[:2]), self.array("bool", [n])
        b = a.copy()
        b[i, j] = v
        b[part, j] = w
        b[both] = w
        b[rows, :, -1] = v[0, 0, 0]
        b[rows & ~rows] = 0
        return f"{text(a)} {text(i)} {text(j)} {text(v)} {text(w)} {words} {text(both)} {text(rows)}", b

    def along_axis(self, kind):
        """In three dimensions, and of equal places the last."""
        a, axis = self.array(kind, self.shape(3)), self.axis(3)
        shape = list(a.shape)
        shape[axis] = self.random.randint(1, 4)
        i, v = self.places(a.shape[axis], shape), self.array(kind, shape)
        b = a.copy()
        np.put_along_axis(b, i, v, axis)
        return f"{text(a)} {text(i)} {text(v)} {axis}", (np.take_along_axis(a, i, axis), b)

    # ---- elements, sequences and frequencies ----------------------------------------------------------------------------------------
    def clip(self, kind):
        a = self.matrix(kind, nan=0.1)
        return text(a), np.clip(a, ALL[kind](1), ALL[kind](3))

    def sign(self, kind):
        a = self.matrix(kind, nan=0.1)
        return text(a), (np.sign(a), np.square(a))

    def nan_to_num(self, kind):
        a = self.matrix(kind, nan=0.2)
        a.ravel()[self.random.randrange(a.size)] = ALL[kind](self.random.choice([float("inf"), -float("inf"), 1]))
        return text(a), (np.nan_to_num(a), np.nan_to_num(a, nan=2, posinf=9, neginf=-9))

    def fftshift(self, kind):
        a, axis = self.matrix(kind), self.axis()
        return f"{text(a)} {axis}", (np.fft.fftshift(a), np.fft.ifftshift(a), np.fft.fftshift(a, axis), np.fft.ifftshift(a, axis))

    def fftfreq(self, kind):
        n, d = self.random.randint(1, 12), self.random.choice([1, 0.5, 0.1])
        return f"{n} {d}", (np.fft.fftfreq(n, d), np.fft.rfftfreq(n, d))

    def dct(self, kind):
        axis, shape = self.random.choice([0, 1]), [self.random.randint(1, 3), self.random.choice([1, 2, 3, 4, 5, 8, 9, 16, 31, 96])]
        a = self.array(kind, shape if axis else shape[::-1])
        which, norm = self.random.randint(1, 4), self.random.choice(["backward", "ortho", "forward"])
        points = max(self.random.choice([a.shape[axis], a.shape[axis], self.random.randint(1, 20)]), 2 if which == 1 else 1)
        if self.random.random() < 0.5:
            a = np.asfortranarray(a)
        return f"{which} {axis} {points} {norm} {text(a)}", (cosine(a, which, axis, points, norm, False),
                                                             cosine(a, which, axis, points, norm, True))

    def sequences(self, kind):
        n, end = self.random.randint(0, 9), self.random.randint(0, 1)
        return f"{n} {end}", (np.logspace(0, 3, n, bool(end)), np.geomspace(2, 700, n, bool(end)), np.logspace(1, 5, n, base=2))

    def indices(self, kind):
        m, n = self.shape(2)
        return f"{m} {n}", (np.indices((m, n)), np.fromfunction(lambda i, j: 10 * i + j, (m, n)))

    # ---- linear algebra -------------------------------------------------------------------------------------------------------------
    def square_matrix(self, kind):
        n = self.random.randint(1, 5)
        return self.array(kind, [n, n]) + (12 * np.eye(n)).astype(ALL[kind])

    def linalg(self, kind):
        a = self.square_matrix(kind)
        sign, logdet = np.linalg.slogdet(a)
        return text(a), (sign, logdet, np.linalg.cond(a), np.linalg.pinv(a), np.linalg.matrix_power(a / ALL[kind](12), 3),
                         np.linalg.matrix_rank(a))

    def eig(self, kind):
        a = self.square_matrix(kind)
        h = a + a.conj().T
        return text(a), (np.sort(np.linalg.eigvals(a).real), np.linalg.eigvalsh(h))

    def expm(self, kind):
        a = self.array(kind, [3, 3])
        d, v = np.linalg.eig((a + a.conj().T).astype(np.complex128))
        made = v @ np.diag(np.exp(d)) @ np.linalg.inv(v)
        return text(a), (made if kind in COMPLEX else made.real) / np.exp(max(d.real))

    def lstsq(self, kind):
        columns = self.random.randint(1, 3)
        a = self.array(kind, [columns + self.random.randint(0, 3), columns])
        a[:columns] += (9 * np.eye(columns)).astype(ALL[kind])
        b = self.array(kind, [a.shape[0]])
        x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=None)
        return f"{text(a)} {text(b)}", (x, residuals, np.int64(rank), s)

    def pinv(self, kind):
        a = self.matrix(kind)
        a[-1] = a[0]
        return text(a), np.linalg.pinv(a, 1e-4)


MADE = {
    **dict.fromkeys("""concatenate stack hstack vstack split repeat repeat_counts tile roll roll_flat pad rot90 tril triu take_along_axis
                       put_along_axis any_all where equal sum index_pairs index_columns index_apart index_rows mask_rows
                       assign_pairs index_parts mask_logic assign_parts along_axis fftshift""".split(), ALL),
    **dict.fromkeys("prod outer inner tensordot kron matmul dot einsum trace cumsum cumprod mean norm vdot cross".split(), NUMBERS),
    **dict.fromkeys("""gradient gradient_at interp trapezoid median quantile percentiles average cov corrcoef ptp nansum nanprod nanmean
                       nanmin nanmax nanstd nanvar cummax cummin lexsort digitize sets unique_all""".split(), REAL),
    **dict.fromkeys("linalg eig expm lstsq pinv nan_to_num".split(), {**FLOATS, **COMPLEX}),
    **dict.fromkeys("clip sign dct".split(), REAL),
    "logic": {**BOOL, **REAL},
    "add_at": NUMBERS, "fftfreq": FLOATS, "sequences": {"f64": np.float64}, "indices": {"i64": np.int64},
    "diff": ALL, "bincount": INTEGERS, "bincount_weights": INTEGERS,
    "variance": NUMBERS, "stddev": NUMBERS, "arithmetic": {**FLOATS, **COMPLEX}, "parts": COMPLEX, "functions": COMPLEX,
}


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    seed, count = int(sys.argv[1]) if len(sys.argv) > 1 else 0, int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    maker = Maker(seed)
    pairs = [(name, kind) for name, kinds in MADE.items() for kind in kinds]
    maker.random.shuffle(pairs)
    for i in range(count):
        name, kind = pairs[i % len(pairs)]
        arguments, result = getattr(maker, name)(kind)
        results = result if isinstance(result, tuple) else (result,)
        print(f"{name} {kind} {arguments} = {len(results)} {' '.join(text(r) for r in results)}")


if __name__ == "__main__":
    main()
