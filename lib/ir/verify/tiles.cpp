// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/verify/tiles.h"

#include "ir/hidden.h"
#include "ir/tiles.h"

namespace krait::ir {
namespace {

class TileCheck {
 public:
  TileCheck(const Function& f, const Inst& inst) : f_(f), inst_(inst) {}

  std::string all() const {
    switch (inst_.op) {
      case Op::Product: return product();
      case Op::ProductEnd: return sums(0);
      case Op::WordProduct: return word_product();
      case Op::CopyRow:
      case Op::CopyBack: return copy();
      case Op::CopyTile: return copy_tile();
      case Op::CopyWait:
        return inst_.list.size() == 1 && inst_.list[0] >= 0
                   ? nothing()
                   : needs("the number of groups that it does not wait for");
      default: return inst_.list.empty() ? nothing() : "has no list as attribute";
    }
  }
  /// A result for each operand behind the first ones, and of its type.
  std::string sums(std::size_t lead) const { return sums(lead, count()); }
  std::string sums(std::size_t lead, std::size_t end) const {
    if (end <= lead || inst_.results.size() != end - lead) return needs("a result for each sum");
    for (std::size_t i = lead; i < end; ++i)
      if (operand(i) != value_type(inst_.type.scalar) || result(i - lead) != operand(i) ||
          !in_class(scalar(i)))
        return needs("sums of one type");
    return {};
  }
  bool is_shared_array(std::size_t i) const {
    return operand(i).space == Space::Shared && operand(i).rank == 1;
  }
  std::string product() const {
    if (inst_.list.size() != 6)
      return needs("rows, columns, depth, two types and how they are stored");
    const Product p(inst_);
    const std::int64_t threads = f_.block[0] * f_.block[1] * f_.block[2];
    if (threads <= 0) return needs("a kernel with a fixed block");
    if (std::string wrong = p.misfit(threads); !wrong.empty()) return wrong;
    if (count() < product_lead || !is_shared_array(0) || !is_shared_array(2) ||
        !is_int(scalar(1)) || !is_int(scalar(3)))
      return needs("two shared arrays of one dimension, each with an offset");
    if (operand(0).elem_bytes != size_of(p.left) || operand(2).elem_bytes != size_of(p.right))
      return "an array's elements do not have the size of the factor's";
    if (inst_.type.scalar != Product::sums_of(p.left, p.right))
      return "the sums do not have the type of such products";
    const std::int64_t elements = ThreadTile::of(p.rows, p.columns, threads)->elements();
    const std::size_t end = product_lead + std::size_t(elements);
    if (count() < end)
      return needs(std::to_string(elements) + " sums per thread, not " +
                   std::to_string(count() - product_lead));
    if (count() > end) {
      const std::optional<ThreadTile> left = ThreadTile::of(p.rows, p.depth, threads);
      if (!left || p.left_transposed || std::int64_t(count() - end) != left->elements())
        return needs("behind its " + std::to_string(elements) +
                     " sums nothing, or the elements of the left factor");
      for (std::size_t i = end; i < count(); ++i)
        // of the factor's type, or its bits (lower_types)
        if (operand(i) != value_type(scalar(i)) || size_of(scalar(i)) != size_of(p.left))
          return needs("elements of the left factor's size");
    }
    return sums(product_lead, end);
  }
  std::string word_product() const {
    if (inst_.list.size() != WordProduct::numbers)
      return needs("rows, columns, words of a step, two types, three pitches and where sums begin");
    if (std::string wrong = WordProduct(inst_).misfit(); !wrong.empty()) return wrong;
    for (const std::size_t i : {WordProduct::sums, WordProduct::left_at, WordProduct::right_at})
      if (!operand(i).is_array() || operand(i).rank != 1 || !is_int(scalar(i + 1)))
        return needs("three arrays of one dimension, each with an index");
    if (!is_shared_array(WordProduct::sums) || operand(WordProduct::sums).elem_bytes != 4)
      return needs("sums in a shared array of 32 bits");
    return is_int(scalar(WordProduct::words)) ? nothing() : needs("a number of words");
  }
  std::string copy() const {
    if (inst_.list.size() != 1 || inst_.list[0] < 1) return needs("a number of elements");
    const CopyOperands at = copy_operands(inst_.op);
    if (count() <= at.indices || !is_shared_array(at.shared) || !is_int(scalar(at.shared + 1)) ||
        !is_int(scalar(at.count)))
      return needs(
          "a shared array of one dimension, an index, a count and a view with its indices");
    const Type &view = operand(at.view), &array = operand(at.shared);
    if (view.space != Space::Global || view.scalar != array.scalar ||
        view.elem_bytes != array.elem_bytes)
      return "the view and the shared array do not have elements of one type";
    if (inst_.op == Op::CopyBack && !view.writable) return "the view is read-only";
    if (count() != at.indices + (f_.flat ? 1u : view.rank))
      return needs("an index for each dimension of the view");
    for (std::size_t i = at.indices; i < count(); ++i)
      if (!is_int(scalar(i))) return needs("integer indices");
    return nothing();
  }
  std::string copy_tile() const {
    if (inst_.list.size() != 3 || inst_.list[0] < 1 || inst_.list[1] < 1 || inst_.list[2] < 0 ||
        inst_.list[2] > TileCopy::all_bits)
      return needs("rows, columns and whether all are inside");
    if (count() <= TileCopy::indices || !is_shared_array(TileCopy::shared) ||
        !is_int(scalar(TileCopy::offset)))
      return needs("a shared array of one dimension, an offset and a view with its indices");
    const Type &view = operand(TileCopy::view), &array = operand(TileCopy::shared);
    if (view.space != Space::Global || view.scalar != array.scalar ||
        view.elem_bytes != array.elem_bytes)
      return "the view and the shared array do not have elements of one type";
    if (view.rank < 2) return needs("a view of two dimensions or more");
    const std::size_t end = TileCopy::indices + view.rank;
    const bool map = count() == end + 1 && operand(end) == type_of(HiddenKind::TileMap);
    if (count() != end && !map) return needs("an index for each dimension of the view");
    for (std::size_t i = TileCopy::indices; i < end; ++i)
      if (!is_int(scalar(i))) return needs("integer indices");
    return nothing();
  }

 private:
  std::size_t count() const { return inst_.operands.size(); }
  const Type& operand(std::size_t i) const { return f_.type_of(inst_.operands[i]); }
  const Type& result(std::size_t i) const { return f_.type_of(inst_.results[i]); }
  Scalar scalar(std::size_t i) const {
    return operand(i).is_value() ? operand(i).scalar : Scalar::Void;
  }
  bool in_class(Scalar s) const { return takes(info(inst_.op), s); }
  std::string nothing() const { return inst_.results.empty() ? "" : "has no result"; }
  static std::string needs(std::string what) { return "needs " + std::move(what); }

  const Function& f_;
  const Inst& inst_;
};

}  // namespace

std::string broken_tile(const Function& f, const Inst& inst) { return TileCheck(f, inst).all(); }

}  // namespace krait::ir
