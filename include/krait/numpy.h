// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait.h, and all that the tables of docs/coming-from-numpy.md name. It costs a compiler about a
// second; docs/headers.md has the header of each name.
#pragma once

#include <krait/algorithm.h>
#include <krait/algorithm/compare.h>
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/differences.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/fft.h>
#include <krait/algorithm/fftconvolve.h>
#include <krait/algorithm/frequency.h>
#include <krait/algorithm/grids.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/matrix_functions.h>
#include <krait/algorithm/methods.h>
#include <krait/algorithm/order.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sets.h>
#include <krait/algorithm/statistics.h>
#include <krait/complex.h>
#include <krait/files.h>
#include <krait/span.h>
