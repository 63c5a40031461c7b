#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy_files.py PROGRAM: files that NumPy, h5py and an encoder of PNG write are read by the program and written again, and compared
with what these read. Damaged files give errors of exact texts. Exit status 77 without NumPy. Without h5py, HDF5 is left out."""
import io
import os
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

try:
    import numpy as np
except ImportError:
    print("python3-numpy is not installed")
    sys.exit(77)
try:
    import h5py
except ImportError:
    print("python3-h5py is not installed: no HDF5")
    h5py = None

PROGRAM = os.path.abspath(sys.argv[1])
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
         "complex128"]
SHAPES = [(7,), (1,), (0,), (3, 5), (2, 0), (4, 3, 2)]
random = np.random.default_rng(int(os.environ.get("KRAIT_SEED", "1")))
failures = 0


def fail(text):
    global failures
    failures += 1
    print(text, flush=True)


def numbers(kind, shape):
    """Any bits, but for bool."""
    size = int(np.prod(shape))
    if kind == "bool":
        return random.integers(0, 2, shape).astype(bool)
    return np.frombuffer(random.bytes(size * np.dtype(kind).itemsize), dtype=kind).reshape(shape)


def same(x, y):
    return x.dtype.newbyteorder("=") == y.dtype.newbyteorder("=") and x.shape == y.shape and \
        x.astype(x.dtype.newbyteorder("<")).tobytes() == y.astype(y.dtype.newbyteorder("<")).tobytes()


class Cases:
    """What the program is asked, and the function that judges its answer."""

    def __init__(self):
        self.lines, self.judges = [], []

    def add(self, words, judge):
        self.lines.append("\t".join(str(w) for w in words))
        self.judges.append(judge)

    def good(self, words, judge):
        def check(answer):
            if answer != "ok":
                fail(f"{words}: {answer}")
            elif not judge():
                fail(f"{words}: other elements")
        self.add(words, check)

    def bad(self, words, text):
        def check(answer):
            if answer != text:
                fail(f"{words}:\n  {answer}\ninstead of\n  {text}")
        self.add(words, check)

    def run(self, limit=None, environment=None):
        def bounded():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        ran = subprocess.run([PROGRAM], input="\n".join(self.lines) + "\n", text=True, capture_output=True, preexec_fn=bounded,
                             env={**os.environ, **(environment or {})})
        answers = ran.stdout.splitlines()
        if ran.returncode or ran.stderr or len(answers) != len(self.lines):
            fail(f"the program ends with {ran.returncode} after {len(answers)} of {len(self.lines)}: {ran.stderr[:2000]}"
                 f"\n  at {self.lines[len(answers)] if len(answers) < len(self.lines) else 'its end'}")
        for answer, judge in zip(answers, self.judges):
            judge(answer)
        print(f"{len(answers)} cases")


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def npy(header, data=b"", version=1, length=None):
    """A file with this header, whatever it says."""
    text = header.encode("latin-1")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + text + data


def described(descr="'<f4'", shape="(4,)", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def round_trips(cases):
    number = 0
    for kind in TYPES:
        for shape in SHAPES:
            x = numbers(kind, shape)
            variants = {"little": x, "big": x.astype(x.dtype.newbyteorder(">")), "fortran": np.asfortranarray(x)}
            for name, given in variants.items():
                number += 1
                source, target = f"in{number}.npy", f"out{number}.npy"
                np.save(source, given)
                call = ("npy", kind, x.ndim, source, target)
                cases.good(call, lambda x=x, t=target: same(x, np.load(t)) and np.load(t).flags.c_contiguous)
                if name != "big":
                    cases.good(("map", kind, x.ndim, source, "map" + target), lambda x=x, t="map" + target: same(x, np.load(t)))
            for version in (1, 2, 3):
                with open(f"version{number}_{version}.npy", "wb") as file:
                    np.lib.format.write_array(file, x, version=(version, 0))
                target = f"v{version}_{number}.npy"
                cases.good(("npy", kind, x.ndim, f"version{number}_{version}.npy", target), lambda x=x, t=target: same(x, np.load(t)))
            for form, save in (("npz", np.savez), ("npz compressed", np.savez_compressed)):
                source, target = f"in{number}{form[3:]}.npz", f"out{number}{form[3:]}.npz"
                save(source, x=x, other=np.arange(3), **{"a/ü": np.asfortranarray(x)})
                for name in ("x", "a/ü"):
                    to = name[0] + target
                    cases.good((form, kind, x.ndim, source, to, name),
                               lambda x=x, t=to, n=name: sorted(np.load(t).files) == sorted([n, "again"]) and
                               same(x, np.load(t)[n]) and same(x, np.load(t)["again"]) and zipfile.ZipFile(t).testzip() is None)
            if h5py:
                source, target = f"in{number}.h5", f"out{number}.h5"
                with h5py.File(source, "w") as file:
                    file["x"] = x
                    file["group/big"] = x.astype(x.dtype.newbyteorder(">"))
                    if x.size:
                        file.create_dataset("group/packed", data=x, chunks=True, compression="gzip", shuffle=True)
                for name in ("x", "group/big") + (("group/packed",) if x.size else ()):
                    cases.good(("h5", kind, x.ndim, source, target, name),
                               lambda x=x, t=target, n=name: same(x, h5py.File(t)[n][()]))
    np.save("scalar.npy", np.float32(2.5))
    cases.good(("npy", "float32", 1, "scalar.npy", "scalar_out.npy"), lambda: same(np.load("scalar_out.npy"), np.array([2.5], "float32")))
    rows = np.zeros(3, "V12")
    rows.view("float32")[:] = np.arange(9)
    np.save("rows.npy", rows)
    for form in ("npy", "map"):
        cases.good((form, "struct", 1, "rows.npy", form + "_rows.npy"), lambda f=form: same(np.load(f + "_rows.npy"), rows))
    x = np.arange(5, dtype="float32")
    np.save("x.npy", x)
    cases.good(("kernel", "float32", 1, "x.npy", "kernel.npy"), lambda: same(np.load("kernel.npy"), 3 * x))
    if h5py:
        cases.good(("expression", "float32", 1, "x.npy", "expression.npy"),
                   lambda: same(np.load("expression.npy"), 2 * x) and same(np.load("expression.npy.npz")["sum"], x + 1) and
                   same(np.load("expression.npy.npz")["part"], x[1:]) and same(h5py.File("expression.npy.h5")["sum"][()], x + 1))
    np.savez("names.npz", first=x, second=x)
    cases.bad(("names", "float32", 1, "names.npz", "", "third"), "first second but not third")


def png_file(width, height, depth, colour, rows, extra=b""):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)) + extra + \
        chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def read_png(path):
    """8 bits per channel, not interlaced, with any filter (w3.org/TR/png)."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    raw, stride = zlib.decompress(packed), width * channels
    above, rows = bytearray(stride), []
    for y in range(height):
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        how = raw[y * (stride + 1)]
        for i in range(stride):
            left, up = line[i - channels] if i >= channels else 0, above[i]
            corner = above[i - channels] if i >= channels else 0
            p = left + up - corner
            near = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            line[i] = (line[i] + [0, left, up, (left + up) // 2, near][how]) & 255
        rows.append(bytes(line))
        above = line
    return np.frombuffer(b"".join(rows), "uint8").reshape((height, width) if channels == 1 else (height, width, channels))


def images(cases):
    for height, width in ((1, 1), (5, 7), (64, 33)):
        for channels, colour in ((1, 0), (2, 4), (3, 2), (4, 6)):
            x = random.integers(0, 256, (height, width, channels)).astype("uint8")
            source, target = f"in_{height}_{channels}.png", f"out_{height}_{channels}.png"
            write(source, png_file(width, height, 8, colour, [row.tobytes() for row in x]))
            if channels == 1:
                cases.good(("png", "uint8", 2, source, target), lambda x=x, t=target: same(read_png(t), x[:, :, 0]))
            wanted = np.repeat(x, 3, 2) if channels == 1 else x[:, :, [0, 0, 0, 1]] if channels == 2 else x
            cases.good(("png", "uint8", 3, source, "3" + target), lambda x=wanted, t="3" + target: same(read_png(t), x))
            if channels > 2:
                np.save(source + ".npy", np.asfortranarray(x))
                cases.good(("any png", "uint8", 3, source + ".npy", "n" + target), lambda x=x, t="n" + target: same(read_png(t), x))
    palette = png_chunk(b"PLTE", bytes([1, 2, 3, 40, 50, 60]))
    write("palette.png", png_file(8, 2, 1, 3, [b"\xaa", b"\x0f"], palette))
    bits = np.unpackbits(np.array([[0xaa], [0x0f]], "uint8"), axis=1)
    cases.good(("png", "uint8", 3, "palette.png", "palette_out.png"),
               lambda: same(read_png("palette_out.png"), np.array([[1, 2, 3], [40, 50, 60]], "uint8")[bits]))


def bad_npy(cases):
    ones = np.ones(4, "float32").tobytes()
    good = npy(described(), ones)
    files = {
        "fine.npy": good,
        "text.npy": b"no array at all",
        "empty.npy": b"",
        "short.npy": good[:-1],
        "huge.npy": npy(described(shape="(4611686018427387904, 2)"), ones),
        "many.npy": npy(described(shape="(1000000000000,)"), ones),
        "header.npy": good[:40],
        "long_header.npy": npy(described(), ones, 2, 0xffffffff),
        "large_header.npy": npy(described() + " " * (1 << 20), ones, 2),
        "version.npy": npy(described(), ones, 4),
        "no_shape.npy": npy("{'descr': '<f4', 'fortran_order': False, }", ones),
        "negative.npy": npy(described(shape="(-4,)"), ones),
        "no_order.npy": npy("{'descr': '<f4', 'shape': (4,), }", ones),
        "bools.npy": npy(described("'|b1'", "(4,)"), b"\0\1\2\0"),
        "fields.npy": npy(described("[('x', '<f4'), ('y', '<f4')]", "(2,)"), ones),
        "long_double.npy": npy(described("'<f16'", "(1,)"), ones),
        "text_elements.npy": npy(described("'<U4'", "(1,)"), ones),
        "seven.npy": npy(described(shape="(1, 1, 1, 1, 1, 1, 4)"), ones),
        "big_endian.npy": npy(described("'>f4'"), ones),
        "odd.npy": b"\x93NUMPY\1\0" + struct.pack("<H", 63) + described().encode().ljust(62) + b"\n" + ones,
    }
    for name, data in files.items():
        write(name, data)
    np.save("object.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    os.mkdir("folder.npy")
    expected = "expected a file that numpy.save wrote"
    numbers_only = "expected numbers, such as numpy.save(file, x.astype('f4')) writes"
    for form in ("npy", "map"):
        call = "kr::load_npy" if form == "npy" else "kr::map_npy"
        for name, text in [
            ("none.npy", "No such file or directory"),
            ("text.npy", f"not a .npy file: {expected}"),
            ("empty.npy", f"not a .npy file: {expected}"),
            ("short.npy", "the file ends within its 16 bytes of data: write it again"),
            ("many.npy", "the file ends within its 4000000000000 bytes of data: write it again"),
            ("huge.npy", "the array is larger than any memory"),
            ("header.npy", f"the file ends in its header: {expected}"),
            ("long_header.npy", f"the file ends in its header: {expected}"),
            ("large_header.npy", f"a header of {(1 << 20) + 118} bytes: {expected}"),
            ("version.npy", f"an unknown version of the format: {expected}"),
            ("no_shape.npy", f"a header without a shape: {expected}"),
            ("negative.npy", f"a header without a shape: {expected}"),
            ("no_order.npy", f"a header without fortran_order: {expected}"),
            ("object.npy", f"elements of type |O: {numbers_only}"),
            ("fields.npy", f"elements of type [('x', '<f4'), ('y', '<f4')], 'fortran_o: {numbers_only}"),
            ("long_double.npy", f"elements of type <f16: {numbers_only}"),
            ("text_elements.npy", f"elements of type <U4: {numbers_only}"),
            ("seven.npy", "an array of 7 dimensions, but kr::array has at most 6: save it reshaped to fewer"),
            ("folder.npy", "Is a directory"),
        ]:
            cases.bad((form, "float32", 1, name, "never.npy"), f"{name}: {text}")
        cases.bad((form, "bool", 1, "bools.npy", "never.npy"), "bools.npy: element 2 is 2, but a bool is 0 or 1: write the file again")
        cases.bad((form, "float64", 2, "fine.npy", "never.npy"),
                  f"fine.npy: an array of float in 1 dimension, but it is read as double in 2 dimensions: use {call}<float, 1>")
        cases.bad((form, "struct", 1, "fine.npy", "never.npy"),
                  f"fine.npy: an array of float in 1 dimension, but it is read as a struct of 12 bytes in 1 dimension: use {call}<float, 1>")
    for name, kind in (("int16", "std::int16_t"), ("uint8", "std::uint8_t"), ("complex64", "std::complex<float>"), ("float16", "kr::f16"),
                       ("complex128", "std::complex<double>"), ("bool", "bool")):
        np.save(name + ".npy", np.zeros(3, name))
        cases.bad(("npy", "float32", 1, name + ".npy", "never.npy"),
                  f"{name}.npy: an array of {kind} in 1 dimension, but it is read as float in 1 dimension: use kr::load_npy<{kind}, 1>")
    cases.bad(("map", "float32", 1, "big_endian.npy", "never.npy"),
              "big_endian.npy: big-endian elements cannot be used where they are: use kr::load_npy, which converts")
    cases.bad(("map", "float32", 1, "odd.npy", "never.npy"),
              "odd.npy: the elements begin at byte 73, which is not a multiple of 4: use kr::load_npy")
    cases.good(("npy", "float32", 1, "odd.npy", "odd_out.npy"), lambda: same(np.load("odd_out.npy"), np.ones(4, "float32")))
    for name in ("pipe.npy", "mapped.npy"):
        os.mkfifo(name)
        subprocess.Popen(["sh", "-c", f"cat fine.npy > {name}"], stderr=subprocess.DEVNULL)
    cases.add(("npy", "float32", 1, "pipe.npy", "from_pipe.npy"),
              lambda answer: answer == "ok" and same(np.load("from_pipe.npy"), np.ones(4, "float32")) or fail(f"from a pipe: {answer}"))
    cases.bad(("map", "float32", 1, "mapped.npy", "never.npy"), "mapped.npy: only a regular file can be mapped: use kr::load_npy")
    cases.bad(("npy", "float32", 1, "fine.npy", "nowhere/x.npy"), "nowhere/x.npy: cannot be written: No such file or directory")
    cases.bad(("npy", "float32", 1, "fine.npy", "folder.npy"), "folder.npy: cannot be written: Is a directory")


def bad_npz(cases):
    x = np.ones(1000, "float32")
    np.savez("fine.npz", x=x, y=x)
    np.savez("none.npz")
    with open("fine.npz", "rb") as file:
        good = file.read()
    broken = bytearray(good)
    broken[300] ^= 1
    write("checksum.npz", broken)
    write("cut.npz", good[:-30])
    write("text.npz", b"no archive at all")
    write("empty.npz", b"")
    np.savez_compressed("packed.npz", x=np.arange(1000, dtype="float32"))
    with open("packed.npz", "rb") as file:
        packed = bytearray(file.read())
    at = packed.rfind(b"PK\1\2")
    bomb = bytearray(packed)
    bomb[at + 24:at + 28] = struct.pack("<I", 0xfffffff0)
    write("bomb.npz", bomb)
    damaged = bytearray(packed)
    damaged[600:640] = b"\xff" * 40
    write("stream.npz", damaged)
    member = io.BytesIO()
    np.save(member, x)
    with zipfile.ZipFile("method.npz", "w", zipfile.ZIP_BZIP2) as file:
        file.writestr("x.npy", member.getvalue())
    with zipfile.ZipFile("members.npz", "w") as file:
        file.writestr("readme.txt", "not an array")
        file.writestr("x.npy", b"not an array either")
        file.writestr("short.npy", npy(described(shape="(1000,)"), b"\0" * 16))
        file.writestr("object.npy", npy(described("'|O'"), b"\0" * 16))
    size = struct.unpack("<I", packed[at + 20:at + 24])[0]
    for name, which, text in [
        ("missing.npz", "x", "missing.npz: No such file or directory"),
        ("text.npz", "x", "text.npz: not a .npz file (Not a zip archive): expected one that numpy.savez wrote"),
        ("cut.npz", "x", "cut.npz: not a .npz file (Not a zip archive): expected one that numpy.savez wrote"),
        ("fine.npz", "z", 'fine.npz: no array "z"; it has x, y'),
        ("none.npz", "z", 'none.npz: no array "z"; it has none'),
        ("checksum.npz", "x", "checksum.npz: x: the archive is damaged (CRC error): write it again"),
        ("stream.npz", "x", "stream.npz: x: the archive is damaged (Zlib error: data error): write it again"),
        ("bomb.npz", "x", f"bomb.npz: x: the archive says that {size} bytes hold 4294967280, which they cannot: write it again"),
        ("method.npz", "x", "method.npz: x: compressed by method 12 of zip: expected one that numpy.savez or numpy.savez_compressed wrote"),
        ("members.npz", "x", "members.npz: x: not a .npy file: expected a file that numpy.save wrote"),
        ("members.npz", "short", "members.npz: short: the file ends within its 4000 bytes of data: write it again"),
        ("members.npz", "object", "members.npz: object: elements of type |O: expected numbers, such as numpy.save(file, x.astype('f4')) writes"),
        ("members.npz", "readme.txt", 'members.npz: no array "readme.txt"; it has x, short, object'),
    ]:
        cases.bad(("npz", "float32", 1, name, "never.npz", which), text)
    cases.bad(("npz", "float64", 1, "fine.npz", "never.npz", "x"),
              "fine.npz: x: an array of float in 1 dimension, but it is read as double in 1 dimension: use load<float, 1>")
    cases.bad(("npz", "float32", 1, "fine.npz", "nowhere/x.npz", "x"), "nowhere/x.npz: cannot be written: No such file or directory")
    cases.bad(("twice", "float32", 1, "fine.npy", "never.npz"), 'kr::save_npz: two arrays have the name "x"')
    cases.bad(("none", "float32", 1, "", "never.npz"), "kr::save_npz: never.npz would have no arrays: give {{name, array}, …}")
    cases.bad(("ninth", "float32", 1, "fine.npz", ""), "fine.npz: array 9 of 2")


def bad_png(cases):
    rows = [bytes(range(12))] * 4
    good = png_file(4, 4, 8, 2, rows)
    write("fine.png", good)
    write("text.png", b"no image at all")
    write("empty.png", b"")
    write("cut.png", good[:50])
    write("wide.png", png_file(2, 1, 16, 0, [b"\0\1\2\3"]))
    write("alpha.png", png_file(1, 1, 8, 4, [b"\1\2"]))
    damaged = bytearray(good)
    damaged[45] ^= 255
    write("damaged.png", damaged)
    write("bomb.png", png_file(900000, 900000, 8, 2, rows))
    for name, rank, text in [
        ("missing.png", 3, "missing.png: No such file or directory"),
        ("text.png", 3, "text.png: not a PNG file (Not a PNG file)"),
        ("empty.png", 3, "empty.png: not a PNG file (png_image_begin_read_from_memory: invalid argument)"),
        ("cut.png", 3, "cut.png: the image is damaged (read beyond end of data): write it again"),
        ("damaged.png", 3, "damaged.png: the image is damaged (bad adaptive filter value): write it again"),
        ("wide.png", 3, "wide.png: an image of 16 bits per channel: save it with 8"),
        ("fine.png", 2, "fine.png: an image with colours: use kr::load_png<3>"),
        ("alpha.png", 2, "alpha.png: an image with alpha: use kr::load_png<3>"),
        ("bomb.png", 3, f"bomb.png: an image of 900000 x 900000 pixels, which a file of {os.path.getsize('bomb.png')} bytes cannot hold"),
        ("/dev/null", 3, "/dev/null: an image is read from a regular file only"),
    ]:
        cases.bad(("png", "uint8", rank, name, "never.png"), text)
    np.save("two.npy", np.zeros((4, 4, 2), "uint8"))
    np.save("nothing.npy", np.zeros((0, 4), "uint8"))
    cases.bad(("any png", "uint8", 3, "two.npy", "never.png"),
              "kr::save_png: the last extent is 2: expected 3 (red, green, blue) or 4 (and alpha)")
    cases.bad(("any png", "uint8", 2, "nothing.npy", "never.png"), "kr::save_png: an image of 4 x 0 pixels: expected 1 to 1000000 each")
    cases.bad(("png", "uint8", 3, "fine.png", "nowhere/x.png"), "nowhere/x.png: cannot be written: No such file or directory")


def bad_hdf5(cases):
    if not h5py:
        return
    x = np.ones(1000, "float32")
    with h5py.File("other.h5", "w") as file:
        file["x"] = x
    with h5py.File("fine.h5", "w") as file:
        file["x"], file["group/y"], file["text"] = x, x, "a text"
        file["fields"] = np.zeros(3, [("a", "f4"), ("b", "f4")])
        file["seven"] = np.zeros((1,) * 7, "float32")
        file["scalar"] = np.float32(2)
        file["null"] = h5py.Empty("f4")
        file.create_dataset("huge", (1 << 40,), "f4")
        file.create_dataset("packed", (1 << 40,), "f4", chunks=(1 << 20,), compression="gzip")
        file.create_dataset("outside", (4,), "f4", external=[("/etc/passwd", 0, 16)])
        virtual = h5py.VirtualLayout((1000,), "f4")
        virtual[:] = h5py.VirtualSource("other.h5", "x", (1000,))
        file.create_virtual_dataset("virtual", virtual)
    with h5py.File("packed.h5", "w") as file:
        file.create_dataset("x", data=np.arange(10000, dtype="float32"), chunks=(10000,), compression="gzip")
        chunk = file["x"].id.get_chunk_info(0)
    with open("packed.h5", "r+b") as file:
        file.seek(chunk.byte_offset + 100)
        file.write(b"\xff" * 100)
    size = os.path.getsize("fine.h5")
    with open("other.h5", "rb") as file:
        good = file.read()
    write("cut.h5", good[:3000])
    write("text.h5", b"no file of HDF5 at all")
    write("empty.h5", b"")
    for name, dataset, text in [
        ("missing.h5", "x", "missing.h5: No such file or directory"),
        ("text.h5", "x", "text.h5: not an HDF5 file (file signature not found)"),
        ("empty.h5", "x", "empty.h5: not an HDF5 file (file signature not found)"),
        ("cut.h5", "x", "cut.h5: not an HDF5 file (truncated file: eof = 3000, sblock->base_addr = 0, stored_eof = 6048)"),
        ("fine.h5", "z", "fine.h5: z: no such dataset (object 'z' doesn't exist)"),
        ("fine.h5", "group", "fine.h5: group: no such dataset (not a dataset)"),
        ("fine.h5", "text",
         "fine.h5: text: elements of HDF5's class 3: expected integers, floats, or the bool and complex numbers of h5py"),
        ("fine.h5", "fields",
         "fine.h5: fields: elements of HDF5's class 6: expected integers, floats, or the bool and complex numbers of h5py"),
        ("fine.h5", "seven", "fine.h5: seven: an array of 7 dimensions, but kr::array has at most 6: save it reshaped to fewer"),
        ("fine.h5", "huge", f"fine.h5: huge: an array of 4398046511104 bytes, which a file of {size} bytes cannot hold: write it again"),
        ("fine.h5", "packed", f"fine.h5: packed: an array of 4398046511104 bytes, which a file of {size} bytes cannot hold: write it again"),
        ("packed.h5", "x", "packed.h5: x: cannot be read (inflate() failed): write it again"),
        ("fine.h5", "outside", "fine.h5: outside: its elements are in other files, which are not opened: save them in this one"),
        ("fine.h5", "virtual", "fine.h5: virtual: its elements are in other files, which are not opened: save them in this one"),
    ]:
        cases.bad(("h5", "float32", 1, name, "never.h5", dataset), text)
    cases.bad(("h5", "int32", 2, "fine.h5", "never.h5", "x"),
              "fine.h5: x: an array of float in 1 dimension, but it is read as std::int32_t in 2 dimensions: use kr::load_hdf5<float, 1>")
    cases.bad(("h5", "float32", 1, "fine.h5", "nowhere/x.h5", "x"), "nowhere/x.h5: cannot be written: No such file or directory")
    write("text_out.h5", b"somebody's notes")
    cases.bad(("h5", "float32", 1, "fine.h5", "text_out.h5", "x"), "text_out.h5: not an HDF5 file (file signature not found)")
    with h5py.File("changed.h5", "w") as file:
        file["kept"], file["x"], file["y"] = np.arange(5), np.arange(9), np.arange(3)
    cases.good(("h5", "float32", 1, "fine.h5", "changed.h5", "x"),
               lambda: same(h5py.File("changed.h5")["x"][()], x) and same(h5py.File("changed.h5")["kept"][()], np.arange(5)))
    cases.bad(("h5", "float32", 1, "fine.h5", "changed.h5", "group/y"), "ok")
    cases.bad(("h5", "float32", 1, "fine.h5", "changed.h5", "scalar"), "ok")
    cases.bad(("h5", "float32", 1, "fine.h5", "changed.h5", "null"), "ok")
    np.save("float.npy", x)
    cases.bad(("save h5", "float32", 1, "float.npy", "changed.h5", "x/y"), "changed.h5: x/y: cannot be written (message type not found)")
    broken = bytearray(good)
    broken[96:200] = b"\xff" * 104
    write("broken.h5", broken)
    cases.add(("h5", "float32", 1, "broken.h5", "never.h5", "x"), lambda answer: answer.startswith("broken.h5: ") or fail(answer))


def failed_writes():
    """A file that cannot be written whole is not written, and leaves no other."""
    x = random.bytes(400000)
    np.save("large.npy", np.frombuffer(x, "float32"))
    np.savez("large.npz", x=np.frombuffer(x, "float32"))
    np.save("image.npy", np.frombuffer(x[:300000], "uint8").reshape(100, 1000, 3))
    kept = {name: b"what was there before" for name in ("old.npy", "old.npz", "old.png")}
    for name, data in kept.items():
        write(name, data)
    cases = Cases()
    too_large = "cannot be written: File too large"
    cases.bad(("npy", "float32", 1, "large.npy", "old.npy"), f"old.npy: {too_large}")
    cases.bad(("npz", "float32", 1, "large.npz", "old.npz", "x"), f"old.npz: {too_large}")
    cases.bad(("any png", "uint8", 3, "image.npy", "old.png"), f"old.png: {too_large}")
    if h5py:
        with h5py.File("large.h5", "w") as file:
            file["x"] = np.frombuffer(x, "float32")
        with h5py.File("old.h5", "w") as file:
            file["kept"] = np.arange(4)
        with open("old.h5", "rb") as file:
            kept["old.h5"] = file.read()
        cases.bad(("h5", "float32", 1, "large.h5", "old.h5", "x"), f"old.h5: {too_large}")
    cases.run(limit=100000)
    for name, data in kept.items():
        with open(name, "rb") as file:
            if file.read() != data:
                fail(f"{name} is not as it was")
    left = [name for name in os.listdir(".") if name.startswith(".krait-new-") or name.startswith("never")]
    if left:
        fail(f"files are left: {left}")


def missing_libraries():
    cases = Cases()
    why = "/nowhere.so: cannot open shared object file: No such file or directory"
    for words, library, package, variable in [
        (("npz", "float32", 1, "fine.npz", "never.npz", "x"), ".npz files need libzip", "libzip4", "KRAIT_LIBZIP"),
        (("png", "uint8", 3, "fine.png", "never.png"), "PNG files need libpng", "libpng16-16", "KRAIT_LIBPNG"),
    ] + ([(("h5", "float32", 1, "fine.h5", "never.h5", "x"), "HDF5 files need the HDF5 library", "libhdf5-103-1", "KRAIT_HDF5")] if h5py else []):
        cases.bad(words, f"{library}: {why}; install it (Debian: {package}), or name its file in {variable}")
    cases.run(environment={name: "/nowhere.so" for name in ("KRAIT_LIBZIP", "KRAIT_LIBPNG", "KRAIT_HDF5")})
    cases = Cases()
    cases.bad(("png", "uint8", 3, "fine.png", "never.png"),
              "PNG files need libpng: libzip.so.4 has no png_image_begin_read_from_memory; install it (Debian: libpng16-16), or name its file in "
              "KRAIT_LIBPNG")
    cases.run(environment={"KRAIT_LIBPNG": "libzip.so.4"})


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    everything = Cases()
    for part in (round_trips, images, bad_npy, bad_npz, bad_png, bad_hdf5):
        part(everything)
    everything.run()
    failed_writes()
    missing_libraries()
sys.exit(bool(failures))
