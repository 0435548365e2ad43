// SPDX-License-Identifier: Apache-2.0
// Attributes and traffic come back from a file as they were; added later, damaged, or from a file that has none.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <random>

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

TrafficSource sample_traffic(double bytes = 1024) {
  TrafficSource s;
  s.origin = Origin::simulated;
  s.policy = "L1 32 KiB 8-way LRU";
  s.method = "exact";
  s.links = {{"DRAM", "L1", 32768}, {"L1", "core", kUnknownBytes}};
  s.op_notes = {"tiles assumed", "", "not simulated: why"};
  s.records.push_back({.op = 1,
                       .tensor = kNoTensor,
                       .link = 1,
                       .read_bytes = bytes,
                       .written_bytes = 64,
                       .write_allocate_bytes = 8,
                       .hits = 3,
                       .misses = 1,
                       .error_band = 0.2,
                       .near_capacity = true});
  s.records.push_back({.op = 1, .tensor = 4, .link = 0, .read_bytes = 10, .written_bytes = 0});
  s.records.push_back({.op = 1, .tensor = kNoTensor, .link = 0, .read_bytes = 10, .written_bytes = 0});
  s.records.push_back({.op = 2, .tensor = kNoTensor, .link = 0});
  s.causes.push_back({.op = 1, .link = 0, .compulsory_ratio = 0.25, .capacity_ratio = 0.125, .conflict_ratio = 0.625});
  s.strided = {{1, 0, 16384, 5}, {1, 0, 128, 2}};
  s.top_down.push_back({.op = 2,
                        .retiring_ratio = 0.25,
                        .bad_speculation_ratio = 0,
                        .frontend_ratio = 0.25,
                        .backend_ratio = 0.5,
                        .memory_ratio = 0.375,
                        .l1_ratio = 0.125,
                        .dram_ratio = 0.25});
  return s;
}

std::shared_ptr<const Capture> with_all() {
  CaptureBuilder b = tests::sample_builder();
  b.set_attributes(0, {{"stride", std::vector<int64_t>{1, -2}},
                       {"groups", int64_t{1}},
                       {"epsilon", 1e-5},
                       {"mode", std::string("a'b")},
                       {"none", std::vector<int64_t>{}}});
  b.set_threads(0, 2), b.set_threads(2, 1);
  b.add_traffic(sample_traffic());
  auto capture = b.finish();
  EXPECT_TRUE(capture.ok());
  return *capture;
}

void edit(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

TEST(CaptureTraffic, AnOlderFileKnowsNoSteps) {
  const tests::TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*with_all(), folder / "a.tide").ok());
  edit(folder / "a.tide",
       "DROP TABLE TIDE_STRIDED_MISS; DELETE FROM TIDE_CHECKSUM WHERE tableName = 'TIDE_STRIDED_MISS'");
  const auto old = open_capture(folder / "a.tide");
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_FALSE((*old)->traffic_of(Origin::simulated)->strided_known);
}

TEST(CaptureTraffic, ComesBackFromAFileSortedByOpAndLink) {
  const tests::TemporaryFolder folder;
  const auto capture = with_all();
  ASSERT_TRUE(save_capture(*capture, folder / "a.tide").ok());
  const auto again = open_capture(folder / "a.tide");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(tests::difference(*capture, **again), "");
  const TrafficSource* s = (*again)->traffic_of(Origin::simulated);
  ASSERT_NE(s, nullptr);
  EXPECT_EQ((*again)->traffic_of(Origin::measured), nullptr);
  ASSERT_EQ(s->of(1).size(), 3u);
  EXPECT_EQ(s->of(1)[0].tensor, kNoTensor) << "the op's sum stands before its tensors";
  EXPECT_EQ(s->of(1)[1].tensor, 4u);
  ASSERT_NE(s->of(1, 1), nullptr);
  EXPECT_EQ(s->of(1, 1)->read_bytes, 1024);
  EXPECT_TRUE(s->of(1, 1)->near_capacity);
  EXPECT_FALSE(s->of(2, 0)->known()) << "unknown is not 0";
  EXPECT_EQ(s->of(3, 0), nullptr);
  ASSERT_EQ(s->causes.size(), 1u);
  EXPECT_EQ(s->causes[0].conflict_ratio, 0.625);
  EXPECT_TRUE(s->strided_known);
  EXPECT_EQ(s->misses_beyond(1, 0, 0), 7);
  EXPECT_EQ(s->misses_beyond(1, 0, 128), 5);
  EXPECT_EQ(s->misses_beyond(1, 0, 16384), 0);
  EXPECT_EQ(s->misses_beyond(2, 0, 0), 0);
  ASSERT_NE(s->top_down_of(2), nullptr);
  EXPECT_EQ(s->top_down_of(2)->core_ratio(), 0.125);
  EXPECT_EQ(s->top_down_of(1), nullptr);
  EXPECT_EQ((*again)->attributes(0).get_ints("stride", {}), (std::vector<int64_t>{1, -2}));
  EXPECT_EQ((*again)->attributes(0).get_double("epsilon", 0), 1e-5);
  EXPECT_TRUE((*again)->attributes(1).items().empty());
  EXPECT_EQ((*again)->ops()[0].threads, 2);
  EXPECT_EQ((*again)->ops()[1].threads, 0) << "unknown";
  EXPECT_EQ((*again)->ops()[2].threads, 1);
}

TEST(CaptureTraffic, IsAddedToAClosedFileAndReplacesItsLike) {
  const tests::TemporaryFolder folder;
  CaptureBuilder b = tests::sample_builder();
  const auto plain = *b.finish();
  ASSERT_TRUE(save_capture(*plain, folder / "a.tide").ok());
  EXPECT_TRUE((*open_capture(folder / "a.tide"))->traffic().empty()) << "a file without the tables opens";
  EXPECT_EQ((*open_capture(folder / "a.tide"))->ops()[0].threads, 0)
      << "one of an older version says nothing of threads";
  for (const double bytes : {512.0, 2048.0}) {
    const auto more = add_traffic(*plain, sample_traffic(bytes), folder / "a.tide");
    ASSERT_TRUE(more.ok()) << more.error().message;
    const auto again = open_capture(folder / "a.tide");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(tests::difference(**more, **again), "");
    EXPECT_EQ((*again)->traffic().size(), 1u);
    EXPECT_EQ((*again)->traffic()[0].of(1, 1)->read_bytes, bytes);
  }
  EXPECT_TRUE(plain->traffic().empty()) << "a capture never changes";
  EXPECT_NE(add_traffic(*plain, sample_traffic(), folder / "none" / "a.tide").error().message.find("no folder"),
            std::string::npos);
}

TEST(CaptureTraffic, ImpossibleTrafficIsRefused) {
  const auto refused = [](auto&& spoil) {
    TrafficSource s = sample_traffic();
    spoil(s);
    const auto made = CaptureBuilder::with_traffic(*tests::sample_capture(), s);
    EXPECT_FALSE(made.ok());
    return made.ok() ? std::string() : made.error().message;
  };
  EXPECT_NE(refused([](TrafficSource& s) { s.records[0].op = 99; }).find("does not exist"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.records[0].link = 2; }).find("does not exist"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.records[0].tensor = 99; }).find("does not exist"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.records[0].read_bytes = -1; }).find("a figure is -1"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.records[0].hits = INFINITY; }).find("a figure is inf"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.records[1].tensor = kNoTensor; }).find("twice"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.origin = Origin::modelled; }).find("computed"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.causes[0].conflict_ratio = 0.9; }).find("no parts of 1"),
            std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.causes[0].op = 99; }).find("unknown op"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.strided[0].misses = -1; }).find("-1 misses in steps of"),
            std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.strided[0].stride_bytes = 0; }).find("misses in steps of 0 bytes"),
            std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.strided[0].link = 99; }).find("no such op or link"), std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.top_down[0].l2_ratio = 1.5; }).find("no parts of a whole"),
            std::string::npos);
  EXPECT_NE(refused([](TrafficSource& s) { s.sampled = 0; }).find("1/0"), std::string::npos);
}

TEST(CaptureTraffic, DamageIsNoticed) {
  const tests::TemporaryFolder folder;
  const auto capture = with_all();
  const auto file = folder / "a.tide";
  ASSERT_TRUE(save_capture(*capture, file).ok());
  const std::string whole = tests::read_bytes(file);
  const std::vector<std::string> edits{"UPDATE TIDE_TRAFFIC SET readBytes = 3.0 WHERE rowid = 1",
                                       "DELETE FROM TIDE_TRAFFIC",
                                       "UPDATE TIDE_TRAFFIC SET link = 7",
                                       "UPDATE TIDE_TRAFFIC_SOURCE SET origin = 'measured'",
                                       "UPDATE TIDE_TRAFFIC_SOURCE SET origin = 'dreamt'",
                                       "UPDATE TIDE_TRAFFIC_NOTE SET text = ''",
                                       "UPDATE TIDE_TRAFFIC_LINK SET link = 5",
                                       "UPDATE TIDE_MISS_CAUSE SET conflictRatio = 7.0",
                                       "UPDATE TIDE_MISS_CAUSE SET opId = 1000",
                                       "UPDATE TIDE_TOP_DOWN SET l1Ratio = -1.0",
                                       "UPDATE TIDE_OP_ATTRIBUTE SET kind = 'ints'",
                                       "UPDATE TIDE_OP_ATTRIBUTE SET kind = 'int'",
                                       "UPDATE TIDE_OP_ATTRIBUTE SET value = '1,,2' WHERE key = 'stride'",
                                       "UPDATE TIDE_OP_ATTRIBUTE SET key = 'groups'",
                                       "DROP TABLE TIDE_TRAFFIC_LINK",
                                       "UPDATE TIDE_OP_THREADS SET threads = 0 WHERE opId = 2",
                                       "UPDATE TIDE_OP_THREADS SET threads = 3 WHERE opId = 2",
                                       "UPDATE TIDE_OP_THREADS SET opId = 1000 WHERE opId = 2",
                                       "DROP TABLE TIDE_OP_THREADS"};
  for (const std::string& sql : edits) {
    tests::write_bytes(file, whole);
    edit(file, sql);
    const auto back = open_capture(file);
    ASSERT_FALSE(back.ok()) << sql;
    EXPECT_NE(back.error().message.find("damaged"), std::string::npos) << sql << ": " << back.error().message;
    // Without checksums, as after a crash: refused, or read as something possible, never a crash.
    edit(file, "DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'");
    static_cast<void>(open_capture(file).ok());
  }
  std::mt19937 random(5);
  for (int round = 0; round < 150; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < (round % 3 == 0 ? 20 : 1); ++i)
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    tests::write_bytes(file, bytes);
    const auto back = open_capture(file);
    EXPECT_EQ(back.ok() ? tests::difference(*capture, **back) : "", "") << round;
  }
}

}  // namespace
}  // namespace profiler
