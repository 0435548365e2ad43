// SPDX-License-Identifier: Apache-2.0
// The sector model against its closed forms, and against Nsight counters of a V100. Source of the counters: accel-sim/accel-sim-framework,
// commit 2260456, util/accelwattch/accelwattch_hw_profiler/hw_perf.csv (BSD-2-Clause); sizes of the kernels from profile_validation_power.sh
// there; 128 x 128 tiles are in the names of the cutlass kernels. The rules were formed on these rows: a test of the code, not of the world.
#include "profiler/memory/gpu_sectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "profiler/model/capture_builder.h"
#include "profiler/memory/traffic.h"

namespace profiler {
namespace {

constexpr GpuShape kV100{.multiprocessors = 80, .l2_bytes = int64_t{6} << 20};

TEST(GpuSectors, OneRequestOfAWarp) {
  EXPECT_EQ(sectors_of_strided_request(0, 4, 4), 4) << "ideal";
  EXPECT_EQ(sectors_of_strided_request(16, 4, 4), 5) << "not aligned";
  EXPECT_EQ(sectors_of_strided_request(0, 0, 4), 1) << "broadcast";
  EXPECT_EQ(sectors_of_strided_request(0, 8, 4), 8);
  EXPECT_EQ(sectors_of_strided_request(0, 32, 4), 32) << "each lane its own";
  EXPECT_EQ(sectors_of_strided_request(0, 4096, 4), 32);
  EXPECT_EQ(sectors_of_strided_request(1024, -4, 4), 5) << "backwards across the boundary";
  EXPECT_EQ(sectors_of_strided_request(0, 16, 16), 16) << "vector loads";
  EXPECT_EQ(sectors_of_strided_request(30, 0, 4), 2) << "across a boundary";
  const std::array<uint64_t, 4> some{0, 31, 32, 1000};
  EXPECT_EQ(sectors_of_request(some, 1), 3);
}

struct Measured100 {
  int64_t m, n, k;
  bool reads_result;
  double l1_reads, l2_misses, l2_hits, l2_writes, dram_reads, amplification;
};

TEST(GpuSectors, ProductsEqualTheCountersOfAV100) {
  const Measured100 rows[] = {{2560, 16, 2560, false, 460800, 412160, 48640, 5120, 412168, 1},
                              {4096, 128, 4096, false, 2097152, 1081344, 1015808, 237568, 1081352, 3.625},
                              {2560, 512, 2560, false, 3276800, 491520, 2785280, 593920, 491528, 3.625},
                              {4096, 4096, 4096, true, 69206016, 16973824, 52232060, 2097152, 16974052, 1}};
  for (const Measured100& row : rows) {
    // 3.625: the epilogue of the WMMA kernels stores partial sectors; given, not predicted.
    const SectorTraffic s = sectors_of({.m = row.m, .n = row.n, .k = row.k, .operand_bytes = 2, .reads_result = row.reads_result, .store_amplification = row.amplification}, kV100);
    EXPECT_DOUBLE_EQ(s.l1_reads, row.l1_reads);
    EXPECT_DOUBLE_EQ(s.l2_misses, row.l2_misses);
    EXPECT_NEAR(s.l2_hits(), row.l2_hits, 1e-3 * row.l2_hits);
    EXPECT_DOUBLE_EQ(s.l2_writes, row.l2_writes);
    EXPECT_NEAR(s.l2_misses, row.dram_reads, 1e-3 * row.dram_reads);
  }
}

TEST(GpuSectors, HalfOfL2StaysDirty) {
  // Sectors written to L2, and to memory by the kernel's end.
  const std::map<double, double> measured{{2097152, 1998866}, {1048576, 945003}, {1048577, 950303}, {1048578, 950169}, {32768, 0}};
  for (const auto& [written, reached] : measured) {
    EXPECT_NEAR(sectors_of_stream(0, std::floor(written) * kSectorBytes, kV100).dram_writes, reached, 0.01 * reached);
  }
  EXPECT_EQ(sectors_of_stream(33554432, 0, kV100).l2_misses, 1048576) << "fastWalshTransform reads 2^23 floats";
}

TEST(GpuSectors, BothOperandsInL2AreFetchedOnce) {
  const TiledProduct p{.m = 4096, .n = 4096, .k = 256, .operand_bytes = 2};
  const double once = (4096.0 * 256 + 4096.0 * 256) * 2 / 32;
  EXPECT_GT(sectors_of(p, kV100).l2_misses, once) << "4 MiB against half of 6";
  EXPECT_DOUBLE_EQ(sectors_of(p, {.multiprocessors = 132, .l2_bytes = int64_t{50} << 20}).l2_misses, once);
  const SectorTraffic ragged = sectors_of({.m = 129, .n = 1, .k = 16}, kV100);
  EXPECT_DOUBLE_EQ(ragged.l1_reads, (129.0 * 16 * 1 + 16.0 * 1 * 2) * 4 / 32);
}

TEST(GpuSectors, TilesByName) {
  const auto tile = tile_of_kernel("volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn");
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->rows, 128);
  EXPECT_EQ(tile->columns, 64);
  EXPECT_EQ(tile_of_kernel("cutlass_80_tensorop_s16816gemm_256x128_32x3_nn")->rows, 256);
  for (const char* none : {"", "gemm", "x", "128x", "3x3_conv", "99999999999x128", "17x130"}) EXPECT_FALSE(tile_of_kernel(none)) << none;
}

TEST(GpuSectors, ACaptureOnAGpuHasModelledSectorsAndUnknownOpsStayUnknown) {
  CaptureBuilder b;
  b.run().device = "cuda";
  const auto tensor = [&](std::vector<int64_t> shape, int64_t bytes) {
    TensorRecord t;
    t.name = b.intern("t" + std::to_string(b.so_far().tensors().size()));
    t.shape = std::move(shape), t.strides = engine::contiguous_strides(t.shape), t.size_bytes = bytes;
    return b.add_tensor(t);
  };
  const auto op = [&](const char* type, std::vector<TensorId> in, TensorId out, int64_t bytes) {
    OpRecord r;
    r.name = b.intern(std::string("op ") + type), r.type = b.intern(type);
    std::vector<OperandRecord> operands;
    for (const TensorId t : in) operands.push_back({.tensor = t, .read_bytes = bytes});
    operands.push_back({.tensor = out, .output = true, .written_bytes = bytes});
    return b.add_op(r, operands);
  };
  const int64_t bytes = 4 * 512 * 512;
  const auto x = tensor({512, 512}, bytes), y = tensor({512, 512}, bytes), z = tensor({512, 512}, bytes);
  const OpId product = op("matmul", {x, y}, z, bytes), relu = op("relu", {x}, z, bytes), strange = op("telepathy", {x}, z, bytes);
  EXPECT_FALSE(gpu_sector_traffic(b.so_far())) << "a device of unknown shape";
  b.add_gpu_device({.device = 0, .name = "V100", .multiprocessors = 80, .l2_bytes = int64_t{6} << 20});
  const auto capture = *b.finish();
  const auto source = gpu_sector_traffic(*capture);
  ASSERT_TRUE(source);
  EXPECT_DOUBLE_EQ(source->of(product, 1)->read_bytes, 2.0 * bytes * 4) << "four tiles a side";
  EXPECT_DOUBLE_EQ(source->of(product, 0)->read_bytes, 2.0 * bytes);
  EXPECT_DOUBLE_EQ(source->of(relu, 0)->read_bytes, double{bytes});
  EXPECT_FALSE(source->of(strange, 0)->known());
  const TrafficSources sources(capture, model_traffic(*capture));
  EXPECT_EQ(sources.best(product, "L2").record->read_bytes, 8.0 * bytes);
}

}  // namespace
}  // namespace profiler
