// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that one rank may fail at, so that the call fails alike on all ranks and the job goes on.
#include <string>
#include <vector>

#include "dist/job.h"
#include "krait/error.h"

namespace krait::dist::detail {
namespace {

constexpr int outcome_tag = 32764;

/// What a rank tells of its work.
struct Outcome {
  bool failed = false;
  error::kind_type kind = error::kind_type::usage;
  std::uint64_t length = 0, number = 0;
};

/// The text of the rank that failed, on all ranks.
std::string shared_text(job* of, const char* name, int failed, std::uint64_t length,
                        std::string text) {
  guard(of, [&] {
    if (of->rank() != failed) {
      text.resize(length);
      of->receive(text.data(), text.size(), failed, outcome_tag);
    } else {
      for (int to = 0; to < of->size(); ++to)
        if (to != failed) of->send(text.data(), text.size(), to, outcome_tag);
    }
    of->wait(name);
  });
  return text;
}

}  // namespace

std::uint64_t together(job* of, const char* name, function_ref<std::uint64_t()> work) {
  Outcome mine;
  std::string why;
  const auto fails = [&](error::kind_type kind, const char* text) {
    why = *text ? text : "it failed";
    mine = {.failed = true, .kind = kind, .length = why.size()};
  };
  try {
    mine.number = work();
  } catch (const error& e) {
    fails(e.kind(), e.message());
  } catch (const std::exception& e) {
    fails(error::kind_type::usage, e.what());
  }
  std::vector<Outcome> all(static_cast<std::size_t>(of->size()));
  all_gather(of, {.name = name, .type = "its end"}, &mine, all.data(), sizeof mine);
  std::uint64_t sum = 0;
  for (int r = 0; r < of->size(); ++r) {
    const Outcome& o = all[std::size_t(r)];
    if (o.failed) throw error(o.kind, shared_text(of, name, r, o.length, why).c_str());
    sum += o.number;
  }
  return sum;
}

}  // namespace krait::dist::detail
