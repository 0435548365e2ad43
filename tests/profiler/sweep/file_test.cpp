// SPDX-License-Identifier: Apache-2.0
// A sweep's file: there and back, killed in between, damaged.
#include "profiler/sweep/file.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <fstream>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_target.h"
#include "profiler/sweep/losses.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;

class SweepFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = folder_ / "s.tide";
  }
  void TearDown() override { fs::remove_all(folder_); }
  void sql(const char* text) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, text, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  std::string refusal() const {
    const auto read = open_sweep(file_);
    EXPECT_FALSE(read);
    return read ? std::string() : read.error().message;
  }
  fs::path folder_, file_;
};

Sweep example() {
  Sweep sweep;
  sweep.request = {
      .workload = "mlp", .fixed = {"--mode", "inference"}, .axes = {{"batch", {"1", "2"}}, {"dtype", {"f32", "bf16"}}}};
  sweep.title = "MLP";
  sweep.created_at = "2026-01-01T00:00:00+00:00";
  sweep.product_version = "0.1";
  sweep.huge_pages = "madvise";
  sweep.points.resize(4);
  SweepPoint& point = sweep.points[1];
  point.outcome = PointOutcome::measured;
  point.samples = {{0, 123.5, 7, 0.01, std::nan("")}, {1, 124.5, 8, std::nan(""), -0.02}};
  point.samples[1].spin_ns = 81.5;
  point.samples[1].throttle_events = 2;
  point.samples[1].step_energy_j = 0.75;
  point.capture = "0001.tide";
  point.found.samples = 1;
  point.found.flops = 1e9;
  point.found.limit = "arithmetic";
  point.found.links = {{"DRAM", "L3", 1, std::nan(""), 3}, {"L3", "L2", 4, 5, 6}};
  point.found.in_a_row = 1000, point.found.in_all = 16000;
  point.found.links[1].simulated_bytes = 4.5;
  point.simulation = "Simulated: every line.";
  sweep.points[3].outcome = PointOutcome::out_of_memory;
  sweep.points[3].message = "needs 9 TB, there are 24 GB";
  return sweep;
}

TEST_F(SweepFile, ChainsThatAreImpossibleAreRefusedAndOlderFilesHaveNone) {
  for (const char* change : {"inARow = 0", "inAll = -1", "point = 9", "origin = 'x'"}) {
    fs::remove(file_);
    ASSERT_TRUE(SweepWriter::create(file_, example()));
    sql((std::string("UPDATE TIDE_SWEEP_CHAIN SET ") + change).c_str());
    EXPECT_NE(refusal().find("TIDE_SWEEP_CHAIN"), std::string::npos) << change;
  }
  fs::remove(file_);
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  sql("DROP TABLE TIDE_SWEEP_CHAIN");
  const auto older = open_sweep(file_);
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_TRUE(std::isnan(older->points[1].found.in_a_row));
}

TEST_F(SweepFile, NamesAreKeptByteForByteAndShownEscaped) {
  for (const std::string mark : {"\xe2\x80\x8c", "\xef\xb8\x8f", "\xc2\xad", "\xc2\x9b"}) {
    Sweep wrote = example();
    wrote.request.workload = "models/ne" + mark + "t.onnx";
    wrote.request.fixed = {"--roofs", "roofs" + mark + ".json"};
    wrote.request.axes = {{"batch", {"1", "2"}}, {"workload", {"a" + mark + ".onnx", "b" + mark + ".onnx"}}};
    wrote.machine.info.model = "CPU" + mark;
    fs::remove(file_);
    ASSERT_TRUE(SweepWriter::create(file_, wrote));
    const auto read = open_sweep(file_);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->request, wrote.request) << "such a sweep can go on";
    EXPECT_EQ(read->label(1).find(mark), std::string::npos) << read->label(1);
    EXPECT_EQ(read->machine.info.model.find(mark), std::string::npos)
        << "JSON is taken apart first, its texts escaped then";
  }
}

TEST_F(SweepFile, ComesBackWhole) {
  const Sweep wrote = example();
  {
    auto writer = SweepWriter::create(file_, wrote);
    ASSERT_TRUE(writer) << writer.error().message;
  }
  ASSERT_TRUE(is_sweep(file_));
  const auto read = open_sweep(file_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->request, wrote.request);
  EXPECT_EQ(read->title, wrote.title);
  EXPECT_FALSE(read->complete);
  ASSERT_EQ(read->points.size(), 4u);
  const SweepPoint& point = read->points[1];
  EXPECT_EQ(point.outcome, PointOutcome::measured);
  ASSERT_EQ(point.samples.size(), 2u);
  EXPECT_EQ(point.samples[0].step_ns, 123.5);
  EXPECT_TRUE(std::isnan(point.samples[0].clock_drift_ratio)) << "unknown comes back unknown";
  EXPECT_EQ(point.samples[1].clock_drift_ratio, -0.02);
  EXPECT_TRUE(std::isnan(point.samples[0].step_energy_j));
  EXPECT_EQ(point.samples[1].spin_ns, 81.5);
  EXPECT_EQ(point.samples[1].clock_off_ratio, 0) << "the only one whose clock is known";
  EXPECT_EQ(point.samples[1].throttle_events, 2);
  EXPECT_EQ(point.samples[1].step_energy_j, 0.75);
  EXPECT_EQ(point.capture, "0001.tide");
  EXPECT_TRUE(std::isnan(point.found.memory_bytes));
  ASSERT_EQ(point.found.links.size(), 2u);
  EXPECT_TRUE(std::isnan(point.found.links[0].modelled_bytes));
  EXPECT_EQ(point.found.links[1].outer, "L3");
  EXPECT_TRUE(std::isnan(point.found.links[0].simulated_bytes)) << "unknown comes back unknown";
  EXPECT_EQ(point.found.links[1].simulated_bytes, 4.5);
  EXPECT_EQ(point.found.in_a_row, 1000);
  EXPECT_EQ(point.found.in_all, 16000);
  EXPECT_TRUE(std::isnan(point.predicted.in_a_row));
  EXPECT_EQ(read->huge_pages, "madvise");
  EXPECT_EQ(point.simulation, "Simulated: every line.");
  EXPECT_EQ(read->points[0].simulation, "");
  EXPECT_EQ(read->points[3].message, "needs 9 TB, there are 24 GB");
}

TEST_F(SweepFile, IsWholeAfterEverySample) {
  Sweep sweep = example();
  auto writer = SweepWriter::create(file_, sweep);
  ASSERT_TRUE(writer);
  sweep.points[0].outcome = PointOutcome::measured;
  sweep.points[0].samples.push_back({0, 50, 5, 0, 0});
  ASSERT_TRUE((*writer)->update(sweep, 0));
  const auto now = open_sweep(file_);  // while it goes on
  ASSERT_TRUE(now) << now.error().message;
  EXPECT_EQ(now->points[0].samples.size(), 1u);
  EXPECT_EQ(now->points[1].samples.size(), 2u);
  sweep.complete = true;
  ASSERT_TRUE((*writer)->finish(sweep));
  EXPECT_TRUE(open_sweep(file_)->complete);
}

TEST_F(SweepFile, OlderFilesKnowNothingOfSimulations) {
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  sql("DROP TABLE TIDE_SWEEP_SIMULATION; DROP TABLE TIDE_SWEEP_SIMULATED");
  const auto read = open_sweep(file_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->points[1].simulation, "");
  EXPECT_TRUE(std::isnan(read->points[1].found.links[1].simulated_bytes));
}

TEST_F(SweepFile, SimulatedBytesOfNoLinkOrBelowZeroAreRefused) {
  for (const char* damage :
       {"UPDATE TIDE_SWEEP_SIMULATED SET link = 2", "UPDATE TIDE_SWEEP_SIMULATED SET simulatedBytes = -1",
        "UPDATE TIDE_SWEEP_SIMULATED SET point = 9", "UPDATE TIDE_SWEEP_SIMULATION SET point = 9"}) {
    std::filesystem::remove(file_);
    ASSERT_TRUE(SweepWriter::create(file_, example()));
    sql(damage);
    EXPECT_NE(refusal().find("TIDE_SWEEP_SIMULAT"), std::string::npos) << damage;
  }
}

TEST_F(SweepFile, GoesOnInPlace) {
  Sweep sweep = example();
  ASSERT_TRUE(SweepWriter::create(file_, sweep));
  sweep.points[2].samples.push_back({0, 50, 5, 0, 0});
  ASSERT_TRUE(SweepWriter::create(file_, sweep));
  EXPECT_EQ(open_sweep(file_)->points[2].samples.size(), 1u);
}

TEST_F(SweepFile, TwoSweepsDoNotWriteOneFile) {
  Sweep sweep = example();
  for (const bool there : {false, true}) {
    ASSERT_EQ(fs::exists(file_), there);
    auto first = SweepWriter::create(file_, sweep);
    ASSERT_TRUE(first);
    for (int again = 0; again < 2; ++again) {
      const auto second = SweepWriter::create(file_, example());
      ASSERT_FALSE(second);
      EXPECT_NE(second.error().message.find("another run is writing it"), std::string::npos) << second.error().message;
    }
    EXPECT_FALSE(CaptureWriter::create(file_));
    EXPECT_FALSE(save_capture(*tests::sample_capture(), file_).ok());
    sweep.points[2].message = there ? "again" : "once";
    ASSERT_TRUE((*first)->update(sweep, 2));
    ASSERT_TRUE((*first)->finish(sweep));
    first->reset();
    const auto read = open_sweep(file_);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->points[2].message, sweep.points[2].message);
  }
}

TEST_F(SweepFile, ADraftThatIsStillWrittenIsNotPutInPlace) {
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  const std::string before = tests::read_bytes(file_);
  auto goes_on = SweepWriter::create(draft_beside(file_), example());
  ASSERT_TRUE(goes_on);
  fs::create_directories(points_folder(file_) / "mine");
  fs::create_directories(points_folder(draft_beside(file_)));
  const auto put = put_draft_in_place(file_);
  ASSERT_FALSE(put);
  EXPECT_NE(put.error().message.find("another run is writing s.tide.part"), std::string::npos) << put.error().message;
  EXPECT_EQ(tests::read_bytes(file_), before);
  EXPECT_TRUE(fs::exists(points_folder(file_) / "mine"));
  goes_on->reset();
  EXPECT_TRUE(put_draft_in_place(file_));
}

TEST_F(SweepFile, WhatLinksOfItsFoldersLeadToStays) {
  const fs::path older = points_folder(file_).string() + ".older";
  for (const fs::path& link : {points_folder(file_), older}) {
    for (const bool both : {false, true}) {
      fs::remove_all(points_folder(file_));
      fs::remove_all(older);
      const fs::path others = folder_ / "others";
      fs::create_directories(others);
      for (const char* name : {"0001.tide", "0002.tide-wal", "roofs.json"})
        tests::write_bytes(others / name, "work of others");
      fs::create_directory_symlink(others, link);
      if (both && link == older) fs::create_directories(points_folder(file_));
      ASSERT_TRUE(SweepWriter::create(file_, example()));
      ASSERT_TRUE(SweepWriter::create(draft_beside(file_), example()));
      fs::create_directories(points_folder(draft_beside(file_)));
      const auto put = put_draft_in_place(file_);
      ASSERT_TRUE(put) << put.error().message;
      for (const char* name : {"0001.tide", "0002.tide-wal", "roofs.json"})
        EXPECT_EQ(tests::read_bytes(others / name), "work of others") << link << name;
      EXPECT_FALSE(fs::is_symlink(link));
      EXPECT_TRUE(fs::is_directory(points_folder(file_)));
    }
  }
}

/// Points of the older sweep go by what they are: names that others could have as well keep what is no capture, and
/// marks stay.
TEST_F(SweepFile, OfTheOlderPointsOnlyCapturesGo) {
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  ASSERT_TRUE(SweepWriter::create(draft_beside(file_), example()));
  const fs::path points = points_folder(file_), older = points.string() + ".older";
  fs::create_directories(points);
  fs::create_directories(points_folder(draft_beside(file_)));
  ASSERT_TRUE(save_capture(*tests::sample_capture(), points / "0000.tide").ok());
  ASSERT_TRUE(save_capture(*tests::sample_capture(), points / "0004.tide.part").ok());
  for (const char* name : {"0001.tide", "0002.tide.part"}) tests::write_bytes(points / name, "");
  for (const char* name : {"0000.tide-wal", "roofs.json"}) tests::write_bytes(points / name, "log");
  for (const char* name : {"0000.tide.notes", "0003.tide", "0003.tide-wal", "0000.tidewater", "notes.txt"})
    tests::write_bytes(points / name, "work of others");
  const auto put = put_draft_in_place(file_);
  ASSERT_TRUE(put) << put.error().message;
  for (const char* name : {"0000.tide", "0000.tide-wal", "0001.tide", "0002.tide.part", "0004.tide.part", "roofs.json"})
    EXPECT_FALSE(fs::exists(older / name)) << name;
  for (const char* name : {"0000.tide.notes", "0003.tide", "0003.tide-wal", "0000.tidewater", "notes.txt"})
    EXPECT_EQ(tests::read_bytes(older / name), "work of others") << name;
}

TEST_F(SweepFile, AFileWhereTheOlderPointsWouldLieStays) {
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  ASSERT_TRUE(SweepWriter::create(draft_beside(file_), example()));
  const fs::path older = points_folder(file_).string() + ".older";
  tests::write_bytes(older, "mine");
  fs::create_directories(points_folder(file_));
  EXPECT_FALSE(put_draft_in_place(file_));
  EXPECT_EQ(tests::read_bytes(older), "mine");
}

TEST_F(SweepFile, OlderFilesKnowNothingOfPower) {
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  sql("DROP TABLE TIDE_SWEEP_POWER");
  const auto read = open_sweep(file_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(std::isnan(read->points[1].samples[1].spin_ns));
  EXPECT_FALSE(read->points[1].samples[1].unsteady_clock());
}

TEST_F(SweepFile, LossesComeBackAndStandSideBySide) {
  Sweep sweep = example();
  sweep.points[1].samples[0].losses = {{1, 2.5}, {2, 1.5}};
  sweep.points[1].samples[1].losses = {{1, 2.25}};
  ASSERT_TRUE(SweepWriter::create(file_, sweep));
  auto read = open_sweep(file_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->points[1].samples[0].losses, sweep.points[1].samples[0].losses);
  const Table table = sweep_losses_table(*read);
  ASSERT_EQ(table.rows.size(), 2u);
  const size_t axes = sweep.request.axes.size();
  EXPECT_EQ(std::get<double>(table.rows[0][axes + 1]), 2) << "processes with one step";
  EXPECT_EQ(std::get<std::string>(table.rows[0][axes + 2]), "2.375");
  EXPECT_EQ(std::get<std::string>(table.rows[0][axes + 3]), "2.25");
  EXPECT_EQ(std::get<double>(table.rows[1][axes]), 2);
  sql("UPDATE TIDE_SWEEP_LOSS SET steps = 0");
  EXPECT_NE(refusal().find("TIDE_SWEEP_LOSS"), std::string::npos);
  sql("DROP TABLE TIDE_SWEEP_LOSS");
  read = open_sweep(file_);
  ASSERT_TRUE(read) << "an older file: " << read.error().message;
  EXPECT_TRUE(read->points[1].samples[0].losses.empty());
}

TEST_F(SweepFile, WhatEachProcessWaitedForItsProcessorsIsKept) {
  Sweep sweep = example();
  sweep.points[1].samples[1].queued_ratio = 0.375;
  ASSERT_TRUE(SweepWriter::create(file_, sweep));
  auto read = open_sweep(file_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->points[1].samples[1].queued_ratio, 0.375);
  EXPECT_TRUE(std::isnan(read->points[1].samples[0].queued_ratio));
  sql("UPDATE TIDE_SWEEP_QUEUED SET queuedRatio = 1.5");
  EXPECT_NE(refusal().find("TIDE_SWEEP_QUEUED"), std::string::npos);
  sql("DROP TABLE TIDE_SWEEP_QUEUED");
  read = open_sweep(file_);
  ASSERT_TRUE(read) << "an older file: " << read.error().message;
  EXPECT_TRUE(std::isnan(read->points[1].samples[1].queued_ratio));
}

TEST_F(SweepFile, DoesNotTakeThePlaceOfARecordedRun) {
  ASSERT_TRUE(save_capture(*tests::sample_capture(), file_));
  const auto size = std::filesystem::file_size(file_);
  const auto writer = SweepWriter::create(file_, example());
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("holds a recorded run"), std::string::npos) << writer.error().message;
  EXPECT_EQ(std::filesystem::file_size(file_), size);
  EXPECT_TRUE(open_capture(file_));
}

TEST_F(SweepFile, LeavesOtherFilesAlone) {
  std::ofstream(file_) << "notes";
  const auto writer = SweepWriter::create(file_, example());
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("is not a capture"), std::string::npos) << writer.error().message;
  std::string text;
  std::getline(std::ifstream(file_) >> std::ws, text);
  EXPECT_EQ(text, "notes");
}

TEST_F(SweepFile, ImpossibleValuesAreNamed) {
  const auto damaged_by = [&](const char* text) {
    fs::remove(file_);
    EXPECT_TRUE(SweepWriter::create(file_, example()));
    sql(text);
    return refusal();
  };
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_SAMPLE SET step_ns = -1").find("row 1 of table TIDE_SWEEP_SAMPLE"),
            std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_SAMPLE SET point = 4").find("TIDE_SWEEP_SAMPLE"), std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_POWER SET stepEnergy_j = -1").find("TIDE_SWEEP_POWER"), std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_POWER SET round = 9").find("TIDE_SWEEP_POWER"), std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_POINT SET outcome = 'fine'").find("TIDE_SWEEP_POINT"), std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_POINT SET capture = '../../etc/passwd'").find("TIDE_SWEEP_POINT"),
            std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_FIGURES SET flops = 9e999").find("TIDE_SWEEP_FIGURES"), std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP_FIGURES SET origin = 'guessed'").find("TIDE_SWEEP_FIGURES"),
            std::string::npos);
  EXPECT_NE(damaged_by("UPDATE TIDE_SWEEP SET value = 0 WHERE key = 'least_samples'").find("request is incomplete"),
            std::string::npos);
  EXPECT_NE(damaged_by("DELETE FROM TIDE_SWEEP WHERE key = 'workload'").find("request is incomplete"),
            std::string::npos);
  EXPECT_NE(damaged_by("DELETE FROM TIDE_SWEEP_AXIS").find("no axis"), std::string::npos);
  EXPECT_NE(damaged_by("DROP TABLE TIDE_SWEEP_LINK").find("TIDE_SWEEP_LINK"), std::string::npos);
  EXPECT_NE(
      damaged_by(
          "INSERT INTO TIDE_SWEEP_AXIS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "
          "SELECT 0, 'batch', i, 'v' FROM n")
          .find("over 100000 points"),
      std::string::npos);
}

TEST_F(SweepFile, TruncatedAtAnyPlaceItIsRefused) {
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  const auto size = fs::file_size(file_);
  for (uintmax_t cut = 0; cut < size; cut += 997) {
    fs::resize_file(file_, size - 1 - cut);
    EXPECT_FALSE(refusal().empty());
    EXPECT_FALSE(is_sweep(file_));
  }
}

TEST_F(SweepFile, ACaptureIsNoSweepAndASweepNoCapture) {
  ASSERT_TRUE(SweepWriter::create(file_, example()));
  const auto capture = open_capture(file_);
  ASSERT_FALSE(capture);
  EXPECT_NE(capture.error().message.find("is a sweep"), std::string::npos) << capture.error().message;
  EXPECT_NE(capture.error().message.find("s.points"), std::string::npos);
  EXPECT_EQ(points_folder("a/s.tide"), "a/s.points");
  EXPECT_NE(points_folder("a/w.v1"), points_folder("a/w.v2")) << "two sweeps share no points";
}

}  // namespace
}  // namespace profiler
