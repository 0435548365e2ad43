// SPDX-License-Identifier: Apache-2.0
// A libOpenCL of our own for tests, which fails as $FAKE_OPENCL says: no_platform, fails, no_device, no_compiler,
// no_queue, build_fails, long_name.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool told(const char* word) {
  const char* const all = std::getenv("FAKE_OPENCL");
  return all != nullptr && std::strcmp(all, word) == 0;
}

template <class Handle>
Handle handle(int number) {
  static char places[16];
  return reinterpret_cast<Handle>(&places[number]);
}

cl_int text(const std::string& from, size_t size, void* to, size_t* needed) {
  if (needed != nullptr) *needed = from.size() + 1;
  if (to == nullptr) return CL_SUCCESS;
  if (size < from.size() + 1) return CL_INVALID_VALUE;
  std::memcpy(to, from.c_str(), from.size() + 1);
  return CL_SUCCESS;
}

template <class T>
cl_int figure(T from, size_t size, void* to, size_t* needed) {
  if (needed != nullptr) *needed = sizeof from;
  if (to != nullptr && size >= sizeof from) std::memcpy(to, &from, sizeof from);
  return CL_SUCCESS;
}

cl_int code(cl_int value, cl_int* to) {
  if (to != nullptr) *to = value;
  return value;
}

}  // namespace

extern "C" {

cl_int clGetPlatformIDs(cl_uint, cl_platform_id* platforms, cl_uint* count) {
  if (told("no_platform")) return -1001;
  if (told("fails")) return CL_OUT_OF_HOST_MEMORY;
  if (platforms != nullptr) *platforms = handle<cl_platform_id>(0);
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t size, void* to, size_t* needed) {
  return text("Fake Platform", size, to, needed);
}

cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id* devices, cl_uint* count) {
  if (told("no_device")) return CL_DEVICE_NOT_FOUND;
  if (devices != nullptr) *devices = handle<cl_device_id>(1);
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, size_t size, void* to, size_t* needed) {
  switch (what) {
    case CL_DEVICE_NAME: return text(told("long_name") ? std::string(1 << 20, 'x') : "Fake Device", size, to, needed);
    case CL_DEVICE_VERSION: return text("OpenCL 1.2 fake", size, to, needed);
    case CL_DRIVER_VERSION: return text("0.1", size, to, needed);
    case CL_DEVICE_EXTENSIONS: return text("", size, to, needed);
    case CL_DEVICE_TYPE: return figure<cl_device_type>(CL_DEVICE_TYPE_ACCELERATOR, size, to, needed);
    case CL_DEVICE_COMPILER_AVAILABLE:
      return figure<cl_bool>(told("no_compiler") ? CL_FALSE : CL_TRUE, size, to, needed);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE: return figure<cl_bool>(CL_TRUE, size, to, needed);
    case CL_DEVICE_ADDRESS_BITS: return figure<cl_uint>(64, size, to, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return figure<size_t>(256, size, to, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return figure<cl_ulong>(cl_ulong{1} << 30, size, to, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return figure<cl_ulong>(cl_ulong{1} << 20, size, to, needed);
    default: return CL_INVALID_VALUE;
  }
}

cl_context clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                           void (*)(const char*, const void*, size_t, void*), void*, cl_int* result) {
  code(CL_SUCCESS, result);
  return handle<cl_context>(2);
}
cl_int clReleaseContext(cl_context) { return CL_SUCCESS; }

cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int* result) {
  return code(told("no_queue") ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS, result) == CL_SUCCESS
             ? handle<cl_command_queue>(3)
             : nullptr;
}
cl_int clReleaseCommandQueue(cl_command_queue) { return CL_SUCCESS; }

cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t, void*, cl_int* result) {
  code(CL_SUCCESS, result);
  return handle<cl_mem>(4);
}
cl_int clReleaseMemObject(cl_mem) { return CL_SUCCESS; }

cl_program clCreateProgramWithSource(cl_context, cl_uint, const char**, const size_t*, cl_int* result) {
  code(CL_SUCCESS, result);
  return handle<cl_program>(5);
}
cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id*, const char*, void (*)(cl_program, void*), void*) {
  return told("build_fails") ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t size, void* to, size_t* needed) {
  return text("note: here\n<source>:7:3: error: no such thing\nmore", size, to, needed);
}
cl_int clReleaseProgram(cl_program) { return CL_SUCCESS; }
cl_kernel clCreateKernel(cl_program, const char*, cl_int* result) {
  code(CL_SUCCESS, result);
  return handle<cl_kernel>(6);
}
cl_int clSetKernelArg(cl_kernel, cl_uint, size_t, const void*) { return CL_SUCCESS; }
cl_int clReleaseKernel(cl_kernel) { return CL_SUCCESS; }
cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*,
                              cl_uint, const cl_event*, cl_event*) {
  return CL_OUT_OF_RESOURCES;
}
cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void*, cl_uint, const cl_event*,
                            cl_event*) {
  return CL_SUCCESS;
}
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void*, cl_uint, const cl_event*,
                           cl_event*) {
  return CL_SUCCESS;
}
cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event*,
                           cl_event*) {
  return CL_SUCCESS;
}
cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event*, cl_event*) { return CL_INVALID_VALUE; }
cl_int clGetEventInfo(cl_event, cl_event_info, size_t, void*, size_t*) { return CL_INVALID_VALUE; }
cl_int clGetEventProfilingInfo(cl_event, cl_profiling_info, size_t, void*, size_t*) {
  return CL_PROFILING_INFO_NOT_AVAILABLE;
}
cl_int clReleaseEvent(cl_event) { return CL_SUCCESS; }
cl_int clFlush(cl_command_queue) { return CL_SUCCESS; }
cl_int clFinish(cl_command_queue) { return CL_SUCCESS; }

}  // extern "C"
