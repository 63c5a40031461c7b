// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated kernels of any size, for what compiling costs as kernels grow: straight-line code, and
// code full of branches and loops. Integers and floats in twelve locals, mixed by a fixed sequence;
// results are exact in strict and reproducible mode.
#pragma once

#include <krait/krait.h>

#include <cstdint>

namespace bench {
namespace kr = krait;

/// Records about as many operations as it is told.
class LargeBody {
 public:
  explicit LargeBody(int operations) : left_(operations) {}

  template <class Index>
  void straight(kr::view<const float> in, kr::view<float> out, const Index& i) {
    begin(in, i);
    while (left_ > 0) step(in);
    end(out, i);
  }
  template <class Index>
  void control(kr::view<const float> in, kr::view<float> out, const Index& i) {
    begin(in, i);
    while (left_ > 0) block(in, 0);
    end(out, i);
  }

 private:
  template <class Index>
  void begin(kr::view<const float> in, const Index& i) {
    for (int k = 0; k < count; ++k)
      f_[k] = in[k] + 0.25f * float(k), u_[k] = kr::cast<unsigned>(i) * 2654435761u + unsigned(k);
  }
  template <class Index>
  void end(kr::view<float> out, const Index& i) {
    kr::var sum = 0.0f;
    for (int k = 0; k < count; ++k) sum += f_[k] + kr::cast<float>(u_[k] & 255u);
    out[i] = sum;
  }
  unsigned random(unsigned below) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 16) % below;
  }
  auto& f() { return f_[random(count)]; }
  auto& u() { return u_[random(count)]; }

  void step(kr::view<const float> in) {
    auto &a = f(), &b = f(), &c = f();
    auto &p = u(), &q = u(), &r = u();
    switch (random(8)) {
      case 0: a = b * c + a, left_ -= 1; break;
      case 1: a = a - b * 0.75f, left_ -= 2; break;
      case 2: p = (q ^ r) + p, left_ -= 2; break;
      case 3: p = p * 747796405u ^ q >> 7u, left_ -= 3; break;
      case 4: a = a + kr::select(b < c, b, 1.0f), left_ -= 3; break;
      case 5: a = a * 0.5f + kr::cast<float>(p & 1023u), left_ -= 3; break;
      case 6: a = a + in[kr::cast<int>(q & 15u)], left_ -= 4; break;
      case 7: a = kr::min(kr::max(a, -8.0f), 8.0f) + b, left_ -= 3; break;
    }
  }
  void steps(kr::view<const float> in, unsigned n) {
    for (unsigned k = 0; k < n; ++k) step(in);
  }
  void block(kr::view<const float> in, int depth) {
    steps(in, 1 + random(6));
    const unsigned kind = depth < 3 ? random(4) : 3;
    left_ -= 2;
    if (kind == 0) {
      kr::if_((u() & 3u) == random(4), [&] { block(in, depth + 1); }).else_([&] { steps(in, 3); });
    } else if (kind == 1) {
      for (auto k : kr::range(2)) {
        u() += kr::cast<unsigned>(k);
        block(in, depth + 1);
      }
    } else if (kind == 2) {
      kr::var trips = 0;
      kr::while_([&] { return trips < 2 && f() < 100.0f; },
                 [&] {
                   trips += 1;
                   block(in, depth + 1);
                 });
    }
  }

  static constexpr int count = 6;
  kr::var<float> f_[count];
  kr::var<unsigned> u_[count];
  unsigned state_ = 12345;
  int left_;
};

inline auto large_straight(int operations) {
  return [operations](kr::view<const float> in, kr::view<float> out) {
    auto i = kr::grid();
    kr::if_(i < out.size(), [&] { LargeBody(operations).straight(in, out, i); });
  };
}
inline auto large_control(int operations) {
  return [operations](kr::view<const float> in, kr::view<float> out) {
    auto i = kr::grid();
    kr::if_(i < out.size(), [&] { LargeBody(operations).control(in, out, i); });
  };
}

}  // namespace bench
