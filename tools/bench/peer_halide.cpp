// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element-wise workloads in Halide, compiled at run time, scheduled parallel and vectorised.
#include <Halide.h>

#include "peer.h"

namespace {
using Halide::Buffer;
using Halide::Expr;
using Halide::Func;
using Halide::ImageParam;
using Halide::Param;
using Halide::Var;

struct Pipeline {
  ImageParam x{Halide::Float(32), 1}, y{Halide::Float(32), 1}, z{Halide::Float(32), 1};
  Param<float> a;
  Var i, outer;
  Func f;
  template <class Body>
  explicit Pipeline(Body body) {
    f(i) = body(*this);
    f.split(i, outer, i, 65536, Halide::TailStrategy::GuardWithIf).parallel(outer).vectorize(i, 16);
    f.compile_jit(Halide::get_host_target());
  }
  void run(const float* px, const float* py, const float* pz, float* out, long n) {
    const int count = static_cast<int>(n);
    x.set(Buffer<float>(const_cast<float*>(px), count));
    y.set(Buffer<float>(const_cast<float*>(py ? py : px), count));
    z.set(Buffer<float>(const_cast<float*>(pz ? pz : px), count));
    Buffer<float> target(out, count);
    f.realize(target);
  }
};

void saxpy(float a, const float* x, const float* y, float* z, long n) {
  static Pipeline p([](Pipeline& q) { return q.a * q.x(q.i) + q.y(q.i); });
  p.a.set(a);
  p.run(x, y, nullptr, z, n);
}
void transcendental(const float* x, const float* y, float* z, long n) {
  static Pipeline p([](Pipeline& q) { return exp(q.x(q.i)) * sin(q.y(q.i)) + log(q.x(q.i)); });
  p.run(x, y, nullptr, z, n);
}
void black_scholes(const float* spot, const float* strike, const float* years, float* call,
                   long n) {
  static Pipeline p([](Pipeline& q) {
    const Expr s = q.x(q.i), k = q.y(q.i), t = q.z(q.i), root = sqrt(t);
    const Expr d1 = (log(s / k) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root),
               d2 = d1 - 0.3f * root;
    const auto erfc = [](Expr e) { return 1.f - erf(e); };
    return s * 0.5f * erfc(-d1 * 0.70710678f) -
           k * exp(-0.02f * t) * 0.5f * erfc(-d2 * 0.70710678f);
  });
  p.run(spot, strike, years, call, n);
}

}  // namespace

extern "C" __attribute__((visibility("default")))
const Peer krait_peer = {"Halide", saxpy, transcendental, black_scholes, nullptr, nullptr, nullptr};
