// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/storage.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace engine {
namespace {

TEST(Storage, IsAligned) {
  for (const int64_t size :
       {int64_t{0}, int64_t{1}, int64_t{65}, (int64_t{4} << 20) - 1, int64_t{4} << 20, (int64_t{6} << 20) + 3}) {
    const auto storage = Storage::allocate_host(size);
    ASSERT_TRUE(storage.ok());
    const auto address = reinterpret_cast<uintptr_t>((*storage)->data());
    EXPECT_EQ((*storage)->size_bytes(), size);
    EXPECT_EQ(address % (size >= (4 << 20) ? 2 << 20 : 64), 0u) << size;
    std::memset((*storage)->data(), 7, static_cast<size_t>(size));
  }
}

TEST(Storage, RefusesWhatTheSystemHasNot) {
  for (const int64_t size : {int64_t{1} << 50, int64_t{1} << 62, INT64_MAX}) {
    const auto storage = Storage::allocate_host(size);
    ASSERT_FALSE(storage.ok());
    EXPECT_EQ(storage.error().kind, ErrorKind::refused);
    EXPECT_NE(storage.error().message.find(size == int64_t{1} << 50 ? "1.0 PiB" : "EiB"), std::string::npos)
        << storage.error().message;
    EXPECT_NE(storage.error().message.find("available"), std::string::npos);
  }
}

TEST(Storage, IsReleasedWithTheLastUser) {
  int released = 0;
  std::byte bytes[4];
  auto first = std::make_shared<Storage>(Device{"test", 1}, bytes, 4,
                                         [&](std::byte* data) { released += data == bytes ? 1 : 100; });
  auto second = first;
  first.reset();
  EXPECT_EQ(released, 0);
  second.reset();
  EXPECT_EQ(released, 1);
}

TEST(Device, InWords) {
  EXPECT_EQ(to_string(Device{}), "cpu");
  EXPECT_EQ(to_string(Device{"cuda", 1}), "cuda:1");
}

}  // namespace
}  // namespace engine
