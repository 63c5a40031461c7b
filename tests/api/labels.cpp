// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels, a mark and a kernel, for whoever listens: a tool by NVTX, a layer of Vulkan, or a file.
#include <krait/krait.h>
#include <krait/label.h>
#include <krait/trace_file.h>

#include <memory>
#include <string>
#include <vector>

namespace kr = krait;

int main(int count, char** words) {
  const auto trace = count > 1 ? std::make_unique<kr::trace_file>(words[1]) : nullptr;
  kr::array<int> x = kr::full<int>(64, 3);
  const auto twice = kr::kernel([](kr::view<int> v) { v[kr::grid<1>()] *= 2; }, {.name = "twice"});
  {
    const kr::label step("step");
    kr::mark("half way");
    const kr::label inner(std::string("a label that is longer than thirty letters").c_str());
    twice.launch({1, 64}, x);
    kr::synchronize();
  }
  return std::vector<int>(x.to_host())[63] == 6 ? 0 : 1;
}
