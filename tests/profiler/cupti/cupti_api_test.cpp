// SPDX-License-Identifier: Apache-2.0
// Finding CUPTI: the real one loads and reads records as we do; each way not to have it has words of its own.
#include "profiler/cupti/cupti_api.h"

#include <gtest/gtest.h>

#include "profiler/cupti/record_sizes.h"
#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {
namespace {

TEST(CuptiApi, TheRealOneIsReadAsItWrites) {
  const auto library = load_cupti(cupti_places());
  if (!library) GTEST_SKIP() << library.error().message;
  EXPECT_GE(library->version, 130000u);
  EXPECT_EQ(library->no_counters, "");
  EXPECT_TRUE(check_strides(library->api.activity_get_next_record).ok());
  EXPECT_EQ(result_text(library->api, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES), "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)");
}

TEST(CuptiApi, VersionsWithOtherRecordsAreRefused) {
  EXPECT_TRUE(check_version(130000).ok());
  EXPECT_TRUE(check_version(130001).ok());
  EXPECT_TRUE(check_version(130401).ok());
  for (const uint32_t other : {18u, 26u, 120800u, 140000u, 0u}) EXPECT_FALSE(check_version(other).ok()) << other;
  EXPECT_NE(check_version(26).error().message.find("older than CUDA 13"), std::string::npos);
  EXPECT_NE(check_version(140200).error().message.find("CUPTI 14.2"), std::string::npos);
}

// A later CUPTI whose kernel record has grown by 16 bytes.
CUptiResult CUPTIAPI grown_kernels(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  const auto size_of = [](const CUpti_Activity* r) {
    for (const RecordSize& known : kRecordSizes) {
      if (known.kind == r->kind) return known.bytes + (r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? 16 : 0);
    }
    return size_t{8};
  };
  uint8_t* next = *record == nullptr ? buffer : reinterpret_cast<uint8_t*>(*record) + size_of(*record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI knows_nothing(uint8_t*, size_t, CUpti_Activity**) { return CUPTI_ERROR_INVALID_KIND; }

TEST(CuptiApi, RecordsOfAnotherSizeAreRefusedInsteadOfMisread) {
  const auto grown = check_strides(grown_kernels);
  ASSERT_FALSE(grown.ok());
  EXPECT_EQ(grown.error().message,
            "this CUPTI's records of kind 10 (kernel) have 232 bytes, this build reads 216: update this program");
  EXPECT_FALSE(check_strides(knows_nothing).ok());
}

TEST(CuptiApi, AbsenceAndStrangersAreNamed) {
  const auto absent = load_cupti({"/nonexistent/libcupti.so.13", "libno-such-library.so"});
  ASSERT_FALSE(absent.ok());
  EXPECT_NE(absent.error().message.find("CUPTI was not found"), std::string::npos);
  EXPECT_NE(absent.error().message.find("/nonexistent/libcupti.so.13"), std::string::npos);
  const auto stranger = load_cupti({"libm.so.6"});
  ASSERT_FALSE(stranger.ok());
  EXPECT_NE(stranger.error().message.find("it has no cuptiGetVersion"), std::string::npos) << stranger.error().message;
  EXPECT_FALSE(load_cupti({}).ok());
}

}  // namespace
}  // namespace profiler::cupti
