// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices: their arrays are checked, and their rows shared out.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "algorithms/sparse/parts.h"
#include "algorithms/sparse/tuning.h"
#include "krait/algorithm/indexing.h"
#include "krait/math.h"
#include "support/error.h"

namespace krait::host {
namespace {

const char* name_of(sparse_format format) {
  switch (format) {
    case sparse_format::csr: return "csr_matrix";
    case sparse_format::coo: return "coo_matrix";
    case sparse_format::ell: return "ell_matrix";
    case sparse_format::bsr: return "bsr_matrix";
  }
  return "";
}

/// With one dimension, in C order.
any_array flattened(const any_array& x) { return reshaped(x, {x.size()}); }
/// use(numbers of the host, their count) of an array of int32 or int64.
template <class Use>
void on_host(const any_array& x, const Use& use) {
  const any_array all = flattened(x);
  const auto read = [&]<class Number>(Number) {
    const auto numbers = detail::typed<const Number, 1>(all).to_host();
    use(numbers.data(), all.size());
  };
  if (x.type->whole == scalar::i32) read(std::int32_t());
  else read(std::int64_t());
}

/// Each of the numbers is below `end`, and at least `least`.
template <class Number>
void check_range(const char* matrix, const char* array, const char* of, const Number* numbers,
                 std::int64_t count, std::int64_t least, std::int64_t end) {
  for (std::int64_t k = 0; k < count; ++k)
    if (numbers[k] < least || numbers[k] >= end)
      support::fail_usage("{}: {}({}) is {}, which is out of range for {} {}, counted from 0",
                          matrix, array, k, numbers[k], end, of);
}
template <class Number>
void check_indptr(const char* matrix, const Number* indptr, std::int64_t rows,
                  std::int64_t entries) {
  if (indptr[0] != 0 || indptr[rows] != entries)
    support::fail_usage(
        "{}: indptr goes from {} to {}; it must go from 0 to the number of elements, {}", matrix,
        indptr[0], indptr[rows], entries);
  for (std::int64_t r = 0; r < rows; ++r)
    if (indptr[r + 1] < indptr[r])
      support::fail_usage("{}: indptr({}) is {} and indptr({}) is {}; it must not decrease", matrix,
                          r, indptr[r], r + 1, indptr[r + 1]);
}
void check_as_many(const char* matrix, std::int64_t indices, std::int64_t data) {
  if (indices != data)
    support::fail_usage(
        "{}: there are {} indices and {} elements of data; each element has one index", matrix,
        indices, data);
}

/// As numbers of a type that has them all; shared where they are of that type.
any_array indices_as(const char* matrix, any_array x, const ElementType* type, std::int64_t most) {
  if (type->whole == scalar::i32 && most > std::numeric_limits<std::int32_t>::max())
    support::fail_usage(
        "{}: {} rows, columns or elements are too many for indices of 32 bits: take "
        "kr::{}<T, std::int64_t>",
        matrix, most, matrix);
  if (x.type == type) return x;
  const any_array made = new_array(type,
                                   x.at.rank == 2 ? detail::dense(x.at.extents, 2, false)
                                                  : detail::dense(x.at.extents, 1, false),
                                   x.on);
  const any_array from = reshaped(x, {x.size()}), to = reshaped(made, {x.size()});
  if (x.size() > 0)
    kernel_of("sparse_indices", {x.type, type}, {in(x.type), out(type)}, [](const Parameters& p) {
      const ElementView given = p.array(0), indices = p.array(1);
      for (auto k : grid_stride(given.size())) indices(k) = given(k).get().as(indices.type());
    }).forall(x.size(), from, to);
  return made;
}

/// Sorts the elements of a COO matrix by row, if they are not, and finds where each row begins.
template <class Number>
std::vector<std::int64_t> sort_rows(erased_sparse& a, const Number* row, std::int64_t elements) {
  std::vector<std::int64_t> begins(std::size_t(a.extents[0]) + 1);
  for (std::int64_t k = 0; k < elements; ++k) ++begins[std::size_t(row[k]) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  if (std::is_sorted(row, row + elements)) return begins;
  std::vector<std::int64_t> next(begins), order(static_cast<std::size_t>(elements));
  for (std::int64_t k = 0; k < elements; ++k) order[std::size_t(next[std::size_t(row[k])]++)] = k;
  const any_array at = index_array(order.data(), elements, type_of<std::int64_t>(), a.data.on);
  a.rows = elements_at(a.rows, at), a.indices = elements_at(a.indices, at);
  a.data = elements_at(a.data, at);
  return begins;
}

Index part_number(const ElementView& parts, const Index& part, int number) {
  return parts(part, number).get().as<std::int64_t>();
}

}  // namespace

any_array elements_at(const any_array& x, const any_array& places) {
  const any_array made = new_array(x.type, {places.size()}, x.on);
  if (places.size() > 0)
    kernel_of("sparse_elements", {x.type}, {in(x.type), in<std::int64_t>(), out(x.type)},
              [](const Parameters& p) {
                const ElementView from = p.array(0), to = p.array(2);
                const auto at = p.array<const std::int64_t>(1);
                for (auto k : grid_stride(to.size())) to(k) = from(Index(at[k]));
              })
        .forall(places.size(), x, places, made);
  return made;
}

any_array index_array(const std::int64_t* numbers, std::int64_t count, const ElementType* type,
                      void* on) {
  const any_array made = new_array(type, {count}, on);
  const auto fill = [&]<class Number>(Number) {
    const std::vector<Number> as(numbers, numbers + count);
    detail::typed<Number, 1>(made).copy_from(as);
  };
  if (count == 0) return made;
  if (type->whole == scalar::i32) fill(std::int32_t());
  else fill(std::int64_t());
  return made;
}

const SparseForm& sparse_form_of(const erased_sparse& a) {
  switch (detail::algorithm_device_of(detail::device_from(a.data.on)).form) {
    case detail::algorithm_form::chunks: return sparse_cpu_form;
    case detail::algorithm_form::warps: {
      const bool uneven = a.format != sparse_format::bsr &&
                          a.longest * a.extents[0] / a.block[0] > uneven_rows * a.indices.size();
      return uneven ? sparse_uneven_form : sparse_cuda_form;
    }
    case detail::algorithm_form::blocks: break;
  }
  return sparse_gpu_form;
}

template <class Number>
void share_out(erased_sparse& a, const Number* begins, std::int64_t rows) {
  const std::int64_t block = a.block[0] * a.block[1], all = std::int64_t(begins[rows]) * block;
  for (std::int64_t r = 0; r < rows; ++r)
    a.longest = std::max(a.longest, std::int64_t(begins[r + 1] - begins[r]));
  const SparseForm& form = sparse_form_of(a);
  // Fewer elements a part where there are not enough for a GPU's blocks.
  const std::int64_t tile = std::clamp(all / busy_blocks, least_sparse_tile, form.tile),
                     alone = std::min(tile, form.alone), most_rows = most_sparse_rows / a.block[0];
  std::vector<std::int64_t> parts, medium_rows, long_rows;
  std::int64_t& partials = a.partials;
  for (std::int64_t r = 0; r < rows;) {
    const std::int64_t first = r, entry = begins[r], length = begins[r + 1] - entry;
    if (length * block > alone || most_rows < 1) {
      const std::int64_t each = std::max<std::int64_t>(sparse_row_part / block, 1),
                         count = (length - 1) / each + 1;
      if (count > 1) long_rows.insert(long_rows.end(), {r, partials});
      for (std::int64_t i = 0; i < std::max<std::int64_t>(count, 1); ++i)
        parts.insert(parts.end(),
                     {r, entry + i * each, count > 1 ? first_partial - partials++ : whole_row,
                      std::int64_t(medium_rows.size())});
      ++r;
      continue;
    }
    for (; r < rows && r - first < most_rows; ++r) {
      const std::int64_t own = begins[r + 1] - begins[r];
      if (own * block > alone || (begins[r + 1] - entry) * block > tile) break;
    }
    const std::int64_t medium = std::int64_t(medium_rows.size());
    for (std::int64_t own = first; form.medium > 0 && own < r; ++own)
      if (begins[own + 1] - begins[own] > form.medium) medium_rows.push_back(own);
    std::int64_t how = 0;
    while (how < most_sparse_lanes && ((r - first) * a.block[0] << (how + 1)) <= form.threads)
      ++how;
    parts.insert(parts.end(), {first, entry, how, medium});
  }
  parts.insert(parts.end(),
               {rows, std::int64_t(begins[rows]), 0, std::int64_t(medium_rows.size())});
  const ElementType* const type = a.indptr.type;
  const auto pack = [&](const std::vector<std::int64_t>& numbers, std::int64_t width) {
    const std::int64_t size = std::int64_t(numbers.size());
    return reshaped(index_array(numbers.data(), size, type, a.data.on), {size / width, width});
  };
  a.parts = pack(parts, part_numbers);
  a.medium_rows =
      index_array(medium_rows.data(), std::int64_t(medium_rows.size()), type, a.data.on);
  if (!long_rows.empty()) long_rows.insert(long_rows.end(), {rows, partials});
  a.long_rows = pack(long_rows, 2);
}
template void share_out(erased_sparse&, const std::int32_t*, std::int64_t);
template void share_out(erased_sparse&, const std::int64_t*, std::int64_t);

RecordedPart::RecordedPart(const ElementView& parts, const Index& part)
    : row(part_number(parts, part, 0)),
      rows(part_number(parts, part + 1, 0) - row),
      entry(part_number(parts, part, 1)),
      entries(part_number(parts, part + 1, 1) - entry),
      how(part_number(parts, part, 2)),
      medium(part_number(parts, part, 3)),
      medium_end(part_number(parts, part + 1, 3)) {}

}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

erased_sparse make_sparse(sparse_format format, const any_array& rows, const any_array& indices,
                          const any_array& data, const shape<2>& extents,
                          const element_type* index) {
  const char* const name = name_of(format);
  if (extents[0] < 0 || extents[1] < 0)
    support::fail_usage("{}: negative dimensions are not allowed: ({},{})", name, extents[0],
                        extents[1]);
  erased_sparse a{format, extents, {1, 1}, {},          {}, {}, flattened(data),
                  {},     {},      {},     data.size(), 0,  0};
  const std::int64_t entries = indices.size(),
                     most =
                         std::max({extents[0], extents[1], entries, rows.type ? rows.size() : 0});
  std::int64_t row_count = extents[0], column_count = extents[1];
  if (format == sparse_format::bsr) {
    a.block = {data.extent(1), data.extent(2)};
    for (int d = 0; d < 2; ++d)
      if (a.block[d] < 1 || extents[d] % a.block[d] != 0)
        support::fail_usage(
            "bsr_matrix: blocks of {} x {} do not fill a matrix of {} x {}: its extents must be "
            "multiples of theirs",
            a.block[0], a.block[1], extents[0], extents[1]);
    row_count /= a.block[0], column_count /= a.block[1];
  }
  if (format == sparse_format::ell) {
    if (indices.extent(0) != data.extent(0) || indices.extent(1) != data.extent(1) ||
        indices.extent(1) != extents[0])
      support::fail_usage(
          "ell_matrix: indices have shape ({},{}) and data ({},{}); both must have (slots,{}), a "
          "column for each row",
          indices.extent(0), indices.extent(1), data.extent(0), data.extent(1), extents[0]);
    on_host(indices, [&](const auto* at, std::int64_t count) {
      check_range(name, "indices", "columns", at, count, -1, column_count);
      a.elements = std::count_if(at, at + count, [](auto c) { return c >= 0; });
    });
    a.longest = indices.extent(0);
    a.indices = reshaped(indices_as(name, indices, index, most), {a.longest, extents[0]});
    return a;
  }
  check_as_many(name, entries, format == sparse_format::bsr ? data.extent(0) : data.size());
  if (format == sparse_format::coo) check_as_many(name, rows.size(), data.size());
  else if (rows.size() != row_count + 1)
    support::fail_usage("{}: indptr has {} elements; a matrix of {} rows needs {}", name,
                        rows.size(), row_count, row_count + 1);
  on_host(indices, [&](const auto* at, std::int64_t count) {
    check_range(name, format == sparse_format::coo ? "col" : "indices",
                format == sparse_format::bsr ? "columns of blocks" : "columns", at, count, 0,
                column_count);
  });
  a.indices = indices_as(name, indices, index, most);
  on_host(rows, [&](const auto* at, std::int64_t count) {
    if (format == sparse_format::coo) {
      check_range(name, "row", "rows", at, count, 0, row_count);
      a.rows = indices_as(name, rows, index, most);
      const std::vector<std::int64_t> begins = sort_rows(a, at, count);
      a.indptr = index_array(begins.data(), row_count + 1, index, data.on);
      share_out(a, begins.data(), row_count);
    } else {
      check_indptr(name, at, row_count, entries);
      a.indptr = indices_as(name, rows, index, most);
      share_out(a, at, row_count);
    }
  });
  return a;
}

void check_sparse_operand(std::int64_t columns, std::int64_t rows) {
  if (columns != rows)
    support::fail_usage(
        "matmul: the sparse matrix has {} columns and the other operand {} rows: "
        "they must be equal",
        columns, rows);
}

}  // namespace krait::detail
