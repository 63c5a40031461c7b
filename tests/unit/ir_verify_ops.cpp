// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rule of ops.def has an instruction that breaks it, and verify says which.
#include <gtest/gtest.h>

#include "ir/text/text.h"

namespace krait::ir {
namespace {

/// What verify says about a body with a parameter of each kind: %f %g f32, %d f64, %i i32, %l i64,
/// %u u32, %b bool, %h i16, %x read-only view, %y view, %z two-dimensional view, %a aggregates of
/// 24 bytes, %p bool view, %v an aggregate by value.
std::string verdict(const std::string& lines, const std::string& attributes = "") {
  const ParseResult r = parse(
      "kir 1\nkernel @k fp(native) " + attributes +
      " (%f: f32, %g: f32, %d: f64, %i: i32, %l: i64, %u: u32, %b: bool, %h: i16, %x: view<f32, 1, const>, "
      "%y: view<f32, 1>, %z: view<i32, 2>, %a: view<bytes(24), 1>, %p: view<bool, 1>, %v: argument<bytes(12), 1, const>) {\n" +
      lines + "\nreturn\n}\n");
  if (!r.error.empty()) return "parser: " + r.error;
  std::string out = verify(r.module);
  if (const std::size_t at = out.rfind("': "); at != std::string::npos) out = out.substr(at + 3);
  return out;
}

struct Case {
  const char* line;
  const char* wrong;
};
void check(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(verdict(c.line), c.wrong) << c.line;
}

TEST(IrVerifyOps, RulesOfTheTable) {
  check({
      {"%r: f32 = add %f, %g", ""},
      {"%r: f32 = add %f, %d", "needs operands of one type"},
      {"%r: f64 = add %f, %g", "needs one result of type f32"},
      {"add %f, %g", "needs one result of type f32"},
      {"%r: bool = add %b, %b", "needs operands of integer or float type"},
      {"%r: f32 = rem %f, %g", "needs operands of integer type"},
      {"%r: f32 = and %f, %g", "needs operands of bool or integer type"},
      {"%r: i32 = exp %i", "needs operands of float type"},
      {"%r: bool = lt %f, %d", "needs two operands of one integer or float type"},
      {"%r: bool = lt %b, %b", "needs two operands of one integer or float type"},
      {"%r: i32 = lt %i, %i", "needs one result of type bool"},
      {"%r: bool = isnan %i", "needs an operand of float type"},
      {"%r: f32 = isnan %f", "needs one result of type bool"},
      {"%r: i32 = shl %i, %l", ""},
      {"%r: i32 = shl %i, %f", "needs integer operands"},
      {"%r: f32 = shl %f, %i", "needs integer operands"},
      {"%r: i64 = shl %i, %l", "needs one result of type i32"},
      {"%r: f32 = select %i, %f, %g", "needs a bool and two operands of one type"},
      {"%r: f32 = select %b, %f, %d", "needs a bool and two operands of one type"},
      {"%r: f64 = select %b, %f, %g", "needs one result of type f32"},
      {"%r: bool = cast %f", ""},
      {"cast %f", "needs one scalar result"},
      {"%r: slot<f32> = cast %f", "needs one scalar result"},
      {"%r: i32 = bitcast %f", ""},
      {"%r: i64 = bitcast %f", "needs one result of the operand's size, not bool"},
      {"%r: i32 = bitcast %b", "needs an operand of integer or float type"},
      {"%r: i32 = popcount %l", ""},
      {"%r: i64 = popcount %l", "needs one result of type i32"},
      {"%r: i32 = popcount %f", "needs an operand of integer type"},
      {"%r: i32 = thread_idx {0}", "needs one result of type i64"},
      {"%r: i64 = thread_idx {3}", "the dimension is 0, 1 or 2"},
      {"%r: f32 = add %x, %x", "an array is used as a value"},
  });
}

TEST(IrVerifyOps, Tiles) {
  const auto broken = [](const std::string& line, const char* attributes = "block(32, 1, 1)") {
    return verdict(
        "%s: shared<f16, 1> = shared {1024}\n%t: shared<i32, 1> = shared {64}\n%w: shared<f32, 1> = shared {64}\n" +
            line,
        attributes);
  };
  const std::string sums = "%r: f32, %r1: f32, %r2: f32, %r3: f32 = product ",
                    four = ", %f, %f, %f, %f";
  EXPECT_EQ(broken(sums + "%s, %i, %s, %l" + four + " {16, 8, 16, f16, f16, 2}"), "");
  EXPECT_EQ(broken(sums + "%s, %i, %s, %i" + four),
            "needs rows, columns, depth, two types and how they are stored");
  EXPECT_EQ(broken(sums + "%s, %i, %s, %i" + four + " {16, 8, 16, f16, f16, 0}", ""),
            "needs a kernel with a fixed block");
  EXPECT_EQ(broken(sums + "%s, %i, %s, %i" + four + " {16, 8, 16, f16, bf16, 0}"),
            "there is no product of f16 and bf16");
  EXPECT_EQ(broken(sums + "%s, %i, %s, %i" + four + " {16, 8, 8, f16, f16, 0}"),
            "the depth of a product of f16 is a multiple of 16, not 8");
  EXPECT_EQ(broken(sums + "%s, %i, %x, %i" + four + " {16, 8, 16, f16, f16, 0}"),
            "needs two shared arrays of one dimension, each with an offset");
  EXPECT_EQ(broken(sums + "%s, %i, %s, %i" + four + " {16, 8, 8, f32, f32, 0}"),
            "an array's elements do not have the size of the factor's");
  EXPECT_EQ(
      broken(
          "%r: f64, %r1: f64, %r2: f64, %r3: f64 = product %s, %i, %s, %i, %d, %d, %d, %d {16, 8, 16, f16, f16, 0}"),
      "the sums do not have the type of such products");
  EXPECT_EQ(broken("%r: f32 = product %s, %i, %s, %i, %f {16, 8, 16, f16, f16, 0}"),
            "needs 4 sums per thread, not 1");
  EXPECT_EQ(broken(sums + "%s, %i, %s, %i" + four + ", %f {16, 8, 16, f16, f16, 0}"),
            "needs behind its 4 sums nothing, or the elements of the left factor");
  EXPECT_EQ(broken(sums + "%s, %i, %s, %i" + four + four + four + " {16, 8, 16, f16, f16, 0}"),
            "needs elements of the left factor's size");
  EXPECT_EQ(broken("%r: f32 = product %s, %i, %s, %i" + four + " {16, 8, 16, f16, f16, 0}"),
            "needs a result for each sum");
  EXPECT_EQ(broken("%r: f32, %r1: f64 = product_end %f, %d"), "needs sums of one type");
  const std::string words = "word_product %t, %i, %s, %l, %s, %i, %i",
                    bytes = "{16, 16, 16, i8, u8, 128, 2048, 64, 1}";
  EXPECT_EQ(broken(words + bytes), "");
  EXPECT_EQ(broken(words + "{16, 16, 16, i8, u8, 128, 2048, 64, 1}", ""),
            "");  // of blocks of any size
  EXPECT_EQ(broken(words + "{16, 16, 16, i8, bf16, 128, 2048, 64, 1}"),
            "there is no product of words of i8 and bf16");
  EXPECT_EQ(broken(words + "{16, 24, 16, i8, u8, 128, 2048, 96, 1}"),
            "rows and columns are multiples of 16");
  EXPECT_EQ(broken(words + "{16, 16, 4, i8, u8, 128, 2048, 64, 1}"), "a step has 8 or 16 words");
  EXPECT_EQ(broken(words + "{16, 16, 16, i8, u8, 32, 2048, 64, 1}"),
            "a row is shorter than its words");
  EXPECT_EQ(broken(words),
            "needs rows, columns, words of a step, two types, three pitches and where sums begin");
  EXPECT_EQ(broken("word_product %t, %i, %s, %f, %s, %i, %i" + bytes),
            "needs three arrays of one dimension, each with an index");
  EXPECT_EQ(broken("word_product %s, %i, %s, %i, %s, %i, %i" + bytes),
            "needs sums in a shared array of 32 bits");
  EXPECT_EQ(broken("word_product %t, %i, %s, %i, %s, %i, %f" + bytes), "needs a number of words");
  EXPECT_EQ(broken("copy_row %w, %i, %i, %y, %l {4}"), "");
  EXPECT_EQ(broken("copy_row %w, %i, %i, %y, %l"), "needs a number of elements");
  EXPECT_EQ(broken("copy_row %y, %i, %i, %y, %l {4}"),
            "needs a shared array of one dimension, an index, a count and a view with its indices");
  EXPECT_EQ(broken("copy_row %s, %i, %i, %y, %l {4}"),
            "the view and the shared array do not have elements of one type");
  EXPECT_EQ(broken("copy_row %t, %i, %i, %z, %l {4}"),
            "needs an index for each dimension of the view");
  EXPECT_EQ(broken("copy_row %w, %i, %i, %y, %f {4}"), "needs integer indices");
  EXPECT_EQ(broken("copy_tile %t, %i, %z, %l, %i {8, 32, 0}"), "");
  EXPECT_EQ(broken("copy_tile %t, %i, %z, %l, %i {8, 32}"),
            "needs rows, columns and whether all are inside");
  EXPECT_EQ(broken("copy_tile %t, %f, %z, %l, %i {8, 32, 0}"),
            "needs a shared array of one dimension, an offset and a view with its indices");
  EXPECT_EQ(broken("copy_tile %s, %i, %z, %l, %i {8, 32, 0}"),
            "the view and the shared array do not have elements of one type");
  EXPECT_EQ(broken("copy_tile %w, %i, %y, %l {8, 32, 0}"),
            "needs a view of two dimensions or more");
  EXPECT_EQ(broken("copy_tile %t, %i, %z, %l {8, 32, 0}"),
            "needs an index for each dimension of the view");
  EXPECT_EQ(broken("copy_tile %t, %i, %z, %l, %i, %x {8, 32, 0}"),
            "needs an index for each dimension of the view");
  EXPECT_EQ(broken("copy_tile %t, %i, %z, %l, %f {8, 32, 0}"), "needs integer indices");
  EXPECT_EQ(broken("copy_back %x, %w, %i, %i, %l {4}"), "the view is read-only");
  EXPECT_EQ(broken("copy_wait"), "needs the number of groups that it does not wait for");
}

TEST(IrVerifyOps, AttributesStandWhereTheyMeanSomething) {
  check({
      {"%r: f32 = neg %f {1}", "has no number as attribute"},
      {"barrier {1}", "has no number as attribute"},
      {"fence {3}", "the scope is 0, 1 or 2"},
      {"neg.f32 %f", "only store and store_vec have a type without a result"},
      {"print %f {\"x={:.2f} {{}}\"}", ""},
      {"fault", ""},
      {"print %f", "the text \"\" has 0 places {} for 1 value"},
      {"fault %x {\"{}\"}", "an array is used as a value"},
  });
}

TEST(IrVerifyOps, Arrays) {
  check({
      {"%r: local<f32, 2> = local {3, 4}", ""},
      {"%k: i64 = const 5\n %r: shared<f32, 1> = shared %k {0}", ""},
      {"%r: shared<f32, 1> = shared {0}", "needs the first extent as operand"},
      {"%r: shared<f32, 1> = shared %f {0}", "needs an operand of type i64"},
      {"%k: i64 = const 5\n %r: shared<f32, 1> = shared %k {4}", "needs no operand"},
      {"%r: shared<f32, 1> = local {3}", "needs one result, an array in that space"},
      {"%r: local<f32, 2> = local {3}", "needs one to six extents, as many as the rank"},
      {"%r: local<f32, 0> = local {1}", "needs one to six extents, as many as the rank"},
      {"%r: local<f32, 1> = local {0}", "extents are positive"},
      {"%r: shared<f32, 2> = shared {4, 0}", "extents are positive"},
      {"%r: local<f32, 1> = local {-1}", "extents are positive"},
      {"%r: local<f32, 1, const> = local {1}", "the array is writable"},
      {"%r: local<f32, 1> = local {9223372036854775807}", "the array is too large"},
      {"%r: local<f32, 4> = local {65536, 65536, 65536, 65536}", "the array is too large"},
      {"%r: local<bytes(0), 1> = local {1}", "the element has no size, or not that of its type"},
      {"%r: i64 = extent %f {0}", "needs an array and one of its dimensions"},
      {"%r: i64 = extent %x {1}", "needs an array and one of its dimensions"},
      {"%r: i32 = stride %x {0}", "needs one result of type i64"},
      {"if %b {\n%r: shared<f32, 1> = shared {1}\nyield\n}",
       "shared arrays are declared in the body itself"},
  });
}

TEST(IrVerifyOps, Clusters) {
  const auto verdict = [](const std::string& attribute, const std::string& lines) {
    const ParseResult r = parse("kir 1\nkernel @k fp(strict) " + attribute +
                                " (%x: view<f32, 1>, %i: i32, %n: i64) {\n%s: shared<f32, 1> = "
                                "shared {4}\n" +
                                lines + "\nreturn\n}");
    EXPECT_EQ(r.error, "");
    const std::string out = verify(r.module);
    const std::size_t at = out.rfind("': ");
    return at == std::string::npos ? out : out.substr(at + 3);
  };
  const std::string in = "cluster(2, 1, 1)";
  EXPECT_EQ(
      verdict(in, "cluster_barrier\n%c: cluster<f32, 1> = shared_of %s, %i\n%v: f32 = load %c, %n"),
      "");
  EXPECT_EQ(verdict("", "cluster_barrier"), "needs a kernel of clusters");
  EXPECT_EQ(verdict("", "%c: cluster<f32, 1> = shared_of %s, %i"), "needs a kernel of clusters");
  EXPECT_EQ(verdict(in, "%c: cluster<f32, 1> = shared_of %x, %i"),
            "needs a shared array and an i32 rank");
  EXPECT_EQ(verdict(in, "%c: cluster<f32, 1> = shared_of %s, %n"),
            "needs a shared array and an i32 rank");
  EXPECT_EQ(verdict(in, "%c: cluster<i32, 1> = shared_of %s, %i"),
            "needs one result, the array in the cluster");
  EXPECT_EQ(verdict(in, "%c: cluster<f32, 1> = shared_of %s, %i\n%e: i64 = extent %c {0}"),
            "needs the shared array itself");
}

TEST(IrVerifyOps, Accesses) {
  check({
      {"%r: f32 = load %x, %h", ""},
      {"%r: f32 = load %f, %i", "needs an array first"},
      {"store.f32", "needs an array first"},
      {"store.f32 %f, %f", "needs an array first"},
      {"%r: i32 = atomic_add", "needs an array first"},
      {"store_vec.f32", "needs an array and a flat index"},
      {"%r: f32 = load %x", "needs 1 index after the array"},
      {"%r: f32 = load %x, %i, %i", "needs 1 index after the array"},
      {"%r: i32 = load %z, %i", "needs 2 indices after the array"},
      {"%r: f32 = load %x, %f", "needs integer indices"},
      {"%r: f64 = load %x, %i", "the type is not that of the elements"},
      {"%r: f32 = load %x, %i {4}", "only aggregates have a byte offset"},
      {"load %x, %i", "needs one scalar result"},
      {"%r: f64 = load %a, %i {16}", ""},
      {"%r: f64 = load %a, %i {17}", "the byte offset leaves the element"},
      {"%r: f64 = load %a, %i {18446744073709551615}", "the byte offset leaves the element"},
      {"store.f32 %y, %i, %f", ""},
      {"store.f32 %x, %i, %f", "the view is read-only"},
      {"store.f32 %y, %f", "needs 1 index and 1 value after the array"},
      {"store.f64 %y, %i, %f", "the type is not that of the value"},
      {"store.f64 %y, %i, %d", "the type is not that of the elements"},
      {"%r: f32 = store %y, %i, %f", "has no result"},
      {"store.f64 %a, %i, %d {20}", "the byte offset leaves the element"},
      {"%r: f32 = load %v, %i {8}", ""},
      {"%r: f32 = load %v, %i {13}", "the byte offset leaves the argument"},
  });
  EXPECT_EQ(verdict("%r: i32 = load %z, %i, %i"), "");
  EXPECT_EQ(verdict("%r: i32 = load %z, %i", "flat"), "");
  EXPECT_EQ(verdict("%r: i32 = load %z, %i, %i", "flat"), "needs 1 index after the array");
}

TEST(IrVerifyOps, VectorAccesses) {
  check({
      {"%r: f32, %s: f32, %t: f32, %w: f32 = load_vec %x, %i", ""},
      {"%r: f32, %s: f32, %t: f32 = load_vec %x, %i",
       "needs 2, 4, 8 or 16 elements, at most 16 bytes"},
      {"%r: f32 = load_vec %x, %i", "needs 2, 4, 8 or 16 elements, at most 16 bytes"},
      {"%r: f32, %s: f64 = load_vec %x, %i", "the type is not that of the elements"},
      {"%r: bool, %s: bool = load_vec %p, %i", "needs elements of integer or float type"},
      {"%r: f32, %s: f32 = load_vec %x, %f", "needs integer indices"},
      {"%r: f32, %s: f32 = load_vec %f, %i", "needs an array and a flat index"},
      {"store_vec.f32 %y, %i, %f, %g", ""},
      {"store_vec.f32 %x, %i, %f, %g", "the view is read-only"},
      {"store_vec.f32 %y, %i, %f, %d", "the type is not that of the elements"},
      {"store_vec %y, %i, %f, %g", "the type is not that of the elements"},
      {"store_vec.f32 %y", "needs an array and a flat index"},
      {"%r: f32, %s: f32 = load_vec %v, %i", "needs a view, shared or local array"},
  });
}

TEST(IrVerifyOps, Atomics) {
  check({
      {"%r: f32 = atomic_add %y, %i, %f", ""},
      {"%r: f32 = atomic_cas %y, %i, %f, %g", ""},
      {"%r: f32 = atomic_cas %y, %i, %f", "needs 1 index and 2 values after the array"},
      {"%r: f32 = atomic_cas %y, %i, %d, %g", "needs two values of one type"},
      {"%r: f32 = atomic_add %x, %i, %f", "the view is read-only"},
      {"%r: f32 = atomic_and %y, %i, %f", "needs a value of 32- or 64-bit integer type"},
      {"%r: i16 = atomic_add %a, %i, %h", "needs a value of 32- or 64-bit integer or float type"},
      {"%r: f64 = atomic_add %y, %i, %d", "the type is not that of the elements"},
      {"%r: f64 = atomic_add %y, %i, %f", "needs one result of type f32"},
      {"%r: f32 = atomic_load.release %y, %i", "a load has nothing to release"},
      {"%m: local<f32, 1> = local {2}\n%r: f32 = atomic_add %m, %i, %f",
       "needs a view or a shared array"},
  });
}

TEST(IrVerifyOps, BlockAndWarp) {
  check({
      {"%r: i64 = clock", ""},
      {"%r: i32 = clock", "needs one result of type i64"},
      {"nanosleep %f", "needs an operand of type u32"},
      {"assume %b", ""},
      {"assume %i", "needs a bool operand"},
      {"%r: i32 = barrier", "has no result"},
      {"%r: i32 = barrier_count %i", "needs a bool operand"},
      {"%r: bool = barrier_count %b", "needs one result of type i32"},
      {"%r: i32 = barrier_and %i", "needs operands of bool type"},
      {"%r: i64 = lane_id", "needs one result of type i32"},
      {"%r: u64 = ballot %i", "needs a bool operand"},
      {"%r: i64 = ballot %b", "needs one result of type u64"},
      {"%r: f32 = shuffle %f, %l", "needs a value and an i32 lane"},
      {"%r: f64 = shuffle %f, %i", "needs one result of type f32"},
      {"%r: f32 = dot_pairs %i, %i, %f", "needs two u32 and an f32"},
      {"%r: i32 = warp_reduce %i {6}", "the attribute is 0 (add) to 5 (xor)"},
  });
}

TEST(IrVerifyOps, Slots) {
  check({
      {"%s: slot<f32> = slot %f\n%r: f32 = get %s\nset %s, %r", ""},
      {"%s: slot<f64> = slot %f", "needs one result, a slot of the operand's type"},
      {"%s: slot<f32> = slot %f\n%r: f64 = get %s", "needs one result of type f32"},
      {"%r: f32 = get %f", "needs a slot"},
      {"%s: slot<f32> = slot %f\nset %s, %d", "needs a slot and a value of its type"},
      {"set %f, %f", "needs a slot and a value of its type"},
      {"%s: slot<f32> = slot %f\n%r: f32 = neg %s", "a slot may be used only by get and set"},
      {"%s: slot<f32> = slot %f\nset %s, %s", "a slot may be used only by get and set"},
      {"%s: slot<f32> = slot %f\n%t: slot<f32> = slot %s",
       "a slot may be used only by get and set"},
  });
}

TEST(IrVerifyOps, Branches) {
  check({
      {"if %i {\nyield\n}", "needs a bool condition"},
      {"if %b {\n^(%p0: f32):\nyield\n}", "its regions have no parameters"},
      {"%r: f32 = if %b {\nyield %f\n} else {\nyield %d\n}",
       "its operands do not match the results"},
      {"if %b {\nyield %f\n}", "its operands do not match the results"},
      {"%r: f32, %s: f32 = if %b {\nyield %f, %g\n} else {\nyield %f\n}",
       "its operands do not match the results"},
      {"%r: slot<f32> = if %b {\nreturn\n} else {\nreturn\n}", "needs scalar results"},
      {"switch %f {\ndefault: {\nyield\n}\n}", "needs an integer selector"},
      {"switch %i {\ncase 1: {\nyield\n}\ncase 1: {\nyield\n}\ndefault: {\nyield\n}\n}",
       "two cases have one value"},
      {"switch %h {\ncase 32768: {\nyield\n}\ndefault: {\nyield\n}\n}",
       "a case value is out of range of the selector's type"},
      {"switch %u {\ncase -1: {\nyield\n}\ndefault: {\nyield\n}\n}",
       "a case value is out of range of the selector's type"},
      {"switch %l {\ncase -9223372036854775808: {\nyield\n}\ndefault: {\nyield\n}\n}", ""},
  });
}

TEST(IrVerifyOps, Loops) {
  check({
      {"%r: f32 = loop %f {\n^(%c: f32):\nif %b {\nbreak %c\n}\ncontinue %c\n}", ""},
      {"loop %f {\n^(%c: f32):\nreturn\n}", "needs a result for each carried value"},
      {"%r: f64 = loop %f {\n^(%c: f32):\nreturn\n}",
       "a result's type is not that of its carried value"},
      {"%r: f32 = loop %f {\n^(%c: f64):\nreturn\n}",
       "a parameter's type is not that of its operand"},
      {"%r: f32 = loop %f {\nreturn\n}", "needs a parameter for each operand"},
      {"%r: f32 = loop %f {\n^(%c: f32):\nbreak\n}",
       "its operands do not match the carried values of the innermost loop"},
      {"%r: f32 = loop %f {\n^(%c: f32):\ncontinue %d\n}",
       "its operands do not match the carried values of the innermost loop"},
      {"%r: f32 = loop %f {\n^(%c: f32):\nloop {\nbreak %c\n}\nreturn\n}",
       "its operands do not match the carried values of the innermost loop"},
      {"loop {\nyield\n}", "yield ends the regions of if and switch"},
      {"for {\nbreak\n}", "needs a bound"},
      {"for %i {\n^(%c: i32):\nbreak\n}", "needs a count of type u32 or u64"},
      {"for %u {\n^(%c: u64):\nbreak\n}", "a parameter's type is not that of its operand"},
      {"grid_stride %i {\n^(%c: i32):\nbreak\n}", "needs a bound of type i64"},
      {"if %b {\nbreak\n}", "there is no loop around it"},
      {"if %b {\ncontinue\n}", "there is no loop around it"},
  });
}

}  // namespace
}  // namespace krait::ir
