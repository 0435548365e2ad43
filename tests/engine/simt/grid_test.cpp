// SPDX-License-Identifier: Apache-2.0
// The emulated execution of grids: small kernels of our own, right and wrong ones.
#include "engine/simt/grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace {

using namespace engine::simt;  // NOLINT: a test of this room

/// Puts the settings back.
class GridTest : public testing::Test {
 protected:
  ~GridTest() override { settings() = {}; }
};

TEST_F(GridTest, EveryThreadOfEveryBlockRunsOnceInEveryOrder) {
  for (const Order order : kOrders) {
    settings().order = order;
    std::vector<int> visits(5 * 96);
    EXPECT_EQ(run_grid({5, 96, [&] { ++visits[blockIdx.x * blockDim.x + threadIdx.x]; }}), "");
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
  }
}

TEST_F(GridTest, ShufflesBallotsAndVotesSeeTheWholeWarp) {
  for (const Order order : kOrders) {
    settings().order = order;
    std::vector<uint32_t> sum(64), up(64), down(64), from(64), odd(64);
    std::vector<int> any(64), all(64);
    EXPECT_EQ(run_grid({1, 64,
                        [&] {
                          const unsigned i = threadIdx.x;
                          uint32_t value = i;
                          for (int distance = 16; distance > 0; distance /= 2)
                            value += __shfl_xor_sync(0xffffffffu, value, distance);
                          sum[i] = value;
                          up[i] = __shfl_up_sync(0xffffffffu, i, 1);
                          down[i] = __shfl_down_sync(0xffffffffu, i, 2);
                          from[i] = __shfl_sync(0xffffffffu, i, 7);
                          odd[i] = __ballot_sync(0xffffffffu, i % 2 == 1);
                          any[i] = __any_sync(0xffffffffu, i == 3);
                          all[i] = __all_sync(0xffffffffu, i < 32);
                        }}),
              "");
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned first = i / 32 * 32, lane = i % 32;
      EXPECT_EQ(sum[i], 32 * first + 31 * 32 / 2);
      EXPECT_EQ(up[i], lane == 0 ? i : i - 1);
      EXPECT_EQ(down[i], lane < 30 ? i + 2 : i);
      EXPECT_EQ(from[i], first + 7);
      EXPECT_EQ(odd[i], 0xaaaaaaaau);
      EXPECT_EQ(any[i], first == 0);
      EXPECT_EQ(all[i], first == 0);
    }
  }
}

/// Each thread reads what its neighbour wrote, behind a barrier.
std::vector<int> neighbours() {
  std::vector<int> result(256);
  EXPECT_EQ(run_grid({1, 256,
                      [&] {
                        __shared__ int values[256];
                        values[threadIdx.x] = static_cast<int>(threadIdx.x);
                        __syncthreads();
                        result[threadIdx.x] = values[(threadIdx.x + 1) % 256];
                      }}),
            "");
  return result;
}

TEST_F(GridTest, ADroppedBarrierShowsInEveryOrder) {
  std::vector<int> right(256);
  std::iota(right.begin(), right.end(), 1);
  right[255] = 0;
  barriers().clear();
  for (const Order order : kOrders) {
    settings().order = order;
    EXPECT_EQ(neighbours(), right);
  }
  ASSERT_EQ(barriers().size(), 1u);
  settings().dropped = barriers()[0].site;
  for (const Order order : kOrders) {
    settings().order = order;
    EXPECT_NE(neighbours(), right) << "the neighbour's value is not there yet, and the memory is poisoned";
  }
}

TEST_F(GridTest, SharedMemoryStartsPoisonedInEachBlock) {
  std::vector<double> seen(3);
  EXPECT_EQ(run_grid({3, 1,
                      [&] {
                        __shared__ double value;
                        seen[blockIdx.x] = value;
                        value = 1;
                      }}),
            "");
  for (const double value : seen) EXPECT_TRUE(std::isnan(value));
}

TEST_F(GridTest, AMissingThreadIsAMissingResult) {
  settings().one_missing = true;
  std::vector<int> visits(96), blocks(3);
  EXPECT_EQ(run_grid({1, 96, [&] { ++visits[threadIdx.x]; }}), "");
  EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), 95);
  EXPECT_EQ(run_grid({3, 1, [&] { ++blocks[blockIdx.x]; }}), "");
  EXPECT_EQ(std::accumulate(blocks.begin(), blocks.end(), 0), 2);
}

TEST_F(GridTest, SaysWhatAGpuWouldNotLetPass) {
  EXPECT_NE(run_grid({1, 64,
                      [] {
                        if (threadIdx.x < 32) __syncthreads();
                      }})
                .find("have left the kernel"),
            std::string::npos);
  EXPECT_NE(run_grid({1, 64,
                      [] {
                        if (threadIdx.x < 16) {
                          __syncwarp();
                        } else {
                          __syncthreads();
                        }
                      }})
                .find("for ever"),
            std::string::npos);
  EXPECT_NE(run_grid({1, 64,
                      [] {
                        if (threadIdx.x < 32) {
                          __syncthreads();
                        } else {
                          __syncthreads();
                        }
                      }})
                .find("wait at"),
            std::string::npos);
  alignas(16) char bytes[32] = {};
  EXPECT_NE(run_grid({1, 1, [&] { (void)refuses_address(bytes + 12, 16); }}).find("12 bytes off their alignment"),
            std::string::npos);
  EXPECT_EQ(run_grid({1, 1, [&] { (void)(refuses_address(bytes + 12, 4) || refuses_address(bytes + 16, 16)); }}), "");
  EXPECT_NE(run_grid({1, 1025, [] {}}).find("cannot be launched"), std::string::npos);
  EXPECT_NE(run_grid({0, 32, [] {}}).find("cannot be launched"), std::string::npos);
  int ran = 0;
  EXPECT_EQ(run_grid({1, 1, [&] { ++ran; }}), "") << "a grid after those works";
  EXPECT_EQ(ran, 1);
}

}  // namespace
