// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/linalg/linalg.h"

#include <charconv>
#include <limits>

#include "devices/devices.h"
#include "host/graph.h"
#include "host/hints.h"
#include "devices/layout.h"
#include "support/error.h"

namespace krait::host {
namespace {

LinearLibrary& library_of(const detail::linalg_call& call) {
  check_not_recorded("a library of linear algebra is called");
  DeviceHandle& d = *static_cast<DeviceHandle*>(call.on);
  std::string why;
  LinearLibrary* library = nullptr;
  if (d.device->host_memory()) {
    library = open_lapack(why);
  } else if (d.id.starts_with("cuda:")) {
    int ordinal = 0;
    std::from_chars(d.id.data() + 5, d.id.data() + d.id.size(), ordinal);
    library = open_cusolver(ordinal, why);
  }  // the work of others is moved
  if (!library)
    support::fail_usage("kr::{}: {} ({}) has no library of linear algebra: {}", call.function, d.id,
                        d.name, why);
  d.device->synchronize();
  return *library;
}

int extent_of(const detail::linalg_call& call, std::int64_t n) {
  if (n > std::numeric_limits<int>::max())
    support::fail_usage("kr::{}: a matrix has fewer than 2^31 rows and columns, not {}",
                        call.function, n);
  return int(n);
}

}  // namespace
}  // namespace krait::host

namespace krait::host {

bool computes_on_cpu(void* on, const char* function, bool lapack_alone) {
  const DeviceHandle& d = *static_cast<DeviceHandle*>(on);
  if (d.device->host_memory() || (!lapack_alone && d.id.starts_with("cuda:"))) return false;
  if (hinting() != Hinting::None)
    give({{"linear algebra", "", 0,
           fmt::format("{} ({}) has no library for it: the arrays are copied to the CPU, where "
                       "LAPACK computes, and the results back. Keep them on kr::device::cpu()",
                       d.id, d.name)}},
         fmt::format("kr::{}", function));
  return true;
}
detail::any_array copied_to(const detail::any_array& x, void* on) {
  if (!x.memory.get() && x.at.rank == 0) return x;
  detail::any_array to = x;
  to.at = detail::dense(x.at.extents, x.at.rank, false), to.on = on;
  const std::int64_t size = size_of(to.at);
  to.memory = detail::memory_share(
      size > 0 ? detail::allocate(on, std::size_t(size) * x.type->bytes) : nullptr);
  if (size > 0)
    detail::copy_elements({to.memory.get(), &to.at, x.type->bytes},
                          {x.memory.get(), &x.at, x.type->bytes});
  return to;
}
detail::any_array on_cpu(const detail::any_array& x) {
  return copied_to(x, detail::handle_of(device::cpu()));
}

}  // namespace krait::host

namespace krait::detail {

using host::extent_of;
using host::library_of;

int factor_lu(const linalg_call& call, std::int64_t rows, std::int64_t columns, std::uint64_t a,
              std::uint64_t pivots) {
  return library_of(call).getrf(call.number, extent_of(call, rows), extent_of(call, columns), a,
                                pivots);
}
int solve_lu(const linalg_call& call, std::int64_t n, std::int64_t columns, std::uint64_t a,
             std::uint64_t pivots, std::uint64_t b) {
  return library_of(call).getrs(call.number, extent_of(call, n), extent_of(call, columns), a,
                                pivots, b);
}
int factor_cholesky(const linalg_call& call, std::int64_t n, std::uint64_t a) {
  return library_of(call).potrf(call.number, extent_of(call, n), a);
}
int factor_qr(const linalg_call& call, std::int64_t rows, std::int64_t columns, std::uint64_t a,
              std::uint64_t tau) {
  return library_of(call).geqrf(call.number, extent_of(call, rows), extent_of(call, columns), a,
                                tau);
}
int make_q(const linalg_call& call, std::int64_t rows, std::int64_t columns, std::uint64_t a,
           std::uint64_t tau) {
  return library_of(call).orgqr(call.number, extent_of(call, rows), extent_of(call, columns), a,
                                tau);
}
int decompose_singular(const linalg_call& call, std::int64_t rows, std::int64_t columns,
                       std::uint64_t a, std::uint64_t s, std::uint64_t u, std::int64_t u_columns,
                       std::uint64_t vh) {
  return library_of(call).gesvd(call.number, extent_of(call, rows), extent_of(call, columns), a, s,
                                u, extent_of(call, u_columns), vh);
}
int decompose_general(const linalg_call& call, std::int64_t n, std::uint64_t a, std::uint64_t w,
                      std::uint64_t v) {
  return library_of(call).geev(call.number, extent_of(call, n), a, w, v);
}
int decompose_symmetric(const linalg_call& call, std::int64_t n, std::uint64_t a, std::uint64_t w) {
  return library_of(call).syevd(call.number, extent_of(call, n), a, w);
}

void check_square(const char* function, const layout& of) {
  if (of.extents[of.rank - 2] != of.extents[of.rank - 1])
    support::fail_usage(
        "kr::{}: the last two dimensions must be square, but the array has shape {}", function,
        host::shape_text(of.extents, of.rank));
}
void refuse_matrix(const char* function, const char* why) {
  support::fail_usage("kr::{}: {}", function, why);
}

}  // namespace krait::detail
