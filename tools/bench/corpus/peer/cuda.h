// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch shapes that the CUDA peers share.
#pragma once

inline int blocks(long n, int block = 256) { return int((n + block - 1) / block); }
inline dim3 grid2(int width, int height) { return dim3((width + 31) / 32, (height + 7) / 8); }
static const dim3 block2(32, 8);
// The same in squares.
inline dim3 grid16(int width, int height) { return dim3((width + 15) / 16, (height + 15) / 16); }
static const dim3 block16(16, 16);
