#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""calls.py SOURCE COMPILER FLAGS LIBRARY INCLUDE [none]: builds a program with wrong calls as users do, and runs it. none: it has no debug
information, and is told."""
import subprocess, sys, tempfile
from pathlib import Path

source, compiler, flags, library, include = sys.argv[1:6]
none = sys.argv[6:]
with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "program"
    subprocess.run([compiler, "-std=c++20", *flags.split(), f"-I{include}", source, "-o", str(program), library, f"-Wl,-rpath,{Path(library).parent}"],
                   check=True, cwd=folder)
    sys.exit(subprocess.run([program, *none]).returncode)
