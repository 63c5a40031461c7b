#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# docs/make_gallery.sh BUILD    writes the pictures of docs/gallery.md anew, by the examples in BUILD/bin
set -euo pipefail
bin=$(cd "$1/bin" && pwd)
cd "$(dirname "$0")/images"
"$bin/04_mandelbrot" example-mandelbrot.png
"$bin/05_image_pipeline" ../../examples/picture.png example-edges.png
cp ../../examples/picture.png example-picture.png
"$bin/06_heat" example-heat.png
"$bin/23_ray_tracer" example-ray-tracer.png
"$bin/24_julia" example-julia.png
