// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on several processes and machines, by MPI. Every rank runs the same program, and every
// function of kr::dist is called by all ranks in the same order.
//   kr::dist::world ranks;                                                  // mpirun -n 4 ./program
//   kr::dist::array<double, 2> t(ranks, {n, n}, kr::dist::halo(1));         // a block on each rank
//   kr::dist::exchange(t);                                                  // the neighbours' edges
//   double heat = kr::sum(t);                                               // the same on all ranks
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include <krait/algorithm/reduce.h>
#include <krait/array_text.h>
#include <krait/creation.h>
#include <krait/detail/dist/calls.h>
#include <krait/expression.h>

namespace krait::dist {
namespace detail {

template <class Work>
void compile_one(const Work& work) {
  if constexpr (requires { work.compile(); }) work.compile();
  else work();
}

}  // namespace detail

/// An axis that is cut into blocks, one for each rank along it.
inline constexpr along block = along::block;
/// An axis that each rank has as a whole. An array with whole axes alone is replicated.
inline constexpr along whole = along::whole;

/// The job that this process is a part of: the ranks that mpirun or srun started, or one rank.
/// Make it first, and keep it for the whole program. If an exception destroys it, the other ranks
/// get an error with this rank's number. Throws error{device} if the launcher's MPI is missing or
/// of another kind. Arrays must not outlive it.
/// \code
/// kr::dist::world ranks;
/// if (ranks.rank() == 0) std::printf("%d ranks\n", ranks.size());
/// \endcode
class world {
 public:
  world() : job_(detail::open_job()), uncaught_(detail::uncaught()), owned_(true) {}
  explicit world(detail::job* of) : job_(of) {}
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world() {
    if (owned_) detail::close_job(job_, uncaught_);
  }

  /// The number of this process, from 0.
  int rank() const noexcept { return detail::rank_of(job_); }
  /// The number of processes.
  int size() const noexcept { return detail::size_of(job_); }
  /// The device of this rank: the ranks of one machine take its devices in turn.
  krait::device device() const { return detail::device_of(job_); }
  /// Waits until all ranks are here.
  void barrier() const {
    detail::all_gather(job_, {.name = "kr::dist::world::barrier"}, nullptr, nullptr, 0);
  }
  /// Compiles for all ranks: one rank of each machine first, and the others take its code from the
  /// folder of compiled kernels. Each argument is a kernel whose parameters have declared types, or
  /// a function that makes calls without messages.
  /// \code
  /// ranks.compile([&] { (void)kr::sum(t.owned()); });
  /// \endcode
  template <class... Works>
  void compile(const Works&... works) const {
    detail::compile_once(job_, [&] { (detail::compile_one(works), ...); });
  }
  /// The library's record of the job.
  detail::job* record() const noexcept { return job_; }

 private:
  detail::job* job_;
  int uncaught_ = 0;
  bool owned_ = false;
};

/// Runs `body(world)` in the launcher's job, and gives the exit status of main.
/// An exception of the body is printed, and reaches the other ranks with its text.
/// \code
/// const int status = kr::dist::run([](kr::dist::world& on) { std::printf("%d\n", on.rank()); });
/// \endcode
template <class Body>
int run(const Body& body) {
  return detail::run_launched([&](detail::job* of) {
    world ranks(of);
    body(ranks);
  });
}
/// Runs `body(world)` on so many ranks that are threads of this process, without a launcher. Each
/// takes one of its GPUs, in turn.
/// Throws the error of the first rank that failed.
/// \code
/// kr::dist::run(4, [](kr::dist::world& ranks) { ranks.barrier(); });
/// \endcode
template <class Body>
void run(int ranks, const Body& body) {
  detail::run_ranks(ranks, [&](detail::job* of) {
    world each(of);
    body(each);
  });
}

/// The width of the rim around each rank's block, which holds copies of its neighbours' elements.
/// One width is for all axes; several are for an axis each.
/// \code
/// auto wrapped = kr::dist::halo(1).periodic();  // the first and last elements are neighbours
/// auto along_rows = kr::dist::halo(0, 2).periodic(1);
/// \endcode
class halo {
 public:
  halo() = default;
  template <std::integral... Widths>
    requires(sizeof...(Widths) > 0)
  explicit halo(Widths... widths)
      : widths_{static_cast<std::int64_t>(widths)...}, count_(sizeof...(Widths)) {}
  /// Joins the ends of these axes, or of all if none is named.
  template <std::integral... Axes>
  halo periodic(Axes... axes) const {
    halo h = *this;
    if constexpr (sizeof...(Axes) == 0) h.periodic_ = ~0u;
    else h.periodic_ = ((1u << axes) | ...);
    return h;
  }
  /// The width along an axis.
  std::int64_t width(int axis) const {
    return count_ == 0 ? 0 : count_ == 1 ? widths_[0] : axis < count_ ? widths_[axis] : 0;
  }
  /// Whether the ends of an axis are joined.
  bool is_periodic(int axis) const { return periodic_ >> axis & 1; }

 private:
  std::int64_t widths_[krait::detail::max_rank]{};
  int count_ = 0;
  unsigned periodic_ = 0;
};

template <class Local>
class expression;
template <class Elem, int Rank = 1>
class array;

namespace detail {

template <class Type>
struct is_distributed : std::false_type {};
/// An array of kr::dist, or an expression of them.
template <class Type>
concept distributed = is_distributed<std::remove_cvref_t<Type>>::value;
template <class Type>
concept operand = distributed<Type> || krait::detail::plain<std::remove_cvref_t<Type>>;
template <class Left, class Right>
concept operands = (distributed<Left> && operand<Right>) || (operand<Left> && distributed<Right>);

/// A part of a local array.
inline layout part_of(const layout& of, const box& b) {
  layout p = of;
  for (int d = 0; d < of.rank; ++d) {
    p.offset += b.first[d] * of.strides[d];
    p.extents[d] = b.count[d];
  }
  return p;
}
/// The elements that a stencil computes without the halo, as a box of owned elements, and up to two
/// boxes an axis for the others.
struct split {
  box inner, edges[2 * max_rank];
  int count = 0;
};
KRAIT_API split split_of(const decomposition& how);
/// The same extents, distributed by these words.
KRAIT_API decomposition described(const decomposition& like, const along* words, const halo& rim);

}  // namespace detail

namespace detail {

/// An array of this distribution, with a number of its own. Its owned elements are not set.
struct made {
  template <class Elem, int Rank>
  static array<Elem, Rank> of(decomposition how) {
    number(how);
    return array<Elem, Rank>(how);
  }
  /// The same with these owned elements, without a halo.
  template <class Elem, int Rank>
  static array<Elem, Rank> of(decomposition how, krait::array<Elem, Rank>&& owned) {
    number(how);
    return array<Elem, Rank>(how, std::move(owned));
  }
};

}  // namespace detail

/// An array of Rank dimensions that is distributed in blocks over the ranks of a world.
/// Extents are those of the whole array. The words say how each axis is distributed, by default
/// all in blocks. Elements are 0 at first, and those of the halo outside of the array stay so.
/// Throws error{usage} on all ranks for wrong extents and for blocks smaller than the halo.
/// \code
/// kr::dist::array<double, 2> t(ranks, {300, 200}, {kr::dist::block, kr::dist::whole});
/// \endcode
template <class Elem, int Rank>
class array {
 public:
  /// The element type.
  using value_type = Elem;
  /// The number of dimensions.
  static constexpr int rank = Rank;

  array(const world& ranks, const krait::detail::any_extent (&extents)[Rank], halo rim = {})
      : array(ranks, krait::detail::to_shape(extents), nullptr, rim) {}
  array(const world& ranks, const krait::detail::any_extent (&extents)[Rank],
        const along (&words)[Rank], halo rim = {})
      : array(ranks, krait::detail::to_shape(extents), words, rim) {}
  array(array&&) = default;
  array& operator=(array&&) = default;
  // clang-format off
  array(const array&) = delete;  // krait: arrays move; kr::dist::like(x) makes another one
  // clang-format on
  /// A new array with the elements of an expression, distributed as the expression's first array.
  template <class Local>
  array(const expression<Local>& from);  // NOLINT: implicit on purpose
  /// Computes an expression into the owned elements.
  /// Throws error{usage} on all ranks for arrays that are distributed differently.
  template <class Local>
  array& operator=(const expression<Local>& from);
  /// Copies the owned elements of an array of the same distribution, with any halo.
  /// Throws error{usage} on all ranks if it is distributed differently.
  void copy_from(const array& from) {
    detail::check_alike("copy_from", how_, from.how_);
    detail::guard(how_.of, [&] { owned().copy_from(from.owned()); });
  }
  /// Sets all owned elements to a number.
  array& operator=(Elem x) {
    owned().fill(x);
    return *this;
  }

  /// This rank's block with its halo: what a kernel of one's own takes.
  krait::array<Elem, Rank>& local() { return all_; }
  const krait::array<Elem, Rank>& local() const { return all_; }
  /// A view of this rank's block without the halo.
  krait::array<Elem, Rank> owned() { return view<Elem>(own()); }
  krait::array<const Elem, Rank> owned() const { return view<const Elem>(own()); }
  /// The part of local() on which a kernel computes elements that need no halo, and may run while
  /// an exchange is under way. It may be empty.
  krait::array<Elem, Rank> inner() { return view<Elem>(detail::split_of(how_).inner); }
  /// The parts of local() for the other elements.
  std::vector<krait::array<Elem, Rank>> edges() {
    const detail::split parts = detail::split_of(how_);
    std::vector<krait::array<Elem, Rank>> views;
    for (int i = 0; i < parts.count; ++i) views.push_back(view<Elem>(parts.edges[i]));
    return views;
  }

  /// The number of elements of the whole array.
  std::int64_t size() const { return how_.size(); }
  /// The number of elements of the whole array along an axis.
  std::int64_t extent(int axis) const { return how_.extents[axis]; }
  /// The index in the whole array of the first element that this rank owns.
  std::int64_t first(int axis) const { return how_.first[axis]; }
  /// The width of the halo along an axis.
  std::int64_t halo_width(int axis) const { return how_.halo[axis]; }
  /// The number of ranks along an axis.
  int parts(int axis) const { return how_.parts[axis]; }

  /// Not usable: an element may be on another rank.
  template <class... Indices>
  auto operator()(Indices...) const {
    static_assert(
        krait::detail::always_false<Indices...>,
        "krait: reading an element is a message: kr::dist::at(a, i, j), on all ranks; this rank's "
        "elements are a.owned()");
    return Elem{};
  }

  /// Its distribution; used by the library.
  const detail::decomposition& how() const { return how_; }
  /// An array of zeros with this distribution.
  array like() const {
    array a = detail::made::of<Elem, Rank>(how_);
    a = Elem{};
    return a;
  }

 private:
  friend struct detail::made;
  explicit array(const detail::decomposition& how) : how_(how) { make(false); }
  array(const detail::decomposition& how, krait::array<Elem, Rank>&& owned)
      : how_(how), all_(std::move(owned)) {}
  array(const world& ranks, const shape<Rank>& extents, const along* words, const halo& rim) {
    how_.rank = Rank;
    for (int d = 0; d < Rank; ++d) {
      how_.extents[d] = extents[d], how_.halo[d] = rim.width(d);
      how_.periodic[d] = rim.is_periodic(d), how_.words[d] = words ? words[d] : block;
    }
    detail::decompose(ranks.record(), how_, sizeof(Elem));
    make(true);
  }
  void make(bool zero) {
    shape<Rank> all;
    for (int d = 0; d < Rank; ++d) {
      all.extents[d] = how_.owned[d] + 2 * how_.halo[d];
      zero = zero || how_.halo[d] > 0;
    }
    detail::guard(how_.of, [&] {
      all_ = krait::array<Elem, Rank>(all, detail::device_of(how_.of));
      if (zero) all_.fill(Elem{});
    });
  }
  detail::box own() const {
    detail::box b;
    for (int d = 0; d < Rank; ++d) b.first[d] = how_.halo[d], b.count[d] = how_.owned[d];
    return b;
  }
  template <class As>
  krait::array<As, Rank> view(const detail::box& b) const {
    return detail::view_at(detail::part_of(detail::layout_of(all_), b), all_);
  }

  detail::decomposition how_;
  krait::array<Elem, Rank> all_;
};

/// A computation on arrays of kr::dist that is not yet done: each rank computes its owned elements.
template <class Local>
class expression {
 public:
  /// The number of dimensions.
  static constexpr int rank = Local::rank;
  expression(Local of, const detail::decomposition& how) : local_(std::move(of)), how_(how) {}
  /// This rank's part, an expression of its owned elements.
  const Local& local() const { return local_; }
  /// Its distribution; used by the library.
  const detail::decomposition& how() const { return how_; }

 private:
  Local local_;
  detail::decomposition how_;
};

}  // namespace krait::dist

#include <krait/detail/dist/elements.h>
#include <krait/detail/dist/functions.h>
