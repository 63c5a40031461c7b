// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a kernel and the functions that it calls, and emits their SPIR-V. The regions of the IR are SPIR-V's structured constructs one to one: an if or switch is a
// selection with its merge block, a loop is a header, a body, a continue target with the carried values' phis and a merge block;
// break, continue and return leave nested selections by branches that SPIR-V allows from anywhere inside.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/spirv/emitter.h"
#include "codegen/spirv/revisits.h"
#include "ir/abi.h"
#include "ir/calls.h"
#include "ir/ir.h"
#include "support/opencl_blob.h"
#include "support/spirv_blob.h"

namespace krait::codegen::spirv {

/// What the functions of a module share.
struct Unit {
  const ir::Module& module;
  Emitter emitter;
  bool debug = false;
  support::Envelope& envelope;
  support::SpirvCode& own;
  bool vulkan_model = false;  // else GLSL450's or OpenCL's
  bool synchronised = false;  // there are barriers, fences or atomics
  std::vector<Id> functions = std::vector<Id>(module.functions.size());
  ir::Calls calls = ir::Calls(module);
  std::vector<support::OpenClParameter> parameters = {};    // of a kernel of OpenCL
  Revisits revisits = {};                                   // where the driver has to be kept from reordering them
  std::map<const ir::Inst*, std::uint64_t> own_trips = {};  // of loops that instructions without regions became
};

/// The module's words. Tells `envelope` the shared memory, and `own` all of its.
Words lower_module(const ir::Module& module, const support::SpirvTarget& target, support::Envelope& envelope,
                   support::SpirvCode& own);
/// The same for OpenCL, with where the kernel's parameters come from.
Words lower_kernel(const ir::Module& module, const support::SpirvTarget& target, support::Envelope& envelope,
                   support::OpenClCode& own, std::vector<support::OpenClParameter>& parameters);

/// Tells the code's depth and trips, after all was lowered.
void measure(Unit& unit);

/// The functions of a module, those that are called first.
/// Decides where arguments lie, and declares the push constants.
void declare_push_constants(Unit& unit);
void lower_all(Unit& unit);

class Lower {
 public:
  Lower(Unit& unit, std::size_t function)
      : unit_(unit),
        number_(function),
        f_(unit.module.functions[function]),
        e_(unit.emitter),
        debug_(unit.debug),
        vulkan_model_(unit.vulkan_model),
        synchronised_(unit.synchronised),
        own_(unit.own),
        layout_(unit.envelope.arguments) {}

  /// After run of the functions that this one calls.
  void run();

 private:
  using Incoming = Blocks::Incoming;

  /// An array of the IR: a view by its address, or a variable.
  struct Array {
    ir::Space space{};
    Scalar unit = Scalar::Void;  // what a variable is made of
    bool coherent = false;       // other threads may touch it, in Vulkan's memory model
    Id base = 0;                 // address (u64) or variable
    unsigned param = 0;          // of a view; number of a shared array that is sized at launch
    bool sized_at_launch = false;
    std::vector<Id> extents, strides;  // of a view that is the parameter of a function that is called
  };
  /// Where leaving an if, switch or loop goes and with which values.
  struct Exit {
    Id merge = 0, next = 0;         // next: a loop's continue target
    std::vector<Incoming> results;  // by result, into merge
    std::vector<Incoming> carried;  // by carried value, into next
    bool reached = false;           // something goes to merge
  };
  struct AtomicPlace {
    Id pointer, scope;
  };

  // lower.cpp
  void declare();
  void capabilities();
  void scan();
  void instruction(const ir::Inst& i);
  void source_line(const ir::Inst& i);
  Id value(ir::ValueId v) const { return ids_[v]; }
  Scalar scalar(ir::ValueId v) const { return f_.type_of(v).scalar; }
  void define(const ir::Inst& i, Id id) { ids_[i.results[0]] = id; }
  const std::uint64_t* known(ir::ValueId v) const { return f_.is_const(v) ? &f_.def(v)->imm : nullptr; }

  // lower_call.cpp
  void called();
  std::vector<Id> passed_types(const ir::Type& t);
  Id result_type(const ir::Function& f);
  void bind_parameters(const std::vector<Id>& ids);
  void call(const ir::Inst& i);
  void give_results(const ir::Inst& yield);

  // lower_control.cpp
  void region(ir::RegionId r);
  void terminate(const ir::Inst& i);
  void leave(Exit& exit, std::vector<Incoming>& into, const ir::Inst& i, Id to);
  void lower_if(const ir::Inst& i);
  void lower_switch(const ir::Inst& i);
  void lower_loop(const ir::Inst& i);
  void merge(const ir::Inst& i, Exit& exit);
  Exit new_exit(const ir::Inst& i, bool loop);

  // lower_launch.cpp
  void entry();
  void arguments();
  Id argument_word(std::uint32_t offset);
  Id argument(Scalar s, std::uint32_t offset);
  Id position(ir::Op op, unsigned dimension);
  void thread_position();
  Id narrow_position(ir::Op op, unsigned dimension);
  Id builtin_component(spv::BuiltIn which, unsigned component);
  Id extent(ir::ValueId array, unsigned d);
  Id stride(ir::ValueId array, unsigned d);

  // lower_kernel.cpp
  void kernel_entry();
  Id byte_pointer();
  Id parameter(Scalar s, const ir::ArgumentSlot& slot);
  Id kernel_pointer(Id base, ir::ValueId index, std::uint64_t stride, std::uint64_t offset, Id pointee);
  void shared_parameter(const ir::Inst& i, std::uint32_t row_bytes);

  // lower_ops.cpp
  Id literal(ir::Scalar s, std::uint64_t pattern);
  Id pure(const ir::Inst& i);
  Id arithmetic(const ir::Inst& i, Scalar s);
  Id factor(Scalar s, ir::ValueId v);
  bool is_near_reciprocal(const ir::Inst& i, Scalar s) const;
  Id bitwise(ir::Op op, Scalar s, Id x, Id y);
  Id math(const ir::Inst& i, Scalar s);

  // lower_memory.cpp
  void declare_array(const ir::Inst& i);
  void clear(const ir::Inst& i, const Array& a, std::uint32_t units);
  Id view_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Id pointee);
  Id unit_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, unsigned n);
  Words memory_operands(const Array& a, unsigned alignment, bool streaming) const;
  Id load_from(const Array& a, Id type, Id pointer, unsigned alignment, bool streaming = false);
  void store_to(const Array& a, Id pointer, Id v, unsigned alignment, bool streaming = false);
  Id load_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s);
  void store_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s, Id v);
  void access(const ir::Inst& i);
  void load(const ir::Inst& i);
  void store(const ir::Inst& i);
  void load_vec(const ir::Inst& i);
  void store_vec(const ir::Inst& i);
  void need_storage(Scalar s);
  Id index64(ir::ValueId v);

  // lower_atomic.cpp
  void atomic(const ir::Inst& i);
  Id atomic_bits(const ir::Inst& i, Scalar s);
  Id order(const ir::Inst& i, bool failed = false);
  AtomicPlace atomic_place(const ir::Inst& i, Scalar s, Scalar as);
  Id updated(const ir::Inst& i, Scalar s, Id old);
  Id compare_and_swap_loop(const ir::Inst& i, Scalar s);
  bool native_float_add(const ir::Inst& i, Scalar s);

  // lower_sync.cpp
  void barrier() { control_barrier(spv::Scope::Workgroup); }
  void control_barrier(spv::Scope execution);
  Id memory_scope(spv::Scope scope);
  void fence(std::uint64_t scope);
  Id semantics(bool views);
  bool exchanges(ir::ValueId view) const;
  Id block_vote(const ir::Inst& i);
  Id warp_builtin(spv::BuiltIn which);
  Id warp_size();
  Id lane() { return warp_builtin(spv::BuiltIn::SubgroupLocalInvocationId); }
  Id ballot(const ir::Inst& i);
  Id warp_vote(const ir::Inst& i);
  Id shuffle(const ir::Inst& i);

  Unit& unit_;
  std::size_t number_;  // of the function in the module
  const ir::Function& f_;
  Emitter& e_;
  bool debug_;
  bool vulkan_model_, synchronised_;
  support::SpirvCode& own_;
  const ir::ArgumentLayout& layout_;
  std::uint32_t sized_at_launch_ = 0;  // shared arrays so far

  std::vector<Id> ids_;        // by ValueId
  std::vector<Array> arrays_;  // by ValueId
  struct Use {
    unsigned size = 8;  // bytes of the largest unit that all accesses are made of
    bool atomic = false, read = false, written = false;
  };
  std::vector<Use> uses_;    // by ValueId of an array
  std::vector<Exit> exits_;  // innermost last: ifs, switches and loops
  std::vector<bool> exit_is_loop_;
  bool reachable_ = true;  // the current block

  Id argument_base_ = 0;
  std::map<std::uint32_t, Id> passed_;  // bits of what a kernel of OpenCL gets, by its offset in the argument block
  Id block_spec_[3]{}, folded_ = 0, one_trip_ = 0;
  Id flat_threads_ = 0;  // rows of a block whose workgroup has one dimension, where there are warps
  // Of the type `id_type_`: u32 in a small launch, whose ids are below 2^31, else u64.
  Id grid_[3]{}, block_[3]{}, block_idx_[3]{}, thread_[3]{};
  Scalar id_type_ = Scalar::U64;
  bool narrow_ids() const { return id_type_ == Scalar::U32; }
  Id vote_ = 0;  // shared counter of barrier_count, _and, _or
  Id file_ = 0;
  std::uint32_t file_of_ = 0;
};

}  // namespace krait::codegen::spirv
