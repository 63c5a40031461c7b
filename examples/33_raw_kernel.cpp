// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel in the languages of the devices instead of C++: y = a x + y in PTX, SPIR-V, WGSL and LLVM IR.
//
//   33_raw_kernel [FOLDER]    also writes a web page that runs it in WGSL
#include <cmath>
#include <cstdio>
#include <vector>

#include <krait/krait.h>
#include <krait/raw_kernel.h>
#include <krait/web.h>
namespace kr = krait;

namespace {

// [ptx]
constexpr const char* ptx = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry saxpy(.param .f32 a,
                      .param .u64 x, .param .u64 x_size, .param .u64 x_step,
                      .param .u64 y, .param .u64 y_size, .param .u64 y_step)
{
  .reg .pred %outside;
  .reg .b32 %thread, %block, %threads;
  .reg .b64 %i, %size, %step, %at_x, %at_y;
  .reg .f32 %a, %x, %y;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mad.wide.u32 %i, %block, %threads, 0;
  cvt.u64.u32 %step, %thread;
  add.u64 %i, %i, %step;
  ld.param.u64 %size, [y_size];
  setp.ge.u64 %outside, %i, %size;
  @%outside ret;
  ld.param.u64 %at_x, [x];
  ld.param.u64 %step, [x_step];
  mul.lo.u64 %step, %step, %i;
  shl.b64 %step, %step, 2;
  add.u64 %at_x, %at_x, %step;
  ld.param.u64 %at_y, [y];
  ld.param.u64 %step, [y_step];
  mul.lo.u64 %step, %step, %i;
  shl.b64 %step, %step, 2;
  add.u64 %at_y, %at_y, %step;
  ld.param.f32 %a, [a];
  ld.global.f32 %x, [%at_x];
  ld.global.f32 %y, [%at_y];
  fma.rn.f32 %y, %a, %x, %y;
  st.global.f32 [%at_y], %y;
  ret;
}
)";
// [/ptx]

// [spirv]
constexpr const char* spirv = R"(
               OpCapability Shader
               OpCapability Int64
               OpCapability PhysicalStorageBufferAddresses
               OpMemoryModel PhysicalStorageBuffer64 GLSL450
               OpEntryPoint GLCompute %saxpy "saxpy" %launch %position
               OpDecorate %block_x SpecId 0
               OpDecorate %block_y SpecId 1
               OpDecorate %block_z SpecId 2
               OpDecorate %block BuiltIn WorkgroupSize
               OpDecorate %position BuiltIn GlobalInvocationId
               OpDecorate %Launch Block
               OpMemberDecorate %Launch 0 Offset 0      ; the grid
               OpMemberDecorate %Launch 1 Offset 12     ; 0
               OpMemberDecorate %Launch 2 Offset 16     ; a
               OpMemberDecorate %Launch 3 Offset 24     ; address, extent and stride of x
               OpMemberDecorate %Launch 4 Offset 32
               OpMemberDecorate %Launch 5 Offset 40
               OpMemberDecorate %Launch 6 Offset 48     ; and of y
               OpMemberDecorate %Launch 7 Offset 56
               OpMemberDecorate %Launch 8 Offset 64
       %void = OpTypeVoid
       %bool = OpTypeBool
        %u32 = OpTypeInt 32 0
        %u64 = OpTypeInt 64 0
        %f32 = OpTypeFloat 32
      %vec3u = OpTypeVector %u32 3
          %1 = OpConstant %u32 1
    %block_x = OpSpecConstant %u32 1
    %block_y = OpSpecConstant %u32 1
    %block_z = OpSpecConstant %u32 1
      %block = OpSpecConstantComposite %vec3u %block_x %block_y %block_z
     %Launch = OpTypeStruct %vec3u %u32 %f32 %u64 %u64 %u64 %u64 %u64 %u64
%of_launch   = OpTypePointer PushConstant %Launch
%of_float    = OpTypePointer PushConstant %f32
%of_word     = OpTypePointer PushConstant %u64
%of_position = OpTypePointer Input %vec3u
%of_element  = OpTypePointer PhysicalStorageBuffer %f32
     %launch = OpVariable %of_launch PushConstant
   %position = OpVariable %of_position Input
          %2 = OpConstant %u32 2
          %3 = OpConstant %u32 3
          %5 = OpConstant %u32 5
          %6 = OpConstant %u32 6
          %7 = OpConstant %u32 7
          %8 = OpConstant %u32 8
      %bytes = OpConstant %u64 4
   %function = OpTypeFunction %void
      %saxpy = OpFunction %void None %function
      %start = OpLabel
         %at = OpLoad %vec3u %position
       %at_x = OpCompositeExtract %u32 %at 0
          %i = OpUConvert %u64 %at_x
    %size_at = OpAccessChain %of_word %launch %7
       %size = OpLoad %u64 %size_at
     %inside = OpULessThan %bool %i %size
               OpSelectionMerge %end None
               OpBranchConditional %inside %then %end
       %then = OpLabel
       %a_at = OpAccessChain %of_float %launch %2
          %a = OpLoad %f32 %a_at
   %x_memory = OpAccessChain %of_word %launch %3
    %x_begin = OpLoad %u64 %x_memory
  %x_step_at = OpAccessChain %of_word %launch %5
     %x_step = OpLoad %u64 %x_step_at
   %x_number = OpIMul %u64 %i %x_step
    %x_bytes = OpIMul %u64 %x_number %bytes
  %x_address = OpIAdd %u64 %x_begin %x_bytes
  %x_element = OpConvertUToPtr %of_element %x_address
          %x = OpLoad %f32 %x_element Aligned 4
   %y_memory = OpAccessChain %of_word %launch %6
    %y_begin = OpLoad %u64 %y_memory
  %y_step_at = OpAccessChain %of_word %launch %8
     %y_step = OpLoad %u64 %y_step_at
   %y_number = OpIMul %u64 %i %y_step
    %y_bytes = OpIMul %u64 %y_number %bytes
  %y_address = OpIAdd %u64 %y_begin %y_bytes
  %y_element = OpConvertUToPtr %of_element %y_address
          %y = OpLoad %f32 %y_element Aligned 4
    %product = OpFMul %f32 %a %x
        %sum = OpFAdd %f32 %product %y
               OpStore %y_element %sum Aligned 4
               OpBranch %end
        %end = OpLabel
               OpReturn
               OpFunctionEnd
)";
// [/spirv]

// [wgsl]
constexpr const char* wgsl = R"(
struct Launch {
  grid: vec3u, zero: u32,
  a: f32, unused: u32,
  x: vec2u, x_size: vec2u, x_step: vec2u,  // the lower words of 64 bits come first
  y: vec2u, y_size: vec2u, y_step: vec2u,
}
@group(0) @binding(0) var<uniform> launch: Launch;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
override block_x: u32 = 1;
override block_y: u32 = 1;
override block_z: u32 = 1;
override folded: bool = false;

@compute @workgroup_size(block_x, block_y, block_z)
fn saxpy(@builtin(workgroup_id) block: vec3u, @builtin(num_workgroups) blocks: vec3u, @builtin(local_invocation_id) thread: vec3u) {
  // A grid beyond WebGPU's limits is folded: blocks are numbered x first.
  let i = ((block.z * blocks.y + block.y) * blocks.x + block.x) * block_x + thread.x;
  if i < launch.y_size.x {
    let at = launch.y.x + i * launch.y_step.x;
    y[at] = launch.a * x[launch.x.x + i * launch.x_step.x] + y[at];
  }
}
)";
// [/wgsl]

// [llvm]
constexpr const char* llvm_ir = R"(
; %at: thread_idx, block_idx, block_dim and grid_dim, three i64 each
define void @saxpy(float %a, ptr %x, i64 %x_size, i64 %x_step, ptr %y, i64 %y_size, i64 %y_step, ptr %at) {
  %thread = load i64, ptr %at
  %block_idx = getelementptr i64, ptr %at, i64 3
  %block = load i64, ptr %block_idx
  %block_dim = getelementptr i64, ptr %at, i64 6
  %threads = load i64, ptr %block_dim
  %first = mul i64 %block, %threads
  %i = add i64 %first, %thread
  %inside = icmp ult i64 %i, %y_size
  br i1 %inside, label %then, label %end
then:
  %x_number = mul i64 %i, %x_step
  %x_element = getelementptr float, ptr %x, i64 %x_number
  %x_value = load float, ptr %x_element
  %y_number = mul i64 %i, %y_step
  %y_element = getelementptr float, ptr %y, i64 %y_number
  %y_value = load float, ptr %y_element
  %product = fmul float %a, %x_value
  %sum = fadd float %product, %y_value
  store float %sum, ptr %y_element
  br label %end
end:
  ret void
}
)";
// [/llvm]

}  // namespace

int main(int argc, char** argv) try {
  constexpr std::int64_t n = 1'000'003;
  std::vector<float> x(n), y(n);
  for (std::int64_t i = 0; i < n; ++i) x[std::size_t(i)] = 0.5f * float(i % 1000), y[std::size_t(i)] = float(i % 7);
  const kr::array<float> dx = kr::to_device(x);
  kr::array<float> dy = kr::to_device(y);

  // [kernel]
  const auto saxpy = kr::raw_kernel<void(float, kr::view<const float>, kr::view<float>)>(
      {{ptx, {.language = kr::raw_language::ptx, .entry = "saxpy"}},
       {spirv, {.language = kr::raw_language::spirv, .entry = "saxpy"}},
       {wgsl, {.language = kr::raw_language::wgsl, .entry = "saxpy"}},
       {llvm_ir, {.language = kr::raw_language::llvm_ir, .entry = "saxpy"}}});
  saxpy.launch({(n + 127) / 128, 128}, 2.0f, dx, dy);
  saxpy.forall(n)(3.0f, dx, dy);
  // [/kernel]

  const std::vector<float> result = dy.to_host();
  for (std::size_t i = 0; i < result.size(); ++i)
    if (const float expected = 5.0f * x[i] + y[i]; std::abs(result[i] - expected) > 1e-3f * std::abs(expected)) {
      std::printf("element %zu is %g, expected %g\n", i, static_cast<double>(result[i]), static_cast<double>(expected));
      return 1;
    }
  if (argc > 1) {
    const std::vector<float> few(x.begin(), x.begin() + 1000);
    std::vector<float> ones(1000, 1.0f);
    kr::export_web(argv[1], kr::web(saxpy.forall(few.size()), 2.0f, few, ones).names({"a", "x", "y"}));
  }
  std::printf("5 x + y for %zu elements on %s: as expected\n", result.size(), dy.device().name());
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
