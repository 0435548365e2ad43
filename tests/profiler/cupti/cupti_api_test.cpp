// SPDX-License-Identifier: Apache-2.0
// Finding CUPTI: the real one loads and reads records as we do; each way not to have it has words of its own.
#include "profiler/cupti/cupti_api.h"

#include <gtest/gtest.h>

#include "profiler/cupti/record_sizes.h"
#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {
namespace {

TEST(CuptiApi, TheRealOneIsReadAsItWrites) {
  const CuptiLibrary* library = real_cupti();
  if (library == nullptr) GTEST_SKIP() << "no CUPTI on this machine";
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

/// A CUPTI whose records of one kind are longer or shorter than ours.
struct Change {
  CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_INVALID;
  int bytes = 0;
};
Change& change() {
  static Change one;
  return one;
}
CUptiResult CUPTIAPI other_sizes(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  const auto size_of = [](const CUpti_Activity* r) {
    for (const RecordSize& known : kRecordSizes) {
      if (known.kind == r->kind)
        return known.bytes + static_cast<size_t>(r->kind == change().kind ? change().bytes : 0);
    }
    return size_t{8};
  };
  uint8_t* next = *record == nullptr ? buffer : reinterpret_cast<uint8_t*>(*record) + size_of(*record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI knows_nothing(uint8_t*, size_t, CUpti_Activity**) { return CUPTI_ERROR_INVALID_KIND; }

/// CUPTI 13.1 appended to the kernel's record (Kernel11), 13.2 to the device's: what we read lies where it lay.
TEST(CuptiApi, LongerRecordsAreReadShorterOnesRefused) {
  for (const RecordSize& known : kRecordSizes) {
    for (const int more : {8, 16, 64, static_cast<int>(known.bytes)}) {
      change() = {known.kind, more};
      EXPECT_TRUE(check_strides(other_sizes).ok()) << known.name << " longer by " << more;
    }
    change() = {known.kind, -8};
    EXPECT_FALSE(check_strides(other_sizes).ok()) << known.name;
  }
  change() = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, -8};
  EXPECT_EQ(check_strides(other_sizes).error().message,
            "this CUPTI's records of kind 10 (kernel) have 208 bytes, this build reads 216: install CUPTI 13.0 update "
            "1 or newer");
  EXPECT_FALSE(check_strides(knows_nothing).ok());
}

/// The decoder steps as CUPTI does, so that what is behind a longer record is found.
TEST(CuptiApi, RecordsBehindALongerOneAreDecoded) {
  change() = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 16};
  alignas(8) uint8_t buffer[1024] = {};
  size_t used = 0;
  const auto add = [&](const auto& record, size_t more) {
    std::memcpy(buffer + used, &record, sizeof record);
    std::memset(buffer + used + sizeof record, 0xab, more);
    used += sizeof record + more;
  };
  add(kernel_record(1, 1000, 1500), 16);
  add(kernel_record(2, 2000, 2600), 16);
  add(copy_record(3, 3000, 3700, 4096), 0);
  const auto name = [](CUpti_CallbackDomain, uint32_t, const char**) { return CUPTI_ERROR_UNKNOWN; };
  GpuEvents events;
  Decoder({.next_record = other_sizes, .callback_name = name, .release = std::free}).decode({buffer, used}, events);
  ASSERT_EQ(events.kernels.size(), 2u);
  EXPECT_EQ(events.kernels[1].correlation, 2u);
  EXPECT_EQ(events.kernels[1].record.registers_per_thread, 40);
  ASSERT_EQ(events.copies.size(), 1u);
  EXPECT_EQ(events.copies[0].record.bytes, 4096);
  EXPECT_EQ(events.unreadable, 0);
}

TEST(CuptiApi, VersionsWithKnownFaultsAreNamed) {
  EXPECT_NE(version_warning(130000).find("older than CUDA 13.0 update 1"), std::string::npos);
  for (const uint32_t sound : {130001u, 130100u, 130203u, 130500u}) EXPECT_EQ(version_warning(sound), "") << sound;
}

TEST(CuptiApi, AfterARefusalTheNextLibraryIsTried) {
  if (real_cupti() == nullptr) GTEST_SKIP() << "no CUPTI on this machine";
  engine::LibrarySearch search;
  const auto library =
      load_cupti({.files = {"libm.so.6", TENSORTIDE_TEST_CUPTI}, .chosen = false, .none = {}}, &search);
  ASSERT_TRUE(library.ok()) << library.error().message;
  ASSERT_EQ(search.attempts.size(), 2u);
  EXPECT_EQ(search.attempts[0].state, engine::LibraryAttempt::State::refused);
  EXPECT_NE(search.attempts[0].words.find("it has no cuptiGetVersion"), std::string::npos) << search.attempts[0].words;
  EXPECT_TRUE(search.attempts[1].words.starts_with("CUPTI 13.")) << search.attempts[1].words;
  EXPECT_NE(library->api.activity_get_next_record, nullptr) << "nothing of the refused one is left in the table";
}

TEST(CuptiApi, AbsenceAndStrangersAreNamed) {
  const auto from = [](std::vector<std::string> files, bool chosen = false) {
    return load_cupti({.files = std::move(files), .chosen = chosen, .none = {}});
  };
  const auto absent = from({"/nonexistent/libcupti.so.13", "libno-such-library.so"}, true);
  ASSERT_FALSE(absent.ok());
  EXPECT_NE(absent.error().message.find("CUPTI was not found"), std::string::npos);
  EXPECT_NE(absent.error().message.find("/nonexistent/libcupti.so.13"), std::string::npos);
  const auto stranger = from({"libm.so.6"});
  ASSERT_FALSE(stranger.ok());
  EXPECT_NE(stranger.error().message.find("it has no cuptiGetVersion"), std::string::npos) << stranger.error().message;
  EXPECT_FALSE(from({}).ok());
}

}  // namespace
}  // namespace profiler::cupti
