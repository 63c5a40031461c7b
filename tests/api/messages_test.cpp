// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact texts of messages that no other test provokes; {} is a value. tools/messages.py finds
// those that are missing.
#include <gtest/gtest.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/reduce.h>
#include <krait/detail/text_kernel.h>
#include <krait/krait.h>

#include <memory>
#include <string>
#include <vector>

#include "expect.h"

namespace kr = krait;
using kr::value, kr::var, kr::view;
using krait::test::expect_error;
using krait::test::expect_library_works;
using krait::test::expect_usage;

namespace {

const kr::device cpu = kr::device::cpu();
kr::device another() { return kr::device::find("interpreter"); }

auto fill = kr::kernel([](view<int> x) { x[0] = 1; }, {.name = "fill"});
auto plus = kr::vectorize([](auto x, auto y) { return x + y; });

/// Recording this lambda is refused so.
template <class Lambda>
void refused(const std::string& text, const Lambda& lambda) {
  auto k = kr::kernel(lambda, {.name = "wrong"});
  expect_usage({"kernel wrong", text}, [&] { k.compile(); });
}

// ---- calls --------------------------------------------------------------------------------------

/// Each of 120 views has six extents and, as its elements do not lie side by side, six strides.
TEST(Messages, OfMoreArgumentsThanALaunchTakes) {
  using namespace kr::detail;
  constexpr unsigned count = 120;
  std::string text = "kir 1\nkernel @many fp(native) (%0: view<f32, 6>";
  for (unsigned p = 1; p < count; ++p) text += ", %" + std::to_string(p) + ": view<f32, 6>";
  text += ") {\n  return\n}\n";
  const std::unique_ptr<text_kernel, decltype(&free_text_kernel)> many(
      make_text_kernel(text.data(), text.size(), "many.kir"), free_text_kernel);
  float elements[8] = {};
  argument all[count];
  for (argument& a : all) {
    a.kind = argument::host, a.rank = 6, a.data = elements, a.offset = 0;
    for (int d = 0; d < 6; ++d) a.extents[d] = d < 5 ? 1 : 2, a.strides[d] = 2;
  }
  call_config config;
  config.form = call_config::threads, config.count = 1, config.device = handle_of(cpu);
  expect_usage({"kernel many: the arguments need {} bytes; the limit is 8192"},
               [&] { launch(many.get(), all, config); });
}

TEST(Messages, OfLaunches) {
  kr::array<int> x({4}, cpu), far({4}, another());
  expect_usage({"kernel fill{}: the grid is negative: -1 x 1 x 1"}, [&] {
    fill.launch({-1, 1}, x);
  });
  expect_usage(
      {"kernel fill{}: the grid 1 x 1 x 4611686018427387904 exceeds the limit of cpu: {} x {} x {}"},
      [&] {
        fill.launch({kr::dims{1, 1, std::int64_t{1} << 62}, kr::dims{1}}, x);
      });
  expect_usage(
      {"kernel fill{}: a block of 1024 x 2 x 1 threads exceeds the limit of 1024 threads per block on cpu"},
      [&] {
        fill.launch({kr::dims{1}, kr::dims{1024, 2}}, x);
      });
  expect_usage({"kernel fill{}: the launch has more than 2^62 threads"}, [&] {
    fill.launch({kr::dims{std::int64_t{1} << 40, 1 << 20}, kr::dims{64}}, x);
  });
  expect_usage(
      {"kernel fill{}: {} threads need {} blocks, but cpu takes at most {}: use a grid-stride loop"},
      [&] { fill.forall(std::int64_t{1} << 62)(x); });
  expect_usage({"kernel fill{}: forall needs 0 threads or more, not -5"},
               [&] { fill.forall(-5)(x); });
  auto both = kr::kernel([](view<int> a, view<int> b) { a[0] = b[0]; });
  expect_usage(
      {"kernel {}: one call uses arrays on cpu and on interpreter: copy one of them to the other's device (copy_from)"},
      [&] {
        both.launch({1, 1}, x, far);
      });
  const kr::stream there(another());
  expect_usage(
      {"kernel {}: the stream belongs to interpreter, but the arrays are on cpu: use a stream of that device"},
      [&] {
        fill.launch({1, 1, there}, x);
      });
  auto narrow = kr::kernel([](value<signed char> n, view<int> out) { out[0] = n; });
  expect_usage(
      {"kernel {}: 300 is passed for parameter 1, a kr::value<std::int8_t>, which holds -128 to 127: pass a number in "
       "that range, convert it explicitly, or declare a wider parameter"},
      [&] {
        narrow.launch({1, 1}, 300, x);
      });
  expect_library_works();
}

TEST(Messages, OfMovedObjects) {
  auto first = kr::kernel([](view<int> x) { x[0] = 1; });
  const auto second = std::move(first);
  expect_usage({"a moved-from kernel object is compiled"},
               [&] { first.compile(); });  // NOLINT: on purpose
  expect_usage({"a moved-from kernel object is compiled"},
               [&] { first.compile_async(); });  // NOLINT
  expect_usage(
      {"this kernel object has not been recorded yet, so it has no ir to show: call or compile() it first"},
      [&] { first.ir(); });  // NOLINT
  expect_usage(
      {"kernel {} has not been compiled yet, so it has no attributes: call or compile() it first"},
      [&] { static_cast<void>(second.attributes()); });
  auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  const auto taken = std::move(add);
  const std::vector<int> two(2), three(3);
  expect_usage(
      {"a moved-from element-wise function: the arguments' shapes (2,) and (3,) do not broadcast: from the last dimension "
       "on, extents must be equal or 1"},
      [&] { add(two, three); });  // NOLINT
  kr::graph g([] {});
  const kr::graph kept = std::move(g);
  expect_usage(
      {"{} while a graph is being recorded, which can hold only launches: do it before, or between launches of the graph"},
      [] { kr::graph([] { kr::to_device(std::vector<int>(3)); }); });
  expect_usage({"a moved-from graph is launched"}, [&] { g.launch(); });  // NOLINT
}

TEST(Messages, OfGraphs) {
  kr::array<int> x({4}, cpu), far({4}, another());
  const kr::stream s(cpu), there(another());
  const auto record = [&](kr::detail::function_ref<void()> launches) {
    kr::graph g(launches, cpu);
  };
  expect_usage({"kernel fill{} runs on interpreter, but the graph being recorded is for cpu"}, [&] {
    record([&] { fill.launch({1, 1}, far); });
  });
  expect_usage(
      {"kernel fill{} is launched into a stream while a graph is being recorded: launch it without a stream, and replay "
       "the graph into one"},
      [&] { record([&] {
              fill.launch({1, 1, s}, x);
            }); });
  expect_usage({"a graph is already being recorded: add all launches to one graph"},
               [&] { record([&] { record([] {}); }); });
  kr::graph g([&] { fill.launch({1, 1}, x); }, cpu);
  expect_usage({"a graph is launched while another one is being recorded"},
               [&] { record([&] { g.launch(); }); });
  expect_usage({"the graph is for cpu, but the stream belongs to interpreter"},
               [&] { g.launch(there); });
}

TEST(Messages, OfStreamsAndEvents) {
  const kr::stream here(cpu), there(another());
  kr::event e(cpu);
  const kr::event other(another());
  expect_usage({"an event of cpu cannot be recorded in a stream of interpreter"},
               [&] { e.record(there); });
  e.wait(there);  // the host waits
  expect_usage({"events of interpreter and cpu have no common clock"},
               [&] { static_cast<void>(e.elapsed_ms_since(other)); });
  expect_usage({"{}: elapsed time of an event that was not recorded"},
               [&] { static_cast<void>(e.elapsed_ms_since(kr::event(cpu))); });
}

TEST(Messages, OfArrays) {
  expect_usage({"an array's extent is negative: extent(1) = -2"}, [] {
    kr::array<int, 2>({3, -2}, cpu);
  });
  expect_error(kr::error::kind_type::device,
               {"cpu: no memory for an array of 281474976710656 bytes"},
               [] { kr::array<int>({std::int64_t{1} << 46}, cpu); });
  expect_usage({"an array exceeds the limit of 2^62 bytes"},
               [] { kr::array<int>({std::int64_t{1} << 61}, cpu); });
  kr::array<int> x({4}, cpu), y({5}, cpu);
  expect_usage({"copy_from: the array has shape (5,), expected (4,)"}, [&] { x.copy_from(y); });
  expect_usage({"copy_from: the container holds 3 elements, but the array holds 4"},
               [&] { x.copy_from(std::vector<int>(3)); });
  expect_usage({"a memory limit of -1 bytes is not valid for cpu: expected 0 (no limit) or more"},
               [] { cpu.limit_memory(-1); });
  kr::array<int, 2> z({2, 3}, cpu), out({2, 2}, cpu);
  expect_usage(
      {"kernel {}: an argument of shape (2,3) does not broadcast to the output's shape (2,2)"},
      [&] { plus.into(out)(z, 1); });
  const std::int64_t used = cpu.memory_use().used;
  cpu.limit_memory(used + 100);
  expect_error(
      kr::error::kind_type::device,
      {"cpu ({}): out of memory: 400 bytes requested, " + std::to_string(used) +
       " of the limit of " + std::to_string(used + 100) +
       " in use; free arrays, or raise the limit (device::limit_memory, KRAIT_MEMORY_LIMIT)"},
      [] { kr::array<int>({100}, cpu); });
  cpu.limit_memory(0);
  expect_library_works();
}

TEST(Messages, OfLayouts) {
  namespace detail = kr::detail;
  const std::int64_t extents[] = {2, 3}, twice[] = {1, 1}, wide[] = {2, 4};
  const detail::layout of = detail::dense(extents, 2, false);
  expect_usage({"repeated axis: 1 is given twice"}, [&] { detail::permute(of, twice, 2); });
  expect_usage(
      {"operands could not be broadcast together with remapped shapes: original (2,3), requested (2,4)"},
      [&] { detail::broadcast_to(of, wide, 2); });
  expect_usage({"axis1 and axis2 cannot be the same: 1"}, [&] { detail::diagonal(of, 0, 1, 1); });
  expect_usage(
      {"cannot select an axis to squeeze out which has size not equal to one: axis 1 of (2,3)"},
      [&] { detail::squeeze(of, twice, 1); });
  expect_usage({"duplicate value in 'axis': 1"}, [&] { detail::axes_mask(twice, 2, 2); });
  expect_usage({"an assignment takes fewer than 2^31 indices, not 2147483648"},
               [] { detail::check_index_count(std::int64_t{1} << 31); });
}

struct pair_of_ints {
  int a, b;
};
TEST(Messages, OfElementWiseFunctions) {
  kr::array<int> x({4}, cpu);
  auto pairs = kr::vectorize([](value<int> n) {
    kr::if_(n > 3, [&] { kr::return_(n); });
    var<pair_of_ints> result = kr::value<pair_of_ints>(pair_of_ints{1, 2});
    return result;
  });
  expect_usage(
      {"kr::return_(v) returns a number, but this element-wise function returns a struct: assign to a kr::var"},
      [&] { pairs(x); });
}

TEST(Messages, OfOutputs) {
  kr::array<int> x({4}, cpu), y({4}, cpu);
  auto both = kr::vectorize([](auto a) { return std::tuple{a, a + 1}; });
  expect_usage({"{}: two outputs overlap"}, [&] { both.into(y, y)(x); });
  kr::array<int> five({5}, cpu);
  expect_usage({"{}: the output has shape (5,), but the result has shape (4,)"},
               [&] { both.into(y, five)(x); });
  int cell = 0;
  const std::int64_t stays[] = {0};
  auto repeated = kr::array<int>::wrap(reinterpret_cast<std::uint64_t>(&cell), {4}, stays, cpu);
  expect_usage(
      {"{}: elements of the output share memory (its strides are too short): they cannot be written"},
      [&] { plus.into(repeated)(x, 1); });
}

// ---- recordings ---------------------------------------------------------------------------------

TEST(Messages, OfOperations) {
  refused(
      "bitwise reductions and scans do not support floats: combine their bits with kr::bitcast<unsigned>(x)",
      [](view<float> x) { x[0] = kr::warp::reduce(x[0], kr::combine::and_); });
  refused("an atomic load cannot release: its order must be relaxed, acquire or seq_cst",
          [](view<int> x) { x[0] = kr::atomic(x[1]).load(kr::order::release); });
  refused("a local array of 1073741824 elements of 4 bytes exceeds the limit of 2 GiB",
          [](view<float> x) { x[0] = kr::local<float, 1 << 30>()[0]; });
  auto nine = kr::kernel([](view<int> x, value<int> n) {
    for (int i = 0; i < 9; ++i) {
      auto shared = kr::dynamic_shared<int>(n);
      shared[0] = x[i];
      kr::syncthreads();
      x[i] = shared[kr::thread_idx().x];
    }
  });
  kr::array<int> of_nine({9}, cpu);
  expect_usage({"{}: 9 arrays of dynamic_shared; the limit is 8"}, [&] {
    nine.launch({1, 1}, of_nine, 4);
  });
  refused("dynamic_shared of 0 elements: the number must be above 0",
          [](view<int> x) { x[0] = kr::dynamic_shared<int>(0)[0]; });
  refused(
      "kr::constant inside a kr::function: capture the table in the kernel, and pass elements of it",
      [](view<int> x) {
        auto f = kr::function([](value<int> i) {
          return kr::constant(std::vector<int>{1, 2, 3})[i];
        });
        x[0] = f(x[0]);
      });
  refused("the text \"{}\" does not fit its values: {}",
          [](view<int> x) { kr::print("{:q}", x[0]); });
}

}  // namespace
