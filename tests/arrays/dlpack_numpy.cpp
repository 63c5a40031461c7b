// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dlpack_numpy.py calls: arrays that NumPy lends, and arrays that are lent to NumPy.
#include <dlpack/dlpack.h>
#include <krait/algorithm/reduce.h>
#include <krait/dlpack.h>
#include <krait/krait.h>

#include <string>

namespace kr = krait;

namespace {

kr::array<float, 2>& kept() {
  static auto& a = *new kr::array<float, 2>;
  return a;
}

}  // namespace

extern "C" {

/// Doubles the elements where they are, and gives their sum. Keeps the tensor.
[[gnu::visibility("default")]] double double_elements(DLManagedTensor* tensor) {
  kept() = kr::from_dlpack<float, 2>(tensor);
  kept() *= 2.0f;
  return kr::sum(kept());
}
/// Gives the tensor back.
[[gnu::visibility("default")]] void forget() { kept() = kr::array<float, 2>(); }

/// Rows in reverse order and every second column of 0, 1, … in 3 rows of 4.
[[gnu::visibility("default")]] DLManagedTensor* make_view() {
  kr::array<float, 2> a({3, 4}, kr::device::cpu());
  a.reshape(12).copy_from(kr::arange(12.0f));
  return kr::to_dlpack<DLManagedTensor>(
      a(kr::range(kr::none, kr::none, -1), kr::range(0, kr::end, 2)));
}
/// The message for what is no array of two dimensions of float, or null; gives the tensor back in
/// either case.
[[gnu::visibility("default")]] const char* refusal(DLManagedTensor* tensor) {
  static std::string message;
  try {
    kr::from_dlpack<float, 2>(tensor);
    return nullptr;
  } catch (const kr::error& e) {
    tensor->deleter(tensor);
    message = e.message();
    return message.c_str();
  }
}
}
