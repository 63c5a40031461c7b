// error: krait: an index must be an integer: convert it with kr::cast<int>(v)
// The messages that no program beside this one has: each line behind a comment is wrong in the way that the comment says. Other
// messages may follow from one mistake; those above a line have to be among them.
#include <complex>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include <krait/complex.h>
#include <krait/function_pointer.h>
#include <krait/krait.h>
#include <krait/pack.h>
namespace kr = krait;

#ifndef RIGHT
struct counted {
  int a[25];
};
struct many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
struct nothing {};

void in_kernels(kr::view<float> x, kr::view<int> n, kr::value<float> v, kr::var<kr::vec<float, 2>> w) {
  x[v] = 1;
  // error: krait: a number of bits must be an integer
  kr::rotl(n[0], v);
  // error: krait: case_ takes one or more values and then the body
  kr::switch_(n[0]).case_([] {});
  // error: krait: the step of a range must be an integer: convert with kr::cast<int>(n)
  for ([[maybe_unused]] auto i : kr::range(0, 10, v)) {
  }
  // error: krait: a kr::value (and `auto`) is immutable: declare it kr::var to change it, or write the element itself: x[i] += v
  const kr::value<float> fixed = x[0];
  fixed += v;
  // error: krait: a plain C++ variable cannot hold a per-thread value: declare it kr::var, as in kr::var sum = 0.0f; sum += v
  float sum = 0;
  sum += v;
  // error: krait: the exponent of ldexp must be an integer
  kr::ldexp(v, v);
  // error: krait: the exponent of powi must be an integer
  kr::powi(v, v);
  // error: krait: the extents of a shared array must be positive; for a size known at launch use kr::dynamic_shared<T>(n)
  kr::shared<float, 0>();
  // error: krait: the extents of a local array must be positive
  kr::local<float, 0>();
  // error: krait: a grid must have one to three dimensions
  kr::grid<4>();
  // error: krait: bitcast does not support bool: use kr::cast
  kr::bitcast<bool>(kr::cast<std::uint8_t>(n[0]));
  w.x = 1;
}

// error: krait: atomics on bool are not supported: use unsigned
void atomic_of_bool(kr::view<bool> x) { kr::atomic(x[0]).store(true); }
// error: krait: atomics on types of 8 and 16 bits are not supported: use int or unsigned
void atomic_of_bytes(kr::view<signed char> x) { kr::atomic(x[0]).add(1); }
// error: krait: views must have one to six dimensions
void seven_dimensions(kr::view<float, 7> x) { static_cast<void>(x.size()); }
// error: krait: the components of a kr::vec must be numbers
void of_pointers(kr::view<kr::vec<int*, 2>> x) { x[0] = x[1]; }

// error: krait: a reference is not valid on another device: store the value itself
template struct kr::detail::composite<int&>;
// error: krait: a struct in a kernel needs at least one member
void of_nothing(kr::view<nothing> x) { kr::var<nothing> t = x[0]; }
// error: krait: a struct in a kernel can have at most 24 members: move some into a nested struct
void of_many(kr::view<many> x) { kr::var<many> t = x[0]; }
// error: krait: kernels support std::complex<float> and std::complex<double> only
void of_complex(kr::view<std::complex<long double>> x) { kr::var<std::complex<long double>> t = x[0]; }

// error: krait: the parameters of a kr::function must be kr::value<T>, kr::var<T>, kr::var<T>&, kr::view<T> or auto
auto takes_vector = kr::function([](kr::value<int> a, std::vector<int>) { return a; });
void calls_vector(kr::view<int> x) { takes_vector(x[0], std::vector<int>(1)); }
// error: krait: a kr::function must return nothing, a number, or a std::tuple of numbers
auto gives_text = kr::function([](kr::value<int>) { return "text"; });
void calls_for_text(kr::view<int> x) { gives_text(x[0]); }
// error: krait: the call and the lambda differ in their number of arguments: pass one argument per parameter
auto takes_one = kr::function([](kr::value<int> a) { return a; });
void calls_with_two(kr::view<int> x) { takes_one(x[0], x[0]); }

// error: krait::array has 1 to 6 dimensions
kr::array<float, 7> too_deep;
// error: krait: arange cannot step through bool: choose another element type
const auto bool_steps = kr::arange<bool>(0, 2);
// error: krait: arrays of numbers and of complex numbers can be printed
struct not_printed {
  float x, y;
};
const auto printed_struct = kr::to_string(kr::array<not_printed>(2));
// error: elements are copied as bytes: use a trivially copyable type
kr::array<std::vector<int>> of_vectors;
// error: krait: the array and the expression differ in their number of dimensions
void fewer(kr::array<float, 2>& x, kr::array<float>& y) { y = x + 1.0f; }

// error: a kernel's arguments must be numbers, plain structs of numbers, kr::array, or containers with data() and size()
auto first = kr::kernel([](auto x) { x[0] = 1; });
void with_text(std::unique_ptr<int>& p) { first.launch({1, 1}, p); }
// error: the lambda cannot be called with these arguments: compare its parameters with the launch's (numbers give kr::value<T>, containers kr::view<T>, const and temporary containers kr::view<const T>)
void with_two(std::vector<int>& x) { first.launch({1, 1}, x, x); }
// error: compile_async() needs the types of the parameters: declare them in the lambda
auto pending = first.compile_async();
// error: krait: the function pointer and the lambda differ in their number of parameters: declare one per argument
const kr::function_pointer<int(int, int)> of_one([](kr::value<int> x) { return x; });
// error: krait: the lambda of a function pointer takes kr::value<T> for a number T, kr::view<T> for T* and void*, and kr::view<const T> for const T*. kr::value<std::uint64_t> takes any pointer
const kr::function_pointer<int(const void*)> writes_const([](kr::view<int> x) { return x[0]; });
// error: krait: a function pointer takes numbers and pointers, and returns a number or nothing
const kr::function_pointer<int(counted)> of_struct([](auto) { return 1; });
// error: kr::pack needs the types of the parameters: declare them in the lambda
void pack_generic() { kr::pack("x.kpack", first); }
// error: a pack has at least one kernel
void pack_nothing() { kr::pack("x.kpack", kr::pack_options{}); }
// error: the lambda cannot be called with these arguments: it is called with one kr::value<T> per argument; a struct of them is kr::value<S>(a, b), not S{a, b}
auto plus = kr::vectorize([](auto x) { return x + 1; });
void sum_of_two() { plus(1, 2); }
// error: an element-wise function must return a value or a std::tuple of values
auto empty = kr::vectorize([](auto) { return std::tuple<>(); });
void call_empty() { empty(1); }
// error: an element-wise function has at least one argument
auto constant = kr::vectorize([] { return 1; });
int one = constant();
// error: into() needs variables, or temporaries that refer to elements, such as std::span
void into_temporary(std::vector<int>& x) { plus.into(std::vector<int>(4))(x); }
#endif
