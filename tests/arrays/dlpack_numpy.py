#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dlpack_numpy.py LIBRARY: arrays lent by NumPy to Krait, and by Krait to NumPy, through DLPack. Exit status 77 without NumPy."""
import ctypes
import sys

try:
    import numpy as np
except ImportError:
    print("python3-numpy is not installed")
    sys.exit(77)

library = ctypes.CDLL(sys.argv[1])
library.double_elements.restype = ctypes.c_double
library.make_view.restype = ctypes.c_void_p
library.refusal.restype = ctypes.c_char_p
python = ctypes.pythonapi
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def lent(array):
    """The tensor of an array, which Krait owns from then on."""
    capsule = array.__dlpack__()
    tensor = ctypes.c_void_p(python.PyCapsule_GetPointer(capsule, b"dltensor"))
    python.PyCapsule_SetName(capsule, b"used_dltensor")
    return tensor


class Lender:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, stream=None):
        return python.PyCapsule_New(self.tensor, b"dltensor", None)

    def __dlpack_device__(self):
        return (1, 0)


base = np.arange(24, dtype=np.float32).reshape(4, 6)
view = base.T[1::2, ::-1]
wanted = view * 2
references = sys.getrefcount(view)
total = library.double_elements(lent(view))
assert total == wanted.sum(), (total, wanted.sum())
assert np.array_equal(view, wanted), view
assert sys.getrefcount(view) > references, "Krait keeps the array"
library.forget()
assert sys.getrefcount(view) == references, "Krait gave the array back"

made = np.from_dlpack(Lender(library.make_view()))
assert np.array_equal(made, np.arange(12, dtype=np.float32).reshape(3, 4)[::-1, ::2]), made
del made

for array, part in ((np.zeros((2, 2)), b"float64"), (np.zeros(3, np.float32), b"1 dimensions"), (np.zeros((2, 2), np.uint8), b"uint8")):
    message = library.refusal(lent(array))
    assert message is not None and part in message, message
assert library.refusal(lent(np.zeros((0, 5), np.float32))) is None
