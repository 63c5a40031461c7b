// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms of rows: their passes, and lengths with large prime factors.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "algorithms/fft/kernels.h"
#include "algorithms/record/kernels.h"
#include "krait/graph.h"

namespace krait::detail {

using host::fft_rows_at_once;
using host::kept_for;

/// The same for tables in a device's memory. Only tables of the last lengths stay.
template <class Key, class Make>
auto recent_for(const Key& key, const Make& make) {
  using kept = std::shared_ptr<const std::invoke_result_t<const Make&>>;
  static auto& all = lasting<Make>(std::list<std::pair<Key, kept>>());  // the last used first
  static auto& mutex = *lasting<Make>(std::make_unique<std::mutex>());
  const std::lock_guard lock(mutex);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == key; });
  if (found != all.end()) all.splice(all.begin(), all, found);
  else all.emplace_front(key, std::make_shared<typename kept::element_type>(make()));
  if (all.size() > host::fft_kept_lengths) all.pop_back();
  return all.front().second;
}

/// A thread for each element of rows; blocks take neighbours of a row, so that no index is divided.
template <class Elem>
launch_config row_grid(const array<Elem, 2>& of) {
  constexpr std::int64_t threads = host::fft_row_threads, most_rows = 65535;  // CUDA's limit
  return {dims(divided_up(of.extent(1), threads), std::min(of.extent(0), most_rows)), threads};
}
template <class Elem, class Body>
void for_each_of_rows(const view<Elem, 2>& of, const Body& body) {
  const value<std::int64_t> k = block_idx().x * block_dim().x + thread_idx().x;
  for (auto row : krait::range(value<std::int64_t>(block_idx().y), of.extent(0),
                               value<std::int64_t>(grid_dim().y)))
    if_(k < of.extent(1), [&] { body(value<std::int64_t>(row), k); });
}

/// Calls use(rows) while a kernel is recorded: with a view of complex numbers, or with real ones.
template <class Real, class Use>
void with_rows(const host::ElementView& rows, const Use& use) {
  if (rows.type()->whole == scalar::none) use(rows.as<const std::complex<Real>, 2>());
  else use(rows);
}

/// Rows of so many complex numbers: the given ones, or a copy.
template <class Real>
array<const std::complex<Real>, 2> complex_rows(const any_array& x, std::int64_t points) {
  using complex = std::complex<Real>;
  if (x.type->whole == scalar::none) {
    const auto given = typed<const complex, 2>(x);
    if (points == given.extent(1)) return given.share();
    if (points < given.extent(1)) return given(all, krait::range(0, points));
  }
  array<complex, 2> out(shape<2>(x.at.extents[0], points), device_from(x.on));
  host::kernel_of("fft_copy", {x.type}, {host::in(x.type, 2), host::out<complex>(2)},
                  [](const host::Parameters& p) {
                    const auto to = p.array<complex, 2>(1);
                    with_rows<Real>(p.array(0), [&](const auto& from) {
                      for_each_of_rows(to, [&](const auto& row, const auto& k) {
                        to(row, k) = complex_element<Real>(from, row, k);
                      });
                    });
                  })
      .launch(row_grid(out), x, out);
  return out.share();
}

/// exp(-pi i k^2 / n) for k below n.
template <class Real>
std::vector<std::complex<Real>> chirp_of(std::int64_t n) {
  std::vector<std::complex<Real>> chirp;
  std::int64_t square = 0;  // k^2 modulo 2 n
  for (std::int64_t k = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k) {
    const fft_root root = root_of_unity(square, 2 * n);
    chirp.emplace_back(Real(root.re), Real(root.im));
  }
  return chirp;
}

template <class Real>
void transform_rows(const array<const std::complex<Real>, 2>& x, array<std::complex<Real>, 2>& out,
                    bool inverse, Real scale);

/// A plan with its kernels, which take these tables.
template <class Real, class... Tables>
auto make_transform(const fft_plan& plan, bool inverse, const fft_hooks& hooks) {
  const auto make = [&](int i) {
    fft_hooks own{.turned = hooks.turned};
    if (i == 0) own.by_chirp_before = hooks.by_chirp_before;
    if (i == plan.count - 1)
      own.by_filter = hooks.by_filter, own.by_chirp_after = hooks.by_chirp_after;
    // The CPU's code of a block that is one gang has no masks and keeps nothing between gangs. A
    // GPU's compiler keeps to the registers that a large block has.
    const int threads = plan.passes[i].threads;
    const bool told = threads <= host::fft_wide_gang || plan.passes[i].in_place;
    return kernel([body = fft_pass_body<Real>(plan.passes[i], inverse, own)](
                      view<const std::complex<Real>, 2> from, view<std::complex<Real>, 2> to,
                      value<Real> by, Tables... tables) { body(from, to, by, tables...); },
                  {.name = "fft", .block = told ? dims(threads) : dims(0, 0, 0)});
  };
  struct transform {
    fft_plan plan;
    std::vector<decltype(make(0))> kernels;
  };
  transform made{plan, {}};
  for (int i = 0; i < plan.count; ++i) made.kernels.push_back(make(i));
  return made;
}
/// Runs the passes on rows of the plan's length; x or out may have shorter rows if hooks say so.
template <class Real, class Transform, class... Tables>
void run_transform(const Transform& transform, const array<const std::complex<Real>, 2>& x,
                   array<std::complex<Real>, 2>& out, Real scale, const Tables&... tables) {
  using complex = std::complex<Real>;
  const fft_plan& plan = transform.plan;
  const std::int64_t rows = out.extent(0), n = plan.passes[0].total;
  array<complex, 2> between[2];
  for (int b = 0; b < std::min(plan.count - 1, 2); ++b)
    between[b] = array<complex, 2>(shape<2>(rows, n), x.device());
  for (int i = 0; i < plan.count; ++i) {
    const fft_pass& pass = plan.passes[i];
    const std::int64_t others = n / pass.length,
                       blocks = others == 1 ? divided_up(rows, pass.columns)
                                            : rows * divided_up(others, pass.columns);
    array<complex, 2>& to = i == plan.count - 1 ? out : between[i % 2];
    const auto launch = [&](const auto& from) {
      transform.kernels[std::size_t(i)].launch({blocks, pass.threads}, from, to,
                                               i == plan.count - 1 ? scale : Real(1), tables...);
    };
    if (i == 0) launch(x);
    else launch(between[(i - 1) % 2]);
  }
}

/// A convolution with a chirp makes a transform of any length one of a length that has small
/// factors (L. I. Bluestein, IEEE Trans. Audio Electroacoustics 18 (1970) 451).
template <class Real>
void transform_by_chirp(const array<const std::complex<Real>, 2>& x,
                        array<std::complex<Real>, 2>& out, bool inverse, Real scale) {
  using complex = std::complex<Real>;
  const std::int64_t n = out.extent(1), rows = out.extent(0), length = fft_length(2 * n - 1);
  const device on = x.device();
  struct tables {
    array<complex> chirp, filter;
  };
  const auto make_tables = [&] {
    const outside_graph now;
    const std::vector<complex> chirp = chirp_of<Real>(n);
    std::vector<complex> filter(static_cast<std::size_t>(length));
    for (std::size_t k = 0; k < chirp.size(); ++k)
      filter[k] = filter[(filter.size() - k) % filter.size()] = std::conj(chirp[k]);
    tables made{array<complex>(shape<1>(n), on), array<complex>(shape<1>(length), on)};
    array<complex, 2> given(shape<2>(1, length), on), filtered(given.extents(), on);
    made.chirp.copy_from(chirp), given.copy_from(filter);
    transform_rows<Real>(given.share(), filtered, false, Real(1 / double(length)));
    made.filter.copy_from(filtered(0, all));
    return made;
  };
  const auto kept = recent_for(std::make_tuple(n, handle_of(on)), make_tables);
  const algorithm_device device = algorithm_device_of(on);
  const auto transform = [&](const fft_hooks& hooks) -> const auto& {
    const bool back = hooks.by_chirp_after;
    return kept_for(
        {length, rows >= fft_rows_at_once, device.form, device.tensor_shared, back, inverse}, [&] {
          using table = view<const complex>;
          return make_transform<Real, table, table>(plan_fft(length, rows, sizeof(Real), device),
                                                    back, hooks);
        });
  };
  array<complex, 2> between(shape<2>(rows, length), on);
  run_transform<Real>(transform({.by_chirp_before = true, .by_filter = true, .turned = inverse}), x,
                      between, Real(1), kept->chirp, kept->filter);
  run_transform<Real>(transform({.by_chirp_after = true, .turned = inverse}), between.share(), out,
                      scale, kept->chirp, kept->filter);
}

template <class Real>
void transform_rows(const array<const std::complex<Real>, 2>& x, array<std::complex<Real>, 2>& out,
                    bool inverse, Real scale) {
  const std::int64_t rows = out.extent(0), n = out.extent(1);
  const algorithm_device device = algorithm_device_of(x.device());
  const auto& transform = kept_for(
      {n, rows >= fft_rows_at_once, device.form, device.tensor_shared, inverse},
      [&] { return make_transform<Real>(plan_fft(n, rows, sizeof(Real), device), inverse, {}); });
  if (transform.plan.count == 0) return transform_by_chirp(x, out, inverse, scale);
  run_transform<Real>(transform, x, out, scale);
}

/// Columns of matrices by a pass of plan_fft_across; `out` may be x.
template <class Real>
void transform_columns(const array<const std::complex<Real>, 3>& x,
                       array<std::complex<Real>, 3>& out, const fft_pass& pass, bool inverse,
                       Real scale) {
  using complex = std::complex<Real>;
  const auto& made = kept_for({pass.total, pass.columns, pass.whole_tiles, inverse}, [&] {
    return kernel([body = fft_pass_body<Real, 3>(pass, inverse, {})](
                      view<const complex, 3> from, view<complex, 3> to,
                      value<Real> by) { body(from, to, by); },
                  {.name = "fft", .block = dims(pass.threads)});
  });
  made.launch({x.extent(0) * divided_up(x.extent(2), pass.columns), pass.threads}, x, out, scale);
}

}  // namespace krait::detail
