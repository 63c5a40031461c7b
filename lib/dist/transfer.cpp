// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a whole array that move to other ranks. Every rank can compute which box each one has
// and which it wants, so no rank asks another: a message is where two boxes overlap.
#include <algorithm>
#include <vector>

#include "devices/layout.h"
#include "dist/mail.h"
#include "krait/dist.h"

namespace krait::dist::detail {
namespace {

constexpr int part_tag = 32767 - 1, count_tag = 32767;  // above those of halos; MPI has 15 bits

box overlap(int rank, const box& x, const box& y) {
  box both;
  for (int d = 0; d < rank; ++d) {
    both.first[d] = std::max(x.first[d], y.first[d]);
    const std::int64_t last = std::min(x.first[d] + x.count[d], y.first[d] + y.count[d]);
    both.count[d] = std::max<std::int64_t>(last - both.first[d], 0);
  }
  return both;
}
/// A box of the whole array within elements that are those of another one.
layout within(const elements& of, int rank, const box& mine, box part) {
  for (int d = 0; d < rank; ++d) part.first[d] -= mine.first[d];
  return part_of(*of.at, part);
}

/// Whether two parts are the same elements.
bool is_same(const void* memory, const layout& x, const void* other, const layout& y) {
  return memory == other && x.offset == y.offset &&
         std::equal(x.extents, x.extents + x.rank, y.extents) &&
         std::equal(x.strides, x.strides + x.rank, y.strides);
}

/// Calls use(rank, part) for what the other ranks have of this one's, those behind it first, so
/// that not all begin with rank 0.
void each_other(const job& of, int rank, const elements& all, const box& mine,
                const function_ref<box(int)>& others, function_ref<void(int, const layout&)> use) {
  for (int step = 1; step < of.size(); ++step) {
    const int r = (of.rank() + step) % of.size();
    use(r, within(all, rank, mine, overlap(rank, mine, others(r))));
  }
}

}  // namespace

void transfer(job* of, const call& what, int rank, const side& from, const side& to,
              bool compares) {
  of->refuse_waiting(what);
  if (compares) all_gather(of, what, nullptr, nullptr, 0);
  else of->begin(what);
  guard(of, [&] {
    const box have = from.of(of->rank()), want = to.of(of->rank());
    Mail mail(*of);
    if (!from.same) {
      each_other(*of, rank, from.mine, have, to.of,
                 [&](int r, const layout& part) { mail.send(from.mine, part, r, part_tag); });
      each_other(*of, rank, to.mine, want, from.of,
                 [&](int r, const layout& part) { mail.receive(to.mine, part, r, part_tag); });
    }
    mail.post(what.name);
    const box own = overlap(rank, have, want);  // while messages are under way
    const layout kept = within(from.mine, rank, have, own), put = within(to.mine, rank, want, own);
    if (host::size_of(kept) > 0 && !to.from_others &&
        !is_same(from.mine.memory, kept, to.mine.memory, put))
      krait::detail::copy_elements({to.mine.memory, &put, to.mine.element_bytes},
                                   {from.mine.memory, &kept, from.mine.element_bytes});
    mail.deliver(what.name);
  });
}

void deal_counts(job* of, const call& what, const std::int64_t* cuts, std::int64_t* counts) {
  all_gather(of, what, nullptr, nullptr, 0);
  guard(of, [&] {
    std::vector<std::int64_t> mine(static_cast<std::size_t>(of->size()));
    for (std::size_t r = 0; r < mine.size(); ++r) mine[r] = cuts[r + 1] - cuts[r];
    for (int r = 0; r < of->size(); ++r) {
      if (r == of->rank()) {
        counts[r] = mine[std::size_t(r)];
        continue;
      }
      of->receive(&counts[r], sizeof counts[r], r, count_tag);
      of->send(&mine[std::size_t(r)], sizeof counts[r], r, count_tag);
    }
    of->wait(what.name);
  });
}

void deal(job* of, const call& what, const elements& from, const std::int64_t* cuts,
          const elements& to, const std::int64_t* counts) {
  of->begin(what);
  guard(of, [&] {
    Mail mail(*of);
    const auto piece = [](const elements& all, std::int64_t first, std::int64_t count) {
      layout at = *all.at;
      at.offset += first * at.strides[0], at.extents[0] = count;
      return at;
    };
    layout kept, put;
    std::int64_t next = 0;
    for (int r = 0; r < of->size(); next += counts[r], ++r) {
      const layout out = piece(from, cuts[r], cuts[r + 1] - cuts[r]),
                   in = piece(to, next, counts[r]);
      if (r == of->rank()) {
        kept = out, put = in;
        continue;
      }
      mail.send(from, out, r, part_tag);
      mail.receive(to, in, r, part_tag);
    }
    mail.post(what.name);
    if (host::size_of(kept) > 0)
      krait::detail::copy_elements({to.memory, &put, to.element_bytes},
                                   {from.memory, &kept, from.element_bytes});
    mail.deliver(what.name);
  });
}

}  // namespace krait::dist::detail
