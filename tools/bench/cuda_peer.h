// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA workloads as hand-written CUDA C++ (cuda_peer.cu, built by nvcc -O3 into
// libpeer_cuda.so), launched on the default stream.
#pragma once

struct CudaPeer {
  void (*saxpy_float4)(float a, const float* x, const float* y, float* z, long n);
  void (*saxpy)(float a, const float* x, const float* y, float* z, long n);  // one element a thread
  void (*black_scholes)(const float* spot, const float* strike, const float* years, float* call,
                        float* put, long n);
  void (*mandelbrot)(int* out, int width, int height, int limit);
  void (*nbody)(const float* x, const float* y, const float* z, float* force, int n);  // untiled
  void (*jacobi)(const float* in, float* out, int width);
  void (*sgemm)(const float* a, const float* b, float* c, int side);  // tiles of 16 x 16
  void (*transpose)(const float* in, float* out, int side);           // tiles of 32 x 33
  // of the low bytes, in shared memory
  void (*histogram)(const unsigned* x, unsigned* counts, long n);
  void (*nbody_tiled)(const float* places, float* forces, int n);  // float4 each
  void (*sum)(const float* x, float* out, long n);                 // CUB
  void (*scan)(const float* x, float* out, long n);                // CUB, inclusive
  void (*copy)(const float* x, float* out, long n);                // cudaMemcpyAsync
  void (*sort)(const unsigned* keys, unsigned* out, long n);       // CUB
  void (*sort_floats)(const float* keys, float* out, long n);      // CUB
  // CUB
  void (*sort_pairs)(const unsigned* keys, unsigned* out, const unsigned* values, unsigned* moved,
                     long n);
  // CUB
  void (*sort_longs)(const unsigned long* keys, unsigned long* out, long n);
  // CUB
  void (*sort_segments)(const unsigned* keys, unsigned* out, const long* offsets, long segments,
                        long n);
  // three axes; tiles of 32 x 33
  void (*permute)(const float* in, float* out, const long* extents, const int* order);
};
