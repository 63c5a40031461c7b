// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices on a CPU. Operands are packed into panels, so that a core reads them in
// order. A thread has 6 rows of a column, so that the sums of two vectors of threads stay in 12
// registers. For doubles it has 4 without AVX-512: 3 took twice the time, and 6 and 8 are in
// between. Matrices have one more dimension, the batch, which is the first.
#pragma once

#include <array>

#include <krait/algorithm/detail/einstein_sum.h>
#include <krait/algorithm/detail/product_ending.h>

namespace krait::detail {

/// Of smaller matrices tiles and panels would be empty for the most part.
inline constexpr std::int64_t least_side = 8, least_depth = 4;

/// The types and sizes of the kernels. Sums are Words. On a CPU each thread has Rows of a column.
template <class Left, class Right, class Out, class Word, int Rows = sizeof(Word) == 8 ? 4 : 6>
struct product_types {
  using left = Left;
  using right = Right;
  using out = Out;
  using word = Word;
  /// Panels have words of so many elements along the depth.
  using packed = Word;
  static constexpr int per_word = 1, rows = Rows;
  static constexpr bool turns = false;

  template <class From>
  static value<Word> enter(const From& x) {
    return cast<Word>(x);
  }
  /// at(i): element i of the word, or 0.
  template <class At>
  static value<packed> pack_left(const At& at) {
    return enter(at(0));
  }
  template <class At>
  static value<packed> pack_right(const At& at) {
    return enter(at(0));
  }
  static value<Word> add(const value<packed>& x, const value<packed>& y, const value<Word>& sum) {
    return sum + x * y;
  }
};

/// For bytes, by kr::dot4, and for bf16, by kr::dot2_bf16. Processors multiply unsigned bytes by
/// signed ones. If both have the same signedness, the upper bit of the left ones is flipped, which
/// adds or subtracts 128. The sums begin with 128 times the right ones, with the other sign.
template <class Left, class Right, class Out, class Word>
struct dot_types : product_types<Left, Right, Out, Word> {
  using packed = std::uint32_t;
  static constexpr bool bytes = sizeof(Left) == 1;
  static constexpr int per_word = bytes ? 4 : 2, bits = 32 / per_word;
  static constexpr bool turns = bytes && std::is_signed_v<Left> == std::is_signed_v<Right>;
  static constexpr bool right_signed = std::is_signed_v<Right>;

  template <class At>
  static value<packed> pack(const At& at) {
    using element = std::conditional_t<bytes, std::uint8_t, std::uint16_t>;
    var<packed> word = cast<packed>(bitcast<element>(at(0)));
    for (int i = 1; i < per_word; ++i) word |= cast<packed>(bitcast<element>(at(i))) << (i * bits);
    return value<packed>(word);
  }
  template <class At>
  static value<packed> pack_left(const At& at) {
    return turned(pack(at));
  }
  /// A word of left elements as it is in memory.
  static value<packed> turned(const value<packed>& word) {
    return turns ? value<packed>(word ^ packed(0x80808080)) : word;
  }
  template <class At>
  static value<packed> pack_right(const At& at) {
    return pack(at);
  }
  static value<Word> add(const value<packed>& x, const value<packed>& y, const value<Word>& sum) {
    if constexpr (!bytes) return dot2_bf16(x, y, sum);
    else if constexpr (right_signed) return cast<Word>(dot4(x, cast<int>(y), cast<int>(sum)));
    else return cast<Word>(dot4(y, cast<int>(x), cast<int>(sum)));
  }
  /// The start of sums; `sum` is the start for the words before.
  static value<int> begin(const value<packed>& y, const value<int>& sum) {
    constexpr int ones = 0x01010101;
    return right_signed ? value<int>(sum - dot4(unsigned(ones), cast<int>(y), value<int>(0)) * 128)
                        : value<int>(sum + dot4(y, ones, value<int>(0)) * 128);
  }
};
/// Whether a product can be one of those, and whether it is of bytes, which every processor
/// multiplies so; of bf16 those do that have an instruction.
template <class Left, class Right, class Word>
inline constexpr bool has_byte_dots =
    std::is_integral_v<Left> && sizeof(Left) == 1 && !std::is_same_v<Left, bool> &&
    std::is_integral_v<Right> && sizeof(Right) == 1 && !std::is_same_v<Right, bool> &&
    std::is_integral_v<Word> && sizeof(Word) == 4;
template <class Left, class Right, class Word>
inline constexpr bool has_pair_dots =
    std::is_same_v<Left, Right> && is_float_v<Left> && sizeof(Left) == 2 &&
    !std::is_same_v<Left, f16> && std::is_same_v<Word, float>;

// ---- a CPU --------------------------------------------------------------------------------------
inline constexpr int panel_columns = 32;  // and threads of a block
template <class Types>
inline constexpr int panel_rows = Types::rows;
/// Bytes of a panel of columns that are multiplied before the next, and the most bytes of panels of
/// rows that a block has. Both stay in a core's second-level cache, where the next block finds the
/// rows. Panels for the first-level cache would store and load the sums more often. With 32 KiB a
/// product of 1,024 x 1,024 x 1,024 takes a quarter longer (f32, Zen 5).
inline constexpr std::int64_t panel_bytes = 128 << 10, group_bytes = 960 << 10;
template <class Types>
inline constexpr std::int64_t panel_depth =
    panel_bytes / (panel_columns * std::int64_t(sizeof(typename Types::packed)));
template <class Types>
inline constexpr std::int64_t panel_group =
    group_bytes * panel_columns / (panel_bytes * panel_rows<Types>);

/// Words of a row that are side by side in a panel of rows; the words of the next row follow. A
/// block's threads write them together.
inline constexpr std::int64_t panel_chunk = panel_columns;
/// Words of a panel of rows: whole chunks.
template <class Types, class Words>
auto words_of_rows(const Words& words) {
  return (words + (panel_chunk - 1)) / panel_chunk * (panel_chunk * panel_rows<Types>);
}

/// out[(batch, panel), k / chunk, row, k % chunk]: words of rows of x; words after the last row are
/// 0. One block per panel. Elem: elements, or words of them if they are such in memory.
template <class Types, class Elem>
auto make_pack_rows() {
  using packed = typename Types::packed;
  static constexpr bool of_words = Types::per_word > 1 && std::is_same_v<Elem, packed>;
  static constexpr int own_rows = panel_rows<Types>, per_word = of_words ? 1 : Types::per_word;
  return kernel(
      [](view<const Elem, 3> x, view<packed> out, value<std::int64_t> panels) {
        const value<std::int64_t> block = block_idx().x, batch = block / panels,
                                  first = block % panels * own_rows, depth = x.extent(2),
                                  words = (depth + (per_word - 1)) / per_word,
                                  own = cast<std::int64_t>(thread_idx().x),
                                  to = block * words_of_rows<Types>(words) + own;
        for (auto chunk : range(std::int64_t(0), words, panel_chunk))
          for (int r = 0; r < own_rows; ++r) {
            const value<std::int64_t> k = chunk + own;
            const auto element = [&](int i) { return x(batch, first + r, k * per_word + i); };
            const auto whole = [&] {
              if constexpr (of_words) return Types::turned(element(0));
              else return Types::pack_left(element);
            };
            const auto some = [&] {
              if constexpr (per_word == 1) return value<packed>(packed(0));
              else
                return Types::pack_left([&](int i) {
                  return cast<Elem>(select(
                      first + r < x.extent(1) && k * per_word + i < depth,
                      [&] { return value<Elem>(element(i)); }, value<Elem>(Elem(0))));
                });
            };
            out[to + chunk * own_rows + r * panel_chunk] = select(
                first + r < x.extent(1) && k * per_word + (per_word - 1) < depth, whole, some);
          }
      },
      {.name = "matmul_rows"});
}
/// out[((batch, panel), k), column]: words of columns of y. A panel begins with a row of the sums'
/// start values, unless they are 0.
template <class Types>
auto make_pack_columns() {
  using packed = typename Types::packed;
  static constexpr int per_word = Types::per_word;
  return kernel(
      [](view<const typename Types::right, 3> y, view<packed> out, value<std::int64_t> panels) {
        const value<std::int64_t> own = cast<std::int64_t>(thread_idx().x), block = block_idx().x,
                                  batch = block / panels, depth = y.extent(1),
                                  words = (depth + (per_word - 1)) / per_word,
                                  column = block % panels * panel_columns + own,
                                  to = block * (words + Types::turns) * panel_columns + own;
        var<int> start = 0;
        for (auto k : range(std::int64_t(0), words)) {
          const auto word = Types::pack_right([&](int i) {
            const auto inside = [&] {
              return value<typename Types::right>(y(batch, k * per_word + i, column));
            };
            return cast<typename Types::right>(
                select(column < y.extent(2) && (per_word == 1 || k * per_word + i < depth), inside,
                       value<typename Types::right>(typename Types::right(0))));
          });
          out[to + (k + Types::turns) * panel_columns] = word;
          if constexpr (Types::turns) start = Types::begin(word, start);
        }
        if constexpr (Types::turns) out[to] = cast<packed>(value<int>(start));
      },
      {.name = "matmul_columns"});
}
/// A block has some panels of rows times one of columns, for words of a row from `begin` to before
/// `end`. Sums go on where begin is not 0, and end where `end` is the depth. A batch of one panel
/// repeats.
template <class Types, class Function, class... More>
auto make_panel_product(const Function& f) {
  using word = typename Types::word;
  using packed = typename Types::packed;
  using out_type = typename Types::out;
  static constexpr int own_rows = panel_rows<Types>;
  return kernel(
      [f](view<const packed> rows, view<const packed> columns, view<out_type, 3> out,
          value<std::int64_t> depth, value<std::int64_t> begin, value<std::int64_t> end,
          value<std::int64_t> groups, value<std::int64_t> row_batch,
          value<std::int64_t> column_batch, ending_parameter<More>... more) {
        const value<std::int64_t> m = out.extent(1), n = out.extent(2);
        const value<std::int64_t> row_panels = (m + (own_rows - 1)) / own_rows,
                                  column_panels = (n + (panel_columns - 1)) / panel_columns;
        const value<std::int64_t> block = block_idx().x, column_panel = block % column_panels,
                                  rest = block / column_panels, group = rest % groups,
                                  batch = rest / groups;
        const value<std::int64_t> own = cast<std::int64_t>(thread_idx().x),
                                  column = column_panel * panel_columns + own;
        const value<std::int64_t> right =
            (batch * column_batch + column_panel) * (depth + Types::turns) * panel_columns + own;
        for (auto row_panel :
             range(group * row_panels / groups, (group + 1) * row_panels / groups)) {
          const value<std::int64_t> left =
              (batch * row_batch + row_panel) * words_of_rows<Types>(depth);
          var<word> sums[own_rows];
          if constexpr (Types::turns) {
            const auto start = select(
                begin == 0, [&] { return cast<word>(value<packed>(columns[right])); },
                value<word>(word(0)));
            for (int r = 0; r < own_rows; ++r) sums[r] = start;
          }
          for (auto k : range(begin, end)) {
            const value<packed> y = columns[right + (k + Types::turns) * panel_columns];
            const value<std::int64_t> in_chunk = k & (panel_chunk - 1),
                                      x = left + (k - in_chunk) * own_rows + in_chunk;
            for (int r = 0; r < own_rows; ++r)
              sums[r] =
                  Types::add(value<packed>(rows[x + r * panel_chunk]), y, value<word>(sums[r]));
          }
          for (int r = 0; r < own_rows; ++r) {
            const value<std::int64_t> row = row_panel * own_rows + r;
            if_(row < m && column < n, [&] {
              const auto ended = [&](const value<word>& sum) {
                return product_ending<Function, More...>::template of<out_type, word>(
                    f, sum, batch, row, column, more...);
              };
              if constexpr (!std::is_same_v<word, out_type>) {  // one step
                out(batch, row, column) = ended(value<word>(sums[r]));
              } else {
                const value<word> sum = select(
                    begin == 0, [&] { return value<word>(sums[r]); },
                    [&] { return value<word>(out(batch, row, column) + sums[r]); });
                if_(end == depth, [&] { out(batch, row, column) = ended(sum); }).else_([&] {
                  out(batch, row, column) = sum;
                });
              }
            });
          }
        }
      },
      {.name = "matmul_panels"});
}

/// Whether rows of x are words of per_word elements, as which they can be read.
template <class Elem>
bool has_words(const array<const Elem, 3>& x, int per_word) {
  return x.extent(2) % per_word == 0 && x.stride(2) == 1 && x.stride(1) % per_word == 0 &&
         x.stride(0) % per_word == 0 && x.at().offset % per_word == 0 &&
         x.address() % (sizeof(Elem) * std::size_t(per_word)) == 0;
}

template <class Types>
void pack_rows(const array<const typename Types::left, 3>& x, array<typename Types::packed>& rows,
               std::int64_t batch, std::int64_t panels) {
  using packed = typename Types::packed;
  if constexpr (Types::per_word > 1)
    if (has_words(x, Types::per_word)) {
      static auto& of_words = lasting(make_pack_rows<Types, packed>());
      layout at = x.at();
      at.offset /= Types::per_word, at.extents[2] /= Types::per_word;
      at.strides[0] /= Types::per_word, at.strides[1] /= Types::per_word;
      const array<const packed, 3> words(at, x.memory_owner(), handle_of(x.device()));
      of_words.launch({batch * panels, panel_columns}, words, rows, panels);
      return;
    }
  static auto& of_elements = lasting(make_pack_rows<Types, typename Types::left>());
  of_elements.launch({batch * panels, panel_columns}, x, rows, panels);
}

template <class Types, class Function = sum_alone, class... More>
void multiply_panels(const array<const typename Types::left, 3>& x,
                     const array<const typename Types::right, 3>& y,
                     array<typename Types::out, 3>& out,
                     const product_ending<Function, More...>& ending = {}) {
  using packed = typename Types::packed;
  static auto& pack_columns = lasting(make_pack_columns<Types>());
  const std::int64_t depth = divided_up(x.extent(2), Types::per_word), m = out.extent(1),
                     n = out.extent(2), batch = out.extent(0);
  constexpr int own_rows = panel_rows<Types>;
  const std::int64_t row_panels = divided_up(m, own_rows),
                     column_panels = divided_up(n, panel_columns);
  // A matrix that repeats is packed once.
  const std::int64_t lefts = x.stride(0) == 0 ? 1 : batch, rights = y.stride(0) == 0 ? 1 : batch;
  array<packed> rows(shape<1>(lefts * row_panels * words_of_rows<Types>(depth)), x.device());
  array<packed> columns(shape<1>(rights * column_panels * (depth + Types::turns) * panel_columns),
                        x.device());
  pack_rows<Types>(x, rows, lefts, row_panels);
  pack_columns.launch({rights * column_panels, panel_columns}, y, columns, column_panels);
  const std::int64_t workers = algorithm_device_of(x.device()).workers,
                     tiles = batch * column_panels;
  const std::int64_t groups =
      smaller(row_panels, larger(divided_up(row_panels, panel_group<Types>), workers / tiles));
  const std::int64_t step =
      std::is_same_v<typename Types::word, typename Types::out> ? panel_depth<Types> : depth;
  with_kernel(
      ending.f, [](const Function& f) { return make_panel_product<Types, Function, More...>(f); },
      [&](const auto& multiply) {
        std::int64_t begin = 0;
        do {  // once where there is nothing to add
          const std::int64_t end = smaller(begin + step, depth);
          ending.launch([&](const auto&... more) {
            multiply.launch({tiles * groups, panel_columns}, rows, columns, out, depth, begin, end,
                            groups, lefts > 1 ? row_panels : 0, rights > 1 ? column_panels : 0,
                            more...);
          });
          begin += step;
        } while (begin < depth);
      });
}

}  // namespace krait::detail
