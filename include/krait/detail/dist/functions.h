// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of krait/dist.h that send messages, and those that compute with indices.
#pragma once

#include <cstdio>

#include <krait/algorithm/detail/form.h>
#include <krait/dist.h>

namespace krait::dist {
namespace detail {

/// The reach of a stencil along each axis, found as its function is recorded.
struct reach {
  std::int64_t of[max_rank]{};
};

/// The argument of a stencil's function: at(di, dj) is the element at a distance.
template <class Elem, int Rank>
class neighbourhood {
 public:
  neighbourhood(const view<const Elem, Rank>& in, const value<std::int64_t>* index, reach& farthest)
      : in_(in), index_(index), farthest_(farthest) {}
  template <std::integral... Distances>
  value<Elem> operator()(Distances... distances) const {
    static_assert(sizeof...(Distances) == Rank,
                  "krait: a stencil's at() has a distance for each dimension");
    const std::int64_t by[] = {static_cast<std::int64_t>(distances)...};
    for (int d = 0; d < Rank; ++d)
      farthest_.of[d] = krait::detail::larger(farthest_.of[d], by[d] < 0 ? -by[d] : by[d]);
    return read(by, std::make_index_sequence<Rank>{});
  }

 private:
  template <std::size_t... Axis>
  value<Elem> read(const std::int64_t* by, std::index_sequence<Axis...>) const {
    return in_(value<std::int64_t>(index_[Axis] + by[Axis])...);
  }
  const view<const Elem, Rank>& in_;
  const value<std::int64_t>* index_;
  reach& farthest_;
};

/// Calls f(index of each axis, as an array) for each element of a view, the last axis across
/// threads.
template <int Rank, class View, class Function>
void each_index(const View& of, const Function& f) {
  static_assert(Rank <= 3, "krait: kr::dist::stencil and kr::dist::fill take at most 3 dimensions");
  using index = value<std::int64_t>;
  if constexpr (Rank == 1) {
    const index i[] = {index(cast<std::int64_t>(grid<1>()))};
    if_(i[0] < of.extent(0), [&] { f(i); });
  } else if constexpr (Rank == 2) {
    auto [x, y] = grid<2>();
    const index i[] = {index(cast<std::int64_t>(y)), index(cast<std::int64_t>(x))};
    if_(i[0] < of.extent(0) && i[1] < of.extent(1), [&] { f(i); });
  } else {
    auto [x, y, z] = grid<3>();
    const index i[] = {index(cast<std::int64_t>(z)), index(cast<std::int64_t>(y)),
                       index(cast<std::int64_t>(x))};
    if_(i[0] < of.extent(0) && i[1] < of.extent(1) && i[2] < of.extent(2), [&] { f(i); });
  }
}
/// A launch of a thread for each element.
template <int Rank>
launch_config over(const shape<Rank>& extents) {
  constexpr std::int64_t threads = 64;
  const std::int64_t blocks = krait::detail::divided_up(extents[Rank - 1], threads);
  if constexpr (Rank == 1) return {dims(blocks), dims(threads)};
  else if constexpr (Rank == 2) return {dims(blocks, extents[0]), dims(threads, 1)};
  else return {dims(blocks, extents[1], extents[0]), dims(threads, 1, 1)};
}
/// The parts of a local array in a box; a variable of it can be written by a kernel.
template <class Elem, int Rank>
krait::array<Elem, Rank> part(krait::array<Elem, Rank>& of, const box& b) {
  return view_at(part_of(layout_of(of), b), of);
}

template <class Elem, int Rank, class Function>
auto make_stencil(const Function& f, reach& farthest) {
  return kernel(
      [f, &farthest](view<const Elem, Rank> in, view<Elem, Rank> out, value<std::int64_t> w0,
                     value<std::int64_t> w1, value<std::int64_t> w2) {
        const value<std::int64_t> rim[] = {w0, w1, w2};
        each_index<Rank>(out, [&](const auto& i) {
          const auto compute = [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
            const value<std::int64_t> inside[] = {value<std::int64_t>(i[Axis] + rim[Axis])...};
            out(i[Axis]...) = value<Elem>(f(neighbourhood<Elem, Rank>(in, inside, farthest)));
          };
          compute(std::make_index_sequence<Rank>{});
        });
      },
      {.name = "stencil"});
}
/// The kernel of a stencil with its reach, which is known once it is compiled.
template <class Elem, int Rank, class Function>
class stencil_kernel {
 public:
  explicit stencil_kernel(const Function& f)
      : farthest_(new reach), run_(make_stencil<Elem, Rank>(f, *farthest_)) {
    run_.compile();
  }
  stencil_kernel(stencil_kernel&& other) noexcept
      : farthest_(std::exchange(other.farthest_, nullptr)), run_(std::move(other.run_)) {}
  ~stencil_kernel() { delete farthest_; }
  const reach& farthest() const { return *farthest_; }
  void operator()(krait::array<Elem, Rank>& in, krait::array<Elem, Rank>& out,
                  const std::int64_t* rim) const {
    if (out.size() > 0)
      run_.launch(over(out.extents()), in, out, rim[0], Rank > 1 ? rim[1] : 0,
                  Rank > 2 ? rim[2] : 0);
  }

 private:
  reach* farthest_;
  decltype(make_stencil<Elem, Rank>(std::declval<const Function&>(), std::declval<reach&>())) run_;
};

template <class Elem, int Rank, class Kernel>
void run_stencil(const Kernel& run, array<Elem, Rank>& in, array<Elem, Rank>& out) {
  const decomposition& how = in.how();
  for (int d = 0; d < Rank; ++d)
    if (run.farthest().of[d] > how.halo[d])
      refuse_reach("kr::dist::stencil", d, run.farthest().of[d], how.halo[d]);
  // A box with its rim in `in` is the same one in `out` without.
  const auto compute = [&](const box& b) {
    box target = b;
    for (int d = 0; d < Rank; ++d) {
      target.first[d] += out.how().halo[d];
      target.count[d] -= 2 * how.halo[d];
    }
    krait::array<Elem, Rank> from = part(in.local(), b), to = part(out.local(), target);
    run(from, to, how.halo);
  };
  const layout at = layout_of(in.local());
  const elements all{memory_of(in.local()), &at, sizeof(Elem)};
  if (size_of(how.of) == 1) {
    exchange(how, all, [] {});
    box whole_block;
    for (int d = 0; d < Rank; ++d) whole_block.count[d] = at.extents[d];
    guard(how.of, [&] { compute(whole_block); });
    return;
  }
  const split parts = split_of(how);
  exchange(how, all, [&] { compute(parts.inner); });
  guard(how.of, [&] {
    for (int i = 0; i < parts.count; ++i) compute(parts.edges[i]);
  });
}

template <class Elem, int Rank, class Function>
auto make_fill(const Function& f) {
  return kernel(
      [f](view<Elem, Rank> out, value<std::int64_t> i0, value<std::int64_t> i1,
          value<std::int64_t> i2) {
        const value<std::int64_t> first[] = {i0, i1, i2};
        each_index<Rank>(out, [&](const auto& i) {
          const auto compute = [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
            const auto x = f(value<std::int64_t>(i[Axis] + first[Axis])...);
            if constexpr (requires { cast<Elem>(x); }) out(i[Axis]...) = cast<Elem>(x);
            else out(i[Axis]...) = value<Elem>(x);  // complex
          };
          compute(std::make_index_sequence<Rank>{});
        });
      },
      {.name = "fill"});
}

}  // namespace detail

/// Copies the edges of the neighbours' blocks into the halos of these arrays, corners included.
/// It waits for kernels that write them, and for the messages.
/// \code
/// kr::dist::exchange(t);
/// \endcode
template <class Elem, int Rank, class... More>
void exchange(array<Elem, Rank>& a, More&... more) {
  const detail::layout at = detail::layout_of(a.local());
  detail::exchange(a.how(), {detail::memory_of(a.local()), &at, sizeof(Elem)}, [] {});
  if constexpr (sizeof...(More) > 0) exchange(more...);
}

/// An exchange that is under way: wait() ends it, and so does the end of its life.
/// Until then other functions of kr::dist that send arrays are refused.
class [[nodiscard]] coming_halo {
 public:
  coming_halo(detail::pending* of) : of_(of) {}
  coming_halo(coming_halo&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  ~coming_halo() {
    if (of_) detail::drop_exchange(of_);
  }
  /// Waits for the messages; the halos have the neighbours' elements then.
  void wait() {
    if (of_) detail::end_exchange(std::exchange(of_, nullptr));
  }

 private:
  detail::pending* of_;
};
/// Starts to exchange the halo of an array, while kernels compute what needs none: a.inner().
/// The array, and what its edges are computed from, must not change before wait().
/// \code
/// auto coming = kr::dist::exchange_begin(t);
/// heat.launch(shape, t.inner(), next.inner());
/// coming.wait();
/// \endcode
template <class Elem, int Rank>
coming_halo exchange_begin(array<Elem, Rank>& a) {
  const detail::layout at = detail::layout_of(a.local());
  return detail::begin_exchange(a.how(), {detail::memory_of(a.local()), &at, sizeof(Elem)});
}

/// Computes an array in the order of one axis, from rank to rank: a recurrence such as a wave
/// front, a Gauss-Seidel step or the table of a comparison of texts. The axis is in blocks with a
/// halo; all others are whole. compute(first, last) gets rows of a.local(), so many of them a
/// message: indices of axis 0, or of axis 1 for a sweep along axis 0. The halo on the lower side of
/// these rows then has what the rank before computed. While it goes on with the next rows, this
/// rank computes these. Throws error{usage} on all ranks for another axis in blocks, and without a
/// halo.
/// \code
/// kr::dist::sweep(a, 1, 16, [&](auto first, auto last) { a.local()(kr::range(first, last)) = 1;
/// });
/// \endcode
template <class Elem, int Rank, class Compute>
  requires(Rank > 1)
void sweep(array<Elem, Rank>& a, int axis, std::int64_t rows, const Compute& compute) {
  const std::int64_t given = axis;
  int at = 0;
  for (unsigned mask = krait::detail::axes_mask(&given, 1, Rank); !(mask >> at & 1);) ++at;
  const detail::layout all = detail::layout_of(a.local());
  detail::sweep(a.how(), {detail::memory_of(a.local()), &all, sizeof(Elem)}, at, rows, compute);
}

/// Copies the elements of an array to one of the same extents that is distributed differently.
/// Throws error{usage} on all ranks for other extents.
/// \code
/// kr::dist::redistribute(rows, columns);
/// \endcode
template <class Elem, int Rank>
void redistribute(const array<Elem, Rank>& from, array<Elem, Rank>& to) {
  detail::check_extents("kr::dist::redistribute", from.how(), to.how());
  const auto source = from.owned();
  krait::array<Elem, Rank> target = to.owned();
  const detail::layout out = detail::layout_of(source), in = detail::layout_of(target);
  detail::call what{.name = "kr::dist::redistribute"};
  what.add(from.how().serial), what.add(to.how().serial);
  const auto has = [&](int r) { return detail::block_of(from.how(), r); };
  const auto wants = [&](int r) { return detail::block_of(to.how(), r); };
  detail::transfer(from.how().of, what, Rank,
                   {has, {detail::memory_of(source), &out, sizeof(Elem)}, from.how().replicated},
                   {wants, {detail::memory_of(target), &in, sizeof(Elem)}});
}
/// A new array with the same elements, distributed by these words, with this halo.
/// With `kr::dist::whole` on all axes each rank has all elements in owned().
/// \code
/// auto columns = kr::dist::redistribute(rows, {kr::dist::whole, kr::dist::block});
/// \endcode
template <class Elem, int Rank>
array<Elem, Rank> redistribute(const array<Elem, Rank>& from, const along (&words)[Rank],
                               halo rim = {}) {
  array<Elem, Rank> to = detail::made::of<Elem, Rank>(detail::described(from.how(), words, rim));
  redistribute(from, to);
  return to;
}

/// The transposed matrix, distributed by these words: each element is sent once at most.
/// \code
/// auto rows = kr::dist::transpose(a, {kr::dist::block, kr::dist::whole});
/// \endcode
template <class Elem>
array<Elem, 2> transpose(const array<Elem, 2>& a, const along (&words)[2]) {
  const detail::decomposition& how = a.how();
  detail::decomposition out = detail::described(how, how.words, {});
  for (int d = 0; d < 2; ++d) out.extents[d] = how.extents[1 - d], out.words[d] = words[d];
  detail::arrange(out);
  array<Elem, 2> to = detail::made::of<Elem, 2>(out);
  const auto source = a.owned();
  krait::array<Elem, 2> owned = to.owned();
  krait::array<Elem, 2> target = owned.transpose();
  const detail::layout from = detail::layout_of(source), in = detail::layout_of(target);
  detail::call what{.name = "kr::dist::transpose"};
  what.add(how.serial);
  for (const along word : words) what.add(static_cast<std::int64_t>(word));
  const auto has = [&](int r) { return detail::block_of(how, r); };
  const auto wants = [&](int r) {
    detail::box b = detail::block_of(out, r);
    std::swap(b.first[0], b.first[1]), std::swap(b.count[0], b.count[1]);
    return b;
  };
  detail::transfer(how.of, what, 2,
                   {has, {detail::memory_of(source), &from, sizeof(Elem)}, how.replicated},
                   {wants, {detail::memory_of(target), &in, sizeof(Elem)}});
  return to;
}

/// The transposed matrix, in blocks along the axes that were in blocks.
/// \code
/// auto t = kr::dist::transpose(a);
/// \endcode
template <class Elem>
array<Elem, 2> transpose(const array<Elem, 2>& a) {
  return transpose(a, {a.how().words[1], a.how().words[0]});
}

/// Calls a function of kr::vectorize with the elements of arrays of one distribution, and numbers.
/// \code
/// auto clipped = kr::dist::apply(clip, t, 0.5);
/// \endcode
template <class Vectorized, class... Operands>
  requires(detail::operand<Operands> && ...)
auto apply(const Vectorized& f, const Operands&... x) {
  const detail::decomposition& how = detail::first_of(x...);
  (detail::check_one("kr::dist::apply", how, x), ...);
  using made = std::remove_cvref_t<decltype(f(detail::local_of(x)...))>;
  auto result = detail::made::of<typename made::value_type, made::rank>(how);
  detail::guard(how.of, [&] {
    auto owned = result.owned();
    if (owned.size() > 0) f.into(owned)(detail::local_of(x)...);
  });
  return result;
}

/// A new array of zeros with the distribution and the halo of another one.
/// \code
/// auto next = kr::dist::like(t);
/// \endcode
template <class Elem, int Rank>
array<Elem, Rank> like(const array<Elem, Rank>& a) {
  return a.like();
}

/// Sets each element to a function of its indices in the whole array, computed on its own rank.
/// \code
/// kr::dist::fill(t, [](auto i, auto j) { return kr::cast<double>(i * 10 + j); });
/// \endcode
template <class Elem, int Rank, class Function>
void fill(array<Elem, Rank>& a, const Function& f) {
  detail::guard(a.how().of, [&] {
    krait::array<Elem, Rank> to = a.owned();
    if (to.size() == 0) return;
    krait::detail::with_kernel(
        f, [](const auto& of) { return detail::make_fill<Elem, Rank>(of); },
        [&](const auto& k) {
          k.launch(detail::over(to.extents()), to, a.first(0), Rank > 1 ? a.first(Rank > 1) : 0,
                   Rank > 2 ? a.first(Rank > 2 ? 2 : 0) : 0);
        });
  });
}

/// Computes each element of `out` from an element of `in` and its neighbours: at(di, dj) is the one
/// at that distance. It exchanges the halo of `in`, and computes the inner elements meanwhile.
/// Throws error{usage} on all ranks for a distance beyond the halo.
/// \code
/// kr::dist::stencil([](auto at) { return 0.5 * at(0, 0) + 0.25 * (at(0, -1) + at(0, 1)); }, t,
/// next);
/// \endcode
template <class Function, class Elem, int Rank>
void stencil(const Function& f, array<Elem, Rank>& in, array<Elem, Rank>& out) {
  detail::check_alike("kr::dist::stencil", in.how(), out.how());
  if (&in == &out)
    krait::detail::throw_usage(
        "kr::dist::stencil: the array that it reads cannot be the one that it writes", {});
  using made = detail::stencil_kernel<Elem, Rank, Function>;
  if constexpr (std::is_empty_v<Function>) {
    made* run = nullptr;
    detail::guard(in.how().of, [&] {
      static made& kept = krait::detail::lasting(made(f));
      run = &kept;
    });
    detail::run_stencil(*run, in, out);
  } else {
    detail::run_stencil(made(f), in, out);
  }
}

/// The elements of an array at a distance from each of its elements, as an operand of expressions:
/// shifted(t, -1, 0) has the row above. Those beyond the block come from the halo, which exchange
/// fills. Throws error{usage} on all ranks for a distance beyond the halo.
/// \code
/// kr::dist::exchange(t);
/// next = 0.5 * t + 0.25 * (kr::dist::shifted(t, 0, -1) + kr::dist::shifted(t, 0, 1));
/// \endcode
template <class Elem, int Rank, std::integral... Distances>
  requires(sizeof...(Distances) == Rank)
auto shifted(const array<Elem, Rank>& a, Distances... distances) {
  const detail::decomposition& how = a.how();
  const std::int64_t by[] = {static_cast<std::int64_t>(distances)...};
  detail::box there;
  for (int d = 0; d < Rank; ++d) {
    const std::int64_t reach = by[d] < 0 ? -by[d] : by[d];
    if (reach > how.halo[d]) detail::refuse_reach("kr::dist::shifted", d, reach, how.halo[d]);
    there.first[d] = how.halo[d] + by[d], there.count[d] = how.owned[d];
  }
  const krait::array<const Elem, Rank> from =
      detail::view_at(detail::part_of(detail::layout_of(a.local()), there), a.local());
  auto made = krait::cast<Elem>(from);
  return expression<decltype(made)>(std::move(made), how);
}

/// The element at an index of the whole array, on all ranks.
/// Throws error{usage} on all ranks for an index outside.
/// \code
/// double corner = kr::dist::at(t, 0, 0);
/// \endcode
template <class Elem, int Rank, std::integral... Indices>
  requires(sizeof...(Indices) == Rank)
Elem at(const array<Elem, Rank>& a, Indices... indices) {
  const detail::decomposition& how = a.how();
  const std::int64_t index[] = {static_cast<std::int64_t>(indices)...};
  const int owner = detail::owner(how, index);
  detail::call what{.name = "kr::dist::at"};
  what.add(how.serial);
  for (const std::int64_t i : index) what.add(i);
  Elem mine{};
  if (how.replicated || detail::rank_of(how.of) == owner) {
    detail::settle(how.of, what.name);
    detail::guard(how.of, [&] {
      detail::box one;
      for (int d = 0; d < Rank; ++d) one.first[d] = index[d] - how.first[d], one.count[d] = 1;
      const auto owned = a.owned();
      const krait::array<const Elem, Rank> element(
          detail::view_at(detail::part_of(detail::layout_of(owned), one), owned));
      mine = element.to_host()[0];
    });
  }
  krait::host_array<Elem> all(static_cast<std::size_t>(detail::size_of(how.of)));
  detail::all_gather(how.of, what, &mine, all.data(), sizeof(Elem));
  return all[static_cast<std::size_t>(owner)];
}

/// The whole array on one rank; the others get an array without elements.
/// \code
/// kr::array<double, 2> picture = kr::dist::gather(t);
/// \endcode
template <class Elem, int Rank>
krait::array<Elem, Rank> gather(const array<Elem, Rank>& a, int root = 0) {
  const detail::decomposition& how = a.how();
  const bool mine = detail::rank_of(how.of) == root;
  shape<Rank> extents;
  for (int d = 0; d < Rank; ++d) extents.extents[d] = mine ? how.extents[d] : 0;
  krait::array<Elem, Rank> out;
  detail::guard(how.of,
                [&] { out = krait::array<Elem, Rank>(extents, detail::device_of(how.of)); });
  gather(a, out, root);
  return out;
}
/// The same into an array that rank `root` has already, which saves mapping new memory; the others'
/// is ignored. Throws error{usage} for another shape.
/// \code
/// kr::array<double, 2> picture({300, 200});
/// kr::dist::gather(t, picture);
/// \endcode
template <class Elem, int Rank>
void gather(const array<Elem, Rank>& a, krait::array<Elem, Rank>& all, int root = 0) {
  const auto owned = a.owned();
  const detail::layout from = detail::layout_of(owned), to = detail::layout_of(all);
  const detail::elements target{detail::memory_of(all), &to, sizeof(Elem)};
  detail::gather(a.how(), {detail::memory_of(owned), &from, sizeof(Elem)}, root, &target);
}
/// The opposite: each rank gets its block of `all`, an array on one rank that others ignore.
/// Throws error{usage} for another shape.
/// \code
/// kr::array<double, 2> start({300, 200});
/// kr::dist::scatter(start, t);
/// \endcode
template <class Elem, int Rank>
void scatter(const krait::array<Elem, Rank>& all, array<Elem, Rank>& a, int root = 0) {
  krait::array<Elem, Rank> owned = a.owned();
  const detail::layout to = detail::layout_of(owned), from = detail::layout_of(all);
  const detail::elements source{detail::memory_of(all), &from, sizeof(Elem)};
  detail::scatter(a.how(), {detail::memory_of(owned), &to, sizeof(Elem)}, root, &source);
}

/// Prints the whole array on rank 0, as kr::to_string does.
/// \code
/// kr::dist::print(t);
/// \endcode
template <class Elem, int Rank>
void print(const array<Elem, Rank>& a) {
  const krait::array<Elem, Rank> all = gather(a);
  if (detail::rank_of(a.how().of) == 0) std::puts(to_string(all).c_str());
}
/// Not usable: write kr::dist::print(a), on all ranks.
template <class Stream, class Elem, int Rank>
Stream& operator<<(Stream& out, const array<Elem, Rank>&) {
  static_assert(
      krait::detail::always_false<Stream>,
      "krait: printing an array of kr::dist sends messages: kr::dist::print(a), on all ranks");
  return out;
}

}  // namespace krait::dist
