// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of tiles: loads and stores over edges, arithmetic with rows and columns, reductions,
// scans, transposes, products of all types, also in pipelines. Each block has matrices of its own
// in the outputs. Where products may add in another order (native mode), their factors are small
// whole numbers, whose sums are exact.
#include <algorithm>
#include <utility>

#include "ir/tiles.h"
#include "ir/walk.h"
#include "krait/detail/tile_access.h"
#include "property/generating.h"
#include "trace/trace.h"

namespace krait::test::generating {
namespace {

using detail::factor;
using detail::tile_nodes;
using detail::tile_place;
using detail::tile_shape;

constexpr int most_stores = 8, most_elements = 16;  // elements: of a tile, per thread
// Instructions of a recording, but for every sixteenth seed: LLVM takes a second of a processor for
// 1,500, and six for 2,700.
constexpr std::size_t most_instructions = 1000;
// bytes of a block's arrays: WebGPU has 32 KiB, of which votes take some
constexpr std::int64_t most_shared = 30 * 1024;

/// With `words` elements take a word at least, as WGSL has it.
std::int64_t shared_bytes_of(const ir::Function& f, bool words) {
  std::int64_t bytes = 0;
  ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
    if (f.insts[i].op != ir::Op::Shared) return;
    std::int64_t size =
        std::max<std::int64_t>(f.type_of(f.insts[i].results[0]).elem_bytes, words ? 4 : 1);
    for (const std::int64_t extent : f.insts[i].list) size *= extent;
    bytes += (size + 15) / 16 * 16;
  });
  return bytes;
}

struct View {
  node array;
  scalar type;
  std::int64_t rows, columns;
};
struct Tile {
  tile_shape shape;
  tile_nodes nodes;
  bool whole = false;  // small whole numbers
};

class TileGenerator {
 public:
  TileGenerator(std::uint64_t seed, const GeneratorOptions& o) : r_(seed), options_(o) {}

  Kernel make() {
    Kernel k;
    constexpr std::int64_t blocks[] = {32, 64, 64, 128, 128, 256};
    threads_ = blocks[r_.below(std::size(blocks))];
    const std::int64_t grid = 1 + r_.below(3);
    detail::recording_options o;
    o.name = "tiles", o.fp = std::uint8_t(options_.fp), o.where = nowhere, o.block[0] = threads_,
    o.block[1] = o.block[2] = 1;
    void* recording = detail::begin_recording(o);
    choose_types();
    for (const scalar s : types_) make_view(k, s, grid);
    count_ = detail::parameter(scalar::i32);
    Argument count;
    count.bits = r_.below(4);
    k.arguments.push_back(count);
    block_ = detail::position(op::BlockIdx, scalar::i64, 0);
    load();
    for (unsigned n = (options_.small ? 2 : 4) + r_.below(options_.small ? 3 : 6); n > 0; --n)
      statement();
    for (std::size_t n = tiles_.size(); n-- > 0 && stores_ < most_stores;) store(tiles_[n]);
    k.module = std::move(trace::take(detail::finish_recording(recording))->module);
    k.launch.block = {threads_, 1, 1}, k.launch.grid = {grid, 1, 1},
    k.launch.warp_size = options_.warp;
    return k;
  }

 private:
  node literal(scalar s, std::uint64_t bits) { return detail::literal(s, bits); }
  node number(std::int64_t n) { return literal(scalar::i64, std::uint64_t(n)); }
  scalar any_type() { return types_[r_.below(unsigned(types_.size()))]; }

  /// f32 and i32, in which products have their sums, and some others; a seed's types are few, so
  /// that its tiles meet.
  void choose_types() {
    types_ = {scalar::f32, scalar::i32};
    constexpr scalar others[] = {scalar::f16,    scalar::bf16,   scalar::i8,  scalar::u8,
                                 scalar::f8e4m3, scalar::f8e5m2, scalar::f64, scalar::u32};
    for (int n = 0; n < 2; ++n) {
      const scalar s = others[r_.below(std::size(others))];
      const bool lacks = (s == scalar::f64 && !options_.f64) || (s == scalar::f16 && !options_.f16);
      if (!lacks && std::find(types_.begin(), types_.end(), s) == types_.end()) types_.push_back(s);
    }
  }

  bool exact_products() const {
    return options_.fp == ir::FpMode::Strict || options_.fp == ir::FpMode::Reproducible;
  }

  /// A matrix that is read, and one per block and store that is written.
  void make_view(Kernel& k, scalar s, std::int64_t grid) {
    const View in{detail::parameter_array(s, 2, false, ir::size_of(Scalar(s))), s,
                  20 + r_.below(70), 20 + r_.below(70)};
    add_argument(k, s, {in.rows, in.columns}, true);
    inputs_.push_back(in);
    const View out{detail::parameter_array(s, 3, true, ir::size_of(Scalar(s))), s,
                   16 + r_.below(40), 16 + r_.below(40)};
    add_argument(k, s, {grid * most_stores, out.rows, out.columns}, false);
    outputs_.push_back(out);
  }
  void add_argument(Kernel& k, scalar s, const std::vector<std::int64_t>& extents, bool filled) {
    Argument a;
    a.rank = unsigned(extents.size());
    std::int64_t count = 1;
    for (unsigned d = 0; d < a.rank; ++d) count *= a.extents[d] = extents[d];
    const unsigned size = ir::size_of(Scalar(s));
    for (std::int64_t e = 0; e < count; ++e) {
      const std::uint64_t bits = !filled                             ? 0
                                 : exact_products() && r_.chance(70) ? random_bits(r_, s)
                                                                     : whole_number(s);
      for (unsigned b = 0; b < size; ++b) a.bytes.push_back(std::byte(bits >> 8 * b));
    }
    k.arguments.push_back(std::move(a));
  }
  std::uint64_t whole_number(scalar s) {
    const std::uint64_t bits =
        std::uint64_t(std::int64_t(r_.below(7)) - (ir::is_unsigned_int(Scalar(s)) ? 0 : 3));
    return ir::eval(ir::Op::Cast, Scalar(s), Scalar::I64, {&bits, 1});
  }

  /// A shape that the block can hold; `lines`: of one row or column, too.
  tile_shape any_shape(scalar s, bool lines) {
    for (;;) {
      const int rows = lines && r_.chance(10) ? 1 : 16 << r_.below(3),
                columns = lines && r_.chance(10) ? 1 : 8 * int(1 + r_.below(8));
      if (fits(rows, columns)) return {s, rows, columns};
    }
  }
  bool fits(int rows, int columns) const {
    if (rows == 1 || columns == 1) return true;
    const auto t = ir::ThreadTile::of(rows, columns, threads_);
    return t && t->elements() <= most_elements / (options_.small ? 2 : 1);
  }
  bool takes(std::int64_t bytes) {
    if (shared_ + bytes > most_shared) return false;
    return shared_ += bytes, true;
  }

  /// Where a tile begins, inside the view or over its edges; the same in a block.
  node index(std::int64_t extent, std::int64_t length, bool inside) {
    if (inside) return number(r_.below(unsigned(extent - length + 1)));
    const node at = number(std::int64_t(r_.below(unsigned(extent + 20))) - 20);
    if (r_.chance(60)) return at;
    const node moved = r_.chance(50) ? block_ : detail::convert(scalar::i64, count_);
    return detail::apply(
        op::Add, scalar::i64, at,
        detail::apply(op::Mul, scalar::i64, moved, number(std::int64_t(r_.below(20)))));
  }
  tile_place place(const View& v, const tile_shape& shape, node matrix = {}) {
    const bool inside = shape.rows <= v.rows && shape.columns <= v.columns && r_.chance(30);
    tile_place p{v.array, {}, 0, inside};
    if (matrix.recording) p.indices[p.rank++] = matrix;
    p.indices[p.rank++] = index(v.rows, shape.rows, inside);
    p.indices[p.rank++] = index(v.columns, shape.columns, inside);
    return p;
  }
  const View& input(scalar s) const {
    return *std::find_if(inputs_.begin(), inputs_.end(),
                         [&](const View& v) { return v.type == s; });
  }

  void add(const tile_shape& shape, tile_nodes nodes, bool whole = false) {
    tiles_.push_back({shape, std::move(nodes), whole});
  }
  const Tile& any_tile() { return tiles_[r_.below(unsigned(tiles_.size()))]; }

  void load() {
    const scalar s = any_type();
    const tile_shape shape = any_shape(s, true);
    add(shape, detail::load_tile(shape, place(input(s), shape)), !exact_products());
  }

  void statement() {
    switch (r_.below(10)) {
      case 0:
      case 1: return load();
      case 2:
      case 3: return combine();
      case 4: return choose();
      case 5: return cast();
      case 6: return turn();
      case 7: return along();
      case 8: return multiply();
      case 9: return pipeline();
    }
  }

  /// A tile of this shape and type: one that is there, or that of a row, a column or a number.
  tile_nodes operand(const tile_shape& shape) {
    std::vector<const Tile*> fitting;
    for (const Tile& t : tiles_)
      if (t.shape.type == shape.type && (t.shape.rows == shape.rows || t.shape.rows == 1) &&
          (t.shape.columns == shape.columns || t.shape.columns == 1))
        fitting.push_back(&t);
    if (fitting.empty() || r_.chance(15))
      return detail::spread_tile({shape.type, 1, 1},
                                 {literal(shape.type, random_bits(r_, shape.type))}, shape);
    const Tile& t = *fitting[r_.below(unsigned(fitting.size()))];
    return detail::spread_tile(t.shape, t.nodes, shape);
  }
  op operation(scalar s) {
    constexpr op all[] = {op::Add, op::Sub, op::Mul, op::Min, op::Max, op::And, op::Or, op::Xor};
    return all[r_.below(is_float(s) ? 5 : 8)];
  }
  void combine() {
    const Tile& base = any_tile();
    const tile_shape shape = base.shape;
    const op what = operation(shape.type);
    const tile_nodes x = operand(shape), y = operand(shape);
    add(shape, detail::copy_tile(shape, detail::map_tile(shape, [&](unsigned e) {
                                   return detail::apply(what, shape.type, x[e], y[e]);
                                 })));
  }
  void choose() {
    const tile_shape shape = any_tile().shape;
    const tile_nodes x = operand(shape), y = operand(shape), z = operand(shape),
                     rows = detail::index_tile({scalar::i32, shape.rows, 1}, 0),
                     each = detail::spread_tile({scalar::i32, shape.rows, 1}, rows,
                                                {scalar::i32, shape.rows, shape.columns});
    const bool by_row = r_.chance(40) && shape.rows > 1;
    const node border = literal(scalar::i32, r_.below(unsigned(shape.rows)));
    add(shape, detail::copy_tile(shape, detail::map_tile(shape, [&](unsigned e) {
                                   const node c =
                                       by_row ? detail::apply(op::Lt, scalar::i32, each[e], border)
                                              : detail::apply(op::Lt, shape.type, x[e], y[e]);
                                   return detail::apply(op::Select, shape.type, c, z[e],
                                                        r_.chance(50) ? x[e] : y[e]);
                                 })));
  }
  void cast() {
    const Tile from = any_tile();
    const scalar to = any_type();
    const tile_shape shape{to, from.shape.rows, from.shape.columns};
    add(shape, detail::copy_tile(shape, detail::map_tile(shape, [&](unsigned e) {
                                   return detail::convert(to, from.nodes[e]);
                                 })));
  }
  void turn() {
    const Tile from = any_tile();
    const tile_shape shape{from.shape.type, from.shape.columns, from.shape.rows};
    if (shape.rows == 1 || shape.columns == 1 || shape.rows % 16 != 0 ||
        !fits(shape.rows, shape.columns) ||
        !takes(std::int64_t(shape.rows) * (shape.columns + 1) * ir::size_of(Scalar(shape.type))))
      return;
    add(shape, detail::transpose_tile(from.shape, from.nodes), from.whole);
  }
  void along() {
    const Tile from = any_tile();
    const tile_shape s = from.shape;
    if (s.rows == 1 || s.columns == 1) return;
    const int axis = int(r_.below(2));
    const op what = operation(s.type);
    const auto combined = [&](node x, node y) { return detail::apply(what, s.type, x, y); };
    const std::int64_t bytes = std::int64_t(s.rows) * s.columns * ir::size_of(Scalar(s.type));
    if (!options_.warps || r_.chance(50)) {
      if (takes(bytes)) add(s, detail::scan_tile_along(s, from.nodes, axis, combined));
    } else if (takes(bytes / 8)) {
      add({s.type, axis == 0 ? 1 : s.rows, axis == 1 ? 1 : s.columns},
          detail::reduce_tile(s, from.nodes, axis, combined));
    }
  }

  // ---- products

  struct Form {
    scalar left, right, sums;
    int rows, columns, depth;
    bool left_turned, right_turned, rounds;
    tile_shape left_shape() const {
      return left_turned ? tile_shape{left, depth, rows} : tile_shape{left, rows, depth};
    }
    tile_shape right_shape() const {
      return right_turned ? tile_shape{right, columns, depth} : tile_shape{right, depth, columns};
    }
    tile_shape sum_shape() const { return {sums, rows, columns}; }
  };
  static std::int64_t bytes_of(const tile_shape& s) {
    return ir::SharedTile{s.rows, s.columns, ir::size_of(Scalar(s.type))}.size() *
           ir::size_of(Scalar(s.type));
  }
  std::optional<Form> any_form(int slots) {
    for (int tries = 0; tries < 20; ++tries) {
      Form f{any_type(), any_type(),    scalar::none,  16 << r_.below(3), 8 << r_.below(4),
             0,          r_.chance(40), r_.chance(40), r_.chance(30)};
      const Scalar sums = ir::Product::sums_of(Scalar(f.left), Scalar(f.right));
      if (sums == Scalar::Void || !fits(f.rows, f.columns)) continue;
      f.sums = scalar(sums),
      f.depth = int(ir::Product::least_depth(Scalar(f.left)) * (1 + r_.below(3)));
      f.rounds = f.rounds && f.left == scalar::f32;
      if (takes(slots * (bytes_of(f.left_shape()) + bytes_of(f.right_shape())))) return f;
    }
    return std::nullopt;
  }
  factor turned(factor f, bool is) { return f.transposed = is, f; }
  /// From memory, or a tile that the block holds, whose elements `held` gets.
  factor factor_of(const tile_shape& s, tile_nodes& held) {
    const factor made = detail::make_factor(s, 1);
    for (const Tile& t : tiles_)
      if (t.shape.type == s.type && t.shape.rows == s.rows && t.shape.columns == s.columns &&
          (t.whole || exact_products()) && r_.chance(60))
        return detail::keep_factor(s, made, t.nodes), held = t.nodes, made;
    detail::fetch_factor(s, made, number(0), place(input(s.type), s));
    detail::end_copies(), detail::wait_for_copies(0);
    return made;
  }
  tile_nodes product(const Form& f, const factor& x, const factor& y, tile_nodes sums,
                     bool overlapped, const tile_nodes& held = {}) {
    detail::multiply({f.rows, f.columns, f.depth, f.rounds, overlapped}, turned(x, f.left_turned),
                     turned(y, f.right_turned), sums.data(), unsigned(sums.size()), held.data(),
                     unsigned(held.size()));
    return sums;
  }
  /// What products are added to: zeros where other sums might round.
  tile_nodes first_sums(const Form& f) {
    const tile_shape s = f.sum_shape();
    if (exact_products() && r_.chance(50)) return detail::copy_tile(s, operand(s));
    return detail::make_tile(s, literal(s.type, 0));
  }
  void multiply() {
    const std::optional<Form> f = any_form(1);
    if (!f) return;
    const tile_nodes sums = first_sums(*f);
    detail::meet();
    tile_nodes left, right;
    const factor x = factor_of(f->left_shape(), left), y = factor_of(f->right_shape(), right);
    detail::meet();
    if (f->left_turned) left.clear();
    add(f->sum_shape(), detail::copy_tile(f->sum_shape(), product(*f, x, y, sums, false, left)));
  }
  void pipeline() {
    const int slots = 2 + int(r_.below(3));
    const std::optional<Form> f = any_form(slots);
    if (!f) return;
    const tile_nodes sums = first_sums(*f);
    const factor x = detail::make_factor(f->left_shape(), slots),
                 y = detail::make_factor(f->right_shape(), slots);
    const node first_row = index(30, 1, false), first_column = index(30, 1, false);
    const View &left = input(f->left), &right = input(f->right);
    const auto along_depth = [&](node step) {
      return detail::apply(op::Mul, scalar::i64, step, number(f->depth));
    };
    const auto fetch = [&](node step, node slot) {
      const node k = along_depth(step);
      tile_place p{left.array, {first_row, k}, 2, false},
          q{right.array, {k, first_column}, 2, false};
      if (f->left_turned) std::swap(p.indices[0], p.indices[1]);
      if (f->right_turned) std::swap(q.indices[0], q.indices[1]);
      detail::fetch_factor(f->left_shape(), x, slot, p),
          detail::fetch_factor(f->right_shape(), y, slot, q);
    };
    const bool scaled = r_.chance(25) && exact_products();  // sums that are not only added to
    const auto body = [&](node, node slot) {
      const tile_nodes made = product(*f, detail::factor_at(f->left_shape(), x, slot),
                                      detail::factor_at(f->right_shape(), y, slot), sums,
                                      detail::in_overlapped_pipeline());
      detail::assign_tile(sums, made);
      if (scaled)
        detail::assign_tile(sums, detail::map_tile(f->sum_shape(), [&](unsigned e) {
                              return detail::apply(op::Add, f->sums, sums[e], sums[e]);
                            }));
    };
    const node steps = r_.chance(50) ? number(r_.below(5)) : detail::convert(scalar::i64, count_);
    detail::pipeline(unsigned(slots), slots >= 3, steps, fetch, body, nowhere);
    add(f->sum_shape(), detail::copy_tile(f->sum_shape(), sums));
  }

  /// To a matrix of its own.
  void store(const Tile& t) {
    std::vector<const View*> views;
    for (const View& v : outputs_)
      if (is_float(v.type) == is_float(t.shape.type)) views.push_back(&v);
    const View& v = *views[r_.below(unsigned(views.size()))];
    const node matrix = detail::apply(
        op::Add, scalar::i64, detail::apply(op::Mul, scalar::i64, block_, number(most_stores)),
        number(stores_++));
    const tile_shape shape{v.type, t.shape.rows, t.shape.columns};
    detail::store_tile(shape, t.nodes, place(v, shape, matrix));
  }

  Random r_;
  GeneratorOptions options_;
  std::int64_t threads_ = 32, shared_ = 0;
  std::vector<scalar> types_;
  std::vector<View> inputs_, outputs_;
  std::vector<Tile> tiles_;
  node count_, block_;
  int stores_ = 0;
};

}  // namespace

/// Of a seed whose arrays or code are too large the next one's.
Kernel tile_kernel(std::uint64_t seed, const GeneratorOptions& options) {
  const bool any_size = seed % 16 == 0;
  for (;; seed += 1ull << 32) {
    Kernel k = TileGenerator(seed, options).make();
    const ir::Function& f = k.module.kernel();
    if (shared_bytes_of(f, options.small) <= most_shared &&
        (any_size || f.insts.size() <= most_instructions))
      return k;
  }
}

}  // namespace krait::test::generating
