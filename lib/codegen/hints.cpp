// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/hints.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace krait::codegen {

using ir::Op;

void Hints::add(std::string_view kind, const ir::Location& at, std::string text) {
  for (const Hint& known : all_)
    if (known.kind == kind && known.at.line == at.line && known.at.file == at.file) return;
  all_.push_back({std::string(kind), at, std::move(text)});
}

std::string Hints::lines() const {
  std::vector<const Hint*> sorted;
  for (const Hint& h : all_) sorted.push_back(&h);
  const auto before = [](const Hint* a, const Hint* b) {
    return std::tie(a->at.file, a->at.line) < std::tie(b->at.file, b->at.line);
  };
  std::stable_sort(sorted.begin(), sorted.end(), before);
  std::string out;
  for (const Hint* h : sorted)
    out += fmt::format("{}\t{}\t{}\t{}\n", h->kind, h->at.line, h->at.file, h->text);
  return out;
}

namespace {

/// What an index is made of, as far as neighbours differ in it.
struct Made {
  bool of_memory = false, of_thread = false, chosen = false, divided = false, scaled = false,
       passed = false;
};

void look(const ir::Function& f, ir::ValueId v, const std::function<bool(ir::ValueId)>& uniform,
          unsigned depth, Made& made) {
  if (depth == 0 || uniform(v)) return;
  const ir::Inst* d = f.def(v);
  if (!d) {
    made.passed = made.passed || (f.called && f.values[v].region == f.body);
    return;
  }
  switch (d->op) {
    case Op::Load:
    case Op::LoadVec:
      (f.type_of(d->operands[0]).space == ir::Space::Local ? made.of_thread : made.of_memory) =
          true;
      return;
    case Op::Min:
    case Op::Max:
    case Op::Select: made.chosen = true; break;
    case Op::Div:
    case Op::Rem: made.divided = true; break;
    case Op::Mul: {
      const bool first = uniform(d->operands[0]), second = uniform(d->operands[1]);
      made.scaled = made.scaled || (first != second && !f.is_const(d->operands[first ? 0 : 1]));
      break;
    }
    default: break;
  }
  if (ir::info(d->op).effect != ir::Effect::Pure) return;
  for (const ir::ValueId operand : d->operands)
    if (f.type_of(operand).is_value()) look(f, operand, uniform, depth - 1, made);
}

}  // namespace

Cause scaled_cause() {
  return {
      "the index is multiplied by a size known only at launch, "
      "so neighbouring threads are a row apart",
      "Make the last index the one that comes from x, or transpose through a shared array"};
}

Cause cause_of(const ir::Function& f, ir::ValueId index,
               const std::function<bool(ir::ValueId)>& uniform) {
  constexpr unsigned deepest = 12;
  Made made;
  look(f, index, uniform, deepest, made);
  if (made.of_memory)
    return {"the index comes from memory",
            "Sort the work so that neighbouring threads use neighbouring elements, "
            "or copy the table that all of them use to a shared array"};
  if (made.of_thread)
    return {
        "the index comes from a thread's own array (kr::local), and each thread has its own copy",
        "If all threads of a warp keep equal numbers there, such as a stack, "
        "read them by kr::warp::broadcast(v, 0), or use a shared array"};
  if (made.chosen)
    return {"the index is clamped or chosen (min, max, select)",
            "Compute the interior without the clamp, and the border separately"};
  if (made.divided)
    return {"the index comes from a division or remainder",
            "Launch over rows and columns, kr::grid<2>(), instead of splitting one number"};
  if (made.scaled) return scaled_cause();
  if (made.passed)
    return {
        "the index is a parameter of a function, called or cut out of a large kernel, "
        "which does not know the index of the next thread",
        "Compute the index in that function, or make the kernel smaller"};
  return {"the index differs from thread to thread without a fixed distance",
          "Make it the thread's x plus a value that is equal in all threads"};
}

std::string strided_text(bool stores, std::int64_t bytes, std::uint32_t element_bytes,
                         std::string_view price) {
  const std::int64_t far = std::abs(bytes);
  const bool members = far == std::int64_t(element_bytes) && far > 8;
  return fmt::format("strided access: neighbouring threads {} places {} bytes apart{}, {}. {}",
                     stores ? "store to" : "load from", far,
                     bytes < 0 ? " in descending order" : "", price,
                     members ? "Give each member that is used often a separate array"
                             : "Let neighbouring threads use neighbouring elements: "
                               "the last index from x, kr::vec for neighbours");
}

std::string division_text(ir::Scalar s, bool known_divisor, std::string_view price) {
  const unsigned bits = ir::bits_of(s);
  return fmt::format("integer division: {} bits by {}, {}. {}", bits,
                     known_divisor ? "a constant" : "a number known only at launch", price,
                     known_divisor ? "Divide numbers of 32 bits where they fit"
                     : bits == 64
                         ? "Capture the divisor as a plain C++ number, which makes it a constant, "
                           "or divide numbers of 32 bits"
                         : "Capture the divisor as a plain C++ number, which makes it a constant, "
                           "or count instead of dividing");
}

}  // namespace krait::codegen
