// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of neighbours (examples/neighbours) say where something is missing.
#include "neighbours/neighbour.h"

#include <gtest/gtest.h>

namespace {

template <class Call>
std::string said(Call call) {
  try {
    call();
  } catch (const missing& e) {
    return e.what();
  }
  return "nothing";
}

TEST(Neighbour, AMissingLibraryIsNamedWithTheLoadersReasons) {
  EXPECT_EQ(said([] {
              library("cuNone", {"libcunone.so.2", "libcunone.so.1"});
            }),
            "cuNone is not installed, or not where the loader looks (LD_LIBRARY_PATH):"
            "\n  libcunone.so.2: cannot open shared object file: No such file or directory"
            "\n  libcunone.so.1: cannot open shared object file: No such file or directory");
}

TEST(Neighbour, AnotherVersionIsNamedByTheFunctionThatItLacks) {
  const library c("C", {"libcunone.so.2", "libc.so.6"});
  EXPECT_EQ(c.function<int(int)>("abs")(-3), 3);
  EXPECT_EQ(said([&] { c.function<int()>("cublasNone"); }),
            "the installed C has no function cublasNone: install a version of the last five years");
}

TEST(Neighbour, TheNumberOfGpusIsCompared) {
  EXPECT_EQ(said([] { gpus(1000); }),
            "found " + std::to_string(gpus(0).size()) + " NVIDIA GPUs, needed 1000");
}

}  // namespace
