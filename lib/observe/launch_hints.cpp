// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "cache/entry.h"
#include "devices/fork_gate.h"

namespace krait::host {
namespace {

/// Drivers do not all tell how many blocks a GPU runs at once; the smallest that is worth a
/// program's while runs about so many.
constexpr std::int64_t few_blocks = 16;
/// Below so many elements or threads for each of them a launch costs more than its work.
constexpr double work_of_block = 1024;

Hint at_kernel(const char* kind, const std::string& where, std::string text) {
  const std::size_t colon = where.rfind(':');
  Hint h{kind, where.substr(0, colon), 0, std::move(text)};
  if (colon != where.npos) h.line = unsigned(std::strtoul(where.c_str() + colon + 1, nullptr, 10));
  return h;
}

void find_small_grid(const ObservedLaunch& l, std::vector<Hint>& found) {
  if (!l.grid_is_given || l.device.device->host_memory()) return;
  const auto volume = [](const runtime::Dim3& d) {
    return double(d[0]) * double(d[1]) * double(d[2]);
  };
  const double blocks = volume(l.request.grid), threads = volume(l.request.block);
  double work = blocks * threads;
  if (l.spec.strides)
    for (const unsigned i : l.spec.arrays) {
      double elements = 1;
      for (unsigned d = 0; d < l.arguments[i].rank; ++d)
        elements *= double(l.arguments[i].extents[d]);
      work = std::max(work, elements);
    }
  if (blocks >= double(few_blocks) || work < double(few_blocks) * work_of_block) return;
  found.push_back(at_kernel(
      "small grid", l.spec.recorded.where,
      fmt::format(
          "small grid: {} blocks of {} threads leave most of {} idle, as a block runs on one "
          "multiprocessor. Launch more and smaller blocks, or by forall(n), which chooses them",
          blocks, threads, l.device.id)));
}

/// A vector of the CPU has threads of one block, where they meet.
void find_empty_lanes(const ObservedLaunch& l, std::vector<Hint>& found) {
  const auto lanes = std::int64_t(l.code.attributes().block_lanes);
  if (!l.grid_is_given || lanes == 0) return;
  const auto volume = [](const runtime::Dim3& d) {
    return std::int64_t(d[0]) * std::int64_t(d[1]) * std::int64_t(d[2]);
  };
  const std::int64_t threads = volume(l.request.block);
  const std::int64_t full = (threads + lanes - 1) / lanes * lanes, empty = full - threads;
  constexpr std::int64_t most = 8;  // one lane in so many may be empty
  if (volume(l.request.grid) < 2 || empty * most <= full) return;
  found.push_back(at_kernel(
      "empty lanes", l.spec.recorded.where,
      fmt::format("empty lanes: a block of {} thread{} takes vectors of {} lanes, "
                  "so {} of {} lanes compute nothing. Launch blocks of a multiple of {} threads, "
                  "or by forall(n), which chooses them",
                  threads, threads == 1 ? "" : "s", lanes, empty, full, lanes)));
}

/// The second call with a container tells that it is there for more than one.
void find_repeated_copies(const ObservedLaunch& l, std::vector<Hint>& found) {
  static std::mutex mutex;  // no fork meets it locked: hint_at is behind the fork gate
  // by kernel and parameter
  static auto& last = *new std::map<std::pair<std::string, unsigned>, const void*>;
  const std::string kernel = l.spec.recorded.where + ' ' + l.spec.recorded.name;
  std::lock_guard lock(mutex);
  for (const unsigned i : l.spec.arrays) {
    if (!l.copied[i]) continue;
    const void*& before = last[{kernel, i}];
    if (before == l.arguments[i].data) {
      const char* where = l.spec.parameters[i].output ? "from {}"
                          : l.spec.writes[i]          ? "to {} and back"
                                                      : "to {}";
      found.push_back(at_kernel(
          "copied container", l.spec.recorded.where,
          fmt::format(
              "copied container: each call copies the {} bytes of parameter {} {}. Keep them there "
              "between calls: pass a kr::array, which kr::to_device makes of a container",
              l.copied[i], i + 1, fmt::format(fmt::runtime(where), l.device.id))));
    }
    before = l.arguments[i].data;
  }
}

/// The text without the values of constants, and those.
std::pair<std::string, std::vector<std::string>> without_constants(const std::string& text) {
  const std::string mark = " = const ";
  std::pair<std::string, std::vector<std::string>> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (const std::size_t at = line.find(mark); at != line.npos)
      out.second.push_back(line.substr(at + mark.size())), line.resize(at + mark.size());
    out.first += line + '\n';
  }
  return out;
}

/// Floats are hexadecimal in the text.
std::string readable(const std::string& constant) {
  if (constant.find('x') == constant.npos) return constant;
  return fmt::format("{:.9g}", std::strtod(constant.c_str(), nullptr));
}

}  // namespace

void hint_at(const ObservedLaunch& launch) {
  const BehindForkGate behind;
  std::vector<Hint> found;
  find_small_grid(launch, found);
  find_empty_lanes(launch, found);
  find_repeated_copies(launch, found);
  give(of_user(std::move(found), launch.spec.recorded.where), launch.spec.recorded.what);
}

void hint_at_captures(const Recorded& recorded) {
  static std::mutex mutex;  // no fork meets it locked: who compiles is behind the fork gate
  static auto& earlier =
      *new std::map<std::pair<std::string, std::string>, std::vector<std::string>>;
  if (recorded.where.empty()) return;
  auto [shape, constants] = without_constants(recorded.text);
  std::vector<Hint> found;
  {
    std::lock_guard lock(mutex);
    const auto [at, first] =
        earlier.emplace(std::pair{recorded.where, cache::content_hash(shape)}, constants);
    if (first || at->second == constants) return;
    const auto [was, is] = std::mismatch(at->second.begin(), at->second.end(), constants.begin());
    found.push_back(at_kernel(
        "captured number", recorded.where,
        fmt::format(
            "captured number: the kernel is compiled again because a captured number changed: "
            "{} instead of {}. Pass changing numbers as kr::value parameters",
            readable(*is), readable(*was))));
  }
  give(of_user(std::move(found), recorded.where), recorded.what);
}

}  // namespace krait::host
