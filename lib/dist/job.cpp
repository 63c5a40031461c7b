// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/job.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "devices/devices.h"
#include "devices/memory.h"
#include "dist/pieces.h"
#include "dist/rim.h"
#include "runtime/async.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/log.h"

namespace krait::dist {

double time_limit() {
  // JAX's heartbeats give up after 100 s, its start after 300; a rank may write a file meanwhile.
  constexpr double default_limit = 300;
  const char* const given = support::environment_text("KRAIT_DIST_TIMEOUT");
  if (!given) return default_limit;
  char* end = nullptr;
  const double seconds = std::strtod(given, &end);
  if (*end || !(seconds > 0 && seconds < 1e9))
    support::fail_usage("KRAIT_DIST_TIMEOUT is \"{}\", but must be a number of seconds above 0",
                        given);
  return seconds;
}

}  // namespace krait::dist

namespace krait::dist::detail {
namespace {

constexpr std::size_t slot_payload = 40;
struct Slot {
  std::uint64_t call = 0, signature = 0, spare = 0;
  std::byte payload[slot_payload]{};
};
static_assert(sizeof(Slot) == 64);
/// What a rank says of itself.
struct Place {
  char host[slot_payload - 1] = {};
  bool gpu = false;
};
static_assert(sizeof(Place) == slot_payload);
/// What a rank says of a call that others do not make.
struct CallText {
  char text[256] = {};
};

// How long a rank that gives up listens to the others, and a failed one waits for them.
constexpr std::chrono::milliseconds last_words{900};
// Who gives up the core while others compute there waits for a time slice of theirs, some
// milliseconds: so does a rank only after about 2 ms, or 50 us where ranks share cores.
constexpr unsigned long_wait = 16384;

std::uint64_t signature_of(const call& what) {
  std::uint64_t h = 14695981039346656037u;  // FNV-1a
  const auto mix = [&](std::uint64_t x) { h = (h ^ x) * 1099511628211u; };
  for (const char* c = what.name; *c; ++c) mix(std::uint64_t(*c));
  for (const char* c = what.type; *c; ++c) mix(std::uint64_t(*c));
  for (int i = 0; i < what.count; ++i) mix(std::uint64_t(what.numbers[i]));
  return h;
}
std::string text_of(const call& what) {
  std::string text = what.name;
  if (*what.type) text += fmt::format(" of {}", what.type);
  if (what.count > 0)
    text += fmt::format(" ({})", fmt::join(what.numbers, what.numbers + what.count, ", "));
  return text;
}

/// The devices of the default one's kind, a rank of this machine each in turn. KRAIT_DEVICE with a
/// number is for all ranks.
krait::device device_for(std::size_t place) {
  const krait::device standard;
  const char* const wished = support::environment_text("KRAIT_DEVICE");
  const char* const colon = std::strchr(standard.id(), ':');
  if (!colon || (wished && std::strchr(wished, ':'))) return standard;
  std::vector<krait::device> same;
  for (const krait::device& d : krait::devices())
    if (std::strncmp(d.id(), standard.id(), std::size_t(colon + 1 - standard.id())) == 0)
      same.push_back(d);
  return same.empty() ? standard : same[place % same.size()];
}

}  // namespace

job::job(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {
  limit_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_limit()));
  checked_ = support::environment_asks("KRAIT_CHECK");
  // Ranks of one machine have one name; their place among them chooses the device.
  Place mine;
  gethostname(mine.host, sizeof mine.host - 1);
  mine.gpu = !host::handle(device_).device->host_memory();
  std::vector<Place> all(static_cast<std::size_t>(size()));
  all_gather({.name = "kr::dist::world"}, &mine, all.data(), sizeof mine);
  std::size_t place = 0, neighbours = 0;
  for (int r = 0; r < size(); ++r) {
    const Place& other = all[std::size_t(r)];
    const bool here = std::memcmp(other.host, mine.host, sizeof mine.host) == 0;
    neighbours += here, place += here && r < rank();
    any_gpu_ = any_gpu_ || other.gpu;
  }
  device_ = device_for(place);
  first_of_node_ = place == 0;
  if (neighbours <= std::size_t(sysconf(_SC_NPROCESSORS_ONLN))) tests_before_pauses_ = long_wait;
}
job::~job() {
  leave();
  if (pinned_) host::handle(device_).device->async()->free_pinned(pinned_);
}

void job::open_carrier(const char* name) {
  if (!std::exchange(any_gpu_, false) || size() == 1) return;
  --calls_;
  all_gather({.name = name}, nullptr, nullptr, 0);  // what follows has another length
  host::DeviceHandle& device = host::handle(device_);
  const NcclTable* table = nullptr;
  Offer mine = offer_of(*device.device, device.id, rank() == 0, table);
  mine.says = engine_->takes_device_memory(), mine.may = engine_->may_take_device_memory();
  std::vector<Offer> all(static_cast<std::size_t>(size()));
  gathering_.assign(1, {});
  engine_->gather(&mine, all.data(), sizeof mine, gathering_[0]);
  wait_for(gathering_, name);
  const Choice choice = chosen(all);
  carrier_ = choice.carrier;
  if (carrier_ == Carrier::Nccl) {
    nccl_ = std::make_unique<Nccl>(*table, *device.device, all[0].id, rank(), size(), limit_);
    wait_until(
        name, [&] { return ask(name, [&] { return nccl_->ready(); }); }, false);
  }
  support::log_info("kr::dist: messages of arrays go {}{}{}", text_of(carrier_),
                    choice.why.empty() ? "" : ": ", choice.why);
}
bool job::ask(const char* name, function_ref<bool()> nccl) {
  try {
    return nccl();
  } catch (const error& e) {
    fail(e.kind(), fmt::format("{}: {}", here(name), e.message()), false);
  }
}
void job::begin_nccl(const char* name) {
  wait_until(
      name, [&] { return ask(name, [&] { return nccl_->arrived(Nccl::most_ahead); }); }, false);
}
void job::pass_nccl(const char* name) {
  wait_until(
      name, [&] { return ask(name, [&] { return nccl_->ready(); }); }, false);
  // Threads share arrays: one that reads another's device would wait there for a message that it
  // has not asked for itself yet. So the device's own launches do not wait for messages, but the
  // host does.
  const bool queued = engine_->has_processes();
  nccl_->pass(queued);
  if (!queued) settle(name);
}
void job::settle(const char* name) {
  if (!nccl_ || broken()) return;
  wait_until(
      name, [&] { return ask(name, [&] { return nccl_->arrived(0); }); }, false);
}
void job::close_nccl() noexcept {
  if (!nccl_) return;
  try {
    nccl_->close();
    wait_until(
        "the end of kr::dist::world", [&] { return nccl_->ready(); }, false);
  } catch (const std::exception& e) {
    if (!broken()) failed(error::kind_type::device, e.what());
  }
}
void job::drop_nccl() noexcept { nccl_.reset(); }

std::string job::here(const char* name) const { return fmt::format("{} (call {})", name, calls_); }

void job::refuse_waiting(const call& what) const {
  if (waiting_)
    support::fail_usage(
        "{}: an exchange is under way: call wait() on the result of kr::dist::exchange_begin first",
        what.name);
}

void job::begin(const call& what) {
  refuse_waiting(what);
  if (broken()) throw error(error::kind_type::device, why_.c_str());
  ++calls_;
  if (checked_ && size() > 1) {
    --calls_;
    all_gather(what, nullptr, nullptr, 0);
  }
}

void job::all_gather(const call& what, const void* mine, void* all, std::size_t bytes) {
  if (broken()) throw error(error::kind_type::device, why_.c_str());
  ++calls_;
  settle(what.name);
  if (size() == 1) {
    if (bytes > 0) std::memcpy(all, mine, bytes);
    return;
  }
  Slot slot{calls_, signature_of(what), 0, {}};
  if (bytes > 0) std::memcpy(slot.payload, mine, bytes);
  slots_.resize(sizeof(Slot) * std::size_t(size()));
  gathering_.assign(1, {});
  engine_->gather(&slot, slots_.data(), sizeof slot, gathering_[0]);
  wait_for(gathering_, what.name);
  const auto* const got = reinterpret_cast<const Slot*>(slots_.data());
  for (int r = 0; r < size(); ++r)
    if (got[r].signature != slot.signature) disagree(what);
  for (int r = 0; r < size() && bytes > 0; ++r)
    std::memcpy(static_cast<std::byte*>(all) + bytes * std::size_t(r), got[r].payload, bytes);
}

void job::disagree(const call& what) {
  CallText mine;
  std::vector<CallText> texts(static_cast<std::size_t>(size()));
  const std::string text = fmt::format("{}, call {}", text_of(what), calls_);
  text.copy(mine.text, sizeof mine.text - 1);
  gathering_.assign(1, {});
  engine_->gather(&mine, texts.data(), sizeof mine, gathering_[0]);
  wait_for(gathering_, what.name);
  std::string told;
  int shown = 0;
  for (int r = 0; r < size(); ++r) {
    if (r == rank() || !std::strcmp(texts[std::size_t(r)].text, mine.text)) continue;
    if (++shown > 3) continue;
    told +=
        fmt::format("{}rank {} calls {}", told.empty() ? "" : "; ", r, texts[std::size_t(r)].text);
  }
  if (shown > 3) told += fmt::format("; and {} more ranks differ", shown - 3);
  fail(error::kind_type::usage,
       fmt::format("the ranks make different calls: rank {} calls {}; {}: "
                   "every function of kr::dist is called by all ranks in the same order, "
                   "with the same arguments",
                   rank(), text, told),
       true);
}

void job::send(const void* from, std::size_t bytes, int to, int tag) {
  const auto* const first = static_cast<const std::byte*>(from);
  each_piece(bytes, largest_piece, [&](std::size_t at, std::size_t count) {
    engine_->send(first + at, count, to, tag, tickets_.emplace_back());
  });
}
void job::receive(void* to, std::size_t bytes, int from, int tag) {
  auto* const first = static_cast<std::byte*>(to);
  each_piece(bytes, largest_piece, [&](std::size_t at, std::size_t count) {
    engine_->receive(first + at, count, from, tag, tickets_.emplace_back());
  });
}
void job::wait(const char* name) {
  if (tickets_.empty()) return;
  wait_for(tickets_, name);
  tickets_.clear();
}
std::byte* job::scratch(std::size_t bytes) {
  if (bytes > scratch_bytes_) {
    runtime::Async* const async = host::handle(device_).device->async();
    scratch_bytes_ = 0;
    scratch_.reset();
    if (pinned_) async->free_pinned(std::exchange(pinned_, nullptr));
    if (async) pinned_ = async->allocate_pinned(bytes);
    if (!pinned_) scratch_.reset(new std::byte[bytes]);
    scratch_bytes_ = bytes;
  }
  return pinned_ ? static_cast<std::byte*>(pinned_) : scratch_.get();
}
std::uint64_t job::device_scratch(std::size_t bytes) {
  if (bytes > device_scratch_bytes_) {
    device_scratch_bytes_ = 0;
    device_scratch_ = {};
    device_scratch_ =
        krait::detail::memory_share(krait::detail::allocate(&host::handle(device_), bytes));
    device_scratch_bytes_ = bytes;
  }
  return krait::detail::address_of(device_scratch_.get());
}

Rim* job::rim(const decomposition& how, const elements& all) {
  const host::DeviceHandle& own = host::handle(device_);
  if (!all.memory || !own.device->host_memory() || all.memory->device != &own || any_gpu_ ||
      carrier_ != Carrier::Host)
    return nullptr;
  std::unique_ptr<Rim>& kept = rims_[how.serial % rims_.size()];
  if (!kept || !kept->is_for(how, all)) kept = std::make_unique<Rim>(how, all);
  return kept->usable() ? kept.get() : nullptr;
}

void job::wait_for(std::vector<Ticket>& tickets, const char* name) {
  // A test of one message moves all of them.
  std::size_t next = 0;
  wait_until(
      name,
      [&] {
        while (next < tickets.size() && engine_->test(tickets[next])) ++next;
        return next == tickets.size();
      },
      !engine_->has_processes());
}
void job::wait_until(const char* name, function_ref<bool()> done, bool yields) {
  // Most messages between neighbours are there after a few tests; the clock costs more than one.
  constexpr unsigned tests_between_looks = 64;
  Clock::time_point began{};
  for (std::size_t tests = 1;; ++tests) {
    if (done()) return;
    if (tests % tests_between_looks == 0 || yields) {
      listen(name);
      const auto now = Clock::now();
      if (began == Clock::time_point{}) began = now;
      if (now - began > limit_) give_up(name, nullptr);
    }
    if (tests > tests_before_pauses_ || yields) engine_->pause();
  }
}

void job::listen(const char* name) {
  Notice n;
  if (!engine_->hear(n)) return;
  if (n.kind == Notice::Kind::Waiting) give_up(name, &n);
  fail(error::kind_type(n.error), fmt::format("{}: rank {} failed: {}", here(name), n.rank, n.text),
       true);
}

void job::give_up(const char* name, const Notice* heard) {
  Notice mine;
  mine.kind = Notice::Kind::Waiting, mine.rank = rank(), mine.call = calls_;
  here(name).copy(mine.text, sizeof mine.text - 1);
  engine_->tell(mine);
  std::vector<std::string> others(static_cast<std::size_t>(size()));
  int missing = size() - 1;
  const auto take = [&](const Notice& n) {
    std::string& of = others[std::size_t(n.rank)];
    missing -= of.empty();
    of = fmt::format("rank {} {} {}", n.rank,
                     n.kind == Notice::Kind::Waiting ? "waits in" : "failed:", n.text);
  };
  if (heard) take(*heard);
  const auto until = Clock::now() + last_words;
  for (Notice n; missing > 0 && Clock::now() < until; engine_->pause())
    while (engine_->hear(n)) take(n);
  std::string told;
  int shown = 0;
  for (int r = 0; r < size(); ++r) {
    const std::string& of = others[std::size_t(r)];
    if (r == rank() || ++shown > 4) continue;
    told += (told.empty() ? "" : "; ") +
            (of.empty()
                 ? fmt::format("rank {} does not answer: it computes, is stopped or has ended", r)
                 : of);
  }
  fail(error::kind_type::device,
       fmt::format("{}: no answer for {:g} s (KRAIT_DIST_TIMEOUT): {}", here(name),
                   std::chrono::duration<double>(limit_).count(), told),
       true);
}

void job::fail(error::kind_type kind, const std::string& text, bool told) {
  drop_nccl();
  if (!told) failed(kind, text.c_str());
  why_ = text, told_ = true;
  throw error(kind, text.c_str());
}

void job::failed(error::kind_type kind, const char* text) noexcept {
  drop_nccl();
  if (told_) return;
  told_ = true;
  try {
    why_ = text;
    Notice n;
    n.error = std::uint8_t(kind), n.rank = rank(), n.call = calls_;
    why_.copy(n.text, sizeof n.text - 1);
    if (size() > 1) engine_->tell(n);
  } catch (const std::exception& e) {
    const std::string line = fmt::format("krait: rank {} of {}: the others cannot be told: {}",
                                         rank(), size(), e.what());
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

void job::leave() noexcept {
  if (left_) return;
  left_ = true;
  if (!broken()) {
    try {
      all_gather({.name = "the end of kr::dist::world"}, nullptr, nullptr, 0);
    } catch (const std::exception&) {
    }  // the job is broken, and says why
  }
  if (!broken()) close_nccl();
  drop_nccl();
  if (!broken()) return engine_->close(true);
  if (engine_->has_processes())
    std::fprintf(stderr, "krait: rank %d of %d: %s\n", rank(), size(), why_.c_str());
  try {
    Ticket all;
    Notice more;
    engine_->meet(all);
    const auto until = Clock::now() + last_words;
    while (!engine_->test(all)) {
      if (Clock::now() > until) {
        engine_->abort();
        break;
      }
      engine_->hear(more);
      engine_->pause();
    }
  } catch (const std::exception&) {
    engine_->abort();
  }
  engine_->close(false);
}

}  // namespace krait::dist::detail
