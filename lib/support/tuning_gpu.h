// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the GPU back ends' choices were measured to be, in one place: as tuning_cpu.h. What a device tells by itself is asked from it.
#pragma once

#include <cstddef>

namespace krait::tuning::gpu {

/// Operations from which on a function is cut, and of each part: compilers of drivers take more than linear time.
/// `bench_compile --large ptx spirv` without a device, `bench_first cuda` with one; docs/performance-log.md has what it costs and saves.
inline constexpr std::size_t largest_function = 2000, outlined_part = 500;
static_assert(outlined_part < largest_function);  // a part also ends, by an operation more
/// Instructions of a body that handles four elements per thread. Black-Scholes, some 200 with its functions expanded, still gains on an
/// H200: 2.53 ms become 2.16; a kernel of ten functions, above the limit, would take twice as long to compile. `bench_gpu`.
inline constexpr std::size_t largest_wide_body = 400;

}  // namespace krait::tuning::gpu
