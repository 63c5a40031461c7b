// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of `krait bench` as plain loops of C++. plain_loops.cpp is compiled by -O3 for three
// instruction sets, whatever the rest of the build is compiled for, and the processor's best one
// runs.
#pragma once

namespace tool {

struct PlainLoops {
  const char* compiler;  // "g++ 12.2 -O3 -march=x86-64-v3 (AVX2)"
  void (*saxpy)(float a, const float* x, const float* y, float* z, long n);
  // exp(x) sin(y) + log(x)
  void (*transcendental)(const float* x, const float* y, float* z, long n);
  void (*black_scholes)(const float* spot, const float* strike, const float* years, float* call,
                        long n);
  void (*mandelbrot)(int* out, int width, int limit);  // width²
  void (*nbody)(const float* x, const float* y, const float* z, float* force, int n);
  void (*jacobi)(const float* in, float* out, int width);  // width²
  float (*sum)(const float* x, long n);
};

extern const PlainLoops plain_v1, plain_v3, plain_v4;
const PlainLoops& plain_loops();

}  // namespace tool
