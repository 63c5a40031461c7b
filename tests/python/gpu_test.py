# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module on tensors of PyTorch and arrays of CuPy on a CUDA device: gpu_test.py KRAIT, the program, which packs kernels.
Status 77: neither library is here with a device. KRAIT_LIBRARY tells where libkrait.so.0.2 is."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/python"))
import krait

try:
    import torch
    if not torch.cuda.is_available():
        torch = None
except ImportError:
    torch = None
try:
    import cupy
    if cupy.cuda.runtime.getDeviceCount() == 0:
        cupy = None
except Exception:  # of what it misses
    cupy = None
if torch is None and cupy is None:
    print("neither PyTorch nor CuPy is here with a CUDA device: nothing is tested")
    sys.exit(77)

N = 1 << 22
FOLDER = tempfile.TemporaryDirectory()
PACK = f"{FOLDER.name}/kernels.kpack"


@unittest.skipIf(torch is None, "no PyTorch with a CUDA device")
class Torch(unittest.TestCase):
    def setUp(self):
        self.saxpy = krait.load(PACK)["saxpy"]

    def test_on_the_device(self):
        x, y = torch.arange(N, device="cuda", dtype=torch.float32), torch.ones(N, device="cuda")
        self.saxpy(2.0, x, y)
        self.assertTrue(torch.equal(y, 2 * x + 1))
        self.saxpy(1.0, x[: N // 2][::2], y[: N // 2][::2])
        self.assertEqual(y[2].item(), 7)
        self.assertEqual(y[3].item(), 7)

    def test_in_its_stream(self):
        """Behind work that takes long, in the stream that is current; nothing else waits."""
        stream = torch.cuda.Stream()
        a = torch.rand(4096, 4096, device="cuda")
        x, y = torch.zeros(N, device="cuda"), torch.zeros(N, device="cuda")
        torch.cuda.synchronize()
        for explicit in (False, True):
            with torch.cuda.stream(stream):
                for _ in range(20):
                    a = a @ a / 4096
                x.fill_(3.0)
                y.fill_(1.0)
                if not explicit:
                    self.saxpy(2.0, x, y)
                    total = y.double().sum()
            if explicit:
                self.saxpy(2.0, x, y, stream=stream)
                with torch.cuda.stream(stream):
                    total = y.double().sum()
            stream.synchronize()
            self.assertEqual(total.item(), 7.0 * N)

    def test_on_the_host(self):
        x, y = torch.arange(1000, dtype=torch.float32), torch.ones(1000)
        self.saxpy(2.0, x, y)  # copied to the device and back
        self.assertTrue(torch.equal(y, 2 * x + 1))

    def test_refused(self):
        x = torch.ones(4, device="cuda")
        with self.assertRaisesRegex(krait.Error, "argument 2 has elements of type f64: expected f32"):
            self.saxpy(1.0, x.double(), x)
        with self.assertRaisesRegex(krait.Error, "argument 3 gives no memory: "):
            self.saxpy(1.0, x, torch.ones(4, device="cuda", requires_grad=True))
        with self.assertRaisesRegex(krait.Error, "the call is to run on cpu, but its arrays are on cuda:0"):
            self.saxpy(1.0, x, x.clone(), device="cpu")


@unittest.skipIf(cupy is None, "no CuPy with a CUDA device")
class Cupy(unittest.TestCase):
    def setUp(self):
        self.saxpy = krait.load(PACK)["saxpy"]

    def test_on_the_device(self):
        x, y = cupy.arange(N, dtype=cupy.float32), cupy.ones(N, cupy.float32)
        self.saxpy(2.0, x, y)
        self.assertTrue(bool((y == 2 * x + 1).all()))
        z = cupy.zeros((1000, 3), cupy.float32)
        self.saxpy(1.0, x[:1000], z[:, 1])
        self.assertTrue(bool((z[:, 1] == x[:1000]).all()) and float(z[:, 0].sum()) == 0)

    def test_in_its_stream(self):
        a = cupy.random.rand(4096, 4096, dtype=cupy.float32)
        x, y = cupy.zeros(N, cupy.float32), cupy.zeros(N, cupy.float32)
        cupy.cuda.Device().synchronize()
        with cupy.cuda.Stream(non_blocking=True) as stream:
            for _ in range(20):
                a = a @ a / 4096
            x.fill(3)
            y.fill(1)
            self.saxpy(2.0, x, y)
            total = y.astype(cupy.float64).sum()
            stream.synchronize()
        self.assertEqual(float(total), 7.0 * N)

    @unittest.skipIf(torch is None, "no PyTorch with a CUDA device")
    def test_beside_pytorch(self):
        x, y = torch.ones(1000, device="cuda"), cupy.ones(1000, cupy.float32)
        self.saxpy(2.0, x, y)
        self.assertTrue(bool((y == 3).all()))


if __name__ == "__main__":
    program = sys.argv.pop(1)
    kernel = pathlib.Path(__file__).resolve().parents[2] / "docs/saxpy.kir"
    subprocess.run([program, "pack", PACK, str(kernel), "--targets", "x86-64-v2; sm_80; sm_90"], check=True, stdout=subprocess.DEVNULL)
    unittest.main(verbosity=2)
