// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of which a gang takes every second element, or every third. For a register of n lanes,
// `spacing` windows of n elements are loaded, each of which begins with the last element of the one
// before; so the last window ends with the last lane's element. Nothing behind it is read, and what
// lies between two lanes' elements is in a page with one of them. Where the spacing has no factor
// in common with n - 1, no two elements have the same place in their windows: windows are blended,
// and one shuffle puts the lanes in order. Stores go the other way, each window under a constant
// mask. A load for each lane takes n loads and n - 1 insertions, all of which wait for the one or
// two ports that shuffle.
//
// Lanes at other known distances, as periods, groups of equal ones, exchanged or turned round, are
// in two registers of memory at most, or less: a permutation of these gives them.
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

/// Which lanes have their elements in window `k`, and where: pairs of lane and place.
std::vector<std::pair<unsigned, unsigned>> lanes_in_window(unsigned k, unsigned lanes,
                                                           unsigned spacing) {
  const unsigned begin = k * (lanes - 1);
  std::vector<std::pair<unsigned, unsigned>> in;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (const unsigned element = lane * spacing;
        element + (k == 0) > begin && element < begin + lanes)
      in.emplace_back(lane, element - begin);
  return in;
}

}  // namespace

/// Lanes whose elements are loaded and stored together.
unsigned Addresses::lanes_of_register(unsigned size) const {
  return std::min(shape_.lanes, register_bytes(shape_.machine.level) / size);
}

unsigned Addresses::spacing_of(const Address& a, unsigned p, unsigned size) const {
  if (a.kind != Address::Kind::Steps || !lanes_.active.all() || shape_.is_brick() ||
      shape_.machine.quick || !shape_.machine.uses(Idiom::StridedLoads))
    return 0;
  constexpr unsigned fewest = 4;  // of two lanes, each is a load and an insertion at most
  const unsigned lanes = lanes_of_register(size), first = p * shape_.lanes;
  if (lanes < fewest || first / a.run != (first + shape_.lanes - 1) / a.run) return 0;
  const std::int64_t bytes = a.steps[first + 1] - a.steps[first];
  for (unsigned lane = 1; lane < shape_.lanes; ++lane)
    if (a.steps[first + lane] - a.steps[first + lane - 1] != bytes) return 0;
  if (bytes <= 0 || bytes % size != 0) return 0;
  const auto spacing = std::uint64_t(bytes) / size;
  return spacing > 1 && spacing < lanes && std::gcd(spacing, lanes - 1) == 1 ? unsigned(spacing)
                                                                             : 0;
}

/// A part's elements, a register at a time.
V Addresses::load_spaced(const Address& a, llvm::Type* element, unsigned p, unsigned spacing,
                         llvm::Align align, ir::ValueId array) {
  const unsigned bits = element->getScalarSizeInBits(), lanes = lanes_of_register(bits / 8);
  llvm::Type* row = llvm::FixedVectorType::get(element, lanes);
  std::vector<V> registers;
  for (unsigned first = 0; first < shape_.lanes; first += lanes) {
    const V from = step_to(a, p * shape_.lanes + first);
    V blended = nullptr;
    std::vector<int> order(lanes);
    for (unsigned k = 0; k < spacing; ++k) {
      llvm::LoadInst* window = b_.CreateAlignedLoad(
          row, b_.CreatePtrAdd(from, b_.getInt64(std::int64_t(k * (lanes - 1) * bits / 8))), align);
      annotate(window, array);
      std::vector<int> choice(lanes);
      std::iota(choice.begin(), choice.end(), 0);
      for (const auto& [lane, place] : lanes_in_window(k, lanes, spacing))
        choice[place] += int(lanes), order[lane] = int(place);
      blended = blended ? b_.CreateShuffleVector(blended, window, choice) : window;
    }
    // Instruction selection would make two shuffles of each blend and the one behind it, as that is
    // carried up over what is computed.
    if (bits == 32 || bits == 64) {
      llvm::Type* fenced =
          llvm::FixedVectorType::get(bits == 32 ? b_.getFloatTy() : b_.getDoubleTy(), lanes);
      blended = b_.CreateBitCast(
          b_.CreateArithmeticFence(b_.CreateBitCast(blended, fenced), fenced), row);
    }
    registers.push_back(b_.CreateShuffleVector(blended, order));
  }
  return together(std::move(registers), lanes);
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

auto Addresses::window_of(const Address& a, unsigned first, unsigned size) const
    -> std::optional<Window> {
  const unsigned lanes = lanes_of_register(size);
  Window w;
  std::int64_t end = 0;
  bool any = false;
  for (unsigned lane = first; lane < first + lanes; ++lane) {
    if (lane / a.run != first / a.run) return {};
    if (!shape_.has_thread(lane)) continue;
    w.from = any ? std::min(w.from, a.steps[lane]) : a.steps[lane];
    end = any ? std::max(end, a.steps[lane]) : a.steps[lane], any = true;
  }
  const std::int64_t elements = (end - w.from) / size + 1;
  if (!any || elements > std::int64_t(2 * lanes)) return {};
  w.count = unsigned(elements);
  for (unsigned lane = first; lane < first + lanes; ++lane) {
    const std::int64_t bytes = shape_.has_thread(lane) ? a.steps[lane] - w.from : 0;
    if (bytes % size != 0) return {};
    w.places.push_back(int(bytes / size));
  }
  return w;
}

bool Addresses::in_windows(const Address& a, unsigned p, unsigned size, bool stores) const {
  constexpr unsigned fewest = 4;  // as above
  const unsigned lanes = lanes_of_register(size);
  if (a.kind != Address::Kind::Steps || !lanes_.everyone() || lanes < fewest ||
      shape_.machine.quick || !shape_.machine.uses(Idiom::StridedLoads))
    return false;
  for (unsigned lane = 0; lane < shape_.lanes; lane += lanes) {
    const auto w = window_of(a, p * shape_.lanes + lane, size);
    if (!w) return false;
    if (!stores) continue;
    std::vector<bool> filled(lanes, false);
    for (const int place : w->places)
      if (unsigned(place) < lanes) filled[unsigned(place)] = true;
    if (std::find(filled.begin(), filled.end(), false) != filled.end()) return false;
  }
  return true;
}

/// All that lies between two lanes' elements is in the array. Two windows overlap where their
/// elements are fewer than two registers'.
V Addresses::load_windows(const Address& a, llvm::Type* element, unsigned p, llvm::Align align,
                          ir::ValueId array) {
  const unsigned size = element->getScalarSizeInBits() / 8, lanes = lanes_of_register(size);
  std::vector<V> registers;
  for (unsigned first = p * shape_.lanes; first < (p + 1) * shape_.lanes; first += lanes) {
    Window w = *window_of(a, first, size);
    const unsigned width = std::min(std::bit_floor(w.count), lanes), last = w.count - width;
    const auto load = [&](unsigned at) -> V {
      llvm::LoadInst* window = b_.CreateAlignedLoad(
          llvm::FixedVectorType::get(element, width),
          b_.CreatePtrAdd(a.v[first / a.run], b_.getInt64(w.from + std::int64_t(at) * size)),
          align);
      annotate(window, array);
      return window;
    };
    for (int& place : w.places)
      if (unsigned(place) >= width) place += int(width) - int(last);
    const V low = load(0);
    registers.push_back(last ? b_.CreateShuffleVector(low, load(last), w.places)
                             : b_.CreateShuffleVector(low, w.places));
  }
  return together(std::move(registers), lanes);
}

void Addresses::store_windows(const Address& a, V x, unsigned p, llvm::Align align,
                              ir::ValueId array) {
  const unsigned size = x->getType()->getScalarSizeInBits() / 8, lanes = lanes_of_register(size);
  for (unsigned lane = 0; lane < shape_.lanes; lane += lanes) {
    const unsigned first = p * shape_.lanes + lane;
    const Window w = *window_of(a, first, size);
    std::vector<int> order(lanes);
    for (unsigned k = 0; k < lanes; ++k) order[unsigned(w.places[k])] = int(lane + k);
    annotate(b_.CreateAlignedStore(b_.CreateShuffleVector(x, order),
                                   b_.CreatePtrAdd(a.v[first / a.run], b_.getInt64(w.from)), align),
             array);
  }
}

void Addresses::store_spaced(const Address& a, V x, unsigned p, unsigned spacing, llvm::Align align,
                             ir::ValueId array) {
  const unsigned size = x->getType()->getScalarSizeInBits() / 8, lanes = lanes_of_register(size);
  for (unsigned first = 0; first < shape_.lanes; first += lanes) {
    const V to = step_to(a, p * shape_.lanes + first);
    std::vector<int> order(lanes, -1);
    for (unsigned k = 0; k < spacing; ++k)
      for (const auto& [lane, place] : lanes_in_window(k, lanes, spacing))
        order[place] = int(first + lane);
    const V placed = b_.CreateShuffleVector(x, order);
    for (unsigned k = 0; k < spacing; ++k) {
      std::vector<llvm::Constant*> mask(lanes, b_.getFalse());
      for (const auto& [lane, place] : lanes_in_window(k, lanes, spacing))
        mask[place] = b_.getTrue();
      annotate(b_.CreateMaskedStore(
                   placed, b_.CreatePtrAdd(to, b_.getInt64(std::int64_t(k * (lanes - 1) * size))),
                   align, llvm::ConstantVector::get(mask)),
               array);
    }
  }
}

}  // namespace krait::codegen::cpu
