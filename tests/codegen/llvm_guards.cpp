// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that LLVM 22.1.8 compiles wrongly, and Krait has compiled rightly.
#include <gtest/gtest.h>

#include "support/plugin.h"

namespace krait::test {
namespace {

constexpr const char* empty_kernel =
    "kir 1\nkernel @f fp(strict) (%0: view<i64, 1>) {\n  return\n}\n";

/// The low bits of a vector's lanes as one number, and half of them as lanes: llvm-project issue
/// 198197. vmovmskpd takes the place of vpmovq2m and kmovb, and kshiftrb shifts a mask that nobody
/// made.
constexpr const char* masks = R"(
define void @f(ptr %p, i64 %size, i64 %step, ptr %at) noinline {
  %left = load <4 x i64>, ptr %p
  %right.at = getelementptr i64, ptr %p, i64 8
  %right = load <4 x i64>, ptr %right.at
  %x = add <4 x i64> %left, %right
  %signs = trunc <4 x i64> %x to <4 x i1>
  %bits = bitcast <4 x i1> %signs to i4
  %word = zext i4 %bits to i64
  %bits.to = getelementptr i64, ptr %p, i64 6
  store i64 %word, ptr %bits.to
  %half = shufflevector <4 x i1> %signs, <4 x i1> poison, <2 x i32> <i32 2, i32 3>
  %lanes = sext <2 x i1> %half to <2 x i64>
  %to = getelementptr i64, ptr %p, i64 4
  store <2 x i64> %lanes, ptr %to
  ret void
}
)";

TEST(LlvmGuards, MasksStayWhereAShiftReadsThem) {
  const Compiled code = compile_raw(empty_kernel, "x86-64-v4", "asm", masks, "f");
  ASSERT_EQ(code.status, 0) << code.log;
  EXPECT_EQ(count(code.data, "vpmovq2m"), 1u) << code.data;
  EXPECT_EQ(count(code.data, "kshiftrb"), 1u) << code.data;
  EXPECT_EQ(count(code.data, "vmovmskpd"), 0u) << code.data;
  EXPECT_EQ(compile_raw(empty_kernel, "x86-64-v4", "binary", masks, "f").status, 0);
}

/// A masked load, a store to its place and a choice by the mask: llvm-project issue 215453.
constexpr const char* exchange = R"(
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
define void @f(ptr %p, i64 %size, i64 %step, ptr %at) noinline {
  %mask.at = getelementptr i8, ptr %p, i64 64
  %words = load <8 x i32>, ptr %mask.at
  %mask = icmp ne <8 x i32> %words, zeroinitializer
  %before = call noundef <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> %mask, <8 x float> zeroinitializer)
  %new.at = getelementptr i8, ptr %p, i64 32
  %new = load <8 x float>, ptr %new.at
  store <8 x float> %new, ptr %p
  %shown = select <8 x i1> %mask, <8 x float> %before, <8 x float> splat (float 1.0)
  store <8 x float> %shown, ptr %new.at
  ret void
}
)";

TEST(LlvmGuards, MaskedLoadsStayBeforeStores) {
  const Compiled code = compile_raw(empty_kernel, "x86-64-v3", "llvm", exchange, "f");
  ASSERT_EQ(code.status, 0) << code.log;
  const std::size_t load = code.data.find("@llvm.masked.load"),
                    store = code.data.find("store <8 x float>");
  ASSERT_NE(load, code.data.npos) << code.data;
  ASSERT_NE(store, code.data.npos) << code.data;
  EXPECT_LT(load, store) << code.data;
  for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    EXPECT_EQ(compile_raw(empty_kernel, target, "binary", exchange, "f").status, 0) << target;
}

/// The same of an if, which the vectoriser makes a masked load and a choice of.
constexpr const char* loop = R"(
define void @f(ptr noalias %p, i64 %size, i64 %step, ptr %at) {
entry:
  %q = getelementptr i8, ptr %p, i64 65536
  br label %each
each:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %q.at = getelementptr i32, ptr %q, i64 %i
  %wanted = load i32, ptr %q.at
  %is = icmp sgt i32 %wanted, 0
  br i1 %is, label %then, label %join
then:
  %p.at = getelementptr i32, ptr %p, i64 %i
  %old = load i32, ptr %p.at
  store i32 7, ptr %p.at
  br label %join
join:
  %shown = phi i32 [ %old, %then ], [ -1, %each ]
  store i32 %shown, ptr %q.at
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 1024
  br i1 %more, label %each, label %end, !llvm.loop !0
end:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
)";

TEST(LlvmGuards, MaskedLoadsOfTheVectoriserStayBeforeStores) {
  const Compiled code = compile_raw(empty_kernel, "x86-64-v4", "llvm", loop, "f");
  ASSERT_EQ(code.status, 0) << code.log;
  const std::size_t load = code.data.find("@llvm.masked.load"),
                    store = code.data.find("@llvm.masked.store");
  ASSERT_NE(load, code.data.npos) << code.data;
  ASSERT_NE(store, code.data.npos) << code.data;
  EXPECT_LT(load, store) << code.data;
}

/// One lane of a vector that was cut to half its width: llvm-project issue 179489. The store has
/// the width of before.
constexpr const char* lone_lane = R"(
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, i32, <8 x i1>)
define void @f(ptr %p, i64 %size, i64 %step, ptr %at) noinline {
  %from = getelementptr i8, ptr %p, i64 64
  %wide = load <8 x i64>, ptr %from
  %row = trunc <8 x i64> %wide to <8 x i32>
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %row, ptr %p, i32 4, <8 x i1> <i1 false, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>)
  ret void
}
)";

TEST(LlvmGuards, ALoneLaneIsStoredAsWideAsItIs) {
  const Compiled code = compile_raw(empty_kernel, "x86-64-v4", "asm", lone_lane, "f");
  ASSERT_EQ(code.status, 0) << code.log;
  const std::string f = code.data.substr(code.data.find("\nf:"));
  EXPECT_EQ(count(f, "movl\t%e"), 1u) << code.data;
}

}  // namespace
}  // namespace krait::test
