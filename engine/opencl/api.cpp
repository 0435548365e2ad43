// SPDX-License-Identifier: Apache-2.0
// Opens the loader, looks up its functions, names its errors.
#include "engine/opencl/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace engine::opencl {
namespace {

struct Lookup {
  void* library;
  std::string missing = {};

  template <class Function>
  void operator()(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = name;
  }
};

// clang-format off
constexpr std::pair<cl_int, std::string_view> kErrors[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    {CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
// clang-format on

}  // namespace

Result<Api> open_api(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return refused_error(dlerror());
  Api api;
  Lookup look{handle};
  look("clGetPlatformIDs", api.get_platform_ids);
  look("clGetPlatformInfo", api.get_platform_info);
  look("clGetDeviceIDs", api.get_device_ids);
  look("clGetDeviceInfo", api.get_device_info);
  look("clCreateContext", api.create_context);
  look("clReleaseContext", api.release_context);
  look("clCreateCommandQueue", api.create_command_queue);
  look("clReleaseCommandQueue", api.release_command_queue);
  look("clCreateBuffer", api.create_buffer);
  look("clReleaseMemObject", api.release_mem_object);
  look("clCreateProgramWithSource", api.create_program_with_source);
  look("clBuildProgram", api.build_program);
  look("clGetProgramBuildInfo", api.get_program_build_info);
  look("clReleaseProgram", api.release_program);
  look("clCreateKernel", api.create_kernel);
  look("clSetKernelArg", api.set_kernel_arg);
  look("clReleaseKernel", api.release_kernel);
  look("clEnqueueNDRangeKernel", api.enqueue_nd_range_kernel);
  look("clEnqueueWriteBuffer", api.enqueue_write_buffer);
  look("clEnqueueReadBuffer", api.enqueue_read_buffer);
  look("clEnqueueCopyBuffer", api.enqueue_copy_buffer);
  look("clEnqueueMarkerWithWaitList", api.enqueue_marker);
  look("clGetEventInfo", api.get_event_info);
  look("clGetEventProfilingInfo", api.get_event_profiling_info);
  look("clReleaseEvent", api.release_event);
  look("clFlush", api.flush);
  look("clFinish", api.finish);
  if (!look.missing.empty()) {
    return refused_error(fmt::format("{} has no {}, which OpenCL has had since version 1.2", library, look.missing));
  }
  return api;
}

std::string error_words(cl_int code) {
  const auto* const found = std::ranges::find(kErrors, code, &std::pair<cl_int, std::string_view>::first);
  return found == std::end(kErrors) ? fmt::format("OpenCL error {}", code)
                                    : fmt::format("{} ({})", found->second, code);
}

}  // namespace engine::opencl
