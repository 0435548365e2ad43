// SPDX-License-Identifier: Apache-2.0
// The GPU of a thread: CUDA is called where it changes, not before every op.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "engine/cuda/memory.h"

namespace {

std::vector<int>& calls() {
  static std::vector<int> made;
  return made;
}
cudaError_t set(int index) {
  calls().push_back(index);
  return index < 2 ? cudaSuccess : cudaErrorInvalidDevice;
}

TEST(CurrentDevice, IsSetWhereItChanges) {
  engine::cuda::CurrentDevice current;
  for (int op = 0; op < 1000; ++op) EXPECT_EQ(current.use(0, set), cudaSuccess);
  EXPECT_EQ(calls(), std::vector<int>{0});
  EXPECT_EQ(current.use(1, set), cudaSuccess);
  EXPECT_EQ(current.use(0, set), cudaSuccess);
  EXPECT_EQ(calls(), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(current.use(7, set), cudaErrorInvalidDevice);
  EXPECT_EQ(current.use(7, set), cudaErrorInvalidDevice) << "what failed is tried again";
  EXPECT_EQ(current.use(0, set), cudaSuccess) << "and nothing is taken for granted after it";
  EXPECT_EQ(calls(), (std::vector<int>{0, 1, 0, 7, 7, 0}));
}

/// The rule holds only where nobody goes round it.
TEST(CurrentDevice, NobodyElseInTheBackendSetsIt) {
  for (const auto& entry : std::filesystem::directory_iterator(TENSORTIDE_SOURCE_DIR "/engine/cuda")) {
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const bool sets = text.find("cudaSetDevice(") != std::string::npos;
    EXPECT_EQ(sets, entry.path().filename() == "memory.cpp") << entry.path();
  }
}

}  // namespace
