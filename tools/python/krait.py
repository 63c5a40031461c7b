# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of packs on arrays of NumPy, PyTorch, CuPy and whoever knows DLPack (docs/python.md):

    kernels = krait.load("kernels.kpack")
    kernels["saxpy"](2.0, x, y)

One file that calls libkrait's C interface (krait_c.h) by ctypes; nothing is built, and no array library is imported. Arrays are used where they
lie: in the host's memory, from where Krait copies them to a GPU and back, or in the memory of a CUDA device, in the stream of their library.
"""
import ctypes
import os
import struct
import sys

__all__ = ["Error", "Kernel", "Pack", "load", "synchronize"]


class Error(Exception):
    """What a kernel, a pack or a device refuses. `kind` is "usage", "compile", "device" or "internal"."""

    def __init__(self, message, kind="usage"):
        super().__init__(message)
        self.kind = kind


# ---- the C interface -----------------------------------------------------------------------------------------------------------------

class _Parameter(ctypes.Structure):
    _fields_ = [("type", ctypes.c_char_p), ("rank", ctypes.c_int), ("writable", ctypes.c_int), ("bytes", ctypes.c_size_t)]


class _Argument(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("memory", ctypes.c_void_p), ("offset", ctypes.c_size_t),
                ("extents", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64))]


class _LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_int64 * 3), ("block", ctypes.c_int64 * 3), ("threads", ctypes.c_int64), ("device", ctypes.c_void_p),
                ("stream", ctypes.c_void_p)]


_KINDS = {1: "usage", 2: "compile", 3: "device", 4: "internal"}
_pointer = ctypes.c_void_p


def _open():
    name = os.environ.get("KRAIT_LIBRARY", "libkrait.so.0.2")
    try:
        library = ctypes.CDLL(name)
    except OSError as wrong:
        raise Error(f"Krait's library cannot be loaded: {wrong}. Install it, or set KRAIT_LIBRARY to its path", "device") from None

    def declare(function, result, *takes):
        f = getattr(library, function)
        f.restype, f.argtypes = result, takes

    for function, takes in (("krait_find_device", (ctypes.c_char_p, _pointer)), ("krait_synchronize", (_pointer,)),
                            ("krait_make_stream", (_pointer, _pointer, _pointer)),
                            ("krait_wrap", (_pointer, ctypes.c_uint64, ctypes.c_size_t, _pointer)),
                            ("krait_load_pack", (ctypes.c_char_p, _pointer)),
                            ("krait_make_kernel", (_pointer, ctypes.c_char_p, _pointer)),
                            ("krait_launch", (_pointer, _pointer, ctypes.c_size_t, _pointer))):
        declare(function, ctypes.c_int, *takes, _pointer)
    for function in ("krait_free_message", "krait_free_stream", "krait_free_memory", "krait_free_pack", "krait_free_kernel"):
        declare(function, None, _pointer)
    declare("krait_device_id", ctypes.c_char_p, _pointer)
    declare("krait_pack_size", ctypes.c_size_t, _pointer)
    declare("krait_pack_name", ctypes.c_char_p, _pointer, ctypes.c_size_t)
    declare("krait_parameter_count", ctypes.c_size_t, _pointer)
    declare("krait_parameter_at", _Parameter, _pointer, ctypes.c_size_t)
    return library


_opened = None


def _library():
    global _opened
    if _opened is None:
        _opened = _open()
    return _opened


def _call(function, *arguments):
    message = _pointer()
    code = getattr(_library(), function)(*arguments, ctypes.byref(message))
    if code == 0:
        return
    text = ctypes.string_at(message).decode(errors="replace") if message else "out of memory"
    _library().krait_free_message(message)
    raise Error(text, _KINDS.get(code, "internal"))


def _made(function, *arguments):
    made = _pointer()
    _call(function, *arguments, ctypes.byref(made))
    return made


class _Owned:
    """What the C interface has made, until this is gone."""

    def __init__(self, free, made):
        self.at, self._free = made, getattr(_library(), free)

    def __del__(self):
        self._free(self.at)


def _find_device(name):
    return _made("krait_find_device", name if name is None else str(name).encode())


def synchronize(device=None):
    """Waits until all work on a device is done ("cuda:0"), or on all. Then lines and faults of its kernels were told."""
    _call("krait_synchronize", None if device is None else _find_device(device))


# ---- arrays --------------------------------------------------------------------------------------------------------------------------

class _DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _DlVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _DlTensor)]


_DL_CODES = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "complex", 6: "bool", 10: "f8e4m3", 12: "f8e5m2"}
_DL_ON_HOST, _DL_CUDA = (1, 3), (2, 13)  # managed memory is reached by the device
_DL_READ_ONLY = 1


class _Array:
    """An array as the C interface takes it; `keeps` owns its memory."""

    def __init__(self, keeps, address, device, type, bytes, shape, strides, read_only):
        self.keeps, self.address, self.device, self.type, self.bytes = keeps, address, device, type, bytes
        self.shape, self.strides, self.read_only = shape, strides, read_only  # strides in bytes, or None: C order

    def size(self):
        n = 1
        for extent in self.shape:
            n *= extent
        return n


def _from_dlpack(x, stream):
    device_type, device_id = (int(n) for n in x.__dlpack_device__())
    if device_type not in _DL_ON_HOST + _DL_CUDA:
        raise Error(f"is on a DLPack device of type {device_type}: Krait takes memory of the host (1, 3) and of CUDA (2, 13)")
    on_host = device_type in _DL_ON_HOST
    asked = {} if on_host else {"stream": stream(device_id)}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **asked)
    except TypeError:  # of before version 1
        capsule = x.__dlpack__(**asked)
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = api.PyCapsule_GetName(capsule)
    if name not in (b"dltensor", b"dltensor_versioned"):
        raise Error(f"gives a capsule named {name!r}: expected dltensor")
    at = api.PyCapsule_GetPointer(capsule, name)  # not consumed: the capsule frees it when it goes
    read_only = False
    if name == b"dltensor_versioned":
        versioned = _DlVersioned.from_address(at)
        if versioned.major != 1:
            raise Error(f"is of version {versioned.major}.{versioned.minor} of DLPack: expected 1")
        tensor, read_only = versioned.tensor, bool(versioned.flags & _DL_READ_ONLY)
    else:
        tensor = _DlTensor.from_address(at)
    code = _DL_CODES.get(tensor.code)
    if code is None or tensor.lanes != 1:
        raise Error(f"has elements of DLPack's type {tensor.code} with {tensor.bits} bits in {tensor.lanes} lanes, which Krait does not support")
    if tensor.bits % 8:
        raise Error(f"has elements of {tensor.bits} bits, which Krait does not support")
    bytes = tensor.bits // 8
    type = code if code in ("bool", "complex", "f8e4m3", "f8e5m2") else f"{code}{tensor.bits}"
    rank = tensor.ndim
    return _Array(capsule, (tensor.data or 0) + tensor.byte_offset, None if on_host else f"cuda:{device_id}", type, bytes, tensor.shape[:rank],
                  [s * bytes for s in tensor.strides[:rank]] if tensor.strides else None, read_only)


def _from_interface(x, given, device):
    order, code, bytes = given["typestr"][0], given["typestr"][1], int(given["typestr"][2:])
    if order == ">" and bytes > 1:
        raise Error(f"has elements of another byte order ({given['typestr']}): convert it, x.astype(x.dtype.newbyteorder('='))")
    type = {"b": "bool", "c": "complex", "V": "void"}.get(code) or (f"{code}{8 * bytes}" if code in "iuf" else None)
    if type is None:
        raise Error(f"has elements of type {given['typestr']}, which Krait does not support")
    address, read_only = given["data"]
    return _Array(x, address or 0, device, type, bytes, list(given["shape"]), None if given.get("strides") is None else list(given["strides"]),
                  read_only)


def _read_array(x, stream):
    try:
        interface = getattr(x, "__array_interface__", None)
        if interface is not None:
            return _from_interface(x, interface, None)
        if hasattr(x, "__dlpack__"):
            return _from_dlpack(x, stream)
        interface = getattr(x, "__cuda_array_interface__", None)
        if interface is not None:
            stream(0, interface.get("stream"))
            return _from_interface(x, interface, "cuda:0")  # the interface does not tell which
    except (BufferError, AttributeError, RuntimeError, TypeError, ValueError) as wrong:  # of the array's library
        raise Error(f"gives no memory: {wrong}") from wrong
    raise Error(f"is a {type(x).__name__}: expected an array of NumPy, PyTorch, CuPy or another library that knows DLPack")


_SAME_BYTES = {"void": ("complex", "void")}  # a struct of two floats has the memory of a complex number


def _check_array(a, p):
    type = p.type.decode()
    fits = a.type == type or (type in _SAME_BYTES and a.type in _SAME_BYTES[type])
    if not fits or a.bytes != p.bytes:
        has = f"{a.type} of {a.bytes} bytes" if a.type in ("void", "complex") or type == "void" else a.type
        wants = f"structs of {p.bytes} bytes" if type == "void" else type
        raise Error(f"has elements of type {has}: expected {wants}")
    if len(a.shape) != p.rank:
        raise Error(f"has {len(a.shape)} dimensions: expected {p.rank}")
    if p.writable and a.read_only:
        raise Error("is read-only, but the kernel writes to it")
    for stride, extent in zip(a.strides or (), a.shape):
        if extent > 1 and stride < 0:
            raise Error("runs backwards along a dimension: copy it, numpy.ascontiguousarray(x)")
        if extent > 1 and stride % a.bytes:
            raise Error(f"has elements of {a.bytes} bytes at a distance of {stride} bytes: copy it, numpy.ascontiguousarray(x)")


def _numbers(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


# ---- numbers -------------------------------------------------------------------------------------------------------------------------

_FORMATS = {"i8": "<b", "i16": "<h", "i32": "<i", "i64": "<q", "u8": "<B", "u16": "<H", "u32": "<I", "u64": "<Q", "f16": "<e", "f32": "<f",
            "f64": "<d"}


def _read_number(x, p):
    """Its bytes."""
    type = p.type.decode()
    if type == "void":
        try:
            given = bytes(memoryview(x).cast("B"))
        except TypeError:
            raise Error(f"is a {_name_of(x)}: expected the {p.bytes} bytes of a struct") from None
        if len(given) != p.bytes:
            raise Error(f"has {len(given)} bytes: expected the {p.bytes} of a struct")
        return given
    if hasattr(x, "item") and getattr(x, "shape", None) == ():
        x = x.item()  # a NumPy scalar
    if not isinstance(x, (bool, int, float)):
        raise Error(f"is a {_name_of(x)}: expected a number of type {type}")
    if type == "bool":
        if not isinstance(x, bool):
            raise Error(f"is {x!r}: expected True or False")
        return b"\1" if x else b"\0"
    if type in ("f8e4m3", "f8e5m2"):
        raise Error(f"is a number of type {type}, which Python does not have: pass it in an array")
    if type == "bf16":
        return _bf16(float(x))
    if type[0] in "iu" and not isinstance(x, int):
        raise Error(f"is {x!r}: expected an integer of type {type}")
    try:
        return struct.pack(_FORMATS[type], x)
    except (struct.error, OverflowError):
        raise Error(f"is {x!r}, which is not a number of type {type}") from None


def _bf16(x):
    """To the nearest, ties to even, as conversions of kernels."""
    try:
        bits = struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        raise Error(f"is {x!r}, which is not a number of type bf16") from None
    if x != x:
        return b"\xc0\x7f"
    return struct.pack("<H", (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff)


def _name_of(x):
    return type(x).__name__


# ---- streams -------------------------------------------------------------------------------------------------------------------------

def _handle_of(stream):
    """Of a stream of PyTorch or CuPy, or a CUstream as a number."""
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    raise Error(f"stream is a {_name_of(stream)}: expected one of PyTorch or CuPy, or a CUstream as a number")


def _current_stream(x, device_id):
    """That in which the array's library works now."""
    library = type(x).__module__.partition(".")[0]
    module = sys.modules.get(library)
    if library == "torch":
        return module.cuda.current_stream(device_id).cuda_stream
    if library == "cupy":
        with module.cuda.Device(device_id):
            return module.cuda.get_current_stream().ptr
    return 0


# ---- packs and kernels ---------------------------------------------------------------------------------------------------------------

class Kernel:
    """A kernel of a pack. Calls of several threads are safe."""

    def __init__(self, pack, name):
        self.name = name
        self._kernel = _Owned("krait_free_kernel", _made("krait_make_kernel", pack.at, name.encode()))
        count = _library().krait_parameter_count(self._kernel.at)
        self._parameters = [_library().krait_parameter_at(self._kernel.at, i) for i in range(count)]

    def signature(self):
        """What it takes, as docs/ir.md has it: "(f32, view<f32, 1, const>, view<f32, 1>)"."""
        def text(p):
            type = p.type.decode()
            if type == "void":
                type = f"bytes({p.bytes})"
            return f"view<{type}, {p.rank}{'' if p.writable else ', const'}>" if p.rank else type
        return f"({', '.join(text(p) for p in self._parameters)})"

    def __repr__(self):
        return f"<krait kernel {self.name}{self.signature()}>"

    def __call__(self, *arguments, grid=None, block=None, threads=None, stream=None, device=None):
        """Launches it. Without `grid` and `block`, which are numbers or up to three of them, so many `threads`; without those as many as the
        largest array has elements that the kernel writes to. On a GPU the work goes on when this returns, if all arrays are there: in `stream`,
        or that in which PyTorch or CuPy works now. `device` ("cpu", "cuda:0", "vulkan") is where arrays of the host go; else KRAIT_DEVICE or
        the default one. Throws Error."""
        if len(arguments) != len(self._parameters):
            raise Error(f"kernel {self.name} takes {len(self._parameters)} arguments {self.signature()}, but gets {len(arguments)}")
        handle = None if stream is None else _handle_of(stream)
        used = []

        def stream_for(x):
            def of(device_id, its_own=None):
                used.append(handle if handle is not None else its_own or _current_stream(x, device_id))
                return used[-1] or 1  # DLPack's number for the default stream
            return of

        packed = (_Argument * max(len(arguments), 1))()
        kept, written, place = [], [0], None
        for i, (x, p) in enumerate(zip(arguments, self._parameters)):
            try:
                if p.rank == 0:
                    number = ctypes.create_string_buffer(_read_number(x, p), p.bytes)
                    kept.append(number)
                    packed[i].data = ctypes.addressof(number)
                    continue
                a = _read_array(x, stream_for(x))
                _check_array(a, p)
            except Error as wrong:
                raise Error(f"kernel {self.name}: argument {i + 1} {wrong}", wrong.kind) from wrong.__cause__
            if p.writable:
                written.append(a.size())
            kept.append(a)
            if a.device is not None:
                place = place or a.device
            self._pack_array(packed[i], a, kept)
        config = _LaunchConfig()
        self._shape(config, grid, block, threads, max(written))
        on = place if device is None else device
        if on is not None:
            config.device = _find_device(on)
        if handle is None and used:
            handle = used[0]
        if handle:
            owned = _Owned("krait_free_stream", _made("krait_make_stream", config.device, handle))
            kept.append(owned)
            config.stream = owned.at
        _call("krait_launch", self._kernel.at, packed, len(arguments), ctypes.byref(config))

    def _pack_array(self, to, a, kept):
        extents = _numbers(a.shape)
        kept.append(extents)
        to.extents = extents
        reach = a.bytes if a.size() else 0
        if a.strides is not None:
            steps = [s // a.bytes if extent > 1 else 1 for s, extent in zip(a.strides, a.shape)]
            strides = _numbers(steps)
            kept.append(strides)
            to.strides = strides
            reach += sum((extent - 1) * step for extent, step in zip(a.shape, steps)) * a.bytes if a.size() else 0
        else:
            reach = a.size() * a.bytes
        if a.device is None or reach == 0:
            to.data = a.address or None
            return
        memory = _Owned("krait_free_memory", _made("krait_wrap", _find_device(a.device), a.address, reach))
        kept.append(memory)
        to.memory = memory.at

    def _shape(self, config, grid, block, threads, written):
        if grid is None:
            if block is not None:
                raise Error(f"kernel {self.name}: block is given without grid: give both, or threads")
            config.threads = self._integers(written if threads is None else threads, "threads", 1)[0]
            return
        if threads is not None:
            raise Error(f"kernel {self.name}: grid and threads are given: give one of them")
        blocks = self._integers(grid, "grid", 3)
        if 0 in blocks:  # nothing to run; a grid of 0 says to the C interface that threads are given
            return
        config.grid[:] = blocks
        if block is not None:
            config.block[:] = self._integers(block, "block", 3)

    def _integers(self, given, what, most):
        numbers = (given,) if not isinstance(given, (tuple, list)) else tuple(given)
        if not 1 <= len(numbers) <= most or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers):
            raise Error(f"kernel {self.name}: {what} is {given!r}: expected {'a number' if most == 1 else 'one to three numbers'}, 0 or more")
        return numbers + (1,) * (most - len(numbers))


class Pack:
    """The kernels of a file, by name; len(pack) and `for name in pack` tell which."""

    def __init__(self, file):
        self.file = os.fspath(file)
        self._pack = _Owned("krait_free_pack", _made("krait_load_pack", os.fsencode(file)))
        self._kernels = {}

    def __len__(self):
        return _library().krait_pack_size(self._pack.at)

    def __iter__(self):
        return iter([_library().krait_pack_name(self._pack.at, i).decode() for i in range(len(self))])

    def __contains__(self, name):
        return name in list(self)

    def __getitem__(self, name):
        if name not in self._kernels:
            self._kernels[name] = Kernel(self._pack, name)
        return self._kernels[name]

    def __repr__(self):
        return f"<krait pack {self.file}: {', '.join(self)}>"


def load(file):
    """Reads a file that kr::pack or `krait pack` made. A pack is code: load those that you trust. Throws Error for one that is damaged."""
    return Pack(file)
