// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For log.sh: log launches a kernel, another of the same content, and a graph; log many launches
// more kernels than are kept; log untaken ends streams whose errors nobody waited for; log FILE
// packs a kernel into the file and launches it from there.
#include <krait/krait.h>
#include <krait/pack.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace kr = krait;

namespace {

auto twice() {
  return kr::kernel([](kr::view<int> v) { v[kr::grid<1>()] *= 2; }, {.name = "twice"});
}

void launch_several(kr::array<int>& x) {
  const auto first = twice(), second = twice();
  first.launch({1, 64}, x);
  second.launch({1, 64}, x);
  kr::graph both([&] { first.launch({1, 64}, x); });
  both.launch();
}

void launch_many(kr::array<int>& x) {
  for (int n = 0; n < 300; ++n)
    kr::kernel([n](kr::view<int> v) { v[kr::grid<1>()] = n; }, {.name = "one"}).launch({1, 64}, x);
}

void leave_untaken(kr::array<int>& x) {
  const auto wrong = kr::kernel([](kr::view<int> v) { kr::check(v[kr::grid<1>()] != 0, "wrong"); },
                                {.name = "wrong"});
  x.copy_from(std::vector<int>(64, 0));
  {
    const kr::stream s;
    s.call_host([] { throw std::runtime_error("thrown by a function"); });
    s.call_host([] { throw 7; });
    try {
      wrong.launch({1, 64, s}, x);
    } catch (const kr::error&) {  // at the launch, on the CPU
    }
  }
  try {
    static_cast<void>(x.to_host());
  } catch (const kr::error&) {
  }
}

void launch_packed(kr::array<int>& x, const char* file) {
  kr::pack(file, {.targets = kr::device().target()}, twice());
  kr::load_pack(file).get<void(kr::view<int>)>("twice").launch({1, 64}, x);
}

}  // namespace

int main(int count, char** words) try {
  const std::string word = count > 1 ? words[1] : "";
  kr::array<int> x(64);
  if (word.empty()) launch_several(x);
  else if (word == "many") launch_many(x);
  else if (word == "untaken") leave_untaken(x);
  else launch_packed(x, word.c_str());
  kr::synchronize();
  return 0;
} catch (const kr::error&) {
  return 1;
}
