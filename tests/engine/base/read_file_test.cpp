// SPDX-License-Identifier: Apache-2.0
// Files that are none: pipes, devices, folders, endless ones. Nothing waits, nothing takes all memory. And JSON that
// nests without end.
#include "engine/base/read_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "engine/base/json_text.h"
#include "tests/support/temporary_folder.h"

namespace engine {
namespace {

TEST(ReadFile, ReadsWhatIsThereUpToTheLimit) {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "a";
  std::ofstream(file, std::ios::binary) << std::string(100'000, 'x');
  ASSERT_TRUE(read_file(file, 100'000).ok());
  EXPECT_EQ(read_file(file, 100'000)->size(), 100'000u);
  ASSERT_FALSE(read_file(file, 99'999).ok());
  EXPECT_NE(read_file(file, 99'999).error().message.find("has 100000 bytes; at most 99999 are read"),
            std::string::npos);
  EXPECT_EQ(read_front(file, 7)->size(), 7u);
  EXPECT_EQ(read_front(file, 200'000)->size(), 100'000u);
  EXPECT_TRUE(read_file("/proc/self/status", 1 << 20).ok());  // a regular file that says it has no bytes
  EXPECT_FALSE(read_file("/proc/self/status", 10).ok());
}

TEST(ReadFile, PipesDevicesFoldersAndSocketsAreRefusedByName) {
  const tests::TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe.json", link = folder.path() / "link.json", socket_file = folder.path() / "s";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(pipe, link);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(socket_file.native().size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, socket_file.c_str(), socket_file.native().size());
  ASSERT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::pair<std::filesystem::path, std::string> cases[] = {{pipe, "a pipe"},
                                                                 {link, "a pipe"},
                                                                 {folder.path(), "a folder"},
                                                                 {"/dev/zero", "a device"},
                                                                 {socket_file, "a socket"}};
  for (const auto& [file, kind] : cases) {
    for (const auto& read : {read_file(file, 1 << 20), read_front(file, 100)}) {
      ASSERT_FALSE(read.ok()) << file;
      EXPECT_EQ(read.error().message, file.string() + ": is " + kind + "; a regular file is needed");
      EXPECT_EQ(read.error().kind, ErrorKind::refused);
    }
  }
  close(listening);
  EXPECT_NE(read_file(folder.path() / "none", 10).error().message.find("No such file"), std::string::npos);
}

TEST(ReadFile, NamesInErrorsAreShownSafely) {
  const auto refused = read_file("/nowhere/\x1b[2J", 10);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.find('\x1b'), std::string::npos);
}

TEST(JsonText, DepthCountsBracketsOutsideOfStrings) {
  EXPECT_EQ(json_depth(""), 0);
  EXPECT_EQ(json_depth(R"({"a": [1, {"b": []}]})"), 4);
  EXPECT_EQ(json_depth(R"(["[[[[", "\"[[[", "\\"])"), 1);
  EXPECT_EQ(json_depth("[[[[" + std::string("\"]]]]\"") + "[[["), 7);
}

TEST(JsonText, EndlessNestingIsRefusedInsteadOfOverflowingTheStack) {
  EXPECT_TRUE(parse_json(std::string(200, '[') + std::string(200, ']')).is_array());
  for (const std::string open : {"[", "{\"a\":", "[{\"a\":["}) {
    std::string text =
        "{\"closings\": \"" + std::string(2'000'000, ']') + "\", \"x\": ";  // those inside a string undo nothing
    for (int i = 0; i < 1'000'000; ++i) text += open;
    EXPECT_TRUE(parse_json(text).is_discarded()) << open;
  }
  EXPECT_TRUE(parse_json("{").is_discarded());
  EXPECT_TRUE(parse_json("1e999").is_discarded());
  EXPECT_EQ(parse_json(R"({"a": 1})")["a"], 1);
}

}  // namespace
}  // namespace engine
