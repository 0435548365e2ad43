// SPDX-License-Identifier: Apache-2.0
// Records into events: each kind field by field, and buffers that are cut, garbled or full of nonsense.
#include "profiler/cupti/decode.h"

#include <gtest/gtest.h>

#include <random>

#include "profiler/cupti/record_sizes.h"
#include "tests/profiler/cupti/decode_fuzz.h"
#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {
namespace {

class Decode : public testing::Test {
 protected:
  void SetUp() override {
    if (real_cupti() == nullptr) GTEST_SKIP() << "no CUPTI on this machine";
  }
};

TEST_F(Decode, Kernels) {
  CUpti_ActivityKernel10 r = kernel_record(5, 1000, 1500);
  r.clusterX = 2, r.clusterY = r.clusterZ = 1;
  r.graphId = 3;
  r.graphNodeId = uint64_t{3} << 32 | 9;
  const GpuEvents events = Records().add(r).add(kernel_record(6, 0, 0, nullptr)).decoded();
  ASSERT_EQ(events.kernels.size(), 2u);
  const GpuKernelEvent& k = events.kernels[0];
  EXPECT_EQ(events.names[k.name], "_Z4gemmPf");
  EXPECT_EQ(k.time.start_ns, 1000);
  EXPECT_EQ(k.correlation, 5u);
  EXPECT_EQ(k.record.place, (GpuPlace{0, 1, 7}));
  EXPECT_EQ(k.record.grid, (std::array<int32_t, 3>{64, 2, 1}));
  EXPECT_EQ(k.record.cluster, (std::array<int32_t, 3>{2, 1, 1}));
  EXPECT_EQ(k.record.dynamic_shared_bytes, 2048);
  EXPECT_EQ(k.record.graph_node, uint64_t{3} << 32 | 9);
  EXPECT_EQ(events.kernels[1].record.cluster[0], kUnknownFigure);
  EXPECT_FALSE(events.kernels[1].time.known());
  EXPECT_EQ(events.names[events.kernels[1].name], "unnamed kernel");
}

TEST_F(Decode, CopiesAndMemsets) {
  CUpti_ActivityMemcpy6 batched = copy_record(1, 10, 20, 4096);
  batched.runtimeCorrelationId = 77;
  batched.copyCount = 3;
  CUpti_ActivityMemcpy6 absurd = copy_record(2, 10, 20, ~uint64_t{0});
  absurd.copyKind = 200;
  absurd.srcKind = 99;
  absurd.flags = 0;
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.start = 5, peer.end = 6, peer.bytes = 8;
  peer.srcDeviceId = 0, peer.dstDeviceId = 1;
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.start = 1, set.end = 2, set.bytes = 64, set.value = 255;
  set.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  const GpuEvents events = Records().add(batched).add(absurd).add(peer).add(set).decoded();
  ASSERT_EQ(events.copies.size(), 3u);
  EXPECT_EQ(events.copies[0].record.kind, CopyKind::host_to_device);
  EXPECT_EQ(events.copies[0].record.source, MemoryKind::pinned);
  EXPECT_EQ(events.copies[0].record.destination, MemoryKind::device);
  EXPECT_EQ(events.copies[0].record.synchrony, Synchrony::asynchronous);
  EXPECT_EQ(events.copies[0].record.copies, 3);
  EXPECT_EQ(events.copies[0].runtime_correlation, 77u);
  EXPECT_EQ(events.copies[1].record.bytes, kUnknownFigure);
  EXPECT_EQ(events.copies[1].record.kind, CopyKind::unknown);
  EXPECT_EQ(events.copies[1].record.source, MemoryKind::unknown);
  EXPECT_EQ(events.copies[1].record.synchrony, Synchrony::synchronous);
  EXPECT_EQ(events.copies[2].record.kind, CopyKind::peer_to_peer);
  EXPECT_EQ(events.copies[2].record.destination_device, 1);
  ASSERT_EQ(events.memsets.size(), 1u);
  EXPECT_EQ(events.memsets[0].record.memory, MemoryKind::device);
}

TEST_F(Decode, CallsWaitsOverheadsAndObjects) {
  CUpti_ActivitySynchronization2 sync{};
  sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  sync.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  sync.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  sync.start = 3, sync.end = 9;
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  overhead.overheadData = std::malloc(64);  // ours to give back: the address sanitizer would see a leak
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.id = 1;
  device.name = "NVIDIA H200";
  device.globalMemoryBandwidth = 4'915'200'000;  // kB/s
  device.coreClockRate = 1'980'000;              // kHz
  device.numMultiprocessors = 132;
  CUpti_ActivityContext3 context{};
  context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  context.contextId = 4;
  CUpti_ActivityStream stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
  stream.streamId = 13;
  stream.priority = static_cast<uint32_t>(-5);
  CUpti_ActivityAPI driver = api_record(8, 1, 2);
  driver.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  driver.cbid = 307;  // cuLaunchKernel
  const GpuEvents events = Records()
                               .add(api_record(7, 100, 200))
                               .add(driver)
                               .add(sync)
                               .add(overhead)
                               .add(device)
                               .add(context)
                               .add(stream)
                               .decoded();
  ASSERT_EQ(events.api_calls.size(), 2u);
  EXPECT_EQ(events.names[events.api_calls[0].name].substr(0, 16), "cudaLaunchKernel");
  EXPECT_EQ(events.names[events.api_calls[1].name], "cuLaunchKernel");
  EXPECT_TRUE(events.api_calls[1].record.driver);
  EXPECT_EQ(events.synchronizations.at(0).record.kind, SyncKind::context);
  EXPECT_EQ(events.synchronizations.at(0).record.place.stream, kUnknownFigure);
  EXPECT_EQ(events.names[events.overheads.at(0).name], "command buffer is full");
  EXPECT_EQ(events.devices.at(0).memory_bytes_per_s, 4'915'200'000'000);
  EXPECT_EQ(events.devices.at(0).clock_hz, 1'980'000'000);
  EXPECT_EQ(events.contexts.at(0).context, 4);
  EXPECT_EQ(events.contexts.at(0).multiprocessors, kUnknownFigure);
  EXPECT_EQ(events.streams.at(0).priority, -5);
}

TEST_F(Decode, ExternalIdsOfOthersAreLeftAlone) {
  const GpuEvents events = Records()
                               .add(external_record(1, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42))
                               .add(external_record(1, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 7))
                               .add(external_record(1, CUPTI_EXTERNAL_CORRELATION_KIND_OPENACC, 9))
                               .decoded();
  ASSERT_EQ(events.externals.size(), 2u);
  EXPECT_EQ(events.externals[0].kind, ExternalKind::op);
  EXPECT_EQ(events.externals[1].kind, ExternalKind::step);
}

TEST_F(Decode, CutAndGarbledBuffersLoseNoMoreThanTheyMust) {
  Records cut;
  cut.add(kernel_record(1, 10, 20)).add(kernel_record(2, 30, 40));
  std::vector<uint64_t> aligned(cut.bytes().size() / 8);
  std::memcpy(aligned.data(), cut.bytes().data(), cut.bytes().size());
  GpuEvents events;
  Decoder(real_functions()).decode({reinterpret_cast<uint8_t*>(aligned.data()), cut.bytes().size() - 8}, events);
  EXPECT_EQ(events.kernels.size(), 1u);

  CUpti_ActivityAPI nonsense = api_record(3, 1, 2);
  nonsense.kind = static_cast<CUpti_ActivityKind>(0x5eed);
  const GpuEvents garbled =
      Records().add(kernel_record(1, 10, 20)).add(nonsense).add(kernel_record(2, 30, 40)).decoded();
  EXPECT_EQ(garbled.kernels.size(), 1u);
  EXPECT_EQ(garbled.unreadable, 1);
  EXPECT_EQ(Records().decoded().size(), 0u);
}

// What the fuzz target does, with a fixed seed: every byte of every kind of record may be anything.
TEST_F(Decode, MutatedBuffersAreDecodedToSomethingHarmless) {
  std::vector<uint64_t> seed;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const RecordSize& known : kRecordSizes) {
      std::vector<uint64_t> record(known.bytes / 8 + (known.bytes % 8 != 0));
      std::memcpy(record.data(), &known.kind, sizeof known.kind);
      seed.insert(seed.end(), record.begin(), record.end());
    }
  }
  std::mt19937_64 random(20261121);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint64_t> buffer = seed;
    auto* bytes = reinterpret_cast<uint8_t*>(buffer.data());
    const size_t size = buffer.size() * 8;
    for (int i = 0; i < 200; ++i) bytes[random() % size] = static_cast<uint8_t>(random());
    const size_t valid = round % 2 == 0 ? size : random() % size;
    ASSERT_EQ(LLVMFuzzerTestOneInput(bytes, valid), 0);
  }
}

}  // namespace
}  // namespace profiler::cupti
