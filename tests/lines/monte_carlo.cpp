// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The price of an option by simulated paths. What stands behind //= are the operations that the
// line is recorded as; lines.py compares.
#include <krait/krait.h>

#include <cstdio>
#include <vector>

namespace kr = krait;

template <class Value>
auto square(const Value& x) {
  return x * x;  //= mul
}

int main() {
  auto price = kr::kernel([](kr::view<float> out, kr::value<float> spot, kr::value<float> rate,
                             kr::value<float> strike) {
    for (auto i : kr::grid_stride(out.size())) {  //= extent grid_stride
      kr::var sum = 0.0f;                         //= const
      kr::var best = spot;
      for (auto step : kr::range(16)) {         //= const max cast for
        auto random = kr::philox(42, i, step);  //= const cast xor shr mul mul_hi add
        auto pair = random.normal_float(0);     //= const cast shr mul sub log sqrt cospi sinpi
        auto drift = rate * 0.25f;              //= const mul
        auto noise = pair.first * 0.2f;         //= const mul
        auto other = pair.second;
        auto both = noise + drift;        //= add
        auto growth = kr::exp(both);      //= exp
        auto at = spot * growth;          //= mul
        auto gain = at - strike;          //= sub
        auto paid = kr::max(gain, 0.0f);  //= const max
        auto wide = square(paid);
        auto narrow = kr::sqrt(wide);      //= sqrt
        auto scaled = narrow / 1.5f;       //= const div
        auto weight = -other;              //= neg
        auto used = scaled                 //
                    + weight;              //= add
        auto whole = kr::cast<int>(used);  //= cast
        auto odd = whole & 3;              //= const and
        auto shifted = odd << 2;           //= const shl
        auto some = shifted > 4;           //= const gt
        kr::if_(some, [&] {                //= if
          sum += used;                     //= add
          best = kr::min(best, at);        //= min
        });
        sum += kr::cast<float>(shifted);  //= cast add
        sum *= 0.5f;                      //= const mul
      }
      auto mean = sum / 16.0f;         //= const div
      auto discount = kr::exp(-rate);  //= neg exp
      auto present = mean * discount;  //= mul
      out[i] = present + best;         //= add store
    }
  });
  std::vector<float> out(64);
  price.forall(64)(out, 100.0f, 0.05f, 95.0f);
  std::puts(price.ir().c_str());
}
