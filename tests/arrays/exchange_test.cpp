// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that arrays share with other libraries: std::span, mdspan and DLPack's tensors. With
// NumPy: dlpack_numpy.py.
#include <complex>
#include <numeric>
#include <span>
#include <vector>

#include <dlpack/dlpack.h>
#include <krait/complex.h>
#include <krait/dlpack.h>
#include <krait/span.h>

#include "api/expect.h"
#include "arrays/mdspan_like.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;

/// DLManagedTensorVersioned of DLPack 1, which older headers do not have.
struct Versioned {
  struct {
    std::uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

template <class Elem, int Rank>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

TEST(Exchange, HostMemoryIsShared) {
  std::vector<float> v(6);
  std::iota(v.begin(), v.end(), 0.0f);
  auto a = kr::wrap(v);
  static_assert(std::is_same_v<decltype(a), kr::array<float, 1>>);
  a += 1.0f;
  EXPECT_EQ(v, (Floats{1, 2, 3, 4, 5, 6}));
  auto rows = kr::wrap(v.data(), {2, 3});
  rows(kr::all, 0) = 0.0f;
  EXPECT_EQ(v, (Floats{0, 2, 3, 0, 5, 6}));
  auto columns = kr::wrap(v.data(), {2, 3}, kr::storage_order::fortran);
  EXPECT_EQ(float(columns(1, 0)), 2.0f);
  const std::vector<float>& read_only = v;
  static_assert(std::is_same_v<decltype(kr::wrap(read_only)), kr::array<const float, 1>>);
  kr::wrap(std::span(v).subspan(4))() = 9.0f;
  EXPECT_EQ(v[5], 9.0f);
  EXPECT_EQ(v[3], 0.0f);
  EXPECT_EQ(kr::wrap(std::span<int>()).size(), 0);
  EXPECT_STREQ(a.device().id(), "cpu");
  expect_usage({"array::wrap got a null address for 4 bytes"},
               [] { kr::wrap(static_cast<int*>(nullptr), {1}); });
}

TEST(Exchange, ArraysAsSpans) {
  kr::array<int, 2> a({2, 3}, kr::device::cpu());
  a.fill(1);
  std::span<int> s = kr::to_span(a);
  s[4] = 7;
  EXPECT_EQ(int(a(1, 1)), 7);
  const auto& constant = a;
  static_assert(std::is_same_v<decltype(kr::to_span(constant)), std::span<const int>>);
  auto turned = a.transpose();
  expect_usage(
      {"to_span: the elements are not contiguous in C order: use a.copy(), or kr::to_mdspan"},
      [&] { kr::to_span(turned); });
  kr::array<int> none(0, kr::device::cpu());
  EXPECT_TRUE(kr::to_span(none).empty());
  if (std::string(kr::device().id()) != "cpu" && std::string(kr::device().id()) != "interpreter") {
    kr::array<int> there(3);
    expect_usage({"to_span: the array is on " + std::string(kr::device().id()) +
                  ", whose memory the host cannot address: use a.copy(kr::device::cpu())"},
                 [&] { kr::to_span(there); });
  }
}

TEST(Exchange, Mdspans) {
  using krait::test::strided;
  std::vector<float> v(24);
  std::iota(v.begin(), v.end(), 0.0f);
  auto a = kr::wrap(v.data(), {2, 3, 4});
  auto part = a(kr::all, kr::range(0, 3, 2), 1);
  const auto m = kr::to_mdspan<strided<float, 2>>(part);
  EXPECT_EQ(m.extent(1), 2);
  EXPECT_EQ(m.stride(1), 8);
  EXPECT_EQ(m.at({1, 1}), 21.0f);
  kr::wrap(m)() = 0.0f;
  EXPECT_EQ(v[21], 0.0f);
  EXPECT_EQ(v[22], 22.0f);
  const auto& constant = part;
  static_assert(std::is_same_v<decltype(kr::wrap(kr::to_mdspan<strided<const float, 2>>(constant))),
                               kr::array<const float, 2>>);
  auto flipped = part.flip(1);
  expect_usage(
      {"to_mdspan: stride(1) is -8, but std::layout_stride needs positive strides: use a.copy()"},
      [&] { kr::to_mdspan<strided<float, 2>>(flipped); });
  auto one = a(kr::newaxis, 0, kr::all, 0);
  EXPECT_EQ((kr::to_mdspan<strided<float, 2>>(one).stride(0)), 1);
  kr::array<float, 3> none({3, 0, 5}, kr::device::cpu());
  EXPECT_EQ((kr::to_mdspan<strided<float, 3>>(none).stride(0)), 5);
  using pairs = strided<float, 2, 2>;
  EXPECT_EQ(kr::to_mdspan<pairs>(part).extent(1), 2);
  auto wide = a(0);
  expect_usage({"to_mdspan: extent(1) is 4, which the mdspan's type does not allow"},
               [&] { kr::to_mdspan<pairs>(wide); });
#ifdef __cpp_lib_mdspan
  const std::mdspan grid(v.data(), 4, 6);
  EXPECT_EQ(float(kr::wrap(grid)(3, 0)), 18.0f);
  EXPECT_EQ((kr::to_mdspan(part)[std::array{1, 0}]), 13.0f);
#endif
}

/// A tensor whose deleter counts.
template <class Managed>
struct Lent {
  Managed tensor{};
  std::int64_t shape[3]{2, 3, 4}, strides[3]{12, 4, 1};
  int deleted = 0;

  Lent(void* data, DLDataType type, int rank) {
    tensor.dl_tensor.data = data, tensor.dl_tensor.device = {kDLCPU, 0},
    tensor.dl_tensor.ndim = rank;
    tensor.dl_tensor.dtype = type, tensor.dl_tensor.shape = shape;
    tensor.manager_ctx = this;
    tensor.deleter = [](Managed* m) { ++static_cast<Lent*>(m->manager_ctx)->deleted; };
  }
};
constexpr DLDataType f32{kDLFloat, 32, 1};

TEST(Exchange, TensorsAreKeptAndGivenBack) {
  Floats v(24);
  std::iota(v.begin(), v.end(), 0.0f);
  Lent<DLManagedTensor> lent(v.data(), f32, 3);
  {
    kr::array<float> kept;
    {
      auto a = kr::from_dlpack<float, 3>(&lent.tensor);
      a(1, 2, 3) = 100.0f;
      kept = a(1, kr::all, 0);
    }
    EXPECT_EQ(lent.deleted, 0);
    EXPECT_EQ(host(kept), (Floats{12, 16, 20}));
  }
  EXPECT_EQ(lent.deleted, 1);
  EXPECT_EQ(v[23], 100.0f);
  // Strides of any sign, and an offset.
  Lent<DLManagedTensor> backwards(v.data(), f32, 2);
  backwards.shape[0] = 2, backwards.shape[1] = 3, backwards.strides[0] = 12,
  backwards.strides[1] = -2;
  backwards.tensor.dl_tensor.strides = backwards.strides,
  backwards.tensor.dl_tensor.byte_offset = 5 * sizeof(float);
  EXPECT_EQ(host(kr::from_dlpack<float, 2>(&backwards.tensor)), (Floats{5, 3, 1, 17, 15, 13}));
  EXPECT_EQ(backwards.deleted, 1);
  // Nothing is kept of no elements; no deleter is one that does nothing.
  Lent<DLManagedTensor> none(nullptr, f32, 2);
  none.shape[1] = 0;
  EXPECT_EQ((kr::from_dlpack<float, 2>(&none.tensor).size()), 0);
  EXPECT_EQ(none.deleted, 1);
  Lent<DLManagedTensor> unowned(v.data(), f32, 1);
  unowned.tensor.deleter = nullptr;
  EXPECT_EQ((kr::from_dlpack<float, 1>(&unowned.tensor).size()), 2);
  // In a stream, and pinned memory.
  Lent<DLManagedTensor> pinned(v.data(), f32, 1);
  pinned.tensor.dl_tensor.device.device_type = DLDeviceType(3);
  const kr::stream producer(kr::device::cpu());
  EXPECT_EQ((kr::from_dlpack<float, 1>(&pinned.tensor, producer).size()), 2);
}

TEST(Exchange, TensorsThatAreRefusedStayTheCallers) {
  Floats v(24);
  const auto refuse = [&](const char* message, auto change) {
    Lent<Versioned> lent(v.data(), f32, 2);
    lent.tensor.version.major = 1;
    change(lent.tensor);
    expect_usage({message}, [&] { kr::from_dlpack<float, 2>(&lent.tensor); });
    EXPECT_EQ(lent.deleted, 0);
  };
  refuse("from_dlpack: the tensor is of DLPack 2, but Krait reads version 1",
         [](auto& t) { t.version.major = 2; });
  refuse(
      "from_dlpack: the tensor's elements are float64, but the array's are float32: import it with its own type",
      [](auto& t) { t.dl_tensor.dtype.bits = 64; });
  refuse(
      "from_dlpack: the tensor's elements are type 3 of 32 bits in vectors of 4, but the array's are float32: import it with its own "
      "type",
      [](auto& t) {
        t.dl_tensor.dtype = {3, 32, 4};
      });
  refuse("from_dlpack: the tensor has 3 dimensions, but the array has 2: import it with its own",
         [](auto& t) { t.dl_tensor.ndim = 3; });
  refuse("from_dlpack: the tensor is read-only: import it with const elements, or copy it first",
         [](auto& t) { t.flags = 1; });
  refuse(
      "from_dlpack: the tensor is on a device of DLPack's type 7, but arrays share memory only with the host (1) and with CUDA (2): copy it there first",
      [](auto& t) { t.dl_tensor.device.device_type = DLDeviceType(7); });
  refuse(
      "from_dlpack: the tensor is on cuda:99, which this machine does not have: `krait devices` lists its devices",
      [](auto& t) {
        t.dl_tensor.device.device_type = DLDeviceType(2), t.dl_tensor.device.device_id = 99;
      });
  refuse("from_dlpack: the tensor has 6 elements but a null address",
         [](auto& t) { t.dl_tensor.data = nullptr; });
  refuse(
      "from_dlpack: the tensor's address is not a multiple of 4, which its elements need: copy it first",
      [](auto& t) { t.dl_tensor.byte_offset = 2; });
  refuse("an array's extent is negative: extent(1) = -1",
         [](auto& t) { t.dl_tensor.shape[1] = -1; });
}

TEST(Exchange, ArraysAsTensors) {
  DLManagedTensor* tensor = nullptr;
  {
    kr::array<float, 2> a({3, 4}, kr::device::cpu());
    auto back = a(kr::all, kr::range(kr::none, kr::none, -2));
    tensor = kr::to_dlpack<DLManagedTensor>(back);
    a.fill(2.0f);
    back(2, 0) = 5.0f;
  }
  const DLTensor& t = tensor->dl_tensor;
  EXPECT_EQ(t.ndim, 2);
  EXPECT_EQ(std::vector(t.shape, t.shape + 2), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(std::vector(t.strides, t.strides + 2), (std::vector<std::int64_t>{4, -2}));
  EXPECT_EQ(t.device.device_type, kDLCPU);
  EXPECT_EQ(t.dtype.code, kDLFloat);
  EXPECT_EQ(static_cast<float*>(t.data)[8], 5.0f);
  EXPECT_EQ(static_cast<float*>(t.data)[-2], 2.0f);
  tensor->deleter(tensor);

  const kr::array<float> constant(5, kr::device::cpu());
  const kr::stream consumer(kr::device::cpu());
  Versioned* shared = kr::to_dlpack<Versioned>(constant, consumer);
  EXPECT_EQ(shared->flags, 1u);
  EXPECT_EQ(shared->version.major, 1u);
  auto again = kr::from_dlpack<const float, 1>(shared);
  EXPECT_EQ(again.address(), constant.address());
  EXPECT_EQ(again.size(), 5);
}

template <class Elem>
void expect_type(unsigned code, unsigned bits) {
  kr::array<Elem> a(2, kr::device::cpu());
  DLManagedTensor* const tensor = kr::to_dlpack<DLManagedTensor>(a);
  EXPECT_EQ(unsigned(tensor->dl_tensor.dtype.code), code);
  EXPECT_EQ(unsigned(tensor->dl_tensor.dtype.bits), bits);
  EXPECT_EQ((kr::from_dlpack<Elem, 1>(tensor).size()), 2);
}
TEST(Exchange, TensorTypes) {
  expect_type<std::int8_t>(0, 8);
  expect_type<std::int64_t>(0, 64);
  expect_type<unsigned>(1, 32);
  expect_type<double>(2, 64);
  expect_type<kr::f16>(2, 16);
  expect_type<kr::bf16>(4, 16);
  expect_type<std::complex<float>>(5, 64);
  expect_type<std::complex<double>>(5, 128);
  expect_type<bool>(6, 8);
  expect_type<kr::f8e4m3>(10, 8);
  expect_type<kr::f8e5m2>(12, 8);
}

TEST(Exchange, OfOtherDevices) {
  const std::string id = kr::device().id();
  kr::array<float> a(4);
  a.fill(3.0f);
  if (id == "cpu" || id == "interpreter" || id.starts_with("cuda")) {
    DLManagedTensor* const tensor = kr::to_dlpack<DLManagedTensor>(a);
    if (id == "interpreter") return tensor->deleter(tensor);
    auto same = kr::from_dlpack<float, 1>(tensor);
    same += 1.0f;
    EXPECT_EQ(host(a), (Floats{4, 4, 4, 4}));
    EXPECT_EQ(std::string(same.device().id()), id);
  } else {
    expect_usage({"to_dlpack: the array is on " + id +
                  ", whose memory DLPack cannot name: export a.copy(kr::device::cpu())"},
                 [&] { kr::to_dlpack<DLManagedTensor>(a); });
    kr::array<float> here(4, kr::device::cpu());
    const kr::stream there;
    expect_usage({"to_dlpack: the stream belongs to " + id + ", but the elements are on cpu"},
                 [&] { kr::to_dlpack<DLManagedTensor>(here, there); });
  }
}

}  // namespace
