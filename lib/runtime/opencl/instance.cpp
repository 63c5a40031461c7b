// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opencl/instance.h"

#include <dlfcn.h>

#include <algorithm>
#include <functional>

#include "runtime/opencl/discovery.h"
#include "runtime/opencl/translate.h"
#include "support/error.h"
#include "support/float_environment.h"
#include "support/threads.h"

namespace krait::runtime::opencl {
namespace {

template <class Get>
std::string text_by(const Get& get) {
  std::size_t bytes = 0;
  if (get(0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (get(bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find_last_not_of(std::string_view("\0 ", 2)) + 1);
  return text;
}
std::string text_of(const Api& cl, cl_platform_id platform, cl_platform_info what) {
  return text_by([&](std::size_t bytes, void* to, std::size_t* size) {
    return cl.clGetPlatformInfo(platform, what, bytes, to, size);
  });
}
std::string text_of(const Api& cl, cl_device_id device, cl_device_info what) {
  return text_by([&](std::size_t bytes, void* to, std::size_t* size) {
    return cl.clGetDeviceInfo(device, what, bytes, to, size);
  });
}
template <class T>
T number_of(const Gpu& gpu, cl_device_info what) {
  T value{};
  return gpu.cl->clGetDeviceInfo(gpu.device, what, sizeof value, &value, nullptr) == CL_SUCCESS
             ? value
             : T{};
}

/// Whether a word stands in a list that is separated by blanks.
bool lists(const std::string& list, const std::string& word) {
  return (" " + list + " ").find(" " + word + " ") != std::string::npos;
}

Gpu query(const Api& cl, cl_platform_id platform, cl_device_id device, std::string& extensions) {
  Gpu gpu;
  gpu.cl = &cl, gpu.platform = platform, gpu.device = device;
  gpu.name = text_of(cl, device, CL_DEVICE_NAME),
  gpu.platform_name = text_of(cl, platform, CL_PLATFORM_NAME);
  gpu.version = fmt::format(
      "{} {} / {} {} / {}", gpu.platform_name, text_of(cl, platform, CL_PLATFORM_VERSION), gpu.name,
      text_of(cl, device, CL_DEVICE_VERSION), text_of(cl, device, CL_DRIVER_VERSION));
  extensions = text_of(cl, device, CL_DEVICE_EXTENSIONS);
  // A driver that announces OpenCL 3.0 may have no SPIR-V, and Mesa's 22.3 ends the process where
  // it is given some then.
  gpu.takes_il = cl.clCreateProgramWithIL &&
                 text_of(cl, device, CL_DEVICE_IL_VERSION).find("SPIR-V") != std::string::npos;
  gpu.rounds_correctly = number_of<cl_device_fp_config>(gpu, CL_DEVICE_SINGLE_FP_CONFIG) &
                         CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  std::size_t bytes = 0;  // a device may have more dimensions than the three that Krait uses
  if (cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, 0, nullptr, &bytes) == CL_SUCCESS) {
    std::vector<std::size_t> sizes(std::max<std::size_t>(bytes / sizeof(std::size_t), 3));
    cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, bytes, sizes.data(), nullptr);
    std::copy_n(sizes.begin(), 3, gpu.work_item_sizes);
  }
  gpu.work_group_size = number_of<std::size_t>(gpu, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  gpu.memory = number_of<cl_ulong>(gpu, CL_DEVICE_GLOBAL_MEM_SIZE);
  gpu.largest_allocation = number_of<cl_ulong>(gpu, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  gpu.local_memory = number_of<cl_ulong>(gpu, CL_DEVICE_LOCAL_MEM_SIZE);
  if (const auto svm = number_of<cl_device_svm_capabilities>(gpu, CL_DEVICE_SVM_CAPABILITIES);
      cl.has_shared_memory() &&
      svm & (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
    gpu.fine_grained = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    // A device of its own memory reaches the host's through a bus: there arrays are copied.
    const bool all = svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM &&
                     number_of<cl_bool>(gpu, CL_DEVICE_HOST_UNIFIED_MEMORY);
    gpu.memory_form = all ? Memory::Host : Memory::Shared;
  }
  using enum support::Feature;
  for (const support::Feature f : {I64, I16, I8}) gpu.told.set(f);
  gpu.told.set(F64, number_of<cl_device_fp_config>(gpu, CL_DEVICE_DOUBLE_FP_CONFIG) != 0);
  gpu.told.set(F16, lists(extensions, "cl_khr_fp16"));
  gpu.told.set(Sums, !gpu.takes_il);  // the translator does
  gpu.told.set(Functions,
               (number_of<cl_device_type>(gpu, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) == 0);
  const bool wide = lists(extensions, "cl_khr_int64_base_atomics") &&
                    lists(extensions, "cl_khr_int64_extended_atomics");
  gpu.told.set(A64, wide), gpu.told.set(Sa64, wide);
#define VULKAN_QUIRK(driver, Cure, versions, probe, symptom)
#define VULKAN_LIMIT(driver, limit, most, versions, probe, symptom)
#define VULKAN_FRAGMENTS(driver, device, versions, probe, symptom)
#define OPENCL_QUIRK(Cure, platform, versions, probe, symptom) \
  if (gpu.platform_name == platform) gpu.told.set(Cure);
#define QUIRK(driver, cure, versions, probe, symptom)
#include "support/quirks.def"
  return gpu;
}

/// Empty, or what Krait cannot do without.
std::string missing_for_krait(const Gpu& gpu, const std::string& extensions) {
  if (!number_of<cl_bool>(gpu, CL_DEVICE_AVAILABLE)) return "the driver reports it as unavailable";
  if (number_of<cl_uint>(gpu, CL_DEVICE_ADDRESS_BITS) != 64)
    return "its addresses do not have 64 bits";
  if (!number_of<cl_bool>(gpu, CL_DEVICE_ENDIAN_LITTLE)) return "it is not a little-endian device";
  if (text_of(*gpu.cl, gpu.device, CL_DEVICE_PROFILE) != "FULL_PROFILE")
    return "it has only the embedded profile";
  if (gpu.takes_il) return {};
  if (!lists(extensions, "cl_khr_spir"))
    return "the driver accepts neither SPIR-V (CL_DEVICE_IL_VERSION is empty) nor cl_khr_spir";
  std::string why;
  if (!Translator::open(why)) return "the driver does not accept SPIR-V, and " + why;
  return {};
}

std::vector<cl_platform_id> platforms_of(const Api& cl, std::string& why) {
  cl_uint count = 0;
  if (cl.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    why = "the OpenCL loader finds no driver";
    return {};
  }
  Api::watch_the_end();
  std::vector<cl_platform_id> platforms(count);
  check(cl.clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  // Loaders have them in the order of a folder.
  std::stable_sort(platforms.begin(), platforms.end(), [&](cl_platform_id a, cl_platform_id b) {
    return text_of(cl, a, CL_PLATFORM_NAME) < text_of(cl, b, CL_PLATFORM_NAME);
  });
  return platforms;
}

std::vector<cl_device_id> devices_of(const Api& cl, cl_platform_id platform) {
  cl_uint count = 0;
  if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS ||
      count == 0)
    return {};
  std::vector<cl_device_id> ids(count);
  check(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
        "clGetDeviceIDs");
  return ids;
}

/// The loader says nothing of libraries that it cannot load, and one may end the process.
void try_libraries(const std::function<void(const char*, const std::string&)>& say,
                   const std::function<void(const std::string&)>& skip) {
  for (const Listed& driver : listed_drivers()) {
    say("asking", driver.library);
    if (dlopen(driver.library.c_str(), RTLD_LAZY | RTLD_LOCAL)) continue;
    const char* const said = dlerror();
    skip(fmt::format("opencl: {} names {}, which cannot be loaded: {}", driver.list, driver.library,
                     said ? said : ""));
  }
}

}  // namespace

Answer ask_here(void (*tell)(const std::string&)) {
  const DefaultFloatEnvironment floats;  // for the threads that a driver on the CPU starts
  const support::SignalsBlocked signals;
  Answer found;
  const auto say = [&](const char* word, const std::string& text) {
    if (tell) tell(fmt::format("{} {}\n", word, text));
  };
  const auto skip = [&](const std::string& text) {
    found.skipped.push_back(text), say("skipped", text);
  };
  std::string why;
  const Api* const cl = Api::open(why);
  if (cl && tell) try_libraries(say, skip);
  const std::vector<cl_platform_id> platforms =
      cl ? platforms_of(*cl, why) : std::vector<cl_platform_id>();
  if (!why.empty()) skip("opencl: " + why);
  for (unsigned p = 0; p < platforms.size(); ++p) {
    const std::string name = text_of(*cl, platforms[p], CL_PLATFORM_NAME);
    say("asking", name);
    const std::vector<cl_device_id> ids = devices_of(*cl, platforms[p]);
    if (ids.empty()) skip(fmt::format("opencl: platform {} has no device", name));
    for (unsigned d = 0; d < ids.size(); ++d) {
      std::string extensions;
      Gpu gpu = query(*cl, platforms[p], ids[d], extensions);
      gpu.platform_number = p, gpu.device_number = d;
      if (const std::string missing = missing_for_krait(gpu, extensions); !missing.empty())
        skip(fmt::format("opencl: {} ({}): {}", gpu.name, name, missing));
      else found.gpus.push_back(std::move(gpu));
    }
  }
  found.complete = true;
  return found;
}

void find_handles(Gpu& gpu) {
  std::string why, extensions;
  const Api* const cl = Api::open(why);
  const std::vector<cl_platform_id> platforms =
      cl ? platforms_of(*cl, why) : std::vector<cl_platform_id>();
  if (gpu.platform_number < platforms.size()) {
    const cl_platform_id platform = platforms[gpu.platform_number];
    const std::vector<cl_device_id> ids = devices_of(*cl, platform);
    if (gpu.device_number < ids.size() &&
        query(*cl, platform, ids[gpu.device_number], extensions).version == gpu.version) {
      gpu.cl = cl, gpu.platform = platform, gpu.device = ids[gpu.device_number];
      return;
    }
  }
  support::fail_device(
      "{} ({}) is no longer available{}{}: `krait cache clear` makes Krait ask OpenCL's "
      "drivers again",
      gpu.name, gpu.platform_name, why.empty() ? "" : ", as ", why);
}

}  // namespace krait::runtime::opencl
