// SPDX-License-Identifier: Apache-2.0
// .tide files: what is written comes back, where they may be written, and what a killed run leaves.
#include "profiler/store/capture_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <tuple>

#include "profiler/store/capture_target.h"
#include "tests/support/capture_difference.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using tests::difference;
using tests::read_bytes;
using tests::sample_builder;
using tests::sample_capture;
using tests::TemporaryFolder;
using tests::write_bytes;

std::string opened(const fs::path& file) {
  const auto capture = open_capture(file);
  return capture ? "opened" : capture.error().message;
}

TEST(CaptureFile, RoundTripKeepsEverything) {
  const TemporaryFolder folder;
  CaptureBuilder builder = sample_builder();
  Activity odd;
  odd.start_ns = 5'000'000'000'500;
  odd.correlation = std::numeric_limits<uint64_t>::max();
  odd.flags = 255;
  odd.kind = ActivityKind::api;
  odd.name = builder.intern("odd \xc3\xa9 'name'; DROP");  // what no display takes comes back escaped: see display_text
  builder.add_activity(odd);
  builder.honesty().cost_ratio = std::numeric_limits<double>::quiet_NaN();
  builder.honesty().cost_noise_ratio = 0.1 + 0.2;
  builder.run().arguments["odd 'key"] = "v\xc3\xa4lue";
  const auto capture = *builder.finish();
  ASSERT_TRUE(save_capture(*capture, folder / "r.tide").ok());
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(difference(*capture, **back), "");
  EXPECT_TRUE(std::isnan((*back)->honesty().cost_ratio));
  EXPECT_EQ((*back)->run().seed, 18446744073709551615u);
}

/// A device that this version has no name for: what it is stands in the file. Without that, its name tells.
TEST(CaptureFile, TraitsOfTheDeviceAreThoseRecorded) {
  const TemporaryFolder folder;
  for (const auto& [device, words, expected] : {std::tuple{"hip:1", "gpu", engine::DeviceTraits{.is_gpu = true}},
                                                {"hip", "", {}},
                                                {"emu:0", "", engine::traits_of("emu:0")},
                                                {"null", "", engine::traits_of("null")}}) {
    CaptureBuilder builder;
    builder.run().device = device;
    builder.run().device_traits = words;
    const auto file = folder / "device.tide";
    ASSERT_TRUE(save_capture(**builder.finish(), file).ok());
    const auto capture = open_capture(file);
    ASSERT_TRUE(capture.ok()) << capture.error().message;
    EXPECT_EQ((*capture)->device(), expected) << device;
    EXPECT_EQ((*capture)->computed(), expected.computes) << device;
  }
}

TEST(CaptureFile, RoundTripOfNothing) {
  const TemporaryFolder folder;
  const auto capture = *CaptureBuilder().finish();
  ASSERT_TRUE(save_capture(*capture, folder / "r.tide").ok());
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(difference(*capture, **back), "");
}

TEST(CaptureFile, WrittenBitByBitIsTheSameCapture) {
  const TemporaryFolder folder;
  const auto capture = sample_capture();
  auto writer = CaptureWriter::create(folder / "r.tide");
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  ASSERT_TRUE((*writer)->write_header(*capture).ok());
  for (const StepRecord& step : capture->steps()) {
    std::vector<Activity> batch;
    for (size_t i = 0; i < capture->activities().size(); ++i) {
      if (capture->activities().step[i] == step.index) batch.push_back(capture->activities().row(i));
    }
    ASSERT_TRUE((*writer)->append(batch, std::span(&step, 1), *capture).ok());
  }
  ASSERT_TRUE((*writer)->close(capture->run(), capture->honesty(), capture->machine()).ok());
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(difference(*capture, **back), "");
}

TEST(CaptureFile, IsOneFileThatOtherToolsCanRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  ASSERT_EQ(opened(folder / "r.tide"), "opened");
  EXPECT_EQ(folder.entries(), 1u);
  const std::string bytes = read_bytes(folder / "r.tide");
  EXPECT_EQ(bytes.substr(68, 4), "TIDE");
  EXPECT_EQ(bytes[18], 1) << "left in WAL mode";
  const auto ask = [&](const std::string& sql) {
    const auto result = query_capture(folder / "r.tide", sql);
    return result ? result->rows.at(0).at(0) : result.error().message;
  };
  EXPECT_EQ(ask("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION_MAJOR'"), "3");
  EXPECT_EQ(ask("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_NAME'"), "tensortide");
  // the query nsys scripts use: time per range name
  EXPECT_EQ(ask("SELECT COALESCE(n.text, s.value) || ' ' || COUNT(*) FROM NVTX_EVENTS n LEFT JOIN "
                "StringIds s ON n.textId = s.id "
                "LEFT JOIN ThreadNames t USING (globalTid) WHERE n.eventType = 59 AND n.tideOp IS "
                "NOT NULL AND t.nameId IS NOT NULL "
                "GROUP BY n.textId ORDER BY SUM(n.\"end\" - n.start) DESC LIMIT 1"),
            "features.relu1/relu_gradient 4");
  EXPECT_EQ(ask("SELECT count(*) FROM NVTX_EVENTS WHERE start < 0 OR \"end\" < start"), "0");
}

TEST(CaptureFile, ReplacesAnOlderCaptureAndItsLog) {
  const TemporaryFolder folder;
  {
    auto killed = CaptureWriter::create(folder / "r.tide");
    ASSERT_TRUE(killed.ok());
    ASSERT_TRUE((*killed)->write_header(*sample_capture()).ok());
  }
  write_bytes(folder / "r.tide-wal", std::string("\x37\x7f\x06\x82", 4) + std::string(5000, 'x'));
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  EXPECT_EQ(opened(folder / "r.tide"), "opened");
  EXPECT_EQ(folder.entries(), 1u);
}

struct Place {
  const char* what;
  fs::path file;
  const char* message;
};

TEST(CaptureFile, RefusesPlacesItMustNotWrite) {
  const TemporaryFolder folder;
  write_bytes(folder / "notes.txt", "my notes");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "other.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE t(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  write_bytes(folder / "new.tide-wal", "something else");
  const std::string other_before = read_bytes(folder / "other.db");
  const std::vector<Place> places{{"directory", folder.path(), "is a directory; name a file in it"},
                                  {"text", folder / "notes.txt", "exists and is not a capture"},
                                  {"database", folder / "other.db", "exists and is not a capture"},
                                  {"fifo", folder / "pipe", "not a regular file"},
                                  {"device", "/dev/full", "not a regular file"},
                                  {"no folder", folder.path() / "none" / "r.tide", "there is no folder"},
                                  {"empty", "", "empty name"},
                                  {"log", folder / "new.tide", "would take new.tide-wal beside it"}};
  for (const Place& place : places) {
    if (std::string_view(place.what) != "log") {
      EXPECT_FALSE(check_capture_target(place.file).ok()) << place.what;
    }
    const auto saved = save_capture(*sample_capture(), place.file);
    ASSERT_FALSE(saved.ok()) << place.what;
    EXPECT_NE(saved.error().message.find(place.message), std::string::npos) << saved.error().message;
    EXPECT_EQ(saved.error().kind, engine::ErrorKind::refused);
  }
  EXPECT_EQ(read_bytes(folder / "notes.txt"), "my notes");
  EXPECT_EQ(read_bytes(folder / "other.db"), other_before);
  EXPECT_EQ(read_bytes(folder / "new.tide-wal"), "something else");
  EXPECT_FALSE(fs::exists(folder / "new.tide"));
}

TEST(CaptureFile, CheckingAPlaceChangesNothing) {
  const TemporaryFolder folder;
  EXPECT_TRUE(check_capture_target(folder / "new.tide").ok());
  EXPECT_EQ(folder.entries(), 0u);
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "old.tide").ok());
  EXPECT_TRUE(check_capture_target(folder / "old.tide").ok());
  EXPECT_EQ(opened(folder / "old.tide"), "opened");
}

TEST(CaptureFile, AnOlderCaptureStaysUntilThereIsAHeader) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "old.tide").ok());
  {
    const auto old = CaptureWriter::create(folder / "old.tide");
    const auto fresh = CaptureWriter::create(folder / "new.tide");
    ASSERT_TRUE(old.ok() && fresh.ok());
  }
  const auto back = open_capture(folder / "old.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(difference(*sample_capture(), **back), "");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(CaptureFile, AWholeOneThatTakesThePlaceOfAnotherIsNoMoreReadable) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  for (const fs::perms mode : {fs::perms{0600}, fs::perms{0640}}) {
    fs::permissions(folder / "r.tide", mode);
    ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
    EXPECT_EQ(fs::status(folder / "r.tide").permissions(), mode);
    EXPECT_EQ(opened(folder / "r.tide"), "opened");
  }
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(CaptureFile, LogsOfAKilledRunGoWithoutTheFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  const std::string before = read_bytes(folder / "r.tide");
  write_bytes(folder / "r.tide-wal", "\x37\x7f\x06 of a killed run");
  {
    auto target = CaptureTarget::claim(folder / "r.tide");
    ASSERT_TRUE(target.ok());
    ASSERT_TRUE(target->remove_logs().ok());
  }
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_EQ(read_bytes(folder / "r.tide"), before);
}

TEST(CaptureFile, TwoRunsDoNotWriteOneFile) {
  const TemporaryFolder folder;
  const auto first = CaptureWriter::create(folder / "r.tide");
  ASSERT_TRUE(first.ok());
  const auto second = CaptureWriter::create(folder / "r.tide");
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another run is writing it"), std::string::npos) << second.error().message;
  EXPECT_TRUE((*first)->write_header(*sample_capture()).ok());
}

TEST(CaptureFile, OddFileNames) {
  const TemporaryFolder folder;
  for (const std::string name : {"a b.tide", "q?x=1&mode=rwc#f.tide", "100%25.tide", "\xff\xfe.tide",
                                 "line\nbreak.tide", "file:x.tide", "größe.tide"}) {
    ASSERT_TRUE(save_capture(*sample_capture(), folder / name).ok()) << name;
    EXPECT_EQ(opened(folder / name), "opened") << name;
  }
  EXPECT_EQ(folder.entries(), 7u);
}

TEST(CaptureFile, OpensInAReadOnlyFolder) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*sample_capture(), folder / "r.tide").ok());
  fs::permissions(folder / "r.tide", fs::perms::owner_read);
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(opened(folder / "r.tide"), "opened");
  EXPECT_EQ(folder.entries(), 1u);
}

/// Runs `work` in a child process; its wait status.
template <class F>
int in_child(F&& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(CaptureFile, KilledRunOpensAtItsLastCommit) {
  const TemporaryFolder folder;
  const auto capture = sample_capture();
  const int status = in_child([&] {
    auto writer = CaptureWriter::create(folder / "r.tide");
    if (!writer || !(*writer)->write_header(*capture)) _exit(1);
    std::vector<Activity> batch;
    for (size_t i = 0; i < capture->activities().size(); ++i) {
      if (capture->activities().step[i] <= 1) batch.push_back(capture->activities().row(i));
    }
    if (!(*writer)->append(batch, std::span(capture->steps()).first(2), *capture)) _exit(2);
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  const std::string before = read_bytes(folder / "r.tide") + read_bytes(folder / "r.tide-wal");
  const size_t entries = folder.entries();
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE((*back)->run().complete);
  EXPECT_NE((*back)->run().incomplete_reason, "");
  EXPECT_EQ((*back)->steps().size(), 2u);
  EXPECT_EQ((*back)->activities_of(tests::SampleOps::conv).size(), 2u);
  EXPECT_EQ((*back)->ops().size(), capture->ops().size());
  EXPECT_EQ(query_capture(folder / "r.tide", "SELECT count(*) FROM TIDE_STEP")->rows.at(0).at(0), "2");
  EXPECT_EQ(read_bytes(folder / "r.tide") + read_bytes(folder / "r.tide-wal"), before) << "reading changed it";
  EXPECT_EQ(folder.entries(), entries);
}

TEST(CaptureFile, OpensWhileItIsBeingWritten) {
  const TemporaryFolder folder;
  const auto capture = sample_capture();
  auto writer = CaptureWriter::create(folder / "r.tide");
  ASSERT_TRUE((*writer)->write_header(*capture).ok());
  ASSERT_TRUE((*writer)->append({}, std::span(capture->steps()).first(1), *capture).ok());
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ((*back)->steps().size(), 1u);
  ASSERT_TRUE((*writer)->append({}, std::span(capture->steps()).subspan(1), *capture).ok());
  ASSERT_TRUE((*writer)->close(capture->run(), capture->honesty(), capture->machine()).ok());
  EXPECT_EQ((*open_capture(folder / "r.tide"))->steps().size(), 5u);
}

TEST(CaptureFile, WriterThatGoesAwayLeavesAnIncompleteCapture) {
  const TemporaryFolder folder;
  const auto capture = sample_capture();
  {
    auto writer = CaptureWriter::create(folder / "r.tide");
    ASSERT_TRUE((*writer)->write_header(*capture).ok());
    ASSERT_TRUE((*writer)->append({}, capture->steps(), *capture).ok());
  }
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE((*back)->run().complete);
  EXPECT_EQ((*back)->steps().size(), 5u);
}

TEST(CaptureFile, FullDiskIsSaidAndWhatWasCommittedStays) {
  const TemporaryFolder folder;
  const auto capture = sample_capture();
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    auto writer = CaptureWriter::create(folder / "r.tide");
    if (!writer || !(*writer)->write_header(*capture)) _exit(1);
    if (!(*writer)->append({}, std::span(capture->steps()).first(2), *capture)) _exit(2);
    const rlimit limit{300000, 300000};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::vector<Activity> many(20000, capture->activities().row(0));
    const auto written = (*writer)->append(many, {}, *capture);
    if (written) _exit(3);
    if (written.error().message.find("r.tide") == std::string::npos) _exit(4);
    if (!(*writer)->append({}, std::span(capture->steps()).subspan(2, 1), *capture)) _exit(5);
    _exit(42);
  });
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 42);
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_FALSE((*back)->run().complete);
  EXPECT_EQ((*back)->steps().size(), 3u);
  EXPECT_EQ((*back)->activities().size(), 0u);
}

/// The log is whole, but the file it is to be moved into cannot grow.
TEST(CaptureFile, ADiskThatIsFullAtTheEndLosesNothing) {
  const TemporaryFolder folder;
  const auto capture = sample_capture();
  const int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    {
      auto writer = CaptureWriter::create(folder / "r.tide");
      if (!writer || !(*writer)->write_header(*capture)) _exit(1);
      std::vector<Activity> many(20000, capture->activities().row(0));
      if (!(*writer)->append(many, capture->steps(), *capture)) _exit(2);
      const rlim_t size = std::filesystem::file_size(folder / "r.tide") + 5000;
      const rlimit limit{size, size};
      setrlimit(RLIMIT_FSIZE, &limit);
      if ((*writer)->close(capture->run(), capture->honesty(), capture->machine())) _exit(3);
    }
    _exit(42);
  });
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 42);
  const auto back = open_capture(folder / "r.tide");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ((*back)->steps().size(), capture->steps().size());
  EXPECT_EQ((*back)->activities().size(), 20000u);
}

}  // namespace
}  // namespace profiler
