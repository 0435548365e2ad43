// SPDX-License-Identifier: Apache-2.0
// Numbers of the runtime's calls that profiler/cupti speaks of, as NVIDIA's header of this name has them.
#pragma once

enum {
  CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020 = 10,
  CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020 = 11,
  CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020 = 16,
  CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020 = 17,
};
