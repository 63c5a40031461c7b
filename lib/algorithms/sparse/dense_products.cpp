// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sparse and dense matrices. Neighbouring threads have neighbouring columns of the
// result; such a group of a block's threads takes rows of the block's part one after the other, or
// all groups add up one long row together.
#include <algorithm>
#include <bit>
#include <vector>

#include "algorithms/sparse/parts.h"
#include "algorithms/sparse/tuning.h"
#include "krait/algorithm/detail/form.h"
#include "krait/math.h"

namespace krait::host {
namespace {

/// Threads of a group, vectors of neighbouring columns that each has, the columns of a vector, and
/// rows of a block that a group adds up at once.
struct DenseForm {
  std::int64_t lanes, vectors, width, rows;
  DenseForm(std::int64_t columns, std::int64_t width_, const BlockShape& block) : width(width_) {
    const std::int64_t all = detail::divided_up(columns, width);
    lanes =
        std::min<std::int64_t>(std::int64_t(std::bit_ceil(std::uint64_t(all))), most_dense_lanes);
    vectors = std::clamp<std::int64_t>(detail::divided_up(all, lanes), 1,
                                       std::max<std::int64_t>(most_dense_columns / width, 1));
    rows = std::min(block.rows, most_dense_rows);
  }
  std::int64_t columns() const { return vectors * width; }
};

/// Columns of a vector of 16 bytes, where both matrices can be read and written as such; else 1.
std::int64_t vector_width(const any_array& x, const any_array& to) {
  const std::int64_t width = 16 / std::int64_t(x.type->bytes);
  const auto aligned = [&](const any_array& m) {
    return m.extent(1) % width == 0 && m.at.strides[1] == 1 && m.at.strides[0] % width == 0 &&
           m.at.offset % width == 0 && address_of(m) % 16 == 0;
  };
  const bool on_gpu =
      detail::algorithm_device_of(detail::device_from(x.on)).form != detail::algorithm_form::chunks;
  const bool fits = on_gpu && x.type == to.type && x.type->bytes >= 4 && x.size() > 0;
  return fits && aligned(x) && aligned(to) ? width : 1;
}
/// Its rows as vectors.
any_array as_vectors(any_array m, std::int64_t width) {
  if (width == 1) return m;
  m.type = pack_of(m.type->whole), m.at.offset /= width;
  m.at.extents[1] /= width, m.at.strides[0] /= width;
  return m;
}

class MatrixProduct {
 public:
  MatrixProduct(const Parameters& p, const ElementType* word, const BlockShape& block,
                const DenseForm& form)
      : indices_(p.array(0)),
        data_(p.array(1)),
        x_(p.array(2)),
        to_(p.array(3)),
        word_(word),
        block_(block),
        form_(form),
        number_(type_of(form.width > 1 ? to_.type()->scalars[0].type : to_.type()->whole)),
        vectors_(to_.extent(1)),
        group_(thread_idx().x / form.lanes),
        first_(block_idx().y * (form.lanes * form.vectors) + thread_idx().x % form.lanes) {}

  /// Of a matrix in compressed rows.
  void rows(const ElementView& parts, const ElementView& begins, const ElementView& partials,
            const ElementView& medium_rows, bool has_medium) const {
    const RecordedPart part(parts, block_idx().x);
    const Index chunks(detail::divided_up(block_.rows, form_.rows));
    const ElementView shared = shared_elements(word_, dense_threads);
    if_(part.how >= 0, [&] {
      for (auto unit : range(group_, part.rows * chunks, groups())) {
        const Index row = part.row + unit / chunks, chunk = unit % chunks * form_.rows,
                    begin = index_in(begins, row), end = index_in(begins, row + 1);
        const auto multiply = [&] {
          std::vector<Variable> sums = zeros();
          add(sums, begin, end, Index(std::int64_t(1)), chunk);
          store(row, chunk, [&](std::int64_t r, std::int64_t c) { return sum_of(sums, r, c); });
        };
        if (has_medium) if_(end - begin <= dense_alone, multiply);
        else multiply();
      }
      if (has_medium)
        for (auto i : range(part.medium, part.medium_end)) {
          const Index row = index_in(medium_rows, i), begin = index_in(begins, row),
                      end = index_in(begins, row + 1);
          if_(end - begin > dense_alone, [&] {
            std::vector<Variable> sums = zeros();
            add(sums, begin + group_, end, Index(groups()), Index(std::int64_t(0)));
            const std::vector<Variable> all = joined(sums, shared);
            if_(group_ == 0, [&] {
              store(row, Index(std::int64_t(0)),
                    [&](std::int64_t r, std::int64_t c) { return sum_of(all, r, c); });
            });
          });
        }
    }).else_([&] {
      for (auto chunk : range(Index(std::int64_t(0)), chunks)) {
        std::vector<Variable> sums = zeros();
        const Index first = chunk * form_.rows;
        add(sums, part.entry + group_, part.entry + part.entries, Index(groups()), first);
        store_row(part, partials, first, joined(sums, shared));
      }
    });
  }

  /// Of a matrix in slots: a group has a row.
  void slots() const {
    const Index rows = indices_.extent(1), row = block_idx().x * groups() + group_;
    if_(row < rows, [&] {
      std::vector<Variable> sums = zeros();
      const Index slots = indices_.extent(0);
      for (auto first : range(Index(std::int64_t(0)), slots, dense_loads)) {
        std::vector<Entry> entries;
        for (int i = 0; i < dense_loads; ++i) {
          const Index slot = min(first + i, slots - 1),
                      column = indices_(slot, row).get().as<std::int64_t>();
          entries.push_back({max(column, Index(std::int64_t(0))), slot * rows + row,
                             column >= 0 && first + i < slots});
        }
        add_entries(sums, entries, Index(std::int64_t(0)));
      }
      store(row, Index(std::int64_t(0)),
            [&](std::int64_t r, std::int64_t c) { return sum_of(sums, r, c); });
    });
  }

 private:
  std::int64_t groups() const { return dense_threads / form_.lanes; }
  std::vector<Variable> zeros() const {
    std::vector<Variable> made;
    for (std::int64_t i = 0; i < form_.rows * form_.columns(); ++i)
      made.emplace_back(zero_of(word_));
    return made;
  }
  Element sum_of(const std::vector<Variable>& sums, std::int64_t row, std::int64_t column) const {
    return sums[std::size_t(row * form_.columns() + column)].get();
  }
  /// The place of a thread's i-th vector in a row.
  Index vector(std::int64_t i) const { return first_ + i * form_.lanes; }

  /// An element, or a block: its column, its place in data, and whether it is one.
  struct Entry {
    Index column, place;
    value<bool> counts;
  };
  /// Adds several, whose loads are under way together, to the sums of rows from `chunk` of a block.
  void add_entries(std::vector<Variable>& sums, const std::vector<Entry>& entries,
                   const Index& chunk) const {
    const std::int64_t all = block_.columns, together = all <= unrolled_block ? all
                                                        : all % 4 == 0        ? 4
                                                                              : 1;
    const auto add_columns = [&](const Index& first) {
      for (std::int64_t k = 0; k < together; ++k) add_column(sums, entries, chunk, first + k);
    };
    if (together == all) {
      add_columns(Index(std::int64_t(0)));
    } else {
      for (auto first : range(Index(std::int64_t(0)), all, together)) add_columns(first);
    }
  }
  void add_column(std::vector<Variable>& sums, const std::vector<Entry>& entries,
                  const Index& chunk, const Index& k) const {
    std::vector<Element> left, right;
    for (const Entry& e : entries) {
      for (std::int64_t r = 0; r < form_.rows; ++r)
        left.push_back(data_(block_.size() == 1
                                 ? e.place
                                 : (e.place * block_.rows + row_of(chunk, r)) * block_.columns + k)
                           .get()
                           .as(word_));
      // Of a vector that there is: no result is made of what is loaded for others.
      for (std::int64_t v = 0; v < form_.vectors; ++v) {
        const Element numbers = x_(e.column * block_.columns + k, min(vector(v), vectors_ - 1));
        for (std::int64_t i = 0; i < form_.width; ++i)
          right.push_back(numbers.part(std::size_t(i)).as(word_));
      }
    }
    const std::size_t rows = std::size_t(form_.rows), columns = std::size_t(form_.columns());
    for (std::size_t i = 0; i < entries.size(); ++i)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) {
          const Element product = left[i * rows + r] * right[i * columns + c];
          sums[r * columns + c].add(
              entries.size() == 1 ? product : choose(entries[i].counts, product, zero_of(word_)));
        }
  }
  Index row_of(const Index& chunk, std::int64_t r) const {
    if (block_.rows % form_.rows == 0) return chunk + r;
    return min(chunk + r, Index(block_.rows - 1));
  }
  /// Every step-th entry.
  void add(std::vector<Variable>& sums, const Index& begin, const Index& end, const Index& step,
           const Index& chunk) const {
    const int loads = block_.size() == 1 ? dense_loads : 1;
    for (auto first : range(begin, end, step * loads)) {
      std::vector<Entry> entries;
      for (int i = 0; i < loads; ++i) {
        const Index place = first + step * i, at = min(place, end - 1);
        entries.push_back({index_in(indices_, at), at, place < end});
      }
      add_entries(sums, entries, chunk);
    }
  }

  /// sum(row, column) of a chunk of a row of blocks.
  template <class Sum>
  void store(const Index& row, const Index& chunk, const Sum& sum) const {
    for (std::int64_t r = 0; r < form_.rows; ++r)
      for (std::int64_t v = 0; v < form_.vectors; ++v)
        if_(vector(v) < vectors_ && chunk + r < block_.rows, [&] {
          std::vector<node> numbers;
          for (std::int64_t i = 0; i < form_.width; ++i)
            numbers.push_back(total_as(number_, sum(r, v * form_.width + i)).only());
          to_(row * block_.rows + chunk + r, vector(v)) = Element(to_.type(), std::move(numbers));
        });
  }
  /// All groups' sums, which the first group adds up one after the other.
  std::vector<Variable> joined(const std::vector<Variable>& sums, const ElementView& shared) const {
    std::vector<Variable> all = zeros();
    const Index thread = thread_idx().x;
    for (std::int64_t i = 0; i < form_.rows * form_.columns(); ++i) {
      syncthreads();
      shared(thread) = sums[std::size_t(i)];
      syncthreads();
      if_(group_ == 0, [&] {
        for (std::int64_t g = 0; g < groups(); ++g)
          all[std::size_t(i)].add(shared(thread + g * form_.lanes));
      });
    }
    return all;
  }
  /// Those of the first group.
  void store_row(const RecordedPart& part, const ElementView& partials, const Index& chunk,
                 const std::vector<Variable>& all) const {
    if_(group_ == 0, [&] {
      if_(part.how == whole_row, [&] {
        store(part.row, chunk, [&](std::int64_t r, std::int64_t c) { return sum_of(all, r, c); });
      }).else_([&] {
        for (std::int64_t r = 0; r < form_.rows; ++r)
          for (std::int64_t c = 0; c < form_.columns(); ++c) {
            const Index at = vector(c / form_.width);
            if_(at < vectors_ && chunk + r < block_.rows, [&] {
              partials(first_partial - part.how, chunk + r, at * form_.width + c % form_.width) =
                  sum_of(all, r, c);
            });
          }
      });
    });
  }

  const ElementView indices_, data_, x_, to_;
  const ElementType* word_;
  const BlockShape& block_;
  const DenseForm& form_;
  const ElementType* number_;  // of the result
  const Index vectors_, group_, first_;
};

}  // namespace

void multiply_matrix(const erased_sparse& a, const any_array& x, const ElementType* word,
                     const any_array& to) {
  const BlockShape block(a);
  const std::int64_t columns = to.extent(1), width = vector_width(x, to);
  const DenseForm form(columns, width, block);
  const std::int64_t tiles = detail::divided_up(columns, form.lanes * form.columns());
  const any_array from = as_vectors(x, width), result = as_vectors(to, width);
  if (a.format == sparse_format::ell) {
    kernel_of(
        "sparse_slots_matrix",
        {a.indices.type, a.data.type, from.type, result.type, word, form.lanes, form.vectors},
        {in(a.indices.type, 2), in(a.data.type), in(from.type, 2), out(result.type, 2)},
        [word, block, form](const Parameters& p) { MatrixProduct(p, word, block, form).slots(); })
        .launch(
            {{detail::divided_up(a.extents[0], dense_threads / form.lanes), tiles}, dense_threads},
            a.indices, a.data, from, result);
    return;
  }
  const any_array partials = new_partials(a, word, columns);
  const bool has_medium = a.medium_rows.size() > 0;
  kernel_of("sparse_matrix",
            {a.indptr.type, a.data.type, from.type, result.type, word, block.rows, block.columns,
             form.lanes, form.vectors, has_medium},
            {in(a.indices.type), in(a.data.type), in(from.type, 2), out(result.type, 2),
             in(a.indptr.type, 2), in(a.indptr.type), out(word, 3), in(a.indptr.type)},
            [word, block, form, has_medium](const Parameters& p) {
              MatrixProduct(p, word, block, form)
                  .rows(p.array(4), p.array(5), p.array(6), p.array(7), has_medium);
            })
      .launch({{a.parts.extent(0) - 1, tiles}, dense_threads}, a.indices, a.data, from, result,
              a.parts, a.indptr, partials, a.medium_rows);
  add_partials(a, partials, to);
}

}  // namespace krait::host
