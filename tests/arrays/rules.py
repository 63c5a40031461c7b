#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rules.py: every public function of krait/algorithm has a row in tests/arrays/rules_*_test.cpp, or a reason here. Exits with 1 for one that has
neither, and for a reason that a row has made needless. docs/headers.md names the functions."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
REASONS = {
    "an option or a type": "axis border ddof descending generator identity initial into keepdims points side tolerance "
                           "bsr_matrix coo_matrix csr_matrix ell_matrix",
    "of matrices, of one argument": "cholesky cond det eig eigh eigvals eigvalsh expm inv lu matrix_power matrix_rank pinv qr slogdet svd trace tril triu",
    "by named axes, as fft": "fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn",
    "of shapes and counts": "fftfreq fromfunction geomspace indices logspace rfftfreq tiled pad rot90 parallel_for reduce",
    "of one dimension, of Krait": "run_length_encode stencil",
    "types and options of another function": "fftconvolve grouped_matmul sums",
}


def main():
    page = (HERE.parent.parent / "docs" / "headers.md").read_text()
    public = {name for name, where in re.findall(r"^\| `kr::([\w:]+)` \| ([^|]*)", page, re.M) if "krait/algorithm/" in where}
    rows = set()
    for test in HERE.glob("rules_*_test.cpp"):
        rows |= set(re.findall(r"\bkr::(\w+)", test.read_text()))
    reasons = {name for names in REASONS.values() for name in names.split()}
    faults = [f"kr::{name} has no row in tests/arrays/rules_*_test.cpp" for name in sorted(public - rows - reasons)]
    faults += [f"kr::{name} is no public name of an algorithm any more" for name in sorted(reasons - public)]
    print("\n".join(faults) or f"{len(public & rows)} functions have rows, {len(public & reasons)} a reason")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
