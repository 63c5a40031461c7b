// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes whose distances are known, as every second or third element of a row, periods, groups of
// equal ones, exchanged or turned round. A register's elements lie in a few windows of its size,
// spread evenly from the first element to the last: nothing else is read, and what lies between two
// lanes' elements is in a page with one of them. Where no two windows have elements at the same
// place they are blended, and one shuffle puts the lanes in order; so of rows of which a gang takes
// every k-th element, where k and one less than the lanes have no factor in common. Two others are
// shuffled. Stores go the other way, each window under a constant mask. A load for each lane takes
// n loads and n - 1 insertions, all of which wait for the one or two ports that shuffle.
#include <algorithm>
#include <bit>
#include <numeric>

#include <llvm/IR/IRBuilder.h>

#include "codegen/cpu/access/addresses.h"

namespace krait::codegen::cpu {

namespace {

unsigned register_bytes(CpuLevel level) {
  return level == CpuLevel::Avx512 ? 64 : level >= CpuLevel::Avx2 ? 32 : 16;
}

}  // namespace

/// Lanes whose elements are loaded and stored together.
unsigned Addresses::lanes_of_register(unsigned size) const {
  return std::min(shape_.lanes, register_bytes(shape_.machine.level) / size);
}

auto Addresses::windows_of(const Address& a, unsigned first, unsigned size) const
    -> std::optional<Windows> {
  const unsigned lanes = lanes_of_register(size);
  std::int64_t least = 0, most = 0;
  bool any = false;
  for (unsigned lane = first; lane < first + lanes; ++lane) {
    if (lane / a.run != first / a.run) return {};
    if (!shape_.has_thread(lane)) continue;
    least = any ? std::min(least, a.steps[lane]) : a.steps[lane];
    most = any ? std::max(most, a.steps[lane]) : a.steps[lane], any = true;
  }
  const std::int64_t elements = (most - least) / size + 1;
  if (!any || elements > std::int64_t(lanes) * lanes) return {};
  Windows w{least, std::min(std::bit_floor(unsigned(elements)), lanes), {}, {}};
  const unsigned count = (unsigned(elements) + w.width - 1) / w.width;
  const auto begin = [&](unsigned k) {
    return k ? k * (unsigned(elements) - w.width) / (count - 1) : 0;
  };
  std::vector<unsigned> number(count, 0);  // of windows that have lanes
  for (unsigned lane = first; lane < first + lanes; ++lane) {
    const std::int64_t bytes = shape_.has_thread(lane) ? a.steps[lane] - least : 0;
    if (bytes % size != 0) return {};
    const auto element = unsigned(bytes / size);
    unsigned k = 0;
    while (element >= begin(k) + w.width) ++k;
    w.lanes.emplace_back(k, element - begin(k)), number[k] = 1;
  }
  for (unsigned k = 0; k < count; ++k) {
    if (number[k]) w.begin.push_back(begin(k));
    number[k] = unsigned(w.begin.size()) - 1;
  }
  for (auto& [window, place] : w.lanes) window = number[window];
  if (w.begin.size() > 2 && w.begin.size() >= lanes) return {};
  return w;
}

/// Whether no two windows have a lane's element at the same place.
bool Addresses::Windows::blend() const {
  std::vector<unsigned> window(width, ~0u);
  for (const auto& [k, place] : lanes) {
    if (window[place] != ~0u && window[place] != k) return false;
    window[place] = k;
  }
  return true;
}

/// Whether each element is one lane's.
bool Addresses::Windows::apart() const {
  auto sorted = lanes;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

unsigned Addresses::count_windows(const Address& a, unsigned p, unsigned size, bool stores) const {
  constexpr unsigned fewest = 4;  // of two lanes, each is a load and an insertion at most
  const unsigned lanes = lanes_of_register(size);
  if (a.kind != Address::Kind::Steps || !lanes_.everyone() || lanes < fewest ||
      shape_.machine.quick || !shape_.machine.uses(Idiom::StridedLoads))
    return 0;
  unsigned count = 0;
  for (unsigned lane = 0; lane < shape_.lanes; lane += lanes) {
    const auto w = windows_of(a, p * shape_.lanes + lane, size);
    if (!w || (w->begin.size() > 2 && !w->blend())) return 0;
    // Without AVX-512 a store under a mask is no faster than those of the lanes.
    const bool whole = w->begin.size() == 1 && w->width == lanes;
    if (stores && (!w->apart() || !w->blend() || (!whole && !shape_.machine.scatters()))) return 0;
    count = std::max(count, unsigned(w->begin.size()));
  }
  return count;
}

/// The part that registers of so many lanes make.
V Addresses::together(std::vector<V> registers, unsigned lanes) {
  for (unsigned width = lanes; width < shape_.lanes; width *= 2)
    for (unsigned k = 0; k < shape_.lanes / (2 * width); ++k) {
      std::vector<int> both(2 * width);
      std::iota(both.begin(), both.end(), 0);
      registers[k] = b_.CreateShuffleVector(registers[2 * k], registers[2 * k + 1], both);
    }
  return registers.front();
}

V Addresses::load_windows(const Address& a, llvm::Type* element, unsigned p, llvm::Align align,
                          ir::ValueId array) {
  const unsigned bits = element->getScalarSizeInBits(), size = bits / 8,
                 lanes = lanes_of_register(size);
  std::vector<V> registers;
  for (unsigned first = p * shape_.lanes; first < (p + 1) * shape_.lanes; first += lanes) {
    const Windows w = *windows_of(a, first, size);
    llvm::Type* row = llvm::FixedVectorType::get(element, w.width);
    const auto load = [&](unsigned k) {
      const V from = b_.CreatePtrAdd(a.v[first / a.run],
                                     b_.getInt64(w.from + std::int64_t(w.begin[k]) * size));
      llvm::LoadInst* window = b_.CreateAlignedLoad(row, from, align);
      annotate(window, array);
      return window;
    };
    const bool two = !w.blend();
    std::vector<int> order;
    for (const auto& [k, place] : w.lanes) order.push_back(int(place + (two ? k * w.width : 0)));
    V all = load(0);
    if (two) {
      registers.push_back(b_.CreateShuffleVector(all, load(1), order));
      continue;
    }
    for (unsigned k = 1; k < w.begin.size(); ++k) {
      std::vector<int> choice(w.width);
      std::iota(choice.begin(), choice.end(), 0);
      for (const auto& [window, place] : w.lanes)
        if (window == k) choice[place] = int(w.width + place);
      all = b_.CreateShuffleVector(all, load(k), choice);
    }
    // Instruction selection would make two shuffles of each blend and the one behind it, as that is
    // carried up over what is computed.
    if (w.begin.size() > 1 && (bits == 32 || bits == 64)) {
      llvm::Type* fenced =
          llvm::FixedVectorType::get(bits == 32 ? b_.getFloatTy() : b_.getDoubleTy(), w.width);
      all = b_.CreateBitCast(b_.CreateArithmeticFence(b_.CreateBitCast(all, fenced), fenced), row);
    }
    registers.push_back(b_.CreateShuffleVector(all, order));
  }
  return together(std::move(registers), lanes);
}

void Addresses::store_windows(const Address& a, V x, unsigned p, llvm::Align align,
                              ir::ValueId array) {
  const unsigned size = x->getType()->getScalarSizeInBits() / 8, lanes = lanes_of_register(size);
  for (unsigned lane = 0; lane < shape_.lanes; lane += lanes) {
    const unsigned first = p * shape_.lanes + lane;
    const Windows w = *windows_of(a, first, size);
    std::vector<int> order(w.width, -1);
    for (unsigned k = 0; k < lanes; ++k) order[w.lanes[k].second] = int(lane + k);
    const V placed = b_.CreateShuffleVector(x, order);
    for (unsigned k = 0; k < w.begin.size(); ++k) {
      std::vector<llvm::Constant*> mask(w.width, b_.getFalse());
      for (const auto& [window, place] : w.lanes)
        if (window == k) mask[place] = b_.getTrue();
      const V to = b_.CreatePtrAdd(a.v[first / a.run],
                                   b_.getInt64(w.from + std::int64_t(w.begin[k]) * size));
      llvm::Constant* const some = llvm::ConstantVector::get(mask);
      annotate(some->isAllOnesValue()
                   ? static_cast<llvm::Instruction*>(b_.CreateAlignedStore(placed, to, align))
                   : b_.CreateMaskedStore(placed, to, align, some),
               array);
    }
  }
}

}  // namespace krait::codegen::cpu
