// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kr::wrap and kr::to_mdspan use of std::mdspan with std::layout_stride and with
// std::layout_right, for libraries that do not have them yet.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace krait::test {

/// The last extent is fixed where it is given.
template <class Elem, std::size_t Rank, std::size_t Last = std::dynamic_extent>
struct strided {
  using element_type = Elem;
  using index_type = int;
  using rank_type = std::size_t;
  struct extents_type {
    std::array<int, Rank> of;
    explicit extents_type(const std::array<int, Rank>& given) : of(given) {}
  };
  struct mapping_type {
    extents_type extents;
    std::array<int, Rank> strides;
    mapping_type(const extents_type& e, const std::array<int, Rank>& s) : extents(e), strides(s) {}
  };
  Elem* first;
  mapping_type mapping;

  strided(Elem* at, const mapping_type& m) : first(at), mapping(m) {}
  static constexpr std::size_t rank() { return Rank; }
  static constexpr std::size_t static_extent(std::size_t d) {
    return d + 1 == Rank ? Last : std::dynamic_extent;
  }
  int extent(std::size_t d) const { return mapping.extents.of[d]; }
  int stride(std::size_t d) const { return mapping.strides[d]; }
  Elem* data_handle() const { return first; }
  Elem& at(const std::array<int, Rank>& indices) const {
    Elem* to = first;
    for (std::size_t d = 0; d < Rank; ++d) to += indices[d] * mapping.strides[d];
    return *to;
  }
};

/// With the strides of C order, which the mapping makes itself.
template <class Elem, std::size_t Rank>
struct row_major {
  using element_type = Elem;
  using index_type = int;
  using rank_type = std::size_t;
  using extents_type = typename strided<Elem, Rank>::extents_type;
  struct mapping_type {
    extents_type extents;
    explicit mapping_type(const extents_type& e) : extents(e) {}
    int stride(std::size_t d) const {
      int all = 1;
      while (++d < Rank) all *= extents.of[d];
      return all;
    }
  };
  Elem* first;
  mapping_type mapping;

  row_major(Elem* at, const mapping_type& m) : first(at), mapping(m) {}
  static constexpr std::size_t rank() { return Rank; }
  static constexpr std::size_t static_extent(std::size_t) { return std::dynamic_extent; }
  int extent(std::size_t d) const { return mapping.extents.of[d]; }
  int stride(std::size_t d) const { return mapping.stride(d); }
  Elem* data_handle() const { return first; }
  Elem& at(const std::array<int, Rank>& indices) const {
    Elem* to = first;
    for (std::size_t d = 0; d < Rank; ++d) to += indices[d] * mapping.stride(d);
    return *to;
  }
};

}  // namespace krait::test
