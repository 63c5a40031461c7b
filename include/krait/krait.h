// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Krait: kernels written as C++ lambdas, compiled at run time for NVIDIA GPUs, Vulkan GPUs and the
// CPU's vector units.
#pragma once

#include <krait/aggregate.h>
#include <krait/array.h>
#include <krait/array_text.h>
#include <krait/atomic.h>
#include <krait/bits.h>
#include <krait/cluster.h>
#include <krait/control.h>
#include <krait/creation.h>
#include <krait/debug.h>
#include <krait/detail/elsewhere.h>
#include <krait/device.h>
#include <krait/error.h>
#include <krait/expression.h>
#include <krait/function.h>
#include <krait/graph.h>
#include <krait/index.h>
#include <krait/kernel.h>
#include <krait/math.h>
#include <krait/math_utilities.h>
#include <krait/memory.h>
#include <krait/options.h>
#include <krait/random.h>
#include <krait/random_generators.h>
#include <krait/stats.h>
#include <krait/target.h>
#include <krait/types.h>
#include <krait/value.h>
#include <krait/vec.h>
#include <krait/vectorize.h>
#include <krait/warp.h>
