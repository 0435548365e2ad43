// SPDX-License-Identifier: Apache-2.0
// What goes into a packed column comes out, in as few bytes as its range needs.
#include "profiler/base/packed_column.h"

#include <gtest/gtest.h>

#include <random>

namespace profiler {
namespace {

template <class T>
void expect_round_trip(const std::vector<T>& values, size_t width) {
  PackedColumn<T> column;
  for (const T v : values) column.push_back(v);
  for (const size_t i : {size_t{0}, values.size() - 1}) EXPECT_EQ(column[i], values[i]) << "not sealed";
  column.seal();
  ASSERT_EQ(column.size(), values.size());
  std::vector<T> all, chunk;
  for (size_t c = 0; c < column.chunk_count(); ++c) {
    column.decode(c, chunk);
    all.insert(all.end(), chunk.begin(), chunk.end());
    EXPECT_EQ(column.chunk(c).width, width);
  }
  EXPECT_EQ(all, values);
  for (size_t i = 0; i < values.size(); i += 997) ASSERT_EQ(column[i], values[i]);
}

TEST(PackedColumn, KeepsValuesOfEveryWidth) {
  std::mt19937_64 random(1);
  const size_t count = PackedColumn<int64_t>::kChunkRows * 2 + 17;
  const std::pair<uint64_t, size_t> ranges[] = {{1, 0}, {256, 1}, {65536, 2}, {uint64_t{1} << 32, 4}};
  for (const auto& [range, width] : ranges) {
    std::vector<int64_t> values(count);
    for (auto& v : values) v = -5 + static_cast<int64_t>(random() % range);
    for (size_t i = 0; i < count; i += 17) values[i] = -5 + static_cast<int64_t>(range) - 1;
    for (size_t i = 1; i < count; i += 17) values[i] = -5;
    values.back() = -5;
    expect_round_trip(values, width);
  }
}

TEST(PackedColumn, KeepsExtremes) {
  expect_round_trip<int64_t>({std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 0, -1}, 8);
  expect_round_trip<uint64_t>({0, std::numeric_limits<uint64_t>::max(), 7}, 8);
  expect_round_trip<uint16_t>({65535, 0, 1}, 2);
}

TEST(PackedColumn, NoIdLiesBesideTheSmallOnes) {
  expect_round_trip<uint32_t>({0xffffffffu, 0, 1, 2, 0xffffffffu, 254}, 1);
  expect_round_trip<uint32_t>({0xffffffffu, 0xfffffffeu}, 4);
}

TEST(PackedColumn, AppendedChunksAreTheColumn) {
  PackedColumn<uint32_t> column;
  for (uint32_t i = 0; i < 100000; ++i) column.push_back(i * 3);
  column.seal();
  PackedColumn<uint32_t> copy;
  for (size_t c = 0; c < column.chunk_count(); ++c) copy.append(column.chunk(c));
  EXPECT_TRUE(copy == column);
  EXPECT_LT(column.size_bytes(), 100000u * 4 + 1000) << "no spare room after sealing";
}

}  // namespace
}  // namespace profiler
