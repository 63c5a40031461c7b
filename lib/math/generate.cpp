// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs while Krait is built: records every mathematical function for both types and writes the IR
// as C++ source.
//   generate_math <output.cpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "ir/builder.h"
#include "ir/text/text.h"
#include "math/traced.h"  // before the functions: their words are looked up where they stand
#include "math/functions.h"
#include "trace/trace.h"

namespace krait::math {
namespace {

/// The result was assigned to a slot last of all; that assignment becomes the yield, and the kernel
/// a function.
void end_in_yield(ir::Function& f, ir::Scalar type) {
  f.called = true;
  f.results = {type};
  std::vector<ir::InstId>& body = f.regions[f.body].insts;
  ir::InstId assignment = ir::none;
  for (const ir::InstId i : body)
    if (f.insts[i].op == ir::Op::Set) assignment = i;
  const ir::ValueId slot = f.insts[assignment].operands[0],
                    result = f.insts[assignment].operands[1];
  const ir::InstId declaration = f.values[slot].def;
  std::erase_if(body, [&](ir::InstId i) {
    return i == assignment || i == declaration || ir::is_terminator(f.insts[i].op);
  });
  ir::Builder builder(f);
  builder.at(f.body);
  const ir::ValueId operands[] = {result};
  builder.append(ir::Op::Yield, {}, operands);
}

template <class Float, class... Operands>
std::string record(const char* name, value<Float> (*function)(const Operands&...)) {
  const std::string full = std::string("math.") + name + (sizeof(Float) == 4 ? ".f32" : ".f64");
  detail::recording_options options;
  options.name = full.c_str();
  options.fp = static_cast<std::uint8_t>(ir::FpMode::Reproducible);
  void* recording = detail::begin_recording(options);
  const value<Float> operands[] = {Operands(detail::parameter(detail::scalar_of<Float>))...};
  const auto call = [&]<std::size_t... At>(std::index_sequence<At...>) {
    return function(operands[At]...);
  };
  const value<Float> result = call(std::index_sequence_for<Operands...>{});
  const detail::node slot =
      detail::make_slot(detail::scalar_of<Float>, detail::literal(detail::scalar_of<Float>, 0));
  detail::assign(slot, node_of(result));
  ir::Module module = std::move(trace::take(detail::finish_recording(recording))->module);
  end_in_yield(module.kernel(), sizeof(Float) == 4 ? ir::Scalar::F32 : ir::Scalar::F64);
  ir::canonicalise(module);
  if (const std::string wrong = ir::verify(module); !wrong.empty()) {
    std::fprintf(stderr, "%s:\n%s\n%s\n", full.c_str(), wrong.c_str(), ir::print(module).c_str());
    std::exit(1);
  }
  return ir::print(module);
}

/// A definition of `text` as an array of characters; the lines become literals of their own.
void write(std::FILE* out, const char* name, const char* type, const std::string& text) {
  std::fprintf(out, "extern const char %s_%s[];\nconst char %s_%s[] =\n", name, type, name, type);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::fprintf(out, "    \"%s\\n\"\n", text.substr(at, end - at).c_str());
    at = end == std::string::npos ? text.size() : end + 1;
  }
  std::fprintf(out, "    ;\n");
}

void write_all(std::FILE* out) {
  std::fprintf(out, "// Written by generate_math.\nnamespace krait::math::texts {\n");
  using F = value<float>;
  using D = value<double>;
#define FUNCTION1(Op, name)                                                                    \
  write(out, #name, "f32", record<float>(#name, static_cast<F (*)(const F&)>(math::name<F>))); \
  write(out, #name, "f64", record<double>(#name, static_cast<D (*)(const D&)>(math::name<D>)));
#define FUNCTION2(Op, name)                                                           \
  write(out, #name, "f32",                                                            \
        record<float>(#name, static_cast<F (*)(const F&, const F&)>(math::name<F>))); \
  write(out, #name, "f64",                                                            \
        record<double>(#name, static_cast<D (*)(const D&, const D&)>(math::name<D>)));
#define FAST1(Name, name) FUNCTION1(Name, name##_fast)
#define FAST2(Name, name) FUNCTION2(Name, name##_fast)
#define PRODUCTS2(Name, name)      \
  FUNCTION2(Name, name##_products) \
  FUNCTION2(Name, name##_products_fast)
#include "math/functions.def"
  std::fprintf(out, "}  // namespace krait::math::texts\n");
}

}  // namespace
}  // namespace krait::math

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: generate_math <output.cpp>\n"), 2;
  std::FILE* out = std::fopen(arguments[1], "w");
  if (!out) return std::perror(arguments[1]), 1;
  try {
    krait::math::write_all(out);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "generate_math: %s\n", e.what()), 1;
  }
  return std::fclose(out) == 0 ? 0 : 1;
}
