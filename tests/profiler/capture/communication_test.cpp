// SPDX-License-Identifier: Apache-2.0
// Kernels that carry data between devices, by the names that libraries and compilers give them.
#include "profiler/capture/communication.h"

#include <gtest/gtest.h>

namespace {

using profiler::is_communication_name;

TEST(Communication, LibrariesAndCollectives) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
        "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
        "void ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", "ncclSendRecvKernel_copy_i8(ncclColl)",
        "rccl_kernel", "void mscclKernel_Sum_float_LL<false>(ncclDevComm*)",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, int)",
        "void (anonymous namespace)::two_shot_all_reduce_kernel<float>(float**)",
        "void deep_ep::intranode::dispatch<4, 768>(int4*)", "all-reduce.12", "all-gather-start.3", "reduce-scatter",
        "collective-permute-done", "all-to-all.1", "nvshmemi_barrier_kernel", "c10d::allreduce_"}) {
    EXPECT_TRUE(is_communication_name(name)) << name;
  }
}

TEST(Communication, WhatComputes) {
  for (const char* name :
       {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)", "sgemm_128x64_nn",
        "void softmax_warp<WarpAllReduce, 4>(float*)", "void reduce_kernel<512, 1>(int)", "loop_all-reduce_fusion",
        "void cub::DeviceReduceKernel<ncclTuning>(int)", "input_reduce_fusion", "Memcpy PtoP", "blockAllReduceSum",
        "void account_kernel(int)", "gather_kernel"}) {
    EXPECT_FALSE(is_communication_name(name)) << name;
  }
}

}  // namespace
