// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a whole array that move to other ranks. Every rank can compute which box each one has
// and which it wants, so no rank asks another: a message is where two boxes overlap.
#include <algorithm>
#include <vector>

#include "dist/job.h"
#include "dist/parts.h"
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

struct Message {
  int rank = 0;
  layout at;
  std::size_t bytes = 0;
  std::byte* buffer = nullptr;  // null: the array's own memory
};
/// The messages with the other ranks, those behind this one first, so that not all begin with
/// rank 0. Adds the memory that they need.
std::vector<Message> messages(const job& of, int rank, const elements& all, const box& mine,
                              const function_ref<box(int)>& others, std::size_t& room) {
  std::vector<Message> found;
  for (int step = 1; step < of.size(); ++step) {
    const int r = (of.rank() + step) % of.size();
    Message m{r, within(all, rank, mine, overlap(rank, mine, others(r)))};
    m.bytes = bytes_of(m.at, all.element_bytes);
    if (m.bytes == 0) continue;
    if (!in_place(all, m.at)) room += m.bytes;
    found.push_back(m);
  }
  return found;
}
void give_room(std::vector<Message>& to, const elements& all, std::byte*& next) {
  for (Message& m : to)
    if (!in_place(all, m.at)) m.buffer = next, next += m.bytes;
}

}  // namespace

void transfer(job* of, const call& what, int rank, const side& from, const side& to,
              bool compares) {
  of->refuse_waiting(what);
  if (compares) all_gather(of, what, nullptr, nullptr, 0);
  else of->begin(what);
  guard(of, [&] {
    const box have = from.of(of->rank()), want = to.of(of->rank());
    std::size_t room = 0;
    std::vector<Message> out, in;
    if (!from.same) {
      out = messages(*of, rank, from.mine, have, to.of, room);
      in = messages(*of, rank, to.mine, want, from.of, room);
    }
    std::byte* next = of->scratch(room);
    give_room(out, from.mine, next), give_room(in, to.mine, next);
    for (const Message& m : in)
      of->receive(m.buffer ? m.buffer : in_place(to.mine, m.at), m.bytes, m.rank, part_tag);
    for (const Message& m : out) {
      if (m.buffer)
        krait::detail::copy_to_host({from.mine.memory, &m.at, from.mine.element_bytes}, m.buffer);
      of->send(m.buffer ? m.buffer : in_place(from.mine, m.at), m.bytes, m.rank, part_tag);
    }
    const box own = overlap(rank, have, want);  // while messages are under way
    const layout kept = within(from.mine, rank, have, own), put = within(to.mine, rank, want, own);
    if (bytes_of(kept, 1) > 0)
      krait::detail::copy_elements({to.mine.memory, &put, to.mine.element_bytes},
                                   {from.mine.memory, &kept, from.mine.element_bytes});
    of->wait(what.name);
    for (const Message& m : in)
      if (m.buffer)
        krait::detail::copy_from_host({to.mine.memory, &m.at, to.mine.element_bytes}, m.buffer);
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
    std::vector<std::int64_t> firsts(static_cast<std::size_t>(of->size() + 1));
    for (int r = 0; r < of->size(); ++r)
      firsts[std::size_t(r) + 1] = firsts[std::size_t(r)] + counts[r];
    const auto pieces = [&](const elements& all, const std::int64_t* at, std::size_t& room) {
      std::vector<Message> made(static_cast<std::size_t>(of->size()));
      for (int r = 0; r < of->size(); ++r) {
        Message& m = made[std::size_t(r)];
        m.rank = r, m.at = *all.at;
        m.at.offset += at[r] * m.at.strides[0], m.at.extents[0] = at[r + 1] - at[r];
        m.bytes = bytes_of(m.at, all.element_bytes);
        if (m.bytes > 0 && !in_place(all, m.at)) room += m.bytes;
      }
      return made;
    };
    std::size_t room = 0;
    std::vector<Message> out = pieces(from, cuts, room), in = pieces(to, firsts.data(), room);
    const auto own = std::size_t(of->rank());
    const layout kept = out[own].at, put = in[own].at;
    const bool keeps = out[own].bytes > 0;
    const auto drop = [&](const Message& m) { return m.rank == of->rank() || m.bytes == 0; };
    std::erase_if(out, drop), std::erase_if(in, drop);
    std::byte* next = of->scratch(room);
    give_room(out, from, next), give_room(in, to, next);
    for (const Message& m : in)
      of->receive(m.buffer ? m.buffer : in_place(to, m.at), m.bytes, m.rank, part_tag);
    for (const Message& m : out) {
      if (m.buffer) krait::detail::copy_to_host({from.memory, &m.at, from.element_bytes}, m.buffer);
      of->send(m.buffer ? m.buffer : in_place(from, m.at), m.bytes, m.rank, part_tag);
    }
    if (keeps)
      krait::detail::copy_elements({to.memory, &put, to.element_bytes},
                                   {from.memory, &kept, from.element_bytes});
    of->wait(what.name);
    for (const Message& m : in)
      if (m.buffer) krait::detail::copy_from_host({to.memory, &m.at, to.element_bytes}, m.buffer);
  });
}

}  // namespace krait::dist::detail
