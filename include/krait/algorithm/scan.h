// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans (cumulative sums, products and more) by any associative operator.
//   auto sums = kr::cumsum(x);                        // of all elements in C order, as NumPy's
//   auto of_rows = kr::cumprod(m, kr::axis(1));
//   auto last = kr::inclusive_scan(x, [](auto a, auto b) { return kr::select(b != 0, b, a); });
#pragma once

#include <krait/algorithm/detail/scan_warps.h>
#include <krait/expression.h>

namespace krait {
namespace detail {

/// Launches the kernels of a scan of rows: `x` and `to` are (rows, length), `to` contiguous,
/// neither empty. `how` is the device's form in all but tests.
template <bool Exclusive, bool Initial, class In, class Out, class Function>
void scan_rows(const array<const In, 2>& x, array<Out, 2>& to, const Function& function,
               Out initial, algorithm_device how) {
  const std::int64_t rows = x.extent(0), length = x.extent(1);
  using types = scan_types<In, Out, Function, Exclusive, Initial>;
  const auto with = [&](const auto& make, const auto& use) {
    with_kernel(
        function, [&](const Function& f) { return make(types{f}); }, use);
  };
  const device on = x.device();
  if constexpr (plain<Out>) {
    constexpr std::int64_t tile = look_back_tile<Out>;
    if (how.form == algorithm_form::warps && rows == 1 && length > tile) {
      const std::int64_t tiles = divided_up(length, tile);
      array<std::uint64_t> states(shape<1>(tiles + 1), on);
      // a launch: a graph replays it, unlike a fill
      assign_elements(all_tag(), states, std::uint64_t(0));
      array<Out, 2> values(shape<2>(2, tile_states<Out>::in_word ? 1 : tiles), on);
      const auto flat = x(0, all);
      auto to_flat = to(0, all);
      return with([](const types& t) { return make_look_back(t); },
                  [&](const auto& k) {
                    k.launch({tiles, look_back_threads}, flat, to_flat, states, values, initial);
                  });
    }
  }
  const bool blocks = how.form != algorithm_form::chunks;
  // Elements that make a chunk worth its launch, and chunks that all threads of a row's last block
  // can look at.
  const std::int64_t least = blocks ? 8 * scan_tile : 1 << 14, most = larger(how.workers / rows, 1);
  const std::int64_t chunk =
      divided_up(divided_up(length, smaller(most, divided_up(length, least))), 64) * 64;
  const std::int64_t chunks = divided_up(length, chunk);
  array<Out, 2> parts(shape<2>(rows, chunks - 1), on);
  if (!blocks) {
    constexpr bool vectors = by_vectors<types>;
    const std::int64_t threads = vectors ? 32 : 1;
    if (chunks > 1)
      with(
          [](const types& t) {
            if constexpr (vectors) return make_vector_parts(t);
            else return make_chunk_parts(t);
          },
          [&](const auto& k) {
            k.launch({rows * (chunks - 1), threads}, x, parts, chunk);
          });
    return with(
        [](const types& t) {
          if constexpr (vectors) return make_vector_scan(t);
          else return make_chunk_scan(t);
        },
        [&](const auto& k) {
          k.launch({rows * chunks, threads}, x, to, parts, initial, chunk, chunks);
        });
  }
  if (chunks > 1) {
    with([](const types& t) { return make_block_scan<false>(t); },
         [&](const auto& k) {
           k.launch({rows * (chunks - 1), scan_threads}, x, parts, parts, initial, chunk,
                    chunks - 1);
         });
    if (chunks > 2) {
      array<Out, 2> scanned(parts.extents(), on);
      scan_rows<false, false>(parts.share(), scanned, function, Out{}, {how.form, 1});
      parts = std::move(scanned);
    }
  }
  with([](const types& t) { return make_block_scan<true>(t); },
       [&](const auto& k) {
         k.launch({rows * chunks, scan_threads}, x, to, parts, initial, chunk, chunks);
       });
}

template <class Option>
inline constexpr bool is_scan_option = axes_in<Option> == 1 || outputs_in<Option> == 1;
template <class Number>
inline constexpr bool is_scan_option<initial_type<Number>> = true;
template <class Option>
concept scan_option = is_scan_option<std::remove_cvref_t<Option>>;

template <class Out, bool Exclusive, bool Initial, class Elem, int Rank, class Function,
          class Output>
auto scan_along(const array<Elem, Rank>& x, const Function& function, Out initial,
                std::int64_t axis, Output output) {
  auto out = result_in<Out, Rank>(
      output, axis_back(dense(axis_last(x.at(), axis).extents, Rank, false), axis), x.device(), x);
  if (x.size() > 0) {
    const array<const std::remove_const_t<Elem>, 2> rows = rows_along(x, axis);
    array<Out, 2> to = as_rows(out.to, rows.extent(0), rows.extent(1));
    scan_rows<Exclusive, Initial>(rows, to, function, initial, algorithm_device_of(x.device()));
  }
  return out.give();
}

/// The axis and the start among options; without axis all elements in C order.
template <class Out, bool Exclusive, class Elem, int Rank, class Function, class... Options>
auto scan_array(const array<Elem, Rank>& x, const Function& function, const Options&... options) {
  const auto first = option_of<initial_type>::find(options...);
  constexpr bool starts = !std::is_same_v<decltype(first), const std::nullptr_t>;
  Out initial{};
  if constexpr (starts) {
    if constexpr (plain<Out>) initial = convert_plain<Out>(first.value);
    else initial = first.value;
  }
  if constexpr ((axes_in<Options> + ... + 0) == 0) {
    if constexpr (Rank == 1)
      return scan_along<Out, Exclusive, starts>(x, function, initial, 0, output_in<0>(options...));
    else
      return scan_along<Out, Exclusive, starts>(x.reshape(-1), function, initial, 0,
                                                output_in<0>(options...));
  } else {
    std::int64_t along = 0;
    const auto look = [&](const auto& option) {
      if constexpr (axes_in<std::remove_cvref_t<decltype(option)>> == 1) along = option.at[0];
    };
    (look(options), ...);
    return scan_along<Out, Exclusive, starts>(x, function, initial, along,
                                              output_in<0>(options...));
  }
}

struct scan_product {
  template <class Value>
  auto operator()(const Value& x, const Value& y) const {
    return x * y;
  }
};
/// NumPy's type of cumsum and cumprod.
template <class Elem>
using scan_sum_type = std::conditional_t<is_float_v<Elem>, Elem, sum_type<Elem>>;

}  // namespace detail

/// The inclusive scan: out[i] = x[0] op … op x[i], for any associative function.
/// Operands keep their order; elements are numbers or structs. Options are kr::axis(k),
/// kr::initial(v), which comes before x[0], and kr::into(y). Without an axis all elements are
/// scanned in C order into one dimension; another axis than the last is contiguous in the result.
/// Throws error{usage} for an invalid axis, error{device} if memory is short.
/// \code
/// auto maxima = kr::inclusive_scan(x, [](auto p, auto q) { return kr::max(p, q); });
/// \endcode
template <class Elem, int Rank, class Function, detail::scan_option... Options>
auto inclusive_scan(const array<Elem, Rank>& x, const Function& function,
                    const Options&... options) {
  return detail::scan_array<std::remove_const_t<Elem>, false>(x, function, options...);
}
/// The exclusive scan: out[i] = initial op x[0] op … op x[i - 1]; options as for inclusive_scan.
/// \code
/// auto before = kr::exclusive_scan(x, 0.0f, [](auto p, auto q) { return p + q; });
/// \endcode
template <class Elem, int Rank, class Function, detail::scan_option... Options>
auto exclusive_scan(const array<Elem, Rank>& x, std::remove_const_t<Elem> initial,
                    const Function& function, const Options&... options) {
  using out = std::remove_const_t<Elem>;
  return detail::scan_array<out, true>(x, function, detail::initial_type<out>{initial}, options...);
}
/// The cumulative sum, as numpy.cumsum: integers in 64 bits, floats in their type.
/// Options as for kr::inclusive_scan.
/// \code
/// auto sums = kr::cumsum(x);
/// \endcode
template <class Elem, int Rank, detail::scan_option... Options>
auto cumsum(const array<Elem, Rank>& x, const Options&... options) {
  return detail::scan_array<detail::scan_sum_type<std::remove_const_t<Elem>>, false>(
      x, detail::scan_sum{}, options...);
}
/// The cumulative product, in the types of kr::cumsum and with its options.
/// \code
/// auto products = kr::cumprod(a, kr::axis(1));
/// \endcode
template <class Elem, int Rank, detail::scan_option... Options>
auto cumprod(const array<Elem, Rank>& x, const Options&... options) {
  return detail::scan_array<detail::scan_sum_type<std::remove_const_t<Elem>>, false>(
      x, detail::scan_product{}, options...);
}

}  // namespace krait
