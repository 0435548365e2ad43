// SPDX-License-Identifier: Apache-2.0
// Hardware counters: answers decoded, refusals in words, a stand-in for the kernel that counts wrongly, and this
// machine as it is.
#include "profiler/record/perf_counters.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

namespace profiler {
namespace {

/// A kernel that gives out files from 100 on and answers `words`.
struct Fake {
  std::vector<uint64_t> words;
  int error_at = -1, error = 0;  ///< which open fails, and how
  std::set<int> opened = {};
  bool enabled = false;  ///< before, nothing was counted and no time passed
  PerfSystem system() {
    return {.open =
                [this](perf_event_attr& attr, int group) {
                  EXPECT_EQ(attr.exclude_kernel, 1u);
                  EXPECT_EQ(attr.disabled, opened.empty() ? 1u : 0u);
                  if (static_cast<int>(opened.size()) == error_at) return errno = error, -1;
                  if (opened.empty()) EXPECT_EQ(group, -1);
                  else EXPECT_EQ(group, 100);
                  const int file = 100 + static_cast<int>(opened.size());
                  opened.insert(file);
                  return file;
                },
            .read =
                [this](int file, void* to, size_t bytes) {
                  EXPECT_EQ(file, 100);
                  const std::vector<uint64_t> before(words.size(), 0);
                  const size_t n = std::min(bytes, words.size() * sizeof(uint64_t));
                  std::memcpy(to, enabled ? words.data() : before.data(), n);
                  return static_cast<ssize_t>(n);
                },
            .control =
                [this](int, unsigned long request) {
                  enabled = enabled || request == PERF_EVENT_IOC_ENABLE;
                  return 0;
                },
            .close = [this](int file) { EXPECT_EQ(opened.erase(file), 1u); }};
  }
};

std::string trust(std::vector<uint64_t> words) {
  Fake fake{.words = std::move(words)};
  auto counters = PerfCounters::open(cache_events(), fake.system());
  EXPECT_TRUE(counters.ok());
  const auto checked = check_on_stream(*counters);
  return checked.ok() ? "trusted" : checked.error().message;
}

constexpr uint64_t kArray = uint64_t{4 << 20} * 4 / 64, kLines = 3 * kArray;  // of the stream

TEST(PerfCounters, CountsAreScaledToTheWholeTime) {
  const auto counts = decode_group({2, 1000, 250, 10, 7}, 2);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(*counts, (std::vector<double>{40, 28}));
}

TEST(PerfCounters, WhatDidNotRunOrIsOfAnotherLengthIsNoCount) {
  EXPECT_NE(decode_group({1, 1000, 0, 5}, 1).error().message.find("do not count"), std::string::npos);
  EXPECT_NE(decode_group({1, 10, 20, 5}, 1).error().message.find("do not count"), std::string::npos);
  EXPECT_NE(decode_group({}, 1).error().message.find("0 words"), std::string::npos);
  EXPECT_FALSE(decode_group({2, 10, 10, 5}, 1).ok());
  EXPECT_FALSE(decode_group({1, 10, 10, 5, 5}, 1).ok());
}

TEST(PerfCounters, AStreamOfKnownBytesDecidesWhetherTheyAreTrusted) {
  EXPECT_EQ(trust({5, 500, 500, 1, kLines, kArray, kLines, kArray}), "trusted");
  EXPECT_EQ(trust({5, 500, 250, 1, kLines / 2, kArray / 2, kLines / 2 + kLines / 50, kArray / 2}), "trusted")
      << "shared out in time";
  const std::string doubled = trust({5, 500, 500, 1, kLines, kArray, 2 * kLines, kArray});
  EXPECT_NE(doubled.find("not to be trusted"), std::string::npos);
  EXPECT_NE(doubled.find("lines into L2 counted 1572864 on a stream of 786432 lines"), std::string::npos) << doubled;
  EXPECT_NE(trust({5, 500, 500, 1, kLines, kLines, kLines, kArray})
                .find("lines written back from L1 counted 786432 on a stream of 262144 lines"),
            std::string::npos);
  EXPECT_NE(trust({5, 500, 0, 1, 0, 0, 0, 0}).find("do not count"), std::string::npos);
}

TEST(PerfCounters, RefusalsSayWhyAndWhatHelpsAndLeaveNothingOpen) {
  const struct {
    int error;
    const char *why, *remedy;
  } cases[] = {{EACCES, "does not allow", "sysctl"},
               {EPERM, "does not allow", "sysctl"},
               {ENOENT, "no driver", "bare metal"},
               {ENOSYS, "without perf events", "bare metal"},
               {EMFILE, "perf_event_open fails", "bare metal"}};
  for (const auto& c : cases) {
    for (const int at : {0, 2}) {
      Fake fake{.words = {}, .error_at = at, .error = c.error};
      PerfRefusal refused;
      const auto counters = PerfCounters::open(cache_events(), fake.system(), &refused);
      ASSERT_FALSE(counters.ok());
      EXPECT_NE(refused.why.find(c.why), std::string::npos) << refused.why;
      EXPECT_NE(refused.remedy.find(c.remedy), std::string::npos) << refused.remedy;
      EXPECT_EQ(counters.error().message, refused.why + "; " + refused.remedy);
      EXPECT_TRUE(fake.opened.empty());
    }
  }
}

TEST(PerfCounters, ThisMachineEitherCountsOrSaysWhyNot) {
  PerfRefusal refused;
  auto counters = PerfCounters::open(cache_events(), PerfSystem::kernel(), &refused);
  if (!counters.ok()) {
    EXPECT_NE(refused.remedy, "") << counters.error().message;
    return;
  }
  const auto counted = counters->count([] {});
  if (counted.ok()) EXPECT_EQ(counted->size(), 5u);
  else EXPECT_NE(counted.error().message.find("; "), std::string::npos);
}

}  // namespace
}  // namespace profiler
