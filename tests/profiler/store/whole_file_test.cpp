// SPDX-License-Identifier: Apache-2.0
// Files that a stranger may have planted under the name we read or write.
#include "profiler/store/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "profiler/capture/capture_builder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/full_disk.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using tests::read_bytes;
using tests::TemporaryFolder;
using tests::write_bytes;

TEST(WholeFile, IsReadWithinBoundsAndNeverThroughALink) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "hello");
  EXPECT_EQ(*read_whole_file(folder / "a", 5), "hello");
  EXPECT_NE(read_whole_file(folder / "a", 4).error().message.find("over 4 bytes"), std::string::npos);
  fs::create_symlink(folder / "a", folder / "link");
  fs::create_symlink("/dev/zero", folder / "zero");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder / "sub");
  for (const fs::path& file :
       {folder / "link", folder / "zero", folder / "pipe", folder / "sub", folder / "none", fs::path("/dev/zero")}) {
    const auto read = read_whole_file(file, 1000);
    ASSERT_FALSE(read.ok()) << file;
    EXPECT_NE(read.error().message.find(file.filename().string()), std::string::npos) << read.error().message;
  }
}

TEST(WholeFile, IsWrittenWholeAndNeverThroughALink) {
  const TemporaryFolder folder;
  write_bytes(folder / "victim", "mine");
  fs::create_symlink(folder / "victim", folder / "link");
  fs::create_symlink(folder / "nothing", folder / "dangling");
  fs::create_hard_link(folder / "victim", folder / "hard");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "dangling", "pipe"}) {
    const auto written = write_whole_file(folder / name, "theirs");
    ASSERT_FALSE(written.ok()) << name;
    EXPECT_NE(written.error().message.find("not written to"), std::string::npos) << written.error().message;
  }
  EXPECT_FALSE(fs::exists(folder / "nothing"));
  EXPECT_TRUE(write_whole_file(folder / "hard", "theirs").ok());
  EXPECT_EQ(read_bytes(folder / "hard"), "theirs");
  EXPECT_EQ(read_bytes(folder / "victim"), "mine") << "a hard link is another name, not another file to write";
  fs::permissions(folder / "victim", fs::perms{0600});
  EXPECT_TRUE(write_whole_file(folder / "victim", std::string(100000, 'x')).ok());
  EXPECT_EQ(fs::status(folder / "victim").permissions(), fs::perms{0600});
  {
    const tests::FullDisk full(1000);
    ASSERT_TRUE(full.works());
    const auto written = write_whole_file(folder / "victim", std::string(2000, 'y'));
    ASSERT_FALSE(written.ok());
    EXPECT_NE(written.error().message.find(tests::FullDisk::words()), std::string::npos) << written.error().message;
  }
  EXPECT_EQ(read_bytes(folder / "victim"), std::string(100000, 'x'));
  EXPECT_EQ(folder.entries(), 5u) << "no drafts are left";
}

TEST(WholeFile, AnOutputIsNeitherTheInputNorACapture) {
  const TemporaryFolder folder;
  write_bytes(folder / "trace.json", "{}");
  fs::create_symlink(folder / "trace.json", folder / "soft.json");
  fs::create_hard_link(folder / "trace.json", folder / "hard.json");
  ASSERT_TRUE(save_capture(*tests::sample_capture(), folder / "r.html").ok());
  for (const char* name : {"trace.json", "soft.json", "hard.json"}) {
    const auto free = check_output(folder / name, folder / "trace.json");
    ASSERT_FALSE(free.ok()) << name;
    EXPECT_NE(free.error().message.find("the very file"), std::string::npos) << free.error().message;
  }
  EXPECT_NE(check_output(folder / "r.html", folder / "trace.json").error().message.find("holds a capture"),
            std::string::npos);
  EXPECT_FALSE(check_output("/dev/null", {}).ok());
  EXPECT_TRUE(check_output(folder / "new.html", folder / "trace.json").ok());
  write_bytes(folder / "old.html", "an older report");
  EXPECT_TRUE(check_output(folder / "old.html", folder / "trace.json").ok());
}

TEST(WholeFile, ACopyOfACaptureTakesAPlaceWholeOrNotAtAll) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_capture(*tests::sample_capture(), folder / "new.tide").ok());
  ASSERT_TRUE(save_capture(**CaptureBuilder().finish(), folder / "old.tide").ok());
  const std::string before = read_bytes(folder / "old.tide");
  {
    const tests::FullDisk full(20000);
    ASSERT_TRUE(full.works());
    EXPECT_FALSE(copy_capture(folder / "new.tide", folder / "old.tide").ok());
  }
  EXPECT_EQ(read_bytes(folder / "old.tide"), before);
  EXPECT_TRUE(copy_capture(folder / "new.tide", folder / "old.tide").ok());
  EXPECT_EQ(read_bytes(folder / "old.tide"), read_bytes(folder / "new.tide"));
  write_bytes(folder / "text", "mine");
  EXPECT_FALSE(copy_capture(folder / "new.tide", folder / "text").ok());
  EXPECT_EQ(folder.entries(), 3u);
}

}  // namespace
}  // namespace profiler
