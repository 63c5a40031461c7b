// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/text/text.h"

#include "krait/error.h"
#include "passes/passes.h"
#include "support/target.h"
#include "targets.h"

namespace krait::test::fuzz {
namespace {

/// The parsed text, if verify has nothing against it.
bool read(std::string_view text, ir::Module& out) {
  ir::ParseResult parsed = ir::parse(text);
  if (!parsed.error.empty() || !ir::verify(parsed.module).empty()) return false;
  out = std::move(parsed.module);
  return true;
}

std::size_t size_of(const ir::Module& m) {
  std::size_t all = 0;
  for (const ir::Function& f : m.functions) all += f.insts.size();
  return all;
}

}  // namespace

std::vector<std::string> no_seeds() { return {}; }

bool kir(std::string_view text) {
  ir::Module m;
  if (!read(text, m)) return false;
  const std::string printed = ir::print(m, {.names = true, .locations = true});
  const ir::ParseResult again = ir::parse(printed);
  if (!again.error.empty())
    broken("what was printed does not parse: " + again.error + "\n" + printed);
  if (const std::string wrong = ir::verify(again.module); !wrong.empty())
    broken("what was printed does not verify: " + wrong + "\n" + printed);
  if (const std::string twice = ir::print(again.module, {.names = true, .locations = true});
      twice != printed)
    broken("printed and parsed it is another text:\n" + printed + "and\n" + twice);
  return true;
}

bool passes(std::string_view text) {
  static const char* const names[] = {"cpu x86-64 lanes=16 cpu=x86-64-v4 tune=znver4",
                                      "ptx sm=90 isa=80", "interpreter"};
  static const std::vector<support::Target> all = [] {
    std::vector<support::Target> some;
    for (const char* name : names) {
      support::ParsedTarget parsed = support::parse_target(name);
      if (!parsed.error.empty()) broken(parsed.error);
      some.push_back(std::move(parsed.target));
    }
    return some;
  }();
  // what passes take of larger ones is for other tests
  constexpr std::size_t most_instructions = 300;
  ir::Module recorded;
  if (!read(text, recorded) || size_of(recorded) > most_instructions) return false;
  const ir::Function& kernel = recorded.functions.front();
  if (kernel.called || kernel.flat || kernel.elements != 1) return false;  // not as recorded
  passes::prepare(recorded);
  for (const support::Target& target : all)
    for (const passes::Effort effort : {passes::Effort::Quick, passes::Effort::Best}) {
      ir::Module m = recorded;
      if (const unsigned warp = support::info(target.kind).warp) m.kernel().facts.warp = warp;
      try {
        // barriers that not all threads reach
        if (!passes::run_pipeline(m, target, true, effort).empty()) return false;
      } catch (const error& e) {
        if (e.kind() == error::kind_type::internal) broken(e.message());
        return false;
      }
    }
  return true;
}

}  // namespace krait::test::fuzz
