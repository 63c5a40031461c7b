// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneDNN's products of matrices of narrow types, for bench_matmul, which opens this library where
// it is.
#include <dnnl.hpp>

#include <map>
#include <string>
#include <tuple>

namespace {

struct Product {
  dnnl::memory a, b, c;
  dnnl::matmul multiply;
};

dnnl::engine& engine() {
  static dnnl::engine one(dnnl::engine::kind::cpu, 0);
  return one;
}

Product make(const std::string& type, int m, int n, int k, bool turned) {
  using Memory = dnnl::memory;
  using Type = Memory::data_type;
  const Type factors = type == "bf16"  ? Type::bf16
                       : type == "f16" ? Type::f16
                       : type == "u8"  ? Type::u8
                                       : Type::s8;
  const Memory::desc a({m, k}, factors, Memory::dims{k, 1}),
      b({k, n}, factors == Type::u8 ? Type::s8 : factors,
        turned ? Memory::dims{1, k} : Memory::dims{n, 1}),
      c({m, n}, type == "bf16" || type == "f16" ? Type::f32 : Type::s32, Memory::dims{n, 1});
#if DNNL_VERSION_MAJOR < 3
  const dnnl::matmul::primitive_desc of(dnnl::matmul::desc(a, b, c), engine());
#else
  const dnnl::matmul::primitive_desc of(engine(), a, b, c);
#endif
  return {Memory(a, engine(), nullptr), Memory(b, engine(), nullptr), Memory(c, engine(), nullptr),
          dnnl::matmul(of)};
}

}  // namespace

/// c = a b, of row-major matrices, or of columns where b is `turned`; false: it does not multiply
/// them. Of u8 b is taken for i8.
extern "C" __attribute__((visibility("default"))) bool peer_dnnl(const char* type, const void* a,
                                                                 const void* b, void* c, int m,
                                                                 int n, int k, bool turned) try {
  static std::map<std::tuple<std::string, int, int, int, bool>, Product> made;
  const std::tuple of(std::string(type), m, n, k, turned);
  auto found = made.find(of);
  if (found == made.end()) found = made.emplace(of, make(type, m, n, k, turned)).first;
  Product& product = found->second;
  product.a.set_data_handle(const_cast<void*>(a));
  product.b.set_data_handle(const_cast<void*>(b));
  product.c.set_data_handle(c);
  dnnl::stream stream(engine());
  product.multiply.execute(
      stream,
      {{DNNL_ARG_SRC, product.a}, {DNNL_ARG_WEIGHTS, product.b}, {DNNL_ARG_DST, product.c}});
  stream.wait();
  return true;
} catch (const dnnl::error&) {
  return false;
}
