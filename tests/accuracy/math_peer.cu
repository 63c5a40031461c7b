// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's own functions. nvcc -O3 -std=c++17 -shared -Xcompiler -fPIC math_peer.cu -o libmath_peer_nvcc.so; the same with
// -DFAST --use_fast_math.
#include <cstring>

#include "math_peer.h"

namespace {

#define FUNCTIONS(one, two)                                                                                                \
  one(exp) one(exp2) one(exp10) one(expm1) one(log) one(log2) one(log10) one(log1p) one(sin) one(cos) one(tan) one(sinpi)  \
  one(cospi) one(asin) one(acos) one(atan) one(sinh) one(cosh) one(tanh) one(asinh) one(acosh) one(atanh) one(erf)         \
  one(erfc) one(erfinv) one(tgamma) one(lgamma) one(rsqrt) one(cbrt) two(pow) two(atan2) two(hypot) two(fmod) two(remainder)

#define ONE(name)                                                         \
  struct f_##name {                                                       \
    __device__ static float at(float x, float) { return name##f(x); }     \
    __device__ static double at(double x, double) { return name(x); }     \
  };
#define TWO(name)                                                         \
  struct f_##name {                                                       \
    __device__ static float at(float x, float y) { return name##f(x, y); } \
    __device__ static double at(double x, double y) { return name(x, y); } \
  };
FUNCTIONS(ONE, TWO)
#undef ONE
#undef TWO

/// Four elements a thread with a vector access for f32, two for f64, so that memory is not what is measured.
template <class F, bool Second, class Float, class Vector>
__global__ void kernel(const Vector* x, const Vector* y, Vector* out, long n) {
  constexpr int count = sizeof(Vector) / sizeof(Float);
  const long i = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (i >= n / count) return;
  const Vector a = x[i], b = Second ? y[i] : a;
  Vector r;
  for (int j = 0; j < count; ++j)
    reinterpret_cast<Float*>(&r)[j] = F::at(reinterpret_cast<const Float*>(&a)[j], reinterpret_cast<const Float*>(&b)[j]);
  out[i] = r;
}
template <class F, bool Second, class Float>
__global__ void rest(const Float* x, const Float* y, Float* out, long from, long n) {
  const long i = from + threadIdx.x;
  if (i < n) out[i] = F::at(x[i], y[i]);
}

template <class F, bool Second, class Float, class Vector>
bool launch(const void* x, const void* y, void* out, long n) {
  constexpr int count = sizeof(Vector) / sizeof(Float);
  const long vectors = n / count;
  if (vectors) kernel<F, Second, Float, Vector><<<unsigned((vectors + 255) / 256), 256>>>(static_cast<const Vector*>(x), static_cast<const Vector*>(y), static_cast<Vector*>(out), n);
  if (n % count) rest<F, Second, Float><<<1, 32>>>(static_cast<const Float*>(x), static_cast<const Float*>(y), static_cast<Float*>(out), vectors * count, n);
  return true;
}

bool run(const char* function, bool wide, const void* x, const void* y, void* out, long n) {
#define ONE(name) if (!std::strcmp(function, #name)) return wide ? launch<f_##name, false, double, double2>(x, y, out, n) : launch<f_##name, false, float, float4>(x, y, out, n);
#define TWO(name) if (!std::strcmp(function, #name)) return wide ? launch<f_##name, true, double, double2>(x, y, out, n) : launch<f_##name, true, float, float4>(x, y, out, n);
  FUNCTIONS(ONE, TWO)
  return false;
}

}  // namespace

#ifdef FAST
extern "C" __attribute__((visibility("default"))) const MathPeer krait_math_peer = {"nvcc --use_fast_math", run};
#else
extern "C" __attribute__((visibility("default"))) const MathPeer krait_math_peer = {"nvcc", run};
#endif
