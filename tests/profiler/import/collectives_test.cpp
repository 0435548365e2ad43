// SPDX-License-Identifier: Apache-2.0
// What traces say of collectives: at the kernel, at the op that asks for it, or on a host thread.
#include "profiler/analysis/gpu/collectives.h"

#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;

TEST(ImportedCollectives, RealA100) {
  const CapturePtr c = import_file(trace_file("kineto_a100_nccl_rank0of2.pt.trace.json.gz"));
  ASSERT_NE(c, nullptr);
  const Collectives all = collectives(*c);
  EXPECT_EQ(all.calls.size(), 21u);
  EXPECT_EQ(all.unsized, 0);
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.rows[0].operation, "allreduce");
  EXPECT_EQ(all.rows[0].count, 15);
  EXPECT_EQ(all.rows[0].group_size, 2);
  EXPECT_DOUBLE_EQ(all.rows[0].bus_bytes_per_s, all.rows[0].algorithm_bytes_per_s) << "2 (n - 1) / n of 2 ranks";
}

TEST(ImportedCollectives, TheOpThatAsksSaysWhatTheKernelDoesNot) {
  const auto capture = import_events(R"(
    {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":0,"dur":50,
     "args":{"External id":7,"Collective name":"allreduce","In msg nelems":1000,"Out msg nelems":1000,"dtype":"Float",
             "Group size":4,"Process Group Name":"0","Process Group Ranks":"[0, 1, 2, 3]"}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"correlation":9}},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":7,"ts":100,"dur":4,
     "args":{"correlation":9,"device":0,"stream":7}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":5,"args":{"correlation":10}},
    {"ph":"X","cat":"kernel","name":"scale","pid":0,"tid":7,"ts":110,"dur":4,
     "args":{"correlation":10,"device":0,"stream":7}})");
  ASSERT_TRUE(capture) << capture.error().message;
  const Collectives all = collectives(**capture);
  ASSERT_EQ(all.calls.size(), 1u) << "a kernel that computes beside it is none";
  EXPECT_EQ(all.calls[0].operation, "allreduce");
  EXPECT_DOUBLE_EQ(all.calls[0].bytes, 4000);
  EXPECT_DOUBLE_EQ(all.calls[0].bus_bytes_per_s(), 1.5e9);
}

TEST(ImportedCollectives, GlooRunsThemOnHostThreads) {
  const auto capture = import_bytes(R"({"distributedInfo":{"rank":0,"world_size":2,"pg_config":[{"pg_name":"0",
    "pg_size":2,"ranks":[0,1]}]},"traceEvents":[
    {"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","pid":1,"tid":2,"ts":0,"dur":100,
     "args":{"External id":1,"Input Dims":[[500],[500]],"Input type":["float","float"]}},
    {"ph":"X","cat":"user_annotation","name":"gloo:all_gather","pid":1,"tid":2,"ts":200,"dur":100,
     "args":{"External id":1,"Input Dims":[[10]],"Input type":["long int"]}},
    {"ph":"X","cat":"cpu_op","name":"c10d::allreduce_","pid":1,"tid":1,"ts":0,"dur":10,"args":{}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":60,"dur":400,"args":{}}]})");
  ASSERT_TRUE(capture) << capture.error().message;
  const Collectives all = collectives(**capture);
  ASSERT_EQ(all.calls.size(), 2u);
  EXPECT_EQ(all.calls[0].operation, "all_reduce");
  EXPECT_EQ(all.calls[0].group_size, 2);
  EXPECT_EQ(all.calls[0].ranks, "[0,1]");
  EXPECT_DOUBLE_EQ(all.calls[0].bytes, 4000);
  EXPECT_DOUBLE_EQ(all.calls[0].exposed_ns, 60'000) << "starting one hides none";
  EXPECT_DOUBLE_EQ(all.calls[1].bytes, 160) << "what two ranks of 80 bytes gather";
  EXPECT_DOUBLE_EQ(all.calls[1].exposed_ns, 0);
  EXPECT_TRUE((*capture)->gpu().api_calls.empty());
}

}  // namespace
