// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subscripts of cases.py, each with operands of some ranks, and its products of matrices.
#include "arrays/numpy_einsum.h"

#include <krait/algorithm/einsum.h>

namespace {

using krait::test::Any;

template <int Rank>
kr::array<int, Rank> read_operand(std::istream& in) {
  std::string type;
  in >> type;
  const Any<int> base = krait::test::read_base<int>(in),
                 view = krait::test::read_views<int>(in, base);
  const auto& a = std::get<Rank - 1>(view);
  return krait::detail::view_at(krait::detail::layout_of(a), a);
}

template <krait::detail::fixed_text Subscripts, int... Ranks>
Any<int> run(std::istream& in) {
  const std::tuple operands{read_operand<Ranks>(in)...};  // braces: from left to right
  auto result =
      std::apply([](const auto&... of) { return kr::einsum<Subscripts>(of...); }, operands);
  if constexpr (std::is_same_v<decltype(result), int>) return kr::full(1, result);
  else return result;
}

template <int Left, int Right, bool Dot = false>
Any<int> product(std::istream& in) {
  const std::tuple operands{read_operand<Left>(in), read_operand<Right>(in)};
  const auto multiply = [](const auto& x, const auto& y) {
    if constexpr (Dot) return kr::dot(x, y);
    else return kr::matmul(x, y);
  };
  auto result = multiply(std::get<0>(operands), std::get<1>(operands));
  if constexpr (std::is_same_v<decltype(result), int>) return kr::full(1, result);
  else return result;
}

}  // namespace

namespace krait::test {

Any<int> run_matmul(const std::string& ranks, std::istream& in) {
  if (ranks == "11") return product<1, 1>(in);
  if (ranks == "12") return product<1, 2>(in);
  if (ranks == "21") return product<2, 1>(in);
  if (ranks == "22") return product<2, 2>(in);
  if (ranks == "32") return product<3, 2>(in);
  if (ranks == "24") return product<2, 4>(in);
  if (ranks == "33") return product<3, 3>(in);
  throw std::runtime_error("no case has products of ranks " + ranks);
}

Any<int> run_einsum(const std::string& subscripts, std::istream& in) {
  if (subscripts == "ij,jk->ik") return run<"ij,jk->ik", 2, 2>(in);
  if (subscripts == "ij,jk") return run<"ij,jk", 2, 2>(in);
  if (subscripts == "ba") return run<"ba", 2>(in);
  if (subscripts == "ii") return run<"ii", 2>(in);
  if (subscripts == "iij->j") return run<"iij->j", 3>(in);
  if (subscripts == "ii->i") return run<"ii->i", 2>(in);
  if (subscripts == "i,i->") return run<"i,i->", 1, 1>(in);
  if (subscripts == "a,b,c->cab") return run<"a,b,c->cab", 1, 1, 1>(in);
  if (subscripts == "...ij,...jk->...ik") return run<"...ij,...jk->...ik", 4, 3>(in);
  if (subscripts == "i...,ji->j...") return run<"i...,ji->j...", 3, 2>(in);
  if (subscripts == "ijk,kil->lj") return run<"ijk,kil->lj", 3, 3>(in);
  if (subscripts == "ijk,lik->jil") return run<"ijk,lik->jil", 3, 3>(in);
  if (subscripts == "ijk,ilm,njm,nlk->") return run<"ijk,ilm,njm,nlk->", 3, 3, 3, 3>(in);
  throw std::runtime_error("no case has the subscripts " + subscripts);
}

Any<int> run_dot(const std::string& ranks, std::istream& in) {
  if (ranks == "21") return product<2, 1, true>(in);
  if (ranks == "12") return product<1, 2, true>(in);
  if (ranks == "22") return product<2, 2, true>(in);
  if (ranks == "13") return product<1, 3, true>(in);
  if (ranks == "32") return product<3, 2, true>(in);
  if (ranks == "23") return product<2, 3, true>(in);
  if (ranks == "33") return product<3, 3, true>(in);
  throw std::runtime_error("no case has dot of ranks " + ranks);
}

}  // namespace krait::test
