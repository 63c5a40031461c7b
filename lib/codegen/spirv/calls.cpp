// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/calls.h"

#include "codegen/spirv/arguments.h"

namespace krait::codegen::spirv {

using spv::Op;

std::vector<Id> Calls::passed_types(const ir::Type& t) {
  if (t.is_value()) return {e_.type(t.scalar)};
  if (t.space != ir::Space::Global)
    defect("an array of the block or the thread is passed to a function that was not inlined");
  std::vector<Id> types{e_.kernel() ? byte_pointer(e_) : e_.type(Scalar::U64)};
  types.insert(types.end(), f_.facts.contiguous ? t.rank : 2u * t.rank, e_.type(Scalar::I64));
  return types;
}

Id Calls::result_type(const ir::Function& f) {
  if (f.results.empty()) return e_.m.globals.void_type();
  if (f.results.size() == 1) return e_.type(f.results[0]);
  std::vector<Id> members;
  for (Scalar s : f.results) members.push_back(e_.type(s));
  return e_.m.globals.struct_type(members);
}

void Calls::begin() {
  std::vector<Id> ids;
  for (ir::ValueId p : f_.params())
    for (Id type : passed_types(f_.type_of(p))) ids.push_back(type);
  unit_.functions[number_] = e_.m.code.begin_function(result_type(f_), ids);
  e_.m.head.name(unit_.functions[number_], f_.name);
  e_.blocks.begin_first();
  bind_parameters(ids);
}

void Calls::bind_parameters(const std::vector<Id>& ids) {
  std::size_t next = 0;
  for (ir::ValueId p : f_.params()) {
    const ir::Type& t = f_.type_of(p);
    if (t.is_value()) {
      ids_[p] = ids[next++];
      continue;
    }
    Array& a = arrays_[p];
    a.space = ir::Space::Global;
    a.coherent = unit_.synchronised && unit_.vulkan_model && !(f_.facts.disjoint && !t.writable);
    a.base = ids[next++];
    for (unsigned d = 0; d < t.rank; ++d) a.extents.push_back(ids[next++]);
    if (!f_.facts.contiguous)
      for (unsigned d = 0; d < t.rank; ++d) a.strides.push_back(ids[next++]);
  }
}

void Calls::call(const ir::Inst& i) {
  const ir::Function& callee = unit_.module.callee(i);
  Words operands{unit_.functions[i.imm]};
  for (ir::ValueId v : i.operands) {
    const ir::Type& t = f_.type_of(v);
    if (t.is_value()) {
      operands.push_back(value(v));
      continue;
    }
    operands.push_back(arrays_[v].base);
    for (unsigned d = 0; d < t.rank; ++d) operands.push_back(arguments_.extent(v, d));
    if (!f_.facts.contiguous)
      for (unsigned d = 0; d < t.rank; ++d) operands.push_back(arguments_.stride(v, d));
  }
  const Id all = e_.m.code.emit(Op::OpFunctionCall, result_type(callee), operands);
  for (std::uint32_t n = 0; n < i.results.size(); ++n)
    ids_[i.results[n]] =
        i.results.size() == 1 ? all : e_.op(Op::OpCompositeExtract, callee.results[n], {all, n});
}

void Calls::give_results(const ir::Inst& yield) {
  if (yield.operands.empty()) return e_.m.code.emit_void(Op::OpReturn, {});
  Words values;
  for (ir::ValueId v : yield.operands) values.push_back(value(v));
  const Id all = values.size() == 1 ? values[0] : e_.composite(result_type(f_), values);
  e_.m.code.emit_void(Op::OpReturnValue, {all});
}

}  // namespace krait::codegen::spirv
