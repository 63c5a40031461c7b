#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cases.py SEED COUNT: random operations on arrays with what NumPy makes of them, a case a line, for numpy_cases.

A line is words: an operation, its arrays (type, rank, extents, number of views, views), its arguments, `=`, and the result (rank,
extents, elements). The elements of an array count from 0; a view is a letter and its arguments, see View.
"""
import random
import sys
import warnings

import numpy as np

TYPES = {"i32": np.int32, "f32": np.float32, "f64": np.float64, "u8": np.uint8, "i64": np.int64}
MAX_RANK = 6


def text(array):
    array = np.asarray(array)
    if array.ndim == 0:
        array = array.reshape(1)
    values = array.astype(np.uint8) if array.dtype == np.bool_ else array
    return " ".join(map(str, (array.ndim, *array.shape, *(repr(v) for v in values.ravel().tolist()))))


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def shape(self, most=60):
        rank = self.random.randint(1, MAX_RANK)
        while True:
            shape = [self.random.choice([0, 1, 1, 2, 3, 4, 5, 7, 9, 17]) for _ in range(rank)]
            if 0 < np.prod(shape) <= most * 10 or self.random.random() < 0.05:
                return shape

    def base(self, kind=None, shape=None):
        """A new array and its words."""
        kind = kind or self.random.choice(list(TYPES))
        shape = shape or self.shape()
        array = np.arange(np.prod(shape)).astype(TYPES[kind]).reshape(shape)
        return array, f"{kind} {len(shape)} {' '.join(map(str, shape))}"

    def bound(self, extent):
        return self.random.choice([None, self.random.randint(-extent - 2, extent + 2)])

    def slices(self, a):
        words, items, rank = [], [], 0
        for extent in a.shape:
            if rank < MAX_RANK - (a.ndim - len(items)) and self.random.random() < 0.15:
                words.append("n"), items.append(None)
                rank += 1
            how = self.random.random()
            if how < 0.25 and extent > 0:
                at = self.random.randint(-extent, extent - 1)
                words.append(f"i {at}"), items.append(at)
            else:
                first, last = self.bound(extent), self.bound(extent)
                step = self.random.choice([1, 1, 2, -1, -2, 3])
                words.append(f"r {'_' if first is None else first} {'_' if last is None else last} {step}")
                items.append(slice(first, last, step))
                rank += 1
        view = a[tuple(items)]
        return None if view.ndim == 0 or view.ndim > MAX_RANK else (view, f"s {len(words)} {' '.join(words)}")

    def view(self, a, writable):
        kind = self.random.choice("ssspfdq" if writable else "ssspfdqbh")
        if kind == "s":
            return self.slices(a)
        if kind == "p":
            axes = self.random.sample(range(a.ndim), a.ndim)
            return a.transpose(axes), f"p {' '.join(map(str, axes))}"
        if kind == "f":
            axis = self.random.randint(-a.ndim, a.ndim - 1)
            return np.flip(a, axis), f"f {axis}"
        if kind == "d" and a.ndim >= 2:
            offset = self.random.randint(-3, 3)
            x, y = self.random.sample(range(a.ndim), 2)
            view = a.diagonal(offset, x, y)
            view.flags.writeable = a.flags.writeable
            return view, f"d {offset} {x} {y}"
        if kind == "q" and a.ndim >= 2 and 1 in a.shape:
            axis = self.random.choice([d for d in range(a.ndim) if a.shape[d] == 1])
            return a.squeeze(axis), f"q {axis}"
        if kind == "b" and a.size < 200:
            shape = [self.random.choice([2, 3]) if e == 1 else e for e in a.shape]
            if len(shape) < MAX_RANK:
                shape = [self.random.choice([1, 2])] + shape
            return np.broadcast_to(a, shape), f"b {len(shape)} {' '.join(map(str, shape))}"
        if kind == "h" and a.size > 0:
            shape, rest = [], a.size
            while len(shape) < MAX_RANK - 1 and rest > 1:
                part = self.random.choice([k for k in range(1, rest + 1) if rest % k == 0])
                shape.append(part)
                rest //= part
            shape.append(rest)
            given = list(shape)
            if self.random.random() < 0.3:
                given[self.random.randrange(len(given))] = -1
            return a.reshape(shape), f"h {len(given)} {' '.join(map(str, given))}"
        return None

    def views(self, a, writable=False, most=3):
        words = []
        for _ in range(self.random.randint(0, most)):
            made = self.view(a, writable)
            if made is not None:
                a = made[0]
                words.append(made[1])
        return a, f"{len(words)} {' '.join(words)}".strip()

    def fit(self, a, shape):
        """A view of `a` that broadcasts to a shape, or None."""
        try:
            np.broadcast_to(a, shape)
        except ValueError:
            return False
        return True

    # ---- operations --------------------------------------------------------------------------------------------------------------
    def case_view(self):
        a, words = self.base()
        v, views = self.views(a)
        return f"view {words} {views} = {text(v)}"

    def case_add(self):
        """Shapes that broadcast, or the error where they do not."""
        kind = self.random.choice(["u8", "i32", "f64"])  # which numpy_cases.cpp has
        a, first = self.base(kind)
        v, first_views = self.views(a)
        shape = [1 if self.random.random() < 0.3 else e for e in v.shape[self.random.randint(0, v.ndim - 1):]]
        b, second = self.base(kind, shape)
        w, second_views = self.views(b, most=1) if self.random.random() < 0.3 else (b, "0")
        try:
            result = text(v + w)
        except ValueError:
            result = "error"
        return f"add {first} {first_views} {second} {second_views} = {result}"

    def case_assign(self):
        """One view of an array to another of the same array."""
        a, words = self.base(self.random.choice(["u8", "f64"]), self.shape(30))
        v, views = self.views(a, writable=True)
        for _ in range(20):
            w, source = self.views(a)
            if w.ndim <= v.ndim and self.fit(w, v.shape):
                break
        else:
            w, source = v, views
        if self.random.random() < 0.5:
            v[...] = w.copy()
            name = "assign"
        else:
            v[...] = v + w.copy()
            name = "increase"
        return f"{name} {words} {views} {source} = {text(a)}"

    def case_reduce(self):
        kind = self.random.choice(["i32", "f32"])
        a, words = self.base(kind)
        v, views = self.views(a)
        name = self.random.choice(["sum", "max", "argmin", "all"] + ["mean", "var", "std"] * (kind == "f32"))
        count = 1 if name == "argmin" and self.random.random() < 0.7 else self.random.choice([0, 1, 1, 2])
        if count > v.ndim or (name == "argmin" and count == 2):
            count = 0
        if v.size == 0 and name == "max":
            count = 0  # where no result is asked for, NumPy refuses some of them
        axes = self.random.sample(range(v.ndim), count)
        keep = count == 1 and self.random.random() < 0.5
        axis = None if count == 0 else axes[0] if count == 1 else tuple(axes)
        where = {"where": np.asarray(v % 3 == 1)} if kind == "f32" and name in ("sum", "mean", "var") and self.random.random() < 0.3 else {}
        if name in ("var", "std"):
            where["ddof"] = 1
        if name in ("mean", "var", "std") or (kind == "f32" and name == "sum"):  # NumPy adds floats under a mask one by one
            where["dtype"] = np.float64
        try:
            result = text(getattr(np, name)(v, axis=axis, keepdims=keep, **where))
        except ValueError:
            result = "error"
        given = [a - v.ndim if self.random.random() < 0.3 else a for a in axes]
        masked = int("where" in where)
        return f"reduce {words} {views} {name} {masked} {int(keep)} {count} {' '.join(map(str, given))} = {result}"

    def case_method(self):
        """Of functions whose order matters, or does not."""
        a, words = self.base("i32")
        v, views = self.views(a)
        function = self.random.choice(["add", "subtract"])
        method = self.random.choice(["reduce", "accumulate"])
        axis = self.random.randint(0, v.ndim - 1)
        try:
            result = text(getattr(getattr(np, function), method)(v, axis=axis, dtype=np.int32))
        except ValueError:
            result = "error"
        return f"method {words} {views} {function} {method} {axis} = {result}"

    def strided(self, kind, shape):
        """An array of this shape, which may be a transposed and reversed view, and its words."""
        axes = list(range(len(shape)))
        if self.random.random() < 0.5:
            self.random.shuffle(axes)
        base, words = self.base(kind, [shape[axes.index(d)] for d in range(len(shape))])
        a, views = base.transpose(axes), [f"p {' '.join(map(str, axes))}"]
        assert list(a.shape) == list(shape)
        if self.random.random() < 0.4:
            axis = self.random.randrange(len(shape))
            a = np.flip(a, axis)
            views.append(f"f {axis}")
        return a, f"{words} {len(views)} {' '.join(views)}"

    def case_product(self):
        """Matrices with batches that broadcast, by a generalized function."""
        batch = [self.random.choice([0, 1, 2, 3]) for _ in range(2)]
        m, n, p = (self.random.choice([0, 1, 2, 3, 5, 8]) for _ in range(3))

        def operand(rows, columns):
            own = [1 if self.random.random() < 0.3 else e for e in batch[self.random.randint(0, 2):]]
            wrong = self.random.random() < 0.05
            return self.strided("i32", [*own, rows + wrong, columns])

        (a, first), (b, second) = operand(m, n), operand(n, p)
        try:
            result = text(np.matmul(a, b))
        except ValueError:
            result = "error"
        return f"product {first} {second} = {result}"

    def case_matmul(self):
        """Ranks of which the cases' program has a product; extents around its tiles."""
        ranks = self.random.choice([(1, 1), (1, 2), (2, 1), (2, 2), (2, 2), (3, 2), (2, 4), (3, 3)])
        m, k, n = (self.random.choice([0, 1, 3, 7, 8, 9, 17, 33]) for _ in range(3))
        batch = [self.random.choice([0, 1, 2, 3]) for _ in range(2)]

        def operand(rank, *core):
            own = [1 if self.random.random() < 0.3 else e for e in batch[2 - max(rank - 2, 0):]]
            return self.strided("i32", [*own, *core[-rank:]])

        wrong = k + (self.random.random() < 0.03)
        (a, first), (b, second) = operand(ranks[0], m, k), operand(ranks[1], *([wrong, n] if ranks[1] > 1 else [wrong]))
        try:
            result = text(np.matmul(a, b))
        except ValueError:
            result = "error"
        return f"matmul i32 {ranks[0]}{ranks[1]} {first} {second} = {result}"

    def case_dot(self):
        ranks = self.random.choice([(2, 1), (1, 2), (2, 2), (1, 3), (3, 2), (2, 3), (3, 3)])
        k = self.random.choice([0, 1, 3, 5, 8])
        wrong = k + (self.random.random() < 0.05)

        def extents(count):
            return [self.random.choice([0, 1, 2, 3, 4, 9]) for _ in range(count)]

        (a, first) = self.strided("i32", [*extents(ranks[0] - 1), k])
        (b, second) = self.strided("i32", [*extents(ranks[1] - 2), wrong, *extents(min(ranks[1] - 1, 1))])
        try:
            result = text(np.dot(a, b))
        except ValueError:
            result = "error"
        return f"dot i32 {ranks[0]}{ranks[1]} {first} {second} = {result}"

    SUBSCRIPTS = {"ij,jk->ik": (2, 2), "ij,jk": (2, 2), "ba": (2,), "ii": (2,), "iij->j": (3,), "ii->i": (2,), "i,i->": (1, 1),
                  "a,b,c->cab": (1, 1, 1), "...ij,...jk->...ik": (4, 3), "i...,ji->j...": (3, 2), "ijk,ilm,njm,nlk->": (3, 3, 3, 3),
                  "ijk,kil->lj": (3, 3), "ijk,lik->jil": (3, 3)}

    def case_einsum(self):
        """Extents of 1 broadcast; now and then one is wrong."""
        subscripts = self.random.choice(list(self.SUBSCRIPTS))
        large = [9, 10, 16, 20] if len(self.SUBSCRIPTS[subscripts]) == 2 and self.random.random() < 0.5 else []  # matmul's
        sizes = {letter: self.random.choice([0, 1, 2, 3, 4, 6] if self.random.random() < 0.3 else large or [2, 3, 4, 6])
                 for letter in "abcijklmn.:"}
        operands, words = [], []
        for letters, rank in zip(subscripts.split("->")[0].split(","), self.SUBSCRIPTS[subscripts]):
            rest = rank - len(letters.replace("...", ""))
            shape = [sizes[c] for c in letters.replace("...", ".:"[2 - rest:])]
            # NumPy 1.24 reads outside of a diagonal whose extents are 0 and 1.
            if self.random.random() < 0.15 and not (0 in shape and len(set(letters)) < len(letters)):
                shape[self.random.randrange(rank)] = self.random.choice([1, 1, 2])
            a, text_of = self.strided("i32", shape)
            operands.append(a), words.append(text_of)
        try:
            result = text(np.einsum(subscripts, *operands))
        except ValueError:
            result = "error"
        return f"einsum i32 {subscripts} {' '.join(words)} = {result}"

    def case_fft(self):
        """Of few lengths: each is a kernel. Elements are given as parts of the largest."""
        kind = self.random.choice(["f32", "f64"])
        shape = [self.random.choice([1, 3, 4, 6, 6, 11]) for _ in range(self.random.randint(1, 3))]
        a, words = self.strided(kind, shape)
        name = self.random.choice(["fft", "ifft", "rfft", "irfft"] + ["fft2", "ifftn", "rfft2", "irfft2", "rfftn", "irfftn"] * (a.ndim > 1))
        norm = self.random.choice(["backward", "ortho", "forward", "max"] if self.random.random() < 0.3 else ["backward", "ortho", "forward"])
        axis = self.random.randint(-a.ndim, a.ndim - (self.random.random() > 0.1))
        points = self.random.choice([0, 1, 4, 6, 12]) if self.random.random() < 0.4 else -1
        with_axis = {"axis": axis, "n": None if points < 0 else points} if name[-1] == "t" else {}
        if name == "rfftn":
            with_axis = {"axes": (0, 1)}
        if name == "irfftn" and points >= 0:
            with_axis = {"s": (*a.shape[:-1], points)}
        try:
            result = getattr(np.fft, name)(np.fft.fft(a) if name[:2] == "ir" else a, norm=norm, **with_axis)
            largest = float(np.abs(result).max()) or 1.0
            parts = result if name[:2] == "ir" else np.stack([result.real, result.imag], -1)
            result = text(parts / largest)
        except (ValueError, IndexError):
            result, largest = "error", 1.0
        return f"fft {kind} {name} {norm} {axis} {points} {largest!r} {a.ndim} {words} = {result}"

    # Of given elements: `n` and its elements for one dimension, `rank extents elements views` else.
    def elements(self, kind, count):
        """Few different ones, so that many are equal; of floats the special ones, too."""
        if kind[0] == "f":
            of = [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, 1e30, float("inf"), float("-inf"), float("nan")]
            of = of if self.random.random() < 0.5 else [self.random.randint(-40, 40) / 4 for _ in range(30)]
        else:
            of = range(0 if kind == "u8" else -20, 40)
        return np.array([self.random.choice(of) for _ in range(count)], TYPES[kind])

    def some(self, kind, most=40):
        a = self.elements(kind, self.random.choice([0, 1, 2, 3, self.random.randint(0, most)]))
        return a, f"{a.size} {' '.join(map(repr, a.tolist()))}".strip()

    def given(self, kind):
        """An array of up to three dimensions, of which it may be a permuted and reversed view."""
        shape = [self.random.choice([0, 1, 2, 3, 5, 33] if self.random.random() < 0.2 else [1, 2, 3, 7, 33]) for _ in range(self.random.randint(1, 3))]
        a = self.elements(kind, int(np.prod(shape))).reshape(shape)
        words = f"{a.ndim} {' '.join(map(str, shape))} {' '.join(map(repr, a.ravel().tolist()))}".strip()
        axes = self.random.sample(range(a.ndim), a.ndim)
        views = [f"p {' '.join(map(str, axes))}"]
        a = a.transpose(axes)
        if self.random.random() < 0.4:
            axis = self.random.randrange(a.ndim)
            a = np.flip(a, axis)
            views.append(f"f {axis}")
        return a, f"{words} {len(views)} {' '.join(views)}"

    def axis_of(self, a):
        return self.random.randint(-a.ndim, a.ndim - (self.random.random() > 0.05))

    def case_order(self):
        """Along axes: sorts, scans, the first of a sort."""
        kind = self.random.choice(["f32", "f64", "u8", "i64"])
        name = self.random.choice(["sort", "argsort", "descending", "top_k"] + ["cumsum", "cumsum_of_all"] * (kind[0] != "f"))
        a, words = self.given(kind)
        axis, k = self.axis_of(a), self.random.randint(0, 9)
        falling = -(a if kind[0] == "f" else a.astype(np.int64))
        try:
            if name in ("argsort", "descending", "top_k"):
                places = np.argsort(a if name == "argsort" else falling, axis, kind="stable")
            if name == "sort":
                made = np.sort(a, axis)
            elif name == "argsort":
                made = places
            elif name == "descending":
                made = np.take_along_axis(a, places, axis)
            elif name == "top_k":
                made = np.take(places, range(min(k, a.shape[axis])), axis)
            else:
                made = np.cumsum(a, None if name == "cumsum_of_all" else axis, dtype=np.uint64 if kind == "u8" else np.int64)
            result = text(made)
        except (ValueError, IndexError):
            result = "error"
        return f"order {kind} {name} {axis} {k} {words} = {result}"

    def case_choice(self):
        """Of one dimension: sets, places, counts."""
        kind = self.random.choice(["i32", "f32"])
        name = self.random.choice(["unique", "union1d", "intersect1d", "setdiff1d", "setxor1d", "isin", "left", "right", "edges", "even", "runs",
                                   "copy_if", "segmented_sort"])
        (a, first), (b, second) = self.some(kind), self.some(kind, 12)
        if kind[0] == "f" and name not in ("unique", "left", "right", "runs", "copy_if", "segmented_sort"):  # NaN differs from NaN in NumPy
            a, b = np.nan_to_num(a, nan=3, posinf=9, neginf=-9), np.nan_to_num(b, nan=3, posinf=9, neginf=-9)
            first, second = (f"{x.size} {' '.join(map(repr, x.tolist()))}".strip() for x in (a, b))
        if name in ("left", "right"):
            b = np.sort(b)
            second = f"{b.size} {' '.join(map(repr, b.tolist()))}".strip()
            made = np.searchsorted(b, a, name)
        elif name in ("edges", "even"):
            b = np.unique(b)
            second = f"{b.size} {' '.join(map(repr, b.tolist()))}".strip()
            if b.size < 2:
                made = None
            elif name == "edges":
                made = np.histogram(a, b)[0]
            else:
                made = np.histogram(a.astype(np.float64), 7, (float(b[0]), float(b[-1])))[0]
        elif name == "runs":
            heads = np.flatnonzero(np.concatenate([[True], (a[1:] != a[:-1]) & ~((a[1:] != a[1:]) & (a[:-1] != a[:-1]))])[: a.size])
            made = np.diff(np.append(heads, a.size))
        elif name == "copy_if":
            made = a[a > 1]
        elif name == "segmented_sort":
            cuts = sorted(self.random.randint(0, a.size) for _ in range(3))
            second = f"{a.size} 3 {' '.join(map(str, cuts))}"
            made = np.concatenate([np.sort(p) for p in np.split(a, cuts)])
        else:
            made = getattr(np, name)(*([a] if name == "unique" else [a, b]))
        return f"choice {kind} {name} {first} {second} = {'error' if made is None else text(made)}"

    def case_pick(self):
        """By indices and masks."""
        kind = self.random.choice(["f64", "i32"])
        name = self.random.choice(["take", "compress", "rows", "put", "put_rows", "put_mask"])
        a, words = self.given(kind)
        axis = self.axis_of(a)
        extent = a.size if name == "put" else a.shape[0 if "rows" in name else min(max(axis, -a.ndim), a.ndim - 1)]
        low, high = (-extent, extent - 1) if extent and self.random.random() < 0.95 else (-extent - 1, extent)
        which = [self.random.randint(low, high) for _ in range(self.random.randint(0, 6))]
        made, indices = a.copy(), np.array(which, np.int64)
        warnings.simplefilter("error", DeprecationWarning)  # indices out of bounds of nothing: an error of later versions
        try:
            if name == "take":
                made = np.take(a, indices, axis)
                if any(not -extent <= i < extent for i in which):  # of a result without elements NumPy looks at no index
                    raise IndexError
            elif name == "compress":
                made = a[a > 1]
            elif name == "rows":
                made = a[indices]
            elif name == "put":
                np.put(made, indices, np.arange(len(which)) if which else 0)
            elif name == "put_rows":
                made[indices] = np.arange(len(which)).reshape(-1, *[1] * (a.ndim - 1))
            else:
                made[a > 1] = 5
            result = text(made)
        except (ValueError, IndexError, DeprecationWarning):
            result = "error"
        finally:
            warnings.simplefilter("ignore", DeprecationWarning)
        return f"pick {kind} {name} {axis} {len(which)} {' '.join(map(str, which))} {words} = {result}"

    def case_linear(self):
        """Of small matrices with a solution, now and then of one without; the largest element is the unit."""
        name = self.random.choice(["solve", "inv", "det", "cholesky", "eigh", "svd", "qr"])
        rows, columns = self.random.randint(0, 6), self.random.randint(0, 6)
        if name not in ("svd", "qr") and self.random.random() < 0.95:
            columns = rows
        a = np.array([self.random.randint(-20, 20) / 4 for _ in range(rows * columns)]).reshape(rows, columns)
        if rows == columns and name != "svd":
            a = a @ a.T + np.eye(rows) if name in ("cholesky", "eigh") else a + 12 * np.eye(rows)
        if a.size and self.random.random() < 0.1:
            a[0] = 0
        if a.size and self.random.random() < 0.05:
            a[0, 0] = np.nan
        right = np.array([self.random.randint(-9, 9) for _ in range(2 * (rows + (self.random.random() < 0.05)))], np.float64).reshape(-1, 2)
        turned = self.random.randint(0, 1)
        words = f"{rows} {columns} {' '.join(map(repr, (a.T if turned else a).ravel().tolist()))}".strip()
        try:
            if name == "solve":
                made = np.linalg.solve(a, right)
            elif name in ("eigh", "svd"):  # the values alone: vectors have any sign
                made = np.linalg.eigh(a)[0] if name == "eigh" else np.linalg.svd(a)[1]
            elif name == "qr":
                q, r = np.linalg.qr(a)
                made = q @ r
            else:
                made = getattr(np.linalg, name)(a)
            largest = float(np.nan_to_num(np.abs(made)).max(initial=0)) or 1.0
            result = text(np.tril(made / largest) if name == "cholesky" else made / largest)
        except (ValueError, np.linalg.LinAlgError):
            result, largest = "error", 1.0
        return (f"linear f64 {name} {turned} {largest!r} {words} {right.shape[0]} {' '.join(map(repr, right.ravel().tolist()))} = {result}")

    def case_stacks(self):
        """The same of stacks, whose dimensions broadcast with those of the right sides."""
        name = self.random.choice(["solve", "vector", "inv", "det", "cholesky", "eigh", "svd", "qr"])
        n, extents = self.random.choice([0, 1, 2, 3, 5]), [self.random.choice([0, 1, 2, 2, 3]) for _ in range(2)]
        m = self.random.randint(1, 4) if name in ("svd", "qr") else n
        a = np.array([self.random.randint(-20, 20) / 4 for _ in range(extents[0] * extents[1] * n * m)]).reshape(*extents, n, m)
        if n == m and name != "svd":
            a = a @ a.swapaxes(-1, -2) + np.eye(n) if name in ("cholesky", "eigh") else a + 12 * np.eye(n)
        if a.size and self.random.random() < 0.1:
            a[-1, 0, 0] = 0
        others = [self.random.choice([1, e, e if self.random.random() < 0.9 else e + 1]) for e in extents]
        rows = n + (self.random.random() < 0.05)
        right = np.array([self.random.randint(-9, 9) for _ in range(others[0] * others[1] * rows * 2)], np.float64).reshape(*others, rows, 2)
        if name == "vector":  # NumPy 2's: one for all systems
            right = np.array([self.random.randint(-9, 9) for _ in range(rows)], np.float64)
        words = [f"{x.ndim} {' '.join(map(str, x.shape))} {' '.join(map(repr, x.ravel().tolist()))}".strip() for x in (a, right)]
        try:
            if name == "solve":
                made = np.linalg.solve(a, right)
            elif name == "vector":
                made = np.linalg.solve(a, right[:, None])[..., 0]
            elif name in ("eigh", "svd"):
                made = np.linalg.eigh(a)[0] if name == "eigh" else np.linalg.svd(a)[1]
            elif name == "qr":
                q, r = np.linalg.qr(a)
                made = q @ r
            else:
                made = getattr(np.linalg, name)(a)
            largest = float(np.nan_to_num(np.abs(made)).max(initial=0)) or 1.0
            result = text(np.tril(made / largest) if name == "cholesky" else made / largest)
        except (ValueError, np.linalg.LinAlgError):
            result, largest = "error", 1.0
        return f"stacks f64 {name} {largest!r} {words[0]} {words[1]} = {result}"

    def case_sparse(self):
        """Rows that are empty, columns in any order, some twice."""
        def matrix(rows, columns):
            starts, indices, data, dense = [0], [], [], np.zeros((rows, columns))
            for r in range(rows):
                for _ in range(self.random.choice([0, 0, 1, 3, 6]) if columns else 0):
                    indices.append(self.random.randrange(columns)), data.append(self.random.randint(-5, 5))
                    dense[r, indices[-1]] += data[-1]
                starts.append(len(indices))
            return dense, f"{rows} {columns} {len(indices)} {' '.join(map(str, starts + indices + data))}"

        n, m, k = (self.random.choice([0, 1, 2, 5, 9]) for _ in range(3))
        (a, first), (b, second) = matrix(n, m), matrix(m, k)
        return f"sparse f64 {first} {second} = {text(a @ b)}"

    def case_convolve(self):
        a, b = (np.array([self.random.randint(-9, 9) for _ in range(self.random.choice([1, 2, 3, 8, 40]))]) for _ in range(2))
        mode = self.random.choice(["full", "same", "valid"])
        if mode == "same" and a.size < b.size:  # NumPy's is as long as the longer one, SciPy's as the first
            a, b = b, a
        words = " ".join(f"{x.size} {' '.join(map(str, x.tolist()))}" for x in (a, b))
        return f"convolve f64 {mode} {words} = {text(np.convolve(a, b, mode))}"

    def case_arange(self):
        kind = self.random.choice(["i32", "f32", "f64", "u8", "i64"])
        if kind[0] == "f":
            first, last, step = (round(self.random.uniform(-50, 50), self.random.randint(0, 3)) for _ in range(3))
            step = step / 10 or 0.5
        else:
            low = 0 if kind == "u8" else -100
            first, last, step = self.random.randint(low, 100), self.random.randint(low, 100), self.random.choice([1, 2, 3, 7])
            if kind != "u8" and self.random.random() < 0.5:
                step = -step
        return f"arange {kind} {first} {last} {step} = {text(np.arange(first, last, step, dtype=TYPES[kind]))}"

    def case_linspace(self):
        kind = self.random.choice(["i32", "f32", "f64", "u8"])
        first, last = (round(self.random.uniform(0 if kind == "u8" else -50, 50), self.random.randint(0, 3)) for _ in range(2))
        count, end = self.random.randint(0, 30), self.random.randint(0, 1)
        made = np.linspace(first, last, count, endpoint=bool(end), dtype=TYPES[kind])
        return f"linspace {kind} {first} {last} {count} {end} = {text(made)}"

    def number(self, kind):
        """One of those that are printed differently."""
        if kind == "bool":
            return self.random.randint(0, 1)
        if kind in ("i32", "i64", "u8"):
            low, high = {"u8": (0, 255), "i32": (-(2**31), 2**31 - 1), "i64": (-(2**63), 2**63 - 1)}[kind]
            return self.random.choice([self.random.randint(low, high), self.random.randint(0, 20)])
        return self.random.choice(self.styles)()

    def float_styles(self):
        r = self.random
        exponent = r.choice([2, 5, 12, 30])
        return [
            lambda: r.uniform(-1, 1), lambda: r.uniform(-1000, 1000), lambda: float(r.randint(-20, 20)),
            lambda: round(r.uniform(-10, 10), r.randint(0, 9)), lambda: r.uniform(-1, 1) * 10.0 ** r.randint(-exponent, exponent),
            lambda: 2.0 ** r.randint(-exponent * 3, exponent * 3), lambda: r.choice([0.0, -0.0, 1.0, 0.5, 1e-4, 1e8, 100.0]),
            lambda: r.choice([float("inf"), float("-inf"), float("nan"), 1.0]),
        ]

    def case_text(self):
        """Given elements as text: like numbers, or all kinds of them."""
        kinds = dict(TYPES, bool=np.bool_, f16=np.float16, c64=np.complex64, c128=np.complex128)
        kind = self.random.choice([*kinds, "f32", "f64"])
        shape = self.shape(self.random.choice([3, 10, 60]))
        styles = self.float_styles()
        self.styles = self.random.choice([self.random.sample(styles, 1), self.random.sample(styles, 2), styles])
        complex_kind = kind[0] == "c"
        with np.errstate(all="ignore"):
            a = np.empty(shape, kinds[kind])
            flat = a.reshape(-1)
            for i in range(a.size):
                flat[i] = complex(self.number(kind), self.number(kind)) if complex_kind else self.number(kind)
        given = a.view(a.real.dtype).reshape(-1) if complex_kind else flat
        given = given.astype(np.uint8) if kind == "bool" else given
        numbers = " ".join(map(repr, given.tolist()))
        words, printed = self.printed(a)
        return f"text {kind} {len(shape)} {' '.join(map(str, shape))} {numbers} {words} = {printed}"

    def printed(self, a):
        """Options, with NumPy's defaults in half of the cases, as words and what NumPy prints by them."""
        options = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False)
        if self.random.random() < 0.5:
            options = dict(precision=self.random.choice([0, 1, 3, 5, 12]), threshold=self.random.choice([0, 5, 50, 1000]),
                           edgeitems=self.random.choice([1, 2, 4]), linewidth=self.random.choice([20, 40, 75, 120]),
                           suppress=self.random.random() < 0.5)
        with np.printoptions(**options):
            text = str(a).replace("\n", "\\n")
        return " ".join(str(int(o)) for o in options.values()), text

    def case_print(self):
        """Large arrays, of which a part is shown."""
        a, words = self.base(shape=[self.random.choice([1, 2, 6, 7, 30]) for _ in range(self.random.randint(1, 3))] +
                             [self.random.choice([5, 7, 100, 1001])])
        v, views = self.views(a)
        options, printed = self.printed(v)
        return f"print {words} {views} {options} = {printed}"

    def make(self):
        return getattr(self, self.random.choice([n for n in dir(self) if n.startswith("case_")]))()


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    maker = Maker(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        print(maker.make())


if __name__ == "__main__":
    main()
