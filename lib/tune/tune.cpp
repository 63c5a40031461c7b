// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/tune.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "cache/entry.h"
#include "host/graph.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/store.h"
#include "krait/benchmark.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/threads.h"

namespace krait {

struct detail::candidate_state {
  std::shared_ptr<const std::vector<std::string>> names;
  std::vector<std::int64_t> values;
  std::atomic<unsigned> owners{1};
};

struct detail::space_state {
  std::vector<candidate> candidates;
};

namespace host {
namespace {

using detail::candidate_state;
using detail::space_state;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_candidates = 4096;

std::string text_of(const candidate& c) {
  std::string out;
  const candidate_state& s = *detail::access::state(c);
  for (std::size_t i = 0; i < s.values.size(); ++i)
    out += fmt::format("{}{}={}", i ? " " : "", (*s.names)[i], s.values[i]);
  return out;
}

bool is_name(std::string_view text) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

// ---- choices that are known ---------------------------------------------------------------------

struct Choice {
  // of the tuning; of the device, with its driver; of the first candidate's launches
  std::string name, device, target, kernels;
  std::string choice;
  double ms = 0;

  std::string key() const { return fmt::format("{}\n{}\n{}", name, device, kernels); }
  std::string line() const {
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{:.6g}\n", name, device, target, kernels, choice, ms);
  }
};

class Choices {
 public:
  static Choices& get() {
    static auto* const all = new Choices;
    return *all;
  }
  void add(Choice c) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, Choice>& of_drivers = known_[c.key()];
    of_drivers.insert_or_assign(c.target, std::move(c));
  }
  /// That of this driver, else that of another one.
  std::optional<Choice> find(const Choice& wanted) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(wanted.key());
    if (found == known_.end()) return {};
    const auto same = found->second.find(wanted.target);
    return same != found->second.end() ? same->second : found->second.begin()->second;
  }
  std::string lines() const {
    const std::lock_guard lock(mutex_);
    std::string out;
    for (const auto& [key, of_drivers] : known_)
      for (const auto& [target, choice] : of_drivers) out += choice.line();
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, Choice>> known_;
};

Choice read(std::string_view line, std::size_t number) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == '\t') fields.emplace_back();
    else fields.back() += c;
  Choice c;
  char* end = nullptr;
  if (fields.size() == 6) c.ms = std::strtod(fields[5].c_str(), &end);
  if (fields.size() != 6 || end == fields[5].c_str() || *end || !(c.ms >= 0))
    support::fail_usage(
        "import_tuning: line {} is not a choice: expected a line of export_tuning, "
        "six fields separated by tabs: the name, the device, its target, the kernels, "
        "the choice and milliseconds",
        number);
  c.name = fields[0], c.device = fields[1], c.target = fields[2], c.kernels = fields[3],
  c.choice = fields[4];
  return c;
}

constexpr std::string_view store_key = "tuning 1\n";

std::string source_of(const Choice& wanted) { return wanted.key() + "\n" + wanted.target; }

/// The choice of an earlier search by any process, if it is one of these candidates.
std::optional<Choice> find_known(const Choice& wanted) {
  if (std::optional<Choice> here = Choices::get().find(wanted)) return here;
  support::Store* const disk = store();
  const std::optional<std::string> kept =
      disk ? disk->find(store_key, source_of(wanted)) : std::nullopt;
  if (!kept) return {};
  const std::size_t tab = kept->find('\t');
  if (tab == std::string::npos) return {};
  Choice found = wanted;
  found.choice = kept->substr(0, tab), found.ms = std::strtod(kept->c_str() + tab, nullptr);
  Choices::get().add(found);
  return found;
}

void keep(const Choice& choice) {
  Choices::get().add(choice);
  if (support::Store* const disk = store())
    disk->keep("choice-" + choice.name, store_key, source_of(choice),
               fmt::format("{}\t{:.6g}", choice.choice, choice.ms));
}

// ---- a search -----------------------------------------------------------------------------------

struct Trial {
  candidate numbers;
  std::unique_ptr<graph> launches;
  std::string left_out;  // why
  double ms = std::numeric_limits<double>::infinity();
  std::exception_ptr thrown;  // by the user's function
  std::exception_ptr refused;

  explicit Trial(candidate c) : numbers(std::move(c)) {}
  bool in() const { return left_out.empty(); }
};

class Search {
 public:
  Search(std::string name, const space& among, detail::function_ref<void(const candidate&)> run,
         const tune_options& with, const detail::tuned_output* outputs, std::size_t count)
      : name_(std::move(name)), run_(run), with_(with), outputs_(outputs, outputs + count) {
    for (std::size_t i = 0; i < among.size(); ++i) trials_.emplace_back(among[i]);
  }

  void prepare(Trial& t) const {
    try {
      t.launches = std::make_unique<graph>([&] { run_(t.numbers); }, with_.on);
      if (t.launches->size() == 0) t.left_out = "launches nothing";
    } catch (const error& e) {
      t.left_out = e.what(), t.refused = std::current_exception();
    } catch (...) {
      t.left_out = "throws", t.thrown = std::current_exception();
    }
  }
  Trial& first() { return trials_.front(); }

  /// The best candidate.
  const Trial& measure() {
    prepare_all();
    const std::vector<std::vector<std::byte>> before = contents();
    try {
      compare(before);
      time();
    } catch (...) {
      restore(before);
      throw;
    }
    restore(before);
    const auto faster = [](const Trial& x, const Trial& y) {
      return x.in() > y.in() || (x.in() == y.in() && x.ms < y.ms);
    };
    const Trial& best = *std::min_element(trials_.begin(), trials_.end(), faster);
    if (best.in()) return best;
    for (const Trial& t : trials_)
      if (t.refused) std::rethrow_exception(t.refused);
    support::fail_usage("tune \"{}\": none of the {} candidates launches a kernel", name_,
                        trials_.size());
  }

  std::string report() const {
    std::string out;
    for (const Trial& t : trials_) {
      out += text_of(t.numbers) + ": ";
      if (t.ms < std::numeric_limits<double>::infinity())
        out += fmt::format("{:.4g} ms{}", t.ms, t.in() ? "" : ", ");
      out += t.left_out + "\n";
    }
    return out;
  }

 private:
  /// Kernels of several candidates are compiled side by side.
  void prepare_all() {
    std::atomic<std::size_t> next{1};  // the first is prepared
    const auto work = [&] {
      for (std::size_t i; (i = next.fetch_add(1)) < trials_.size();) prepare(trials_[i]);
    };
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min<std::size_t>(processors(), trials_.size()); ++i)
        others.push_back(support::start_thread(work));
    } catch (const std::system_error&) {  // no more threads
    }
    work();
    others.clear();
    for (const Trial& t : trials_)
      if (t.thrown) std::rethrow_exception(t.thrown);
  }

  std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all;
    for (const detail::tuned_output& o : outputs_) {
      all.emplace_back(std::size_t(size_of(*o.at.at)) * o.at.element_bytes);
      detail::copy_to_host(o.at, all.back().data());
    }
    return all;
  }
  void restore(const std::vector<std::vector<std::byte>>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i)
      detail::copy_from_host(outputs_[i].at, all[i].data());
  }

  /// One run of each, which leaves out those with other results and tells how long a run takes.
  void compare(const std::vector<std::vector<std::byte>>& before) {
    std::vector<std::vector<std::byte>> right;
    for (Trial& t : trials_) {
      if (!t.in()) continue;
      restore(before);
      t.ms = run(t, 1);
      const std::vector<std::vector<std::byte>> got = contents();
      if (right.empty()) {
        right = got;
        continue;
      }
      for (std::size_t i = 0; i < got.size() && t.in(); ++i) {
        const auto count = std::int64_t(got[i].size() / outputs_[i].at.element_bytes);
        const std::int64_t at =
            outputs_[i].differ(got[i].data(), right[i].data(), count, with_.tolerance);
        if (at < count)
          t.left_out = fmt::format(
              "element {} of output {} differs from the result of the first candidate", at, i + 1);
      }
    }
  }

  /// Milliseconds of one of several runs.
  double run(Trial& t, int times) {
    with_.on.synchronize();
    before_.record();
    for (int i = 0; i < times; ++i) t.launches->launch();
    behind_.record();
    return behind_.elapsed_ms_since(before_) / times;
  }

  /// Rounds of measurements by turns, so that what disturbs the machine disturbs all. A candidate's
  /// time is its least. One that is slower than the best by more than a round's spread leaves: at
  /// first the machine may not be warm.
  void time() {
    // times of the best
    constexpr double allowed[] = {3, 1.5, 1.25, 1.1, 1.1, 1.05, 1.05, 1.05, 1.05, 1.05};
    // a measurement's length, of which the events' resolution is 1/1000
    constexpr double sample_ms = 1;
    const auto begin = Clock::now();
    for (const double most : allowed) {
      for (Trial& t : trials_) {
        if (!t.in()) continue;
        if (std::chrono::duration<double>(Clock::now() - begin).count() > with_.seconds) return;
        t.ms = std::min(t.ms, run(t, int(std::clamp(sample_ms / t.ms, 1.0, 1000.0))));
      }
      double best = std::numeric_limits<double>::infinity();
      for (const Trial& t : trials_)
        if (t.in()) best = std::min(best, t.ms);
      std::size_t left = 0;
      for (Trial& t : trials_)
        if (t.in() && t.ms > most * best) t.left_out = "slower";
        else left += t.in();
      if (left < 2) return;
    }
  }

  std::string name_;
  detail::function_ref<void(const candidate&)> run_;
  const tune_options& with_;
  std::vector<detail::tuned_output> outputs_;
  std::vector<Trial> trials_;
  event before_{with_.on}, behind_{with_.on};
};

/// What a candidate launches: kernels, grids and blocks.
std::string kernels_of(const graph& launches) {
  std::string all;
  for (const graph::state::Launch& l : launches.get()->launches) {
    all += l.code->hash;
    for (const std::int64_t n : l.request.grid) all += fmt::format(" {}", n);
    for (const std::int64_t n : l.request.block) all += fmt::format(" {}", n);
  }
  return cache::content_hash(all);
}

bool search_asked() {
  const char* const asked = support::environment("KRAIT_TUNE");
  return asked && std::string_view(asked) == "1";
}

}  // namespace
}  // namespace host

using namespace host;

// ---- candidates and spaces ----------------------------------------------------------------------

candidate::candidate(const candidate& other) noexcept : state_(other.state_) {
  state_->owners.fetch_add(1, std::memory_order_relaxed);
}
candidate::~candidate() {
  if (state_->owners.fetch_sub(1) == 1) delete state_;
}
std::int64_t candidate::operator[](const char* name) const {
  for (std::size_t i = 0; i < state_->values.size(); ++i)
    if ((*state_->names)[i] == name) return state_->values[i];
  support::fail_usage("a candidate has no number \"{}\": it is {}", name, text_of(*this));
}
text candidate::str() const {
  const std::string s = text_of(*this);
  return {s.data(), s.size()};
}

space::space(std::initializer_list<tunable> numbers) {
  auto names = std::make_shared<std::vector<std::string>>();
  std::vector<std::vector<std::int64_t>> rows{{}};
  for (const tunable& t : numbers) {
    if (!t.name || !is_name(t.name))
      support::fail_usage("space: \"{}\" is not a name: use letters, digits, '_' and '-'",
                          t.name ? t.name : "");
    if (std::count(names->begin(), names->end(), t.name))
      support::fail_usage("space: two numbers are called {}", t.name);
    if (t.values.size() == 0) support::fail_usage("space: {} has no values to choose from", t.name);
    if (rows.size() * t.values.size() > most_candidates)
      support::fail_usage(
          "space: more than {} candidates, with {}: leave out values, "
          "or tune some numbers after others",
          most_candidates, t.name);
    names->emplace_back(t.name);
    std::vector<std::vector<std::int64_t>> longer;
    for (const std::vector<std::int64_t>& row : rows)
      for (const std::int64_t value : t.values) longer.emplace_back(row).push_back(value);
    rows = std::move(longer);
  }
  if (names->empty())
    support::fail_usage(
        "space: no numbers to choose: name one and its values, as in {{\"block\", {{64, 128}}}}");
  auto made = std::make_unique<space_state>();
  for (std::vector<std::int64_t>& row : rows) {
    auto state = std::make_unique<candidate_state>();
    state->names = names, state->values = std::move(row);
    made->candidates.push_back(detail::access::make<candidate>(state.release()));
  }
  state_ = made.release();
}
space::~space() { delete state_; }
std::size_t space::size() const noexcept { return state_ ? state_->candidates.size() : 0; }
candidate space::operator[](std::size_t i) const {
  if (i >= size()) support::fail_usage("space: candidate {} of {}", i, size());
  return state_->candidates[i];
}
void space::filter(detail::function_ref<bool(const candidate&)> keep) {
  std::erase_if(state_->candidates, [&](const candidate& c) { return !keep(c); });
}
void space::sort(detail::function_ref<double(const candidate&)> score) {
  std::vector<std::pair<double, candidate>> scored;
  for (const candidate& c : state_->candidates) scored.emplace_back(score(c), c);
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  for (std::size_t i = 0; i < scored.size(); ++i) state_->candidates[i] = scored[i].second;
}

// ---- tune ---------------------------------------------------------------------------------------

tuned detail::tune(const char* name, const space& among, function_ref<void(const candidate&)> run,
                   const tune_options& with, const tuned_output* outputs, std::size_t count) {
  if (!name || !*name || std::string_view(name).find_first_of("\t\n") != std::string_view::npos)
    support::fail_usage(
        "tune: the name is empty, or has tabs or line ends: give the choice a plain name");
  if (among.size() == 0)
    support::fail_usage("tune \"{}\": the space has no candidates: where() removed them all", name);
  if (!(with.seconds > 0) || !(with.tolerance >= 0))
    support::fail_usage(
        "tune \"{}\": {} s and a tolerance of {}: the time has to be above 0, "
        "the tolerance 0 or more",
        name, with.seconds, with.tolerance);
  DeviceHandle& device = host::handle(with.on);
  for (std::size_t i = 0; i < count; ++i)
    if (outputs[i].at.memory && outputs[i].at.memory->device != &device)
      support::fail_usage(
          "tune \"{}\": output {} is on {}, but the launches go to {}: "
          "name that device, {{.on = …}}",
          name, i + 1, outputs[i].at.memory->device->id, device.id);

  Search search(name, among, run, with, outputs, count);
  Trial& first = search.first();
  search.prepare(first);
  if (first.thrown) std::rethrow_exception(first.thrown);
  Choice wanted{
      name, device.name, device.target_text, first.in() ? kernels_of(*first.launches) : "none", {},
      0};
  if (const std::optional<Choice> found = find_known(wanted))
    for (std::size_t i = 0; i < among.size(); ++i)
      if (text_of(among[i]) == found->choice) return {among[i], tuned::known, found->ms, {}};
  if (!with.search && !search_asked()) {
    if (first.refused) std::rethrow_exception(first.refused);
    return {among[0], tuned::preferred, 0, {}};
  }
  const Trial& best = search.measure();
  wanted.choice = text_of(best.numbers), wanted.ms = best.ms;
  keep(wanted);
  const std::string report = search.report();
  return {best.numbers, tuned::measured, best.ms, {report.data(), report.size()}};
}

text export_tuning() {
  const std::string s = Choices::get().lines();
  return {s.data(), s.size()};
}

void import_tuning(const char* lines) {
  std::vector<Choice> read_all;
  std::string_view rest = lines ? lines : "";
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.empty()) read_all.push_back(read(line, number));
  }
  for (Choice& c : read_all) Choices::get().add(std::move(c));
}

}  // namespace krait
