// SPDX-License-Identifier: Apache-2.0
// A capture that is to take another's place: whatever ends its writer, the older one is as it was, and what was written
// is kept beside it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_target.h"
#include "tests/support/capture_difference.h"
#include "tests/support/full_disk.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using tests::read_bytes;
using tests::sample_capture;
using tests::TemporaryFolder;
using tests::write_bytes;

class CaptureReplace : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(save_capture(*sample_capture(), file_).ok());
    before_ = read_bytes(file_);
  }
  /// Writes the header and `steps` steps over the older capture.
  engine::Result<std::unique_ptr<CaptureWriter>> begin(size_t steps) const {
    auto writer = CaptureWriter::create(file_);
    if (!writer) return writer;
    const auto capture = sample_capture();
    if (auto done = (*writer)->write_header(*capture); !done) return done.error();
    if (auto done = (*writer)->append({}, std::span(capture->steps()).first(steps), *capture); !done)
      return done.error();
    return writer;
  }
  const TemporaryFolder folder_;
  const fs::path file_ = folder_ / "r.tide", draft_ = folder_ / "r.tide.part";
  std::string before_;
};

TEST_F(CaptureReplace, TheOlderOneStaysUntilTheNewOneIsWhole) {
  const auto capture = sample_capture();
  auto writer = begin(1);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_EQ(read_bytes(file_), before_);
  const auto meanwhile = open_capture(file_);
  ASSERT_TRUE(meanwhile.ok());
  EXPECT_EQ((*meanwhile)->steps().size(), capture->steps().size());
  EXPECT_NE((*meanwhile)->honesty().notes.back().find("r.tide.part"), std::string::npos)
      << "nobody takes the older one for the new one";
  ASSERT_TRUE((*writer)->close(capture->run(), capture->honesty(), capture->machine()).ok());
  EXPECT_EQ((*open_capture(file_))->steps().size(), 1u);
  EXPECT_EQ(folder_.entries(), 1u);
}

/// SQLite takes some 500 bytes and says of longer ones that there is no such file: runs went to their end and were
/// lost.
TEST_F(CaptureReplace, PathsThatAreTooLongAreRefusedBeforeAnythingIsDone) {
  fs::path folder = folder_ / "deep";
  size_t refused = 0, taken = 0;
  for (int length = 380; length < 560; length += 7) {
    fs::path deep = folder;
    while (deep.native().size() + 43 < static_cast<size_t>(length)) deep /= std::string(40, 'd');
    deep /= std::string(static_cast<size_t>(length) - deep.native().size(), 'e');
    fs::create_directories(deep);
    auto target = CaptureTarget::claim(deep / "r.tide");
    if (target) {
      EXPECT_EQ(refused, 0u) << length;
      EXPECT_TRUE(save_capture(*sample_capture(), deep / "s.tide").ok()) << length << ": what is taken can be written";
      ++taken;
    } else {
      EXPECT_NE(target.error().message.find("bytes"), std::string::npos) << target.error().message;
      EXPECT_TRUE(fs::is_empty(deep));
      ++refused;
    }
  }
  EXPECT_GT(taken, 3u);
  EXPECT_GT(refused, 3u);
}

TEST_F(CaptureReplace, AKillKeepsBoth) {
  const pid_t child = fork();
  if (child == 0) {
    const auto writer = begin(2);
    if (!writer) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_bytes(file_), before_);
  const auto killed = open_capture(draft_);
  ASSERT_TRUE(killed.ok()) << killed.error().message;
  EXPECT_EQ((*killed)->steps().size(), 2u);
  EXPECT_FALSE((*killed)->run().complete);
  // and the next run to that name finds its way
  ASSERT_TRUE(save_capture(*sample_capture(), file_).ok());
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(CaptureReplace, AKilledRunKeepsItsLogWhereNothingTakesItsPlace) {
  struct Trouble {
    const char* what;
    std::function<void()> make;
  };
  int other = -1;
  const std::vector<Trouble> troubles{
      {"no draft", [&] { fs::remove(draft_); }},
      {"a folder", [&] { fs::remove(draft_), fs::create_directory(draft_); }},
      {"a link", [&] { fs::rename(draft_, folder_ / "aside"), fs::create_symlink(folder_ / "aside", draft_); }},
      {"another's", [&] { other = open(draft_.c_str(), O_RDONLY), flock(other, LOCK_EX); }},
      {"the file is a folder now", [&] { fs::rename(file_, folder_ / "older"), fs::create_directory(file_); }}};
  for (const Trouble& trouble : troubles) {
    for (const char* name : {"aside", "older", "r.tide", "r.tide.part", "r.tide-wal"}) fs::remove(folder_ / name);
    const pid_t child = fork();
    if (child == 0) {
      const auto writer = begin(2);
      if (writer) kill(getpid(), SIGKILL);
      _exit(1);
    }
    waitpid(child, nullptr, 0);
    ASSERT_GT(fs::file_size(folder_ / "r.tide-wal"), 0u);
    {
      auto target = CaptureTarget::claim(file_);
      ASSERT_TRUE(target.ok());
      ASSERT_TRUE(target->draft().ok());
      trouble.make();
      EXPECT_FALSE(target->publish().ok()) << trouble.what;
      EXPECT_FALSE(target->published());
    }
    if (other >= 0) close(std::exchange(other, -1));
    if (fs::exists(folder_ / "older")) fs::remove(file_), fs::rename(folder_ / "older", file_);
    const auto back = open_capture(file_);
    ASSERT_TRUE(back.ok()) << trouble.what << ": " << back.error().message;
    EXPECT_EQ((*back)->steps().size(), 2u) << trouble.what;
  }
}

TEST_F(CaptureReplace, TheLockGoesWithTheNewFile) {
  auto target = CaptureTarget::claim(file_);
  ASSERT_TRUE(target.ok());
  const auto draft = target->draft();
  ASSERT_TRUE(draft.ok());
  write_bytes(*draft, before_);
  ASSERT_TRUE(target->publish().ok());
  EXPECT_FALSE(CaptureTarget::claim(file_).ok());
  { const CaptureTarget done = std::move(*target); }
  EXPECT_TRUE(CaptureTarget::claim(file_).ok());
}

TEST_F(CaptureReplace, WhoeverHoldsTheLockHoldsTheFileOfThatName) {
  std::atomic<int> holders = 0, published = 0, wrong = 0;
  std::vector<std::thread> runs;
  for (int i = 0; i < 4; ++i) {
    runs.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        auto target = CaptureTarget::claim(file_);
        if (!target) continue;
        if (holders.fetch_add(1) != 0) ++wrong;
        if (target->draft().ok() && target->publish().ok()) ++published;
        std::this_thread::yield();
        holders.fetch_sub(1);
      }
    });
  }
  for (std::thread& run : runs) run.join();
  EXPECT_GT(published, 0);
  EXPECT_EQ(wrong, 0);
}

TEST_F(CaptureReplace, AFullDiskKeepsBothAndSaysSo) {
  const auto capture = sample_capture();
  const std::vector<Activity> many(20000, capture->activities().row(0));
  for (const bool at_the_end : {false, true}) {  // while steps are appended, and when the log is folded in
    auto writer = begin(1);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    if (at_the_end) {
      ASSERT_TRUE((*writer)->append(many, {}, *capture).ok());
    }
    std::string message;
    {
      const tests::FullDisk full(fs::file_size(draft_) + 5000);
      ASSERT_TRUE(full.works());
      const auto done = at_the_end ? (*writer)->close(capture->run(), capture->honesty(), capture->machine())
                                   : (*writer)->append(many, {}, *capture);
      ASSERT_FALSE(done.ok());
      message = done.error().message;
      writer->reset();
    }
    EXPECT_NE(message.find("r.tide.part, and the older r.tide is as it was"), std::string::npos) << message;
    EXPECT_NE(message.find("ulimit -f"), std::string::npos) << message;
    EXPECT_EQ(read_bytes(file_), before_);
    EXPECT_TRUE(open_capture(draft_).ok());
  }
}

TEST_F(CaptureReplace, AFolderThatCannotBeWrittenIsSaidFirst) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes anywhere";
  fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const auto place = check_capture_target(file_);
  fs::permissions(folder_.path(), fs::perms::owner_all);
  ASSERT_FALSE(place.ok());
  EXPECT_NE(place.error().message.find("its folder"), std::string::npos) << place.error().message;
  EXPECT_EQ(read_bytes(file_), before_);
}

TEST_F(CaptureReplace, WhatLiesInTheWayOfTheDraftIsNotTouched) {
  write_bytes(folder_ / "diary", "mine");
  const std::vector<std::pair<const char*, void (*)(const fs::path&, const fs::path&)>> ways{
      {"text", [](const fs::path& draft, const fs::path&) { write_bytes(draft, "notes"); }},
      {"link", [](const fs::path& draft, const fs::path& diary) { fs::create_symlink(diary, draft); }},
      {"pipe", [](const fs::path& draft, const fs::path&) { ASSERT_EQ(mkfifo(draft.c_str(), 0600), 0); }},
      {"folder", [](const fs::path& draft, const fs::path&) { fs::create_directory(draft); }}};
  for (const auto& [what, lay] : ways) {
    lay(draft_, folder_ / "diary");
    const auto saved = save_capture(*sample_capture(), file_);
    ASSERT_FALSE(saved.ok()) << what;
    EXPECT_NE(saved.error().message.find("r.tide.part is needed for the new file"), std::string::npos)
        << saved.error().message;
    EXPECT_FALSE(begin(1).ok()) << what;
    EXPECT_TRUE(fs::exists(fs::symlink_status(draft_))) << what;
    EXPECT_EQ(read_bytes(file_), before_);
    fs::remove(draft_);
  }
  EXPECT_EQ(read_bytes(folder_ / "diary"), "mine");
}

TEST_F(CaptureReplace, ItsLogIsFollowedNowhereElse) {
  write_bytes(folder_ / "diary", "mine");
  fs::create_symlink(folder_ / "diary", folder_ / "r.tide.part-wal");
  const auto saved = save_capture(*sample_capture(), file_);
  EXPECT_EQ(read_bytes(folder_ / "diary"), "mine");
  EXPECT_TRUE(saved.ok() || read_bytes(file_) == before_);
}

TEST_F(CaptureReplace, BehindALinkTheFileIsReplacedAndTheLinkStays) {
  fs::create_directory(folder_ / "links");
  fs::create_symlink(file_, folder_ / "links" / "l.tide");
  const auto capture = sample_capture();
  {
    auto writer = CaptureWriter::create(folder_ / "links" / "l.tide");
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->write_header(*capture).ok());
    ASSERT_TRUE((*writer)->append({}, std::span(capture->steps()).first(1), *capture).ok());
    ASSERT_TRUE((*writer)->close(capture->run(), capture->honesty(), capture->machine()).ok());
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "links" / "l.tide"));
  EXPECT_EQ((*open_capture(file_))->steps().size(), 1u);
}

TEST_F(CaptureReplace, ALinkToNothingIsNotFollowed) {
  fs::create_symlink(folder_ / "elsewhere", folder_ / "l.tide");
  EXPECT_FALSE(save_capture(*sample_capture(), folder_ / "l.tide").ok());
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

TEST_F(CaptureReplace, PermissionsAreThoseOfTheOlderOne) {
  for (const fs::perms mode : {fs::perms{0600}, fs::perms{0640}}) {
    fs::permissions(file_, mode);
    auto writer = begin(1);
    ASSERT_TRUE(writer.ok());
    EXPECT_EQ(fs::status(draft_).permissions(), mode);
    const auto capture = sample_capture();
    ASSERT_TRUE((*writer)->close(capture->run(), capture->honesty(), capture->machine()).ok());
    EXPECT_EQ(fs::status(file_).permissions(), mode);
  }
}

}  // namespace
}  // namespace profiler
