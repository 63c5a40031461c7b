// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles: matrices that the threads of a block hold together, next to the language of single
// threads. All threads of the block must reach an operation on tiles, as for a barrier. The block
// size is fixed (kr::kernel<grid, block>, or kr::kernel(f, {.block = 128})) and is 32 times a power
// of two.
//   using matrix = kr::view<const kr::bf16, 2>;
//   auto multiply = kr::kernel([](matrix a, matrix b, kr::view<float, 2> c) {
//     const auto i = kr::block_idx().y * 128, j = kr::block_idx().x * 128;
//     kr::tile<float, 128, 128> sum;
//     kr::pipelined<4>((a.extent(1) + 63) / 64,
//                      [&](auto step) {
//                        return std::tuple(kr::load<128, 64>(a, {i, step * 64}),
//                                          kr::load<64, 128>(b, {step * 64, j}));
//                      },
//                      [&](auto, const auto& x, const auto& y) { sum = kr::mma(x, y, sum); });
//     kr::store(c, {i, j}, kr::max(sum, 0.0f));
//   }, {.block = 256});
// Rows are 1 or a multiple of 16, columns 1 or a multiple of 8. Tiles of one row or column are
// repeated where the other operand has more. To share elements between threads, store a tile in a
// shared array: `kr::store(array, {0, 0}, t); kr::syncthreads();`.
#pragma once

#include <initializer_list>
#include <tuple>

#include <krait/control.h>
#include <krait/detail/access.h>
#include <krait/detail/tile_access.h>
#include <krait/math.h>
#include <krait/memory.h>

namespace krait {

template <class Type, int Rows, int Columns>
class tile;

/// A part of a view that is to be loaded, as kr::load gives it.
/// It becomes a tile when it is used; kr::mma reads it through shared memory.
template <class Type, int Rows, int Columns>
struct tile_source {
  /// Its place in the view; used by the library.
  detail::tile_place at;
};
/// A factor of kr::mma in shared memory, as kr::staged and kr::pipelined give it.
template <class Type, int Rows, int Columns>
struct tile_factor {
  /// Its place in shared memory; used by the library.
  detail::factor at;
  /// Whether it stays until the next product of the block has begun; used by the library.
  bool kept;  // until the block's next product has begun
};

namespace detail {

template <class Type, int Rows, int Columns>
constexpr tile_shape shape_of() {
  static_assert(Rows == 1 || (Rows > 0 && Rows % 16 == 0),
                "krait: the rows of a tile must be 1 or a multiple of 16");
  static_assert(Columns == 1 || (Columns > 0 && Columns % 8 == 0),
                "krait: the columns of a tile must be 1 or a multiple of 8");
  return {scalar_of<Type>, Rows, Columns};
}

/// Of a factor in shared memory.
template <class Type, int Rows, int Columns>
constexpr tile_shape factor_shape() {
  static_assert(Rows > 0 && Rows % 8 == 0 && Columns > 0 && Columns % 8 == 0,
                "krait: factors of products must have rows and columns in multiples of 8");
  return {scalar_of<Type>, Rows, Columns};
}

/// A tile's type, or that of a number, in the result of an operation on both.
template <class Operand>
struct tile_traits {
  using type = storage_type_t<Operand>;
  static constexpr int rows = 1, columns = 1;
  static tile_nodes nodes(const Operand& x) {
    if constexpr (plain<Operand>) return {node_of(x)};
    else return {node_of(x)};
  }
};
template <class Type, int Rows, int Columns>
struct tile_traits<tile<Type, Rows, Columns>> {
  using type = Type;
  static constexpr int rows = Rows, columns = Columns;
  static const tile_nodes& nodes(const tile<Type, Rows, Columns>& x) { return access::nodes(x); }
};
template <class Type, int Rows, int Columns>
struct tile_traits<tile_source<Type, Rows, Columns>> : tile_traits<tile<Type, Rows, Columns>> {
  static tile_nodes nodes(const tile_source<Type, Rows, Columns>& x) {
    return load_tile(shape_of<Type, Rows, Columns>(), x.at);
  }
};

template <class Operand>
inline constexpr bool is_tile_v = false;
template <class Type, int Rows, int Columns>
inline constexpr bool is_tile_v<tile<Type, Rows, Columns>> = true;
template <class Type, int Rows, int Columns>
inline constexpr bool is_tile_v<tile_source<Type, Rows, Columns>> = true;
template <class... Operands>
concept tiles_among =
    (is_tile_v<Operands> || ...) && ((is_tile_v<Operands> || operand_type<Operands>)&&...);

constexpr int common_extent(std::initializer_list<int> extents) {
  int common = 1;
  for (const int e : extents) common = e == 1 || e == common ? common : common == 1 ? e : -1;
  return common;
}

template <class Result, class... Operands>
struct joint {
  static constexpr int rows = common_extent({tile_traits<Operands>::rows...}),
                       columns = common_extent({tile_traits<Operands>::columns...});
  static_assert(rows > 0 && columns > 0,
                "krait: the shapes of these tiles do not match: extents must be equal, or 1");
  using type = tile<Result, rows, columns>;
};

template <class Operand>
tile_nodes spread_to(const Operand& x, const tile_shape& to) {
  using traits = tile_traits<Operand>;
  return spread_tile({scalar_of<typename traits::type>, traits::rows, traits::columns},
                     traits::nodes(x), to);
}

/// The operation on each element, computed in `Types::type`.
template <class Types, class Left, class Right>
auto combine_tiles(op what, const Left& x, const Right& y) {
  using result = typename joint<typename Types::result, Left, Right>::type;
  const tile_nodes left = spread_to(x, result::shape), right = spread_to(y, result::shape);
  return result(map_tile(result::shape, [&](unsigned e) {
    return apply(what, scalar_of<typename Types::type>, left[e], right[e]);
  }));
}

}  // namespace detail

/// A matrix of Rows by Columns elements that the threads of a block hold together.
/// It can be assigned to, like kr::var. Operators and functions work on each element. Rows are 1 or
/// a multiple of 16, columns 1 or a multiple of 8.
/// \code
/// kr::tile<float, 16, 16> t = kr::load<16, 16>(a, {0, 0});
/// kr::store(b, {0, 0}, 2.0f * t);
/// \endcode
template <class Type, int Rows, int Columns>
class tile {
 public:
  /// Element type and extents; used by the library.
  static constexpr detail::tile_shape shape = detail::shape_of<Type, Rows, Columns>();

  /// A tile of zeros.
  tile() : tile(Type()) {}
  template <detail::operand_type Number>
  explicit(detail::traced<Number>) tile(const Number& x)
      : nodes_(detail::make_tile(shape, detail::convert(shape.type, node_of(detail::operand(x))))) {
  }
  tile(const tile_source<Type, Rows, Columns>& from)
      : nodes_(detail::load_tile(shape, from.at)) {}  // NOLINT: implicit on purpose
  tile(const tile& x) : nodes_(detail::copy_tile(shape, x.nodes_)) {}
  tile(tile&&) noexcept = default;
  explicit tile(detail::tile_nodes nodes) : nodes_(std::move(nodes)) {}

  tile& operator=(const tile& x) {
    detail::assign_tile(nodes_, x.nodes_);
    return *this;
  }
  template <class Operand>
    requires detail::is_tile_v<Operand> || detail::operand_type<Operand>
  tile& operator=(const Operand& x) {
    using result = typename detail::joint<Type, tile, Operand>::type;
    static_assert(std::is_same_v<result, tile>,
                  "krait: the tile that is assigned has more rows or columns");
    detail::assign_tile(nodes_, detail::spread_to(x, shape));
    return *this;
  }
#define KRAIT_TILE_UPDATE(symbol)                          \
  template <class Operand>                                 \
  tile& operator symbol##=(const Operand& x) {             \
    return *this = (*this symbol x).template cast<Type>(); \
  }
  KRAIT_TILE_UPDATE(+)
  KRAIT_TILE_UPDATE(-)
  KRAIT_TILE_UPDATE(*)
  KRAIT_TILE_UPDATE(/)
#undef KRAIT_TILE_UPDATE

  /// The tile with each element converted, as kr::cast does.
  /// \code
  /// auto narrow = t.cast<kr::bf16>();
  /// \endcode
  template <detail::plain To>
  tile<To, Rows, Columns> cast() const {
    using result = tile<To, Rows, Columns>;
    return result(detail::map_tile(
        result::shape, [&](unsigned e) { return detail::convert(result::shape.type, nodes_[e]); }));
  }

 private:
  friend struct detail::access;
  detail::tile_nodes nodes_;
};

// ---- memory -------------------------------------------------------------------------------------

/// A promise about the position of a tile, which saves bounds checks.
/// `masked` promises nothing. `unmasked`: the whole tile is inside its view. `pieces`: also, the
/// view's rows, the tile's rows and its first column are multiples of 16 bytes.
enum class edges : unsigned char { masked, unmasked, pieces };

namespace detail {

inline tile_place tile_place_of(node view, int rank, std::initializer_list<operand> indices,
                                edges at) {
  tile_place p{view, {}, unsigned(rank), at != edges::masked, at == edges::pieces};
  if (indices.size() != std::size_t(rank))
    misuse("a tile's place must have one index for each dimension of its view", {});
  unsigned d = 0;
  for (const operand& i : indices)
    if (d < unsigned(rank)) p.indices[d++] = convert(scalar::i64, node_of(i));
  for (; d < unsigned(rank); ++d) p.indices[d] = node_of(std::int64_t(0));
  return p;
}

}  // namespace detail

/// Loads Rows by Columns elements of a view or a shared array; elements outside it are 0.
/// The view has two or more dimensions. `first` is the position of the tile's first element.
/// \code
/// auto t = kr::load<16, 16>(a, {0, 0});
/// \endcode
template <int Rows, int Columns, class Type, int Rank>
auto load(const view<Type, Rank>& from, std::initializer_list<detail::operand> first,
          edges at = edges::masked, detail::location where = detail::location::here()) {
  static_assert(Rank >= 2, "krait: tiles can be loaded only from views of two or more dimensions");
  detail::set_location(where);
  return tile_source<std::remove_const_t<Type>, Rows, Columns>{
      detail::tile_place_of(node_of(from), Rank, first, at)};
}
/// A limit for kr::store: only rows before it are stored, because later rows belong to another
/// block.
struct rows_before {
  /// The first row that is not stored.
  value<std::int64_t> end;
  explicit rows_before(const detail::operand& end_)
      : end(detail::convert(detail::scalar::i64, node_of(end_))) {}
};

/// Stores a tile into a view or a shared array; elements outside it are not stored.
/// Threads that read the elements need a barrier first.
/// \code
/// kr::store(b, {0, 0}, t);
/// \endcode
template <class Type, int Rank, class Element, int Rows, int Columns>
void store(const view<Type, Rank>& to, std::initializer_list<detail::operand> first,
           const tile<Element, Rows, Columns>& x, edges at = edges::masked,
           detail::location where = detail::location::here()) {
  static_assert(Rank >= 2, "krait: tiles can be stored only to views of two or more dimensions");
  static_assert(!std::is_const_v<Type>, "krait: the view is read-only");
  detail::set_location(where);
  detail::store_tile({detail::scalar_of<Type>, Rows, Columns}, detail::access::nodes(x),
                     detail::tile_place_of(node_of(to), Rank, first, at));
}
/// Stores the rows of a tile that are before `rows.end`.
template <class Type, int Rank, class Element, int Rows, int Columns>
void store(const view<Type, Rank>& to, std::initializer_list<detail::operand> first,
           const tile<Element, Rows, Columns>& x, const rows_before& rows,
           detail::location where = detail::location::here()) {
  static_assert(Rank >= 2, "krait: tiles can be stored only to views of two or more dimensions");
  static_assert(!std::is_const_v<Type>, "krait: the view is read-only");
  detail::set_location(where);
  detail::tile_place at = detail::tile_place_of(node_of(to), Rank, first, edges::masked);
  at.ends = true, at.rows_end = node_of(rows.end);
  detail::store_tile({detail::scalar_of<Type>, Rows, Columns}, detail::access::nodes(x), at);
}

}  // namespace krait

#include <krait/tile_elements.h>
#include <krait/tile_product.h>
