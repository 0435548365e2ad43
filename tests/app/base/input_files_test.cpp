// SPDX-License-Identifier: Apache-2.0
// Model files of captures: named without telling a home folder, found again beside the capture or here, and recognised
// by content.
#include "app/base/input_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiler/base/content_hash.h"

namespace app {
namespace {

namespace fs = std::filesystem;

class InputFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tensortide-inputs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = fs::canonical(name);
    before_ = fs::current_path();
    if (const char* cache = std::getenv("XDG_CACHE_HOME")) cache_ = cache;
    setenv("XDG_CACHE_HOME", (root_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(root_);
    cache_.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  fs::path write(const fs::path& relative, const std::string& text) const {
    fs::create_directories((root_ / relative).parent_path());
    std::ofstream(root_ / relative) << text;
    return root_ / relative;
  }
  fs::path root_, before_;
  std::string cache_;
};

TEST_F(InputFiles, ANameIsRelativeToTheCaptureAndNamesNoHome) {
  fs::create_directories(root_ / "work/out");
  fs::create_directories(root_ / "work/models");
  fs::current_path(root_ / "work");
  const Private alice{"/home/alice", "alice"};
  EXPECT_EQ(stored_path("models/net.onnx", "out", alice), "../models/net.onnx");
  EXPECT_EQ(stored_path("models/net.onnx", "", alice), "models/net.onnx") << "the capture lies here";
  EXPECT_EQ(stored_path("/data/net.onnx", "out", alice), "/data/net.onnx") << "says nothing of anybody";
  EXPECT_EQ(stored_path("/home/alice/net.onnx", "out", alice), "net.onnx");
  EXPECT_EQ(stored_path("/home/bob/net.onnx", "out", alice), "net.onnx") << "another's home";
  EXPECT_EQ(stored_path("/root/net.onnx", "out", alice), "net.onnx");
  EXPECT_EQ(stored_path("/home/alice/models/net.onnx", "/home/alice/out", alice), "../models/net.onnx")
      << "within the home";
  EXPECT_EQ(stored_path("/home/alice/net.onnx", "/home/bob", alice), "net.onnx");
  EXPECT_EQ(stored_path("/home/bob/models/net.onnx", "/home/bob/out", alice), "../models/net.onnx");
  EXPECT_EQ(stored_path("/scratch/alice/net.onnx", "/scratch", alice), "net.onnx") << "a user name outside of homes";
  EXPECT_EQ(stored_path("/srv/users/net.onnx", "/home/alice/out", alice), "/srv/users/net.onnx");
  EXPECT_EQ(stored_path("./gemm", "", alice), "./gemm") << "\"gemm\" would be a workload";
  EXPECT_EQ(stored_path("/home/alice/gemm", "out", alice), "./gemm");
  // A home that lies elsewhere.
  EXPECT_EQ(stored_path((root_ / "work/models/net.onnx").string(), "/tmp", {root_ / "work", "carol"}), "net.onnx");
}

TEST_F(InputFiles, IsFoundBesideTheCaptureAndHereByContent) {
  const fs::path capture = root_ / "moved/r.tide";
  write("moved/models/net.onnx", "one");
  const std::string one = *profiler::content_hash(root_ / "moved/models/net.onnx");
  fs::create_directories(root_ / "here");
  fs::current_path(root_ / "here");
  const auto beside = find_file("models/net.onnx", one, capture);
  ASSERT_TRUE(beside.ok()) << beside.error().message;
  EXPECT_EQ(beside->path, root_ / "moved/models/net.onnx");
  EXPECT_EQ(beside->note, "");
  // The same name with other content comes after the file that was recorded, wherever that lies.
  write("moved/models/net.onnx", "two");
  write("here/net.onnx", "one");
  const auto here = find_file("models/net.onnx", one, capture);
  ASSERT_TRUE(here.ok());
  EXPECT_EQ(here->path, root_ / "here/net.onnx");
  EXPECT_EQ(here->note, "");
  // An absolute path that is gone is looked for by its name.
  EXPECT_EQ(find_file("/nowhere/net.onnx", one, capture)->path, root_ / "here/net.onnx");
  fs::remove(root_ / "here/net.onnx");
  const auto other = find_file("models/net.onnx", one, capture);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->note.find("is not the file that was recorded: its content is " +
                             *profiler::content_hash(root_ / "moved/models/net.onnx") + ", it was " + one),
            std::string::npos)
      << other->note;
  EXPECT_EQ(find_file("models/net.onnx", "", capture)->note, "") << "an older capture knows no content";
}

TEST_F(InputFiles, WhatIsNowhereIsRefusedWithThePlaces) {
  fs::create_directories(root_ / "here");
  fs::current_path(root_ / "here");
  const auto none = find_file("models/net.onnx", "xxh3:0", root_ / "a/r.tide");
  ASSERT_FALSE(none.ok());
  for (const char* place : {"a/models/net.onnx", "here/models/net.onnx", "a/net.onnx", "here/net.onnx"}) {
    EXPECT_NE(none.error().message.find((root_ / place).string()), std::string::npos) << none.error().message;
  }
}

TEST_F(InputFiles, WhereThisUserRanItLastIsAskedAfterTheCapturesOwnPlaces) {
  const fs::path model = write("home/net.onnx", "one");
  const std::string one = *profiler::content_hash(model);
  fs::create_directories(root_ / "here");
  fs::current_path(root_ / "here");
  EXPECT_FALSE(find_file("net.onnx", one, root_ / "a/r.tide").ok());
  remember_file(one, model);
  const auto found = find_file("net.onnx", one, root_ / "a/r.tide");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->path, model);
  EXPECT_EQ(found->note, "");
  EXPECT_FALSE(find_file("net.onnx", "xxh3:0123456789abcdef", root_ / "a/r.tide").ok())
      << "another content was never run";
  EXPECT_FALSE(find_file("net.onnx", "xxh3:../../a", root_ / "a/r.tide").ok()) << "a capture's word is no path";
  // What is beside the capture comes first.
  write("a/net.onnx", "one");
  EXPECT_EQ(find_file("net.onnx", one, root_ / "a/r.tide")->path, root_ / "a/net.onnx");
}

TEST_F(InputFiles, ACommandIsFoundWithItsModelAndItsRoofs) {
  write("c/net.onnx", "graph");
  write("c/roofs.json", "{}");
  const std::string content = *profiler::content_hash(root_ / "c/net.onnx");
  const auto found = found_run("tensortide run net.onnx --batch 4 --roofs roofs.json", content, root_ / "c/r.tide");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->words, (std::vector<std::string>{"run", (root_ / "c/net.onnx").string(), "--batch", "4", "--roofs",
                                                    (root_ / "c/roofs.json").string()}));
  EXPECT_TRUE(found->notes.empty());
  fs::remove(root_ / "c/roofs.json");
  const auto without = found_run("tensortide run net.onnx --roofs roofs.json --batch 4", content, root_ / "c/r.tide");
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without->words, (std::vector<std::string>{"run", (root_ / "c/net.onnx").string(), "--batch", "4"}));
  ASSERT_EQ(without->notes.size(), 1u);
  EXPECT_NE(without->notes[0].find("roofs.json"), std::string::npos);
  EXPECT_EQ(found_run("tensortide run gemm --set m=4", "", root_ / "c/r.tide")->words,
            (std::vector<std::string>{"run", "gemm", "--set", "m=4"}));
  EXPECT_FALSE(found_run("tensortide compare net.onnx a", "", root_ / "c/r.tide").ok());
}

TEST_F(InputFiles, ContentIsOfRegularFilesAlone) {
  const fs::path file = write("a", "abc");
  EXPECT_EQ(*profiler::content_hash(file), *profiler::content_hash(write("b", "abc")));
  EXPECT_NE(*profiler::content_hash(file), *profiler::content_hash(write("c", "abd")));
  EXPECT_TRUE(profiler::content_hash(file)->starts_with("xxh3:"));
  EXPECT_FALSE(profiler::content_hash("/dev/zero").ok());
  EXPECT_FALSE(profiler::content_hash(root_).ok());
  EXPECT_FALSE(profiler::content_hash(root_ / "none").ok());
  ASSERT_EQ(mkfifo((root_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink(root_ / "pipe", root_ / "link");
  EXPECT_FALSE(profiler::content_hash(root_ / "link").ok());
  EXPECT_TRUE(profiler::content_hash(write("empty", "")).ok());
  const auto grows = profiler::content_hash("/proc/self/status");  // 0 bytes long, and more when it is read
  ASSERT_FALSE(grows.ok());
  EXPECT_NE(grows.error().message.find("had 0 bytes when it was opened"), std::string::npos) << grows.error().message;
}

}  // namespace
}  // namespace app
