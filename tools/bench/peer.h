// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU workloads as plain loops: what a C++ programmer gets today. peer.cpp is built several
// times, by several compilers and with several flags, into one shared object each, so that all of
// them run in one process beside Krait.
#pragma once

struct Peer {
  const char* name;
  void (*saxpy)(float a, const float* x, const float* y, float* z, long n);
  // exp(x) sin(y) + log(x)
  void (*transcendental)(const float* x, const float* y, float* z, long n);
  void (*black_scholes)(const float* spot, const float* strike, const float* years, float* call,
                        long n);
  void (*mandelbrot)(int* out, int width, int limit);
  void (*nbody)(const float* x, const float* y, const float* z, float* force, int n);
  void (*jacobi)(const float* in, float* out, int width);
  void (*sgemm)(const float* a, const float* b, float* c, int width);  // c = a b, each width²
  void (*sum)(const float* x, float* total, long n);
  // adds the counts of the low bytes
  void (*histogram)(const unsigned* x, unsigned* counts, long n);
  void (*copy)(const float* x, float* out, long n);
  void (*transpose)(const float* in, float* out, int width);
  void (*scan)(const float* x, float* out, long n);           // inclusive
  void (*sort)(const unsigned* keys, unsigned* out, long n);  // by bytes, least significant first
};
