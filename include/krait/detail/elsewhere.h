// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that krait.h does not have: a call names the header to include. kr::sort is looked up
// in krait first, and only where that has none in the namespaces that it uses, so that these vanish
// with the header. Where a program opens krait by a using-directive, and by Clang also among the
// functions that arguments find, they are beside those that are there. Any of those fits better:
// each argument would be converted for these.
#pragma once

#include <krait/detail/fixed_text.h>
#include <krait/expression.h>

namespace krait::detail::elsewhere {

struct anything {
  template <class... Types>
  constexpr anything(const Types&...) {}  // NOLINT: implicit on purpose
};
template <auto...>
inline constexpr bool never = false;

// Undefined below. `auto` has the body compiled at the call, so that its error is the first one.
#define KRAIT_ELSEWHERE_OF(parameters, condition, name)                                            \
  template <parameters>                                                                            \
  auto name(anything = {}, anything = {}, anything = {}, anything = {}, anything = {},             \
            anything = {}, anything = {}, anything = {}, anything = {}, anything = {}) {           \
    static_assert(condition, "krait: kr::" #name " is in another header: #include " KRAIT_HEADER); \
    return anything();                                                                             \
  }
#define KRAIT_COMMA ,
#define KRAIT_ELSEWHERE(name) KRAIT_ELSEWHERE_OF(class... Types, always_false<Types...>, name)
#define KRAIT_ELSEWHERE_VALUE(name) \
  KRAIT_ELSEWHERE_OF(auto First KRAIT_COMMA auto... Rest, (never<First, Rest...>), name)
#define KRAIT_ELSEWHERE_TEXT(name) \
  KRAIT_ELSEWHERE_OF(fixed_text Text KRAIT_COMMA class... Types, never<Text>, name)
// The rows: docs/make_headers.py.
// clang-format off
#define KRAIT_HEADER "<krait/algorithm/compare.h>"
KRAIT_ELSEWHERE(allclose) KRAIT_ELSEWHERE(array_equal) KRAIT_ELSEWHERE(isclose)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/convolve.h>"
KRAIT_ELSEWHERE(convolve) KRAIT_ELSEWHERE(correlate) KRAIT_ELSEWHERE(stencil)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/differences.h>"
KRAIT_ELSEWHERE(diff) KRAIT_ELSEWHERE(gradient) KRAIT_ELSEWHERE(interp) KRAIT_ELSEWHERE(trapezoid)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/einsum.h>"
KRAIT_ELSEWHERE_TEXT(einsum)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/elements.h>"
KRAIT_ELSEWHERE(abs2) KRAIT_ELSEWHERE(clip) KRAIT_ELSEWHERE(nan_to_num) KRAIT_ELSEWHERE(sign)
KRAIT_ELSEWHERE(square)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/fft.h>"
KRAIT_ELSEWHERE(fft) KRAIT_ELSEWHERE(fft2) KRAIT_ELSEWHERE(fftn) KRAIT_ELSEWHERE(ifft)
KRAIT_ELSEWHERE(ifft2) KRAIT_ELSEWHERE(ifftn) KRAIT_ELSEWHERE(irfft) KRAIT_ELSEWHERE(irfft2)
KRAIT_ELSEWHERE(irfftn) KRAIT_ELSEWHERE(points) KRAIT_ELSEWHERE(rfft) KRAIT_ELSEWHERE(rfft2)
KRAIT_ELSEWHERE(rfftn)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/fftconvolve.h>"
KRAIT_ELSEWHERE(fftconvolve)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/frequency.h>"
KRAIT_ELSEWHERE_VALUE(dct) KRAIT_ELSEWHERE(fftfreq) KRAIT_ELSEWHERE(fftshift)
KRAIT_ELSEWHERE_VALUE(idct) KRAIT_ELSEWHERE(ifftshift) KRAIT_ELSEWHERE(rfftfreq)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/grids.h>"
KRAIT_ELSEWHERE(fromfunction) KRAIT_ELSEWHERE(geomspace) KRAIT_ELSEWHERE(indices)
KRAIT_ELSEWHERE_VALUE(indices) KRAIT_ELSEWHERE(logspace)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/grouped_matmul.h>"
KRAIT_ELSEWHERE(grouped_matmul)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/histogram.h>"
KRAIT_ELSEWHERE(histogram)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/indexing.h>"
KRAIT_ELSEWHERE(compress) KRAIT_ELSEWHERE(flatnonzero) KRAIT_ELSEWHERE(put) KRAIT_ELSEWHERE(take)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/indexing.h> or <krait/algorithm/reduce.h>"
KRAIT_ELSEWHERE(where)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/linalg.h>"
KRAIT_ELSEWHERE(cholesky) KRAIT_ELSEWHERE(det) KRAIT_ELSEWHERE(eigh) KRAIT_ELSEWHERE(inv)
KRAIT_ELSEWHERE(lu) KRAIT_ELSEWHERE(qr) KRAIT_ELSEWHERE(solve) KRAIT_ELSEWHERE(svd)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/loops.h>"
KRAIT_ELSEWHERE(parallel_for) KRAIT_ELSEWHERE(reduce) KRAIT_ELSEWHERE_VALUE(reduce)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/matmul.h> or <krait/algorithm/sparse.h>"
KRAIT_ELSEWHERE(matmul)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/matrix_functions.h>"
KRAIT_ELSEWHERE(cond) KRAIT_ELSEWHERE(eig) KRAIT_ELSEWHERE(eigvals) KRAIT_ELSEWHERE(eigvalsh)
KRAIT_ELSEWHERE(expm) KRAIT_ELSEWHERE(lstsq) KRAIT_ELSEWHERE(matrix_power)
KRAIT_ELSEWHERE(matrix_rank) KRAIT_ELSEWHERE(pinv) KRAIT_ELSEWHERE(slogdet)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/moments.h>"
KRAIT_ELSEWHERE(ddof) KRAIT_ELSEWHERE(into) KRAIT_ELSEWHERE(mean) KRAIT_ELSEWHERE(stddev)
KRAIT_ELSEWHERE(variance)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/order.h>"
KRAIT_ELSEWHERE(argpartition) KRAIT_ELSEWHERE(bincount) KRAIT_ELSEWHERE(cummax)
KRAIT_ELSEWHERE(cummin) KRAIT_ELSEWHERE(digitize) KRAIT_ELSEWHERE(lexsort)
KRAIT_ELSEWHERE(unique_all) KRAIT_ELSEWHERE(unique_counts) KRAIT_ELSEWHERE(unique_inverse)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/order.h> or <krait/algorithm/select.h>"
KRAIT_ELSEWHERE(partition)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/products.h>"
KRAIT_ELSEWHERE(inner) KRAIT_ELSEWHERE(kron) KRAIT_ELSEWHERE(outer) KRAIT_ELSEWHERE(tensordot)
KRAIT_ELSEWHERE_VALUE(tensordot) KRAIT_ELSEWHERE(trace) KRAIT_ELSEWHERE(vdot)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/rearrange.h>"
KRAIT_ELSEWHERE(concatenate) KRAIT_ELSEWHERE(flip) KRAIT_ELSEWHERE(hstack) KRAIT_ELSEWHERE(pad)
KRAIT_ELSEWHERE(put_along_axis) KRAIT_ELSEWHERE(repeat) KRAIT_ELSEWHERE(roll) KRAIT_ELSEWHERE(rot90)
KRAIT_ELSEWHERE(split) KRAIT_ELSEWHERE_VALUE(split) KRAIT_ELSEWHERE(take_along_axis)
KRAIT_ELSEWHERE(tiled) KRAIT_ELSEWHERE(tril) KRAIT_ELSEWHERE(triu) KRAIT_ELSEWHERE(vstack)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/reduce.h>"
KRAIT_ELSEWHERE(argmax) KRAIT_ELSEWHERE(argmin) KRAIT_ELSEWHERE(axis) KRAIT_ELSEWHERE(count_nonzero)
KRAIT_ELSEWHERE(initial) KRAIT_ELSEWHERE(prod) KRAIT_ELSEWHERE(sum) KRAIT_ELSEWHERE_VALUE(sum)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/reduce.h> or <krait/complex.h>"
KRAIT_ELSEWHERE(norm)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/scan.h>"
KRAIT_ELSEWHERE(cumprod) KRAIT_ELSEWHERE(cumsum) KRAIT_ELSEWHERE(exclusive_scan)
KRAIT_ELSEWHERE(inclusive_scan)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/search.h>"
KRAIT_ELSEWHERE(gather) KRAIT_ELSEWHERE(scatter) KRAIT_ELSEWHERE(searchsorted)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/select.h>"
KRAIT_ELSEWHERE(copy_if) KRAIT_ELSEWHERE(run_length_encode) KRAIT_ELSEWHERE(segmented_reduce)
KRAIT_ELSEWHERE(segmented_scan) KRAIT_ELSEWHERE(segmented_sort) KRAIT_ELSEWHERE(top_k)
KRAIT_ELSEWHERE(unique)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/sets.h>"
KRAIT_ELSEWHERE(intersect1d) KRAIT_ELSEWHERE(isin) KRAIT_ELSEWHERE(setdiff1d)
KRAIT_ELSEWHERE(setxor1d) KRAIT_ELSEWHERE(union1d)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/sort.h>"
KRAIT_ELSEWHERE(argsort) KRAIT_ELSEWHERE(sort) KRAIT_ELSEWHERE(sort_by_key)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/algorithm/statistics.h>"
KRAIT_ELSEWHERE(average) KRAIT_ELSEWHERE(corrcoef) KRAIT_ELSEWHERE(cov) KRAIT_ELSEWHERE(median)
KRAIT_ELSEWHERE(nanmax) KRAIT_ELSEWHERE(nanmean) KRAIT_ELSEWHERE(nanmin) KRAIT_ELSEWHERE(nanprod)
KRAIT_ELSEWHERE(nanstd) KRAIT_ELSEWHERE(nansum) KRAIT_ELSEWHERE(nanvar) KRAIT_ELSEWHERE(percentile)
KRAIT_ELSEWHERE(ptp) KRAIT_ELSEWHERE(quantile)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/async.h>"
KRAIT_ELSEWHERE(copy_async) KRAIT_ELSEWHERE(managed)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/benchmark.h>"
KRAIT_ELSEWHERE(benchmark)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/complex.h>"
KRAIT_ELSEWHERE(arg) KRAIT_ELSEWHERE(conj) KRAIT_ELSEWHERE(imag) KRAIT_ELSEWHERE(polar)
KRAIT_ELSEWHERE(real)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/dlpack.h>"
KRAIT_ELSEWHERE(from_dlpack) KRAIT_ELSEWHERE(to_dlpack)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/files.h>"
KRAIT_ELSEWHERE(load_hdf5) KRAIT_ELSEWHERE(load_npy) KRAIT_ELSEWHERE(load_npz)
KRAIT_ELSEWHERE_VALUE(load_png) KRAIT_ELSEWHERE(map_npy) KRAIT_ELSEWHERE(save_hdf5)
KRAIT_ELSEWHERE(save_npy) KRAIT_ELSEWHERE(save_npz) KRAIT_ELSEWHERE(save_npz_compressed)
KRAIT_ELSEWHERE(save_png)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/guvectorize.h>"
KRAIT_ELSEWHERE_TEXT(guvectorize)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/label.h>"
KRAIT_ELSEWHERE(mark)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/native.h>"
KRAIT_ELSEWHERE(inline_asm) KRAIT_ELSEWHERE(linked_function)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/pack.h>"
KRAIT_ELSEWHERE(load_pack) KRAIT_ELSEWHERE(pack)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/progress.h>"
KRAIT_ELSEWHERE(progress)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/raw_kernel.h>"
KRAIT_ELSEWHERE(raw_kernel)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/span.h>"
KRAIT_ELSEWHERE(to_mdspan) KRAIT_ELSEWHERE(to_span) KRAIT_ELSEWHERE(wrap)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/tune.h>"
KRAIT_ELSEWHERE(export_tuning) KRAIT_ELSEWHERE(import_tuning) KRAIT_ELSEWHERE(tune)
#undef KRAIT_HEADER
#define KRAIT_HEADER "<krait/web.h>"
KRAIT_ELSEWHERE(export_web) KRAIT_ELSEWHERE(web)
#undef KRAIT_HEADER
// clang-format on
// The end of the rows.
#undef KRAIT_ELSEWHERE_TEXT
#undef KRAIT_ELSEWHERE_VALUE
#undef KRAIT_ELSEWHERE
#undef KRAIT_COMMA
#undef KRAIT_ELSEWHERE_OF

}  // namespace krait::detail::elsewhere

namespace krait::detail {
/// Complete where krait/algorithm/reduce.h is. Its functions of one array have names that krait.h
/// has, too.
template <class Array>
struct reductions_here;
template <class Array>
concept without_reductions = whole_array<Array> && !requires { sizeof(reductions_here<Array>); };
}  // namespace krait::detail

namespace krait {
using namespace detail::elsewhere;  // NOLINT(google-build-using-namespace)

// Undefined below.
#define KRAIT_ELSEWHERE_REDUCTION(name)                                                       \
  template <detail::without_reductions Array>                                                 \
  auto name(const Array&) {                                                                   \
    static_assert(detail::always_false<Array>, "krait: kr::" #name                            \
                                               " of an array is in another header: #include " \
                                               "<krait/algorithm/reduce.h>");                 \
    return 0;                                                                                 \
  }
/// Never usable.
KRAIT_ELSEWHERE_REDUCTION(max)
/// Never usable.
KRAIT_ELSEWHERE_REDUCTION(min)
/// Never usable.
KRAIT_ELSEWHERE_REDUCTION(any)
#undef KRAIT_ELSEWHERE_REDUCTION
}  // namespace krait
