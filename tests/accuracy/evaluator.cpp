// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "evaluator.h"

#include <dlfcn.h>

#include <memory>
#include <stdexcept>

namespace krait::accuracy {
namespace {

constexpr const char* mode_names[] = {"strict", "reproducible", "native", "fast"};

template <class Float, class Lambda>
auto one_argument(Lambda f, const char* name, krait::fp mode) {
  return [k = krait::vectorize(f, {.name = name, .fp = mode})](
             const array<Float>& x, const array<Float>&, array<Float>& out) { k.into(out)(x); };
}
template <class Float, class Lambda>
auto two_arguments(Lambda f, const char* name, krait::fp mode) {
  return
      [k = krait::vectorize(f, {.name = name, .fp = mode})](
          const array<Float>& x, const array<Float>& y, array<Float>& out) { k.into(out)(x, y); };
}

}  // namespace

// Vectorised functions do not copy, and std::function wants a copy: shared pointers hold them.
template <class Launch>
auto kept(Launch launch) {
  return [held = std::make_shared<Launch>(std::move(launch))](const auto& x, const auto& y,
                                                              auto& out) { (*held)(x, y, out); };
}

Evaluator::Evaluator(krait::device on, krait::fp mode)
    : on_(on),
      name_(std::string("Krait ") + mode_names[int(mode)]),
      fast_(mode == krait::fp::fast) {
#define FUNCTION1(Name, name)                                                                     \
  single_[#name] = kept(one_argument<float>([](auto x) { return krait::name(x); }, #name, mode)); \
  double_[#name] = kept(one_argument<double>([](auto x) { return krait::name(x); }, #name, mode));
#define FUNCTION2(Name, name)                                                                    \
  single_[#name] =                                                                               \
      kept(two_arguments<float>([](auto x, auto y) { return krait::name(x, y); }, #name, mode)); \
  double_[#name] =                                                                               \
      kept(two_arguments<double>([](auto x, auto y) { return krait::name(x, y); }, #name, mode));
#include "math/functions.def"
}

Evaluator::Evaluator(krait::device on, const char* peer) : on_(on) {
  void* library = dlopen(peer, RTLD_NOW | RTLD_LOCAL);
  if (library) peer_ = static_cast<const MathPeer*>(dlsym(library, "krait_math_peer"));
  if (!peer_) throw std::runtime_error(dlerror());
  name_ = peer_->name;
}

bool Evaluator::run(const Reference& f, const array<float>& x, const array<float>& y,
                    array<float>& out) const {
  if (peer_)
    return peer_->run(f.name, false, reinterpret_cast<void*>(x.address()),
                      reinterpret_cast<void*>(y.address()), reinterpret_cast<void*>(out.address()),
                      long(x.size()));
  single_.find(f.name)->second(x, y, out);
  return true;
}
bool Evaluator::run(const Reference& f, const array<double>& x, const array<double>& y,
                    array<double>& out) const {
  if (peer_)
    return peer_->run(f.name, true, reinterpret_cast<void*>(x.address()),
                      reinterpret_cast<void*>(y.address()), reinterpret_cast<void*>(out.address()),
                      long(x.size()));
  double_.find(f.name)->second(x, y, out);
  return true;
}

}  // namespace krait::accuracy
