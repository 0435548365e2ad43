// SPDX-License-Identifier: Apache-2.0
// Files that are no traces, and compressed ones that are damaged: refused or kept as far as they go, in words that name
// the file.
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/profiler/import/import_support.h"

namespace {

using namespace profiler;
using namespace tests;

const std::string kTrace = R"([{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":2,"dur":1}])";

std::string zipped(const std::string& bytes) {
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(compressBound(static_cast<uLong>(bytes.size())) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string refusal(const std::filesystem::path& file) {
  const auto c = import_traces({.files = {file}, .format = {}, .command = {}, .control = {}});
  EXPECT_FALSE(c) << file;
  return c ? "" : c.error().message;
}

TEST(BadFiles, WhatIsNoRegularFile) {
  TemporaryFolder folder;
  EXPECT_NE(refusal(folder / "absent.json").find("absent.json: cannot be read: No such file"), std::string::npos);
  EXPECT_NE(refusal(folder.path()).find("not a regular file"), std::string::npos);
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_NE(refusal(folder / "fifo").find("not a regular file"), std::string::npos);
  write_bytes(folder / "shut.json", kTrace);
  ASSERT_EQ(chmod((folder / "shut.json").c_str(), 0), 0);
  if (geteuid() != 0) {
    EXPECT_NE(refusal(folder / "shut.json").find("Permission denied"), std::string::npos);
  }
}

TEST(BadFiles, FormatsThatCannotBeReadSayWhatToDo) {
  TemporaryFolder folder;
  write_bytes(folder / "a.nsys-rep", "QDSTRM....");
  EXPECT_NE(refusal(folder / "a.nsys-rep").find("nsys export --type sqlite"), std::string::npos);
  write_bytes(folder / "a.ncu-rep", "NVR\1....");
  EXPECT_NE(refusal(folder / "a.ncu-rep").find("ncu --csv"), std::string::npos);
  write_bytes(folder / "a.json.gz", "PK\3\4....");
  EXPECT_NE(refusal(folder / "a.json.gz").find("zip archive"), std::string::npos);
  write_bytes(folder / "a.json", "\x28\xb5\x2f\xfd....");
  EXPECT_NE(refusal(folder / "a.json").find("zstd"), std::string::npos);
}

TEST(BadFiles, TheNameDoesNotMatter) {
  for (const char* name : {"a.json", "a.json.gz", "a.txt", "a.sqlite", "noname", "new\nline.json", "\xff.json"}) {
    EXPECT_TRUE(import_bytes(kTrace, name)) << name;
    EXPECT_TRUE(import_bytes(zipped(kTrace), name)) << name;
  }
}

TEST(BadFiles, GzipOfSeveralMembersAndWithGarbageBehind) {
  const size_t half = kTrace.find("},") + 2;
  const auto two = import_bytes(zipped(kTrace.substr(0, half)) + zipped(kTrace.substr(half)));
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ((*two)->activities().size(), 2u);
  const auto garbage = import_bytes(zipped(kTrace) + "garbage");
  ASSERT_TRUE(garbage) << garbage.error().message;
  EXPECT_EQ((*garbage)->activities().size(), 2u);
  EXPECT_NE(notes(**garbage).find("no gzip data follows"), std::string::npos) << notes(**garbage);
}

TEST(BadFiles, TruncatedGzipKeepsWhatStandsBefore) {
  std::string text = "[";
  for (int i = 0; i < 5000; ++i)
    text +=
        R"({"ph":"X","name":"n)" + std::to_string(i * 7919 % 10007) + R"(","ts":)" + std::to_string(i) + ",\"dur\":1},";
  const std::string whole = zipped(text + "{}]");
  const auto c = import_bytes(whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_GT((*c)->activities().size(), 1000u);
  EXPECT_LT((*c)->activities().size(), 4999u);
  EXPECT_NE(notes(**c).find("the gzip data break off"), std::string::npos) << notes(**c);
  std::string damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  const auto d = import_bytes(damaged);
  if (d) {
    EXPECT_NE(notes(**d).find("gzip data"), std::string::npos) << notes(**d);
  }
}

TEST(BadFiles, ABombDoesNotGoOff) {
  const std::string bomb = zipped("[" + std::string(size_t{280} << 20, ' '));  // 280 KB
  const auto c = import_bytes(bomb);
  ASSERT_FALSE(c);
  EXPECT_NE(c.error().message.find("this is no trace"), std::string::npos) << c.error().message;
}

TEST(BadFiles, CompressedDatabasesSayWhatToDo) {
  const std::string sqlite = refusal(trace_file("nsys_h100_2gpu_1s.sqlite.gz"));
  EXPECT_NE(sqlite.find("nsys_h100_2gpu_1s.sqlite.gz: is compressed with gzip"), std::string::npos) << sqlite;
  EXPECT_NE(sqlite.find("gunzip -k"), std::string::npos) << sqlite;
  std::string ours = "SQLite format 3";
  ours.resize(100, '\0');
  ours.replace(68, 4, "TIDE");
  TemporaryFolder folder;
  write_bytes(folder / "a.tide.gz", zipped(ours));
  EXPECT_NE(refusal(folder / "a.tide.gz").find("a capture of ours, compressed"), std::string::npos)
      << refusal(folder / "a.tide.gz");
  write_bytes(folder / "a.tide", ours);
  EXPECT_NE(refusal(folder / "a.tide").find("a capture of ours already"), std::string::npos)
      << refusal(folder / "a.tide");
}

TEST(BadFiles, OurOwnCapturesAndUnknownFormatsAreNamed) {
  const auto format = import_traces({.files = {"x.json"}, .format = "kinto", .command = {}, .control = {}});
  ASSERT_FALSE(format);
  EXPECT_FALSE(import_traces({.files = {}, .format = {}, .command = {}, .control = {}}));
}

}  // namespace
