# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module on NumPy's arrays, and on tensors that are made up: krait_test.py KRAIT, the program, which packs kernels.
Status 77: there is no NumPy."""
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print("no NumPy: nothing is tested")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/python"))
import krait

# y = a x + y of a type.
AXPY = """kir 1
kernel @axpy_{t} fp(strict) (%0: {t}, %1: view<{t}, 1, const>, %2: view<{t}, 1>) {{
  %3: i64 = extent %2 {{0}}
  grid_stride %3 {{
  ^(%4: i64):
    %5: {t} = load %1, %4
    %6: {t} = mul %0, %5
    %7: {t} = load %2, %4
    %8: {t} = add %6, %7
    store.{t} %2, %4, %8
    continue
  }}
  return
}}
"""
OTHERS = {"columns": """kir 1
kernel @columns fp(strict) (%0: view<f64, 2, const>, %1: view<f64, 1>) {
  %2: i64 = extent %1 {0}
  grid_stride %2 {
  ^(%3: i64):
    %4: i64 = const 0
    %5: i64 = const 1
    %6: f64 = load %0, %3, %4
    %7: f64 = load %0, %3, %5
    %8: f64 = sub %6, %7
    store.f64 %1, %3, %8
    continue
  }
  return
}
""", "set_bool": """kir 1
kernel @set_bool fp(strict) (%0: bool, %1: view<bool, 1>) {
  %2: i64 = extent %1 {0}
  grid_stride %2 {
  ^(%3: i64):
    store.bool %1, %3, %0
    continue
  }
  return
}
"""}
FOLDER = tempfile.TemporaryDirectory()
PACK = f"{FOLDER.name}/kernels.kpack"
TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"]


def make_pack(program):
    texts = {f"axpy_{t}": AXPY.format(t=t) for t in TYPES} | OTHERS
    files = []
    for name, text in texts.items():
        files.append(f"{FOLDER.name}/{name}.kir")
        pathlib.Path(files[-1]).write_text(text)
    subprocess.run([program, "pack", PACK, *files, "--targets", "cpu"], check=True, stdout=subprocess.DEVNULL)


class Tensor:
    """A tensor of a made-up library: DLPack alone."""

    def __init__(self, array, code=2, bits=None, lanes=1, device=(1, 0), versioned=False, version=1, flags=0, old=False, strides=None):
        self.array, self.device, self.old, self.deleted = array, device, old, 0
        self.asked = []
        tensor = krait._DlTensor()
        tensor.data, tensor.device_type, tensor.device_id, tensor.ndim = array.ctypes.data, *device, array.ndim
        tensor.code, tensor.bits, tensor.lanes = code, 8 * array.itemsize if bits is None else bits, lanes
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = None if strides is None else (ctypes.c_int64 * array.ndim)(*strides)
        tensor.shape = self.shape
        if self.strides:
            tensor.strides = self.strides
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.managed = krait._DlVersioned(major=version, flags=flags, tensor=tensor) if versioned else tensor

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **asked):
        if self.old and "max_version" in asked:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked.append(asked)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), self.name, None)


class Kernels(unittest.TestCase):
    def setUp(self):
        self.pack = krait.load(PACK)
        self.axpy = self.pack["axpy_f32"]

    def refused(self, message, work, kind="usage"):
        with self.assertRaises(krait.Error) as caught:
            work()
        self.assertEqual((str(caught.exception), caught.exception.kind), (message, kind))

    def test_call(self):
        file, n = PACK, 1000
        # [call]
        kernels = krait.load(file)
        x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
        kernels["axpy_f32"](2.0, x, y)                            # one thread per element of y
        kernels["axpy_f32"](2.0, x, y, grid=8, block=128)         # or your own launch
        # [/call]
        self.assertTrue((y == 4).all())

    def test_every_type(self):
        for t in TYPES:
            if t == "bf16":
                continue
            dtype = {"i": "int", "u": "uint", "f": "float"}[t[0]] + t[1:]
            x, y = np.arange(40).astype(dtype), np.ones(40, dtype)
            self.pack[f"axpy_{t}"](2, x, y)
            np.testing.assert_array_equal(y, 2 * np.arange(40) + 1)
        flags = np.zeros(5, bool)
        self.pack["set_bool"](True, flags)
        self.assertTrue(flags.all())

    def test_bfloats_by_dlpack(self):
        x, y = np.array([0x4000], np.uint16), np.array([0x3f80], np.uint16)  # 2 and 1
        self.pack["axpy_bf16"](3.0, Tensor(x, code=4), Tensor(y, code=4))
        self.assertEqual(y[0], 0x40e0)  # 7
        self.assertEqual([krait._bf16(v) for v in (1.0, 1.00390625, 1.01171875, float("inf"))], [b"\x80\x3f", b"\x80\x3f", b"\x82\x3f", b"\x80\x7f"])

    def test_strides(self):
        x, y = np.arange(20, dtype=np.float32), np.zeros((10, 3), np.float32)
        self.axpy(1.0, x[::2], y[:, 1])
        np.testing.assert_array_equal(y[:, 1], x[::2])
        self.assertEqual(y[:, 0].sum() + y[:, 2].sum(), 0)
        self.axpy(1.0, np.broadcast_to(np.float32(5), 10), y[:, 0])
        self.assertTrue((y[:, 0] == 5).all())
        a, out = np.arange(12.0).reshape(2, 6).T, np.zeros(6)
        self.pack["columns"](a, out)
        np.testing.assert_array_equal(out, a[:, 0] - a[:, 1])
        self.axpy(1.0, np.zeros(0, np.float32), np.zeros(0, np.float32))

    def test_launches(self):
        x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
        self.axpy(1, x, y, grid=4, block=64)
        self.axpy(1, x, y, grid=(2, 1), block=(32, 1, 1))
        self.axpy(1, x, y, threads=7, device="cpu")
        self.axpy(1, x, y, threads=0)
        self.axpy(1, x, y, grid=(0, 1), block=32)
        self.assertTrue((y == 3).all(), y)
        krait.synchronize()
        krait.synchronize("cpu")

    def test_what_a_pack_says(self):
        self.assertEqual(len(self.pack), len(TYPES) + 2)
        self.assertIn("columns", self.pack)
        self.assertEqual(self.axpy.signature(), "(f32, view<f32, 1, const>, view<f32, 1>)")
        self.assertEqual(repr(self.axpy), "<krait kernel axpy_f32(f32, view<f32, 1, const>, view<f32, 1>)>")
        self.assertIs(self.pack["axpy_f32"], self.axpy)
        self.assertTrue(repr(self.pack).startswith(f"<krait pack {PACK}: axpy_i8, "))
        self.refused(f'the pack {PACK} has no kernel "daxpy"; it has {", ".join(self.pack)}', lambda: self.pack["daxpy"])
        self.refused("the pack /nowhere cannot be read: No such file or directory", lambda: krait.load("/nowhere"))

    def test_kernels_outlive_their_pack(self):
        kernel = krait.load(PACK)["axpy_f32"]
        y = np.zeros(3, np.float32)
        kernel(1.0, np.ones(3, np.float32), y)
        self.assertTrue((y == 1).all())

    def test_threads_of_python(self):
        results = [np.zeros(100, np.float32) for _ in range(8)]
        x = np.ones(100, np.float32)

        def work(y):
            for _ in range(50):
                self.axpy(1.0, x, y)

        workers = [threading.Thread(target=work, args=(y,)) for y in results]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        self.assertTrue(all((y == 50).all() for y in results))

    def test_dlpack(self):
        x = np.arange(6, dtype=np.float32)
        for make in ({}, {"versioned": True}, {"old": True}, {"strides": (1,)}):
            y = np.ones(6, np.float32)
            given = Tensor(y, **make)
            self.axpy(2.0, Tensor(x, flags=krait._DL_READ_ONLY, versioned=True), given)
            np.testing.assert_array_equal(y, 2 * x + 1)
            self.assertEqual(given.asked, [{}] if "old" in make else [{"max_version": (1, 0)}])
        y = np.zeros(3, np.float32)
        self.axpy(1.0, Tensor(x[:3], strides=(2,)), y)
        np.testing.assert_array_equal(y, x[::2])

    def test_wrong_tensors(self):
        x, y = np.ones(4, np.float32), np.ones(4, np.float32)
        at = "kernel axpy_f32: argument 2 "

        def give(message, **made):
            self.refused(at + message, lambda: self.axpy(1.0, Tensor(x, **made), y))

        give("is on a DLPack device of type 8: Krait takes memory of the host (1, 3) and of CUDA (2, 13)", device=(8, 0))
        give("has elements of DLPack's type 2 with 32 bits in 4 lanes, which Krait does not support", lanes=4)
        give("has elements of DLPack's type 3 with 32 bits in 1 lanes, which Krait does not support", code=3)
        give("has elements of 4 bits, which Krait does not support", code=0, bits=4)
        give("is of version 2.0 of DLPack: expected 1", versioned=True, version=2)
        give("has elements of type i32: expected f32", code=0)
        give("has elements of type complex of 4 bytes: expected f32", code=5)
        give("runs backwards along a dimension: copy it, numpy.ascontiguousarray(x)", strides=(-1,))
        self.refused("kernel axpy_f32: argument 3 is read-only, but the kernel writes to it",
                     lambda: self.axpy(1.0, x, Tensor(y, versioned=True, flags=krait._DL_READ_ONLY)))
        other = Tensor(x)
        other.name = b"used_dltensor"
        self.refused(at + "gives a capsule named b'used_dltensor': expected dltensor", lambda: self.axpy(1.0, other, y))

        class Refusing(Tensor):
            def __dlpack__(self, **asked):
                raise BufferError("it requires a gradient")

        self.refused(at + "gives no memory: it requires a gradient", lambda: self.axpy(1.0, Refusing(x), y))

    def test_streams_of_tensors(self):
        """Which stream a tensor is asked in; this machine need not have the device."""
        asked = []

        class OnGpu(Tensor):
            def __dlpack__(self, **given):
                asked.append(given["stream"])
                raise BufferError("not here")

        x = np.ones(4, np.float32)

        class Stream:
            cuda_stream = 77

        class CupyStream:
            ptr = 78

        for stream in (None, Stream(), CupyStream(), 79, 0):
            with self.assertRaises(krait.Error):
                self.axpy(1.0, OnGpu(x, device=(2, 0)), x, stream=stream)
        self.assertEqual(asked, [1, 77, 78, 79, 1])
        self.refused("stream is a str: expected one of PyTorch or CuPy, or a CUstream as a number",
                     lambda: self.axpy(1.0, x, x, stream="second"))

    def test_wrong_arrays(self):
        x, y = np.ones(4, np.float32), np.ones(4, np.float32)
        at = "kernel axpy_f32: argument 2 "

        def give(message, wrong):
            self.refused(at + message, lambda: self.axpy(1.0, wrong, y))

        give("has elements of type f64: expected f32", x.astype(np.float64))
        give("has elements of type complex of 8 bytes: expected f32", x.astype(np.complex64))
        give("has 2 dimensions: expected 1", x.reshape(2, 2))
        give("has elements of another byte order (>f4): convert it, x.astype(x.dtype.newbyteorder('='))", x.astype(">f4"))
        give("has elements of type <U1, which Krait does not support".replace("<U1", np.array(["a"]).dtype.str), np.array(["a"]))
        give("runs backwards along a dimension: copy it, numpy.ascontiguousarray(x)", x[::-1])
        odd = np.zeros(4, np.dtype([("a", "<f4"), ("b", "<i2")]))
        give("has elements of 4 bytes at a distance of 6 bytes: copy it, numpy.ascontiguousarray(x)", odd["a"])
        for wrong in ([1.0, 2.0], 3.0, None):
            give(f"is a {type(wrong).__name__}: expected an array of NumPy, PyTorch, CuPy or another library that knows DLPack", wrong)
        y.flags.writeable = False
        self.refused("kernel axpy_f32: argument 3 is read-only, but the kernel writes to it", lambda: self.axpy(1.0, x, y))
        unaligned = np.frombuffer(bytes(17), np.uint8)[1:].view(np.float32)
        with self.assertRaisesRegex(krait.Error, "argument 2 begins at the address .*, which is not a multiple of its element size of 4 bytes"):
            self.axpy(1.0, unaligned, np.ones(4, np.float32))

    def test_wrong_numbers(self):
        x, y = np.ones(4, np.int32), np.ones(4, np.int32)
        kernel = self.pack["axpy_i32"]
        kernel(np.int64(3), x, y)
        self.assertEqual(y[0], 4)

        def give(message, wrong, of="axpy_i32"):
            self.refused(f"kernel {of}: argument 1 {message}", lambda: self.pack[of](wrong, x, y))

        give("is 2147483648, which is not a number of type i32", 2**31)
        give("is 1.5: expected an integer of type i32", 1.5)
        give("is a str: expected a number of type i32", "1")
        give("is a ndarray: expected a number of type i32", x)
        give("is a complex: expected a number of type f32", 1j, "axpy_f32")
        give("is 1e+40, which is not a number of type f32", 1e40, "axpy_f32")
        give("is 1e+40, which is not a number of type bf16", 1e40, "axpy_bf16")
        give("is -1, which is not a number of type u8", -1, "axpy_u8")
        self.refused("kernel set_bool: argument 1 is 1: expected True or False", lambda: self.pack["set_bool"](1, np.zeros(1, bool)))

    def test_wrong_launches(self):
        x, y = np.ones(4, np.float32), np.ones(4, np.float32)
        self.refused("kernel axpy_f32 takes 3 arguments (f32, view<f32, 1, const>, view<f32, 1>), but gets 2", lambda: self.axpy(1.0, x))

        def launch(message, **how):
            self.refused("kernel axpy_f32: " + message, lambda: self.axpy(1.0, x, y, **how))

        launch("block is given without grid: give both, or threads", block=32)
        launch("grid and threads are given: give one of them", grid=1, threads=3)
        launch("grid is (1, 2, 3, 4): expected one to three numbers, 0 or more", grid=(1, 2, 3, 4), block=1)
        launch("block is 'x': expected one to three numbers, 0 or more", grid=1, block="x")
        launch("threads is -1: expected a number, 0 or more", threads=-1)
        launch("threads is 1.5: expected a number, 0 or more", threads=1.5)
        with self.assertRaisesRegex(krait.Error, "no device matches|available devices") as caught:
            self.axpy(1.0, x, y, device="abacus")
        self.assertEqual(caught.exception.kind, "usage")

    def test_no_library(self):
        code = "import krait\ntry: krait.load('x')\nexcept krait.Error as e: print(e.kind, e)"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env={"KRAIT_LIBRARY": "/nowhere/libkrait.so", "PYTHONPATH": str(pathlib.Path(krait.__file__).parent)}).stdout
        self.assertEqual(said.strip(), "device Krait's library cannot be loaded: /nowhere/libkrait.so: cannot open shared object file: No such "
                         "file or directory. Install it, or set KRAIT_LIBRARY to its path")


if __name__ == "__main__":
    make_pack(sys.argv.pop(1))
    unittest.main()
