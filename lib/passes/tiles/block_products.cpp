// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tiles on processors. There a block's threads are lanes of vectors, and a warp's part
// of a tensor core's product would be gathered lane by lane. So the block computes its product as a
// whole: its sums lie in shared memory, threads beside each other have columns beside each other,
// and each keeps some rows of some columns in registers while it walks along k. Sums that a loop
// carries from product to product stay in shared memory until its end. Each sum is the
// interpreter's chain of fma, bit by bit. Where the target takes products of words, the block packs
// the right factor into rows of them, and the left one unless it lies in plain rows.
#include <algorithm>
#include <map>
#include <numeric>

#include "ir/builder.h"
#include "ir/tiles.h"
#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/tiles/tile_places.h"
#include "support/tuning/passes.h"

namespace krait::passes {
namespace {

using namespace ir;

/// How the threads of a block share a product: in `groups`, each of which has `rows`, of `lanes`
/// threads beside each other, which have `columns` each.
struct Shares {
  std::int64_t lanes = 0, groups = 0, rows = 0, columns = 0;
  std::int64_t rows_at_once = 0, columns_at_once = 0;

  static std::optional<Shares> of(const Product& p, std::int64_t threads, std::int64_t most_sums) {
    using tuning::passes::sums_at_once;
    Shares s;
    s.lanes = std::gcd(std::gcd(std::int64_t(ThreadTile::warp), p.columns), p.right_tile().strip());
    s.groups = threads / s.lanes;
    if (p.rows % s.groups != 0) return std::nullopt;
    s.rows = p.rows / s.groups, s.columns = p.columns / s.lanes;
    s.columns_at_once = sums_at_once;
    while (s.columns % s.columns_at_once != 0) --s.columns_at_once;
    s.rows_at_once = std::gcd(sums_at_once, s.rows);
    while (s.rows_at_once > 1 && s.rows_at_once * s.columns_at_once > most_sums)
      s.rows_at_once /= 2;
    return s;
  }
};

class BlockProducts : TilePlaces {
 public:
  BlockProducts(Function& f, const TileSupport& has)
      : TilePlaces(f), has_(has), uses_(use_counts(f)) {}
  void run() {
    walk(f_.body);
    results_.apply(f_);
    std::vector<InstId>& body = f_.regions[f_.body].insts;
    body.insert(body.begin(), arrays_.begin(), arrays_.end());
  }

 private:
  /// What the block computes at once: its sums in shared memory, and where they come from.
  struct Sums {
    ValueId array = none;
    ValueId start = none;  // of every sum of the product, if the array has none yet
  };

  std::int64_t threads() const { return f_.block[0] * f_.block[1] * f_.block[2]; }
  std::optional<Shares> shares_of(const Inst& product) const {
    const std::int64_t wide = size_of(product.type.scalar) == 8 ? 2 : 1;
    return Shares::of(Product(product), threads(), has_.block_sums / wide);
  }

  bool by_words(const Inst& product) const { return has_.words(product, f_.fp); }
  bool is_taken(const Inst& product) const { return by_words(product) || shares_of(product); }

  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      b_.location(f_.insts[i].loc);
      if (f_.insts[i].op == Op::Product) {
        product(i);
        continue;
      }
      const Inst inst = f_.insts[i];
      const ProductChain chain =
          inst.op == Op::For ? product_chain(f_, uses_, inst) : ProductChain{};
      const bool kept = !chain.products.empty() && is_taken(f_.insts[chain.products[0]]);
      Sums sums;
      if (kept) {
        const Inst& first = f_.insts[chain.products[0]];
        std::vector<ValueId> from;
        for (const std::size_t c : chain.carried) from.push_back(inst.operands[1 + c]);
        sums.array = new_array(first.type.scalar, Product(first).rows * Product(first).columns);
        put(first, sums.array, from);
        b_.append(Op::Barrier, {}, {});
        for (const InstId p : chain.products) chained_[p] = sums;
      }
      f_.regions[r].insts.push_back(i);
      for (const RegionId inner : inst.regions) walk(inner);
      if (!kept) continue;
      b_.at(r);
      b_.location(inst.loc);
      b_.append(Op::Barrier, {}, {});
      const std::vector<ValueId> found = take(f_.insts[chain.products[0]], sums.array);
      for (std::size_t e = 0; e < found.size(); ++e)
        results_.replace(inst.results[chain.carried[e]], found[e]);
    }
  }

  ValueId new_array(Scalar s, std::int64_t elements) {
    const Type type = array_type(s, Space::Shared, 1, true, size_of(s));
    const RegionId here = b_.region();
    b_.at(f_.body);
    const InstId i = b_.append(Op::Shared, type, {});
    f_.regions[f_.body].insts.pop_back();
    f_.insts[i].list = {elements};
    arrays_.push_back(i);
    b_.at(here);
    return b_.add_result(i, Type(type));
  }

  /// What threads have of a product's sums, in the array or out of it.
  template <class Visit>
  void each_own(const Inst& inst, const Visit& visit) {
    const Product p(inst);
    const ThreadTile tile = *ThreadTile::of(p.rows, p.columns, threads());
    const Own of = own(tile);
    const ValueId first = binary(Op::Add, {mul(of.row, p.columns), of.column});
    for (std::int64_t e = 0; e < tile.elements(); ++e) {
      const std::int64_t fixed =
          tile.fixed_row(tile.row_of(e)) * p.columns + ThreadTile::fixed_column(tile.column_of(e));
      visit(std::size_t(e), add(first, fixed));
    }
  }
  void put(const Inst& inst, ValueId array, const std::vector<ValueId>& sums) {
    const Type element = value_type(inst.type.scalar);
    each_own(inst, [&](std::size_t e, ValueId at) {
      const ValueId operands[] = {array, at, sums[e]};
      b_.append(Op::Store, element, operands);
    });
  }
  std::vector<ValueId> take(const Inst& inst, ValueId array) {
    std::vector<ValueId> found;
    each_own(inst, [&](std::size_t, ValueId at) { found.push_back(load(array, at)); });
    return found;
  }

  ValueId load(ValueId array, ValueId at) {
    const ValueId operands[] = {array, at};
    return b_.emit(Op::Load, value_type(f_.type_of(array).scalar), operands);
  }

  void product(InstId id) {
    const Inst inst = f_.insts[id];
    if (!is_taken(inst)) {
      f_.regions[b_.region()].insts.push_back(id);
      return;
    }
    const Scalar s = inst.type.scalar;
    const bool words = by_words(inst);
    const auto shares = shares_of(inst);
    const Factors factors = words ? Factors{} : factors_of(inst, shares->lanes);
    const auto multiply_by = [&](const Sums& sums) {
      if (words) multiply_words(inst, sums);
      else multiply(inst, *shares, factors, sums);
    };
    if (const auto at = chained_.find(id); at != chained_.end()) {
      multiply_by(at->second);
      // The loop carries on what it had, which nothing reads.
      for (std::size_t e = 0; e < inst.results.size(); ++e)
        results_.replace(inst.results[e], inst.operands[product_lead + e]);
      return;
    }
    const Product p(inst);
    Sums sums{new_array(s, p.rows * p.columns), none};
    const std::vector<ValueId> from(product_sums(inst).begin(), product_sums(inst).end());
    const bool equal =
        f_.is_const(from[0]) && std::all_of(from.begin(), from.end(), [&](ValueId v) {
          return f_.is_const(v) && f_.const_bits(v) == f_.const_bits(from[0]);
        });
    if (equal && (!words || f_.const_bits(from[0]) == 0)) {
      sums.start = from[0];
      b_.append(Op::Barrier, {}, {});  // the sums of the last time have been taken
    } else {                           // by the threads that put them there
      put(inst, sums.array, from);
      b_.append(Op::Barrier, {}, {});
    }
    multiply_by(sums);
    b_.append(Op::Barrier, {}, {});
    const std::vector<ValueId> found = take(inst, sums.array);
    for (std::size_t e = 0; e < found.size(); ++e) results_.replace(inst.results[e], found[e]);
  }

  /// Rows of words of a factor; `element(row, column, i)` is element i of a word. Each thread packs
  /// every threads()-th of them.
  template <class ElementAt>
  ValueId packed_words(std::int64_t rows, std::int64_t columns, Scalar type,
                       const ElementAt& element) {
    const ValueId array = new_array(Scalar::U32, rows * columns);
    const std::int64_t all = rows * columns, per_word = 4 / size_of(type);
    b_.append(Op::Barrier, {}, {});  // what was packed the last time has been read
    const ValueId own = thread();
    const std::int64_t lanes = std::gcd(columns, threads());
    const auto one = [&](ValueId line, ValueId lane) {
      const std::int64_t parts = columns / lanes;  // of a row
      const ValueId row = parts == 1 ? line : binary(Op::Div, {line, number(parts)});
      const ValueId column =
          parts == 1 ? lane
                     : binary(Op::Add, {mul(binary(Op::Rem, {line, number(parts)}), lanes), lane});
      ValueId word = none;
      for (std::int64_t i = 0; i < per_word; ++i) {
        const ValueId bits =
            b_.cast(Scalar::U32, b_.emit(Op::Bitcast, size_of(type) == 1 ? Scalar::U8 : Scalar::U16,
                                         {element(row, column, i)}));
        const ValueId shift = number(32 / per_word * i);
        const ValueId moved = i == 0 ? bits : b_.emit(Op::Shl, Scalar::U32, {bits, shift});
        word = word == none ? moved : binary(Op::Or, {word, moved});
      }
      const ValueId operands[] = {array, binary(Op::Add, {mul(line, lanes), lane}), word};
      b_.append(Op::Store, value_type(Scalar::U32), operands);
    };
    const std::int64_t trips = (all + threads() - 1) / threads();
    repeat(trips, [&](ValueId trip) {
      const ValueId line = b_.binary(Op::Add, {mul(trip, threads() / lanes), quotient(own, lanes)}),
                    lane = rest(own, lanes);
      if (all % threads() == 0) return one(line, lane);
      append_if(b_, b_.compare(Op::Lt, {binary(Op::Add, {mul(line, lanes), lane}), number(all)}),
                [&] { one(line, lane); });
    });
    return array;
  }

  /// As one product of words: the right factor's are packed, and the left one's unless they lie in
  /// plain rows.
  void multiply_words(const Inst& inst, const Sums& sums) {
    const Product p(inst);
    const std::int64_t bytes = p.depth * size_of(p.left), per_word = 4 / size_of(p.left);
    const auto element = [&](std::size_t array, ValueId place) {
      const ValueId offset = b_.cast(Scalar::I32, inst.operands[array + 1]);
      return load(inst.operands[array], binary(Op::Add, {offset, place}));
    };
    const auto deep = [&](ValueId word, std::int64_t i) { return add(mul(word, per_word), i); };
    WordProduct w;
    w.rows = p.rows, w.columns = p.columns, w.left = p.left, w.right = p.right;
    w.step = bytes % 64 == 0 ? 16 : 8;
    w.fresh = sums.start != none;
    ValueId left = inst.operands[0], left_at = b_.cast(Scalar::I32, inst.operands[1]);
    if (p.left_padded && !p.left_transposed) {
      const SharedTile tile = p.left_tile();
      w.left_pitch = tile.pitch() * tile.elem_bytes, w.left_strip = tile.rows * w.left_pitch;
    } else {
      left =
          packed_words(p.rows, bytes / 4, p.left, [&](ValueId row, ValueId word, std::int64_t i) {
            const ValueId k = deep(word, i);
            return element(
                0, p.left_transposed ? place(p.left_tile(), k, row) : place(p.left_tile(), row, k));
          });
      left_at = number(0), w.left_pitch = bytes, w.left_strip = strip_bytes;
    }
    const ValueId right = packed_words(
        bytes / 4, p.columns, p.right, [&](ValueId word, ValueId column, std::int64_t i) {
          const ValueId k = deep(word, i);
          return element(2, p.right_transposed ? place(p.right_tile(), column, k)
                                               : place(p.right_tile(), k, column));
        });
    w.right_pitch = p.columns * 4;
    b_.append(Op::Barrier, {}, {});
    const ValueId operands[] = {sums.array, number(0),        left, left_at, right,
                                number(0),  number(bytes / 4)};
    f_.insts[b_.append(Op::WordProduct, {}, operands)].list = w.list();
  }

  /// Where the factors are: the right one in rows of the product's columns, whose neighbours are
  /// neighbours, in the type of the sums if it was packed.
  struct Factors {
    ValueId right = none;
    bool packed = false;
  };
  Factors factors_of(const Inst& inst, std::int64_t lanes) {
    const Product p(inst);
    const Scalar s = inst.type.scalar;
    const bool lies = !p.right_transposed && p.right_padded && p.right == s;
    if (lies) return {inst.operands[2], false};
    const ValueId array = new_array(s, p.depth * p.columns);
    b_.append(Op::Barrier, {}, {});  // what was packed the last time has been read
    const std::int64_t all = p.depth * p.columns, trips = (all + threads() - 1) / threads();
    const ValueId own = thread(), offset = b_.cast(Scalar::I32, inst.operands[3]);
    const std::int64_t parts = p.columns / lanes;  // of a line
    repeat(trips, [&](ValueId trip) {
      const ValueId line = b_.binary(Op::Add, {mul(trip, threads() / lanes), quotient(own, lanes)}),
                    lane = rest(own, lanes);
      const ValueId n = binary(Op::Add, {mul(line, lanes), lane});
      const auto one = [&] {
        const ValueId k = parts == 1 ? line : binary(Op::Div, {line, number(parts)});
        const ValueId column =
            parts == 1
                ? lane
                : binary(Op::Add, {mul(binary(Op::Rem, {line, number(parts)}), lanes), lane});
        const ValueId at = p.right_transposed ? place(p.right_tile(), column, k)
                                              : place(p.right_tile(), k, column);
        const ValueId x = b_.cast(s, load(inst.operands[2], binary(Op::Add, {offset, at})));
        const ValueId operands[] = {array, n, x};
        b_.append(Op::Store, value_type(s), operands);
      };
      if (all % threads() == 0) {
        one();
      } else {
        append_if(b_, b_.compare(Op::Lt, {n, number(all)}), one);
      }
    });
    b_.append(Op::Barrier, {}, {});
    return {array, true};
  }

  void multiply(const Inst& inst, const Shares& s, const Factors& factors, const Sums& sums) {
    const Product p(inst);
    const Scalar type = inst.type.scalar;
    const ValueId t = thread(), lane = rest(t, s.lanes), group = quotient(t, s.lanes);
    const std::int64_t row_parts = s.rows / s.rows_at_once,
                       column_parts = s.columns / s.columns_at_once;
    repeat(row_parts * column_parts, [&](ValueId part) {
      const ValueId row_part =
                        column_parts == 1 ? part : binary(Op::Div, {part, number(column_parts)}),
                    column_part = column_parts == 1 ? number(0)
                                                    : binary(Op::Rem, {part, number(column_parts)});
      const ValueId row = b_.binary(Op::Add, {mul(group, s.rows), mul(row_part, s.rows_at_once)});
      // Without the lane: a lane's neighbour has the next column, wherever the first one lies.
      const ValueId column = mul(column_part, s.columns_at_once * s.lanes);
      const ValueId first = binary(Op::Add, {binary(Op::Add, {mul(row, p.columns), column}), lane});
      const auto each = [&](const auto& visit) {
        for (std::int64_t r = 0; r < s.rows_at_once; ++r)
          for (std::int64_t c = 0; c < s.columns_at_once; ++c)
            visit(r, c, r * p.columns + c * s.lanes);
      };
      std::vector<ValueId> all;
      each([&](std::int64_t, std::int64_t, std::int64_t at) {
        all.push_back(sums.start != none ? sums.start : load(sums.array, add(first, at)));
      });
      // Steps of k within which addresses grow evenly.
      const std::int64_t step =
          std::gcd(p.depth, std::min(p.left_tile().strip(), p.right_tile().strip()));
      all = loop(p.depth / step, all, [&](ValueId k_step, const std::vector<ValueId>& before) {
        const ValueId k0 = mul(k_step, step);
        std::vector<ValueId> starts;
        for (std::int64_t c = 0; c < s.columns_at_once; ++c) {
          const ValueId own = add(column, c * s.lanes);
          const ValueId start = factors.packed
                                    ? binary(Op::Add, {mul(k0, p.columns), own})
                                    : b_.binary(Op::Add, {b_.cast(Scalar::I32, inst.operands[3]),
                                                          place(p.right_tile(), k0, own)});
          starts.push_back(binary(Op::Add, {start, lane}));
        }
        const std::int64_t right_pitch = factors.packed ? p.columns : p.right_tile().pitch();
        const ValueId left = b_.cast(Scalar::I32, inst.operands[1]);
        const bool even = p.left_padded;
        const auto left_place = [&](ValueId own_row, ValueId k) {
          return p.left_transposed ? place(p.left_tile(), k, own_row)
                                   : place(p.left_tile(), own_row, k);
        };
        const std::int64_t along_k = p.left_transposed ? p.left_tile().pitch() : 1,
                           down = p.left_transposed ? 1 : p.left_tile().pitch();
        const ValueId left_start = even ? binary(Op::Add, {left, left_place(row, k0)}) : none;
        return loop(step, before, [&](ValueId k, const std::vector<ValueId>& carried) {
          std::vector<ValueId> x, y, next;
          for (std::int64_t r = 0; r < s.rows_at_once; ++r) {
            const auto anywhere = [&] {
              const ValueId own_row = add(row, r);
              return binary(Op::Add, {left, left_place(own_row, binary(Op::Add, {k0, k}))});
            };
            const ValueId at =
                even ? add(binary(Op::Add, {left_start, mul(k, along_k)}), r * down) : anywhere();
            x.push_back(b_.cast(type, load(inst.operands[0], at)));
          }
          for (std::int64_t c = 0; c < s.columns_at_once; ++c)
            y.push_back(load(factors.right,
                             binary(Op::Add, {starts[std::size_t(c)], mul(k, right_pitch)})));
          each([&](std::int64_t r, std::int64_t c, std::int64_t) {
            const ValueId sum = carried[next.size()], l = x[std::size_t(r)], m = y[std::size_t(c)];
            next.push_back(is_float(type) ? b_.emit(Op::Fma, type, {l, m, sum})
                                          : binary(Op::Add, {sum, binary(Op::Mul, {l, m})}));
          });
          return next;
        });
      });
      std::size_t e = 0;
      each([&](std::int64_t, std::int64_t, std::int64_t at) {
        const ValueId operands[] = {sums.array, add(first, at), all[e++]};
        b_.append(Op::Store, value_type(type), operands);
      });
    });
  }

  const TileSupport has_;
  const std::vector<std::uint32_t> uses_;
  std::vector<InstId> arrays_;
  std::map<InstId, Sums> chained_;
  Substitution results_;
};

}  // namespace

void block_products(Module& m, const TileSupport& has) {
  for (Function& f : m.functions)
    if (any_inst(f, [](const Inst& i) { return i.op == Op::Product; })) BlockProducts(f, has).run();
}

}  // namespace krait::passes
