// SPDX-License-Identifier: Apache-2.0
// Libraries in places made for the test: the order of places, packages of Pythons of all kinds, refusals, files that
// others may write.
#include "engine/base/library_search.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;
using State = engine::LibraryAttempt::State;

constexpr const char* kName = "libfake.so.9";

class LibrarySearchTest : public testing::Test {
 protected:
  /// A library of this version (1 or 2) at a place below the folder.
  fs::path library(const std::string& place, int version) const {
    const fs::path file = folder_ / place;
    fs::create_directories(file.parent_path());
    fs::copy_file(fs::path(TENSORTIDE_BINARY_DIR) / "fake_libraries" / fmt::format("version{}.so", version), file,
                  fs::copy_options::overwrite_existing);
    chmod(file.c_str(), 0644);
    return file;
  }
  fs::path program(const std::string& place) const {
    const fs::path file = folder_ / place;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/false\n";
    chmod(file.c_str(), 0755);
    return file;
  }
  engine::LibraryPlaces places() const {
    return engine::nvidia_library_places(
        "FAKE_LIBRARY", {kName, "libfake.so.8"},
        {.environment =
             [this](const char* name) { return variables_.contains(name) ? variables_.at(name) : std::string(); },
         .toolkits = folder_ / "usr/local"});
  }
  /// Place of a file in the order in which they are tried; -1: it is not tried.
  static int64_t rank(const engine::LibraryPlaces& places, const fs::path& file) {
    const auto found = std::ranges::find(places.files, file.string());
    return found == places.files.end() ? -1 : found - places.files.begin();
  }
  static engine::Result<std::string> accept(void* handle, size_t oldest) {
    const auto version = reinterpret_cast<size_t (*)()>(dlsym(handle, "fake_version"));
    if (version == nullptr) return engine::refused_error("it has no function fake_version");
    if (version() < oldest) return engine::refused_error(fmt::format("version {} is too old", version()));
    return fmt::format("fake {}", version());
  }
  static engine::LibrarySearch search(const engine::LibraryPlaces& places, size_t oldest = 1) {
    return engine::search_library(places, [oldest](void* handle) { return accept(handle, oldest); });
  }

  const tests::TemporaryFolder folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(LibrarySearchTest, ToolkitsCondaAndPythonsAreLookedThroughInThisOrder) {
  const fs::path home = library("opt/cuda/lib64/libfake.so.9", 1),
                 toolkit = library("usr/local/cuda-13.0/extras/CUPTI/lib64/libfake.so.9", 1),
                 conda = library("conda/lib/libfake.so.9", 1),
                 in_conda = library("conda/lib/python3.11/site-packages/nvidia/cu13/lib/libfake.so.9", 1),
                 in_venv = library("venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libfake.so.9", 1),
                 of_triton = library(
                     "venv/lib/python3.12/site-packages/triton/backends/nvidia/lib/cupti-blackwell/libfake.so.9", 1);
  variables_ = {
      {"CUDA_HOME", folder_ / "opt/cuda"}, {"CONDA_PREFIX", folder_ / "conda"}, {"VIRTUAL_ENV", folder_ / "venv"}};
  const engine::LibraryPlaces all = places();
  EXPECT_FALSE(all.chosen);
  ASSERT_FALSE(all.files.empty());
  EXPECT_EQ(all.files[0], kName) << "the loader's own search comes first";
  int64_t before = 0;
  for (const fs::path& file : {home, toolkit, conda, in_conda, in_venv, of_triton}) {
    EXPECT_GT(rank(all, file), before) << file;
    before = rank(all, file);
  }
  const auto older = std::ranges::find(all.files, "libfake.so.8");
  EXPECT_GT(older - all.files.begin(), before) << "an older version is tried where no newer one is";
}

TEST_F(LibrarySearchTest, ThePythonOnThePathIsTheActiveOne) {
  // a virtual environment: bin/python3 leads elsewhere, its packages are its own
  program("base/bin/python3.12");
  fs::create_directories(folder_ / "venv/bin");
  fs::create_symlink(folder_ / "base/bin/python3.12", folder_ / "venv/bin/python3");
  std::ofstream(folder_ / "venv/pyvenv.cfg") << "home = /x\ninclude-system-site-packages = false\n";
  const fs::path own = library("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libfake.so.9", 1),
                 of_base = library("base/lib/python3.12/site-packages/nvidia/cu13/lib/libfake.so.9", 1),
                 other = library("base/lib/python3.10/site-packages/nvidia/cu13/lib/libfake.so.9", 1),
                 of_user = library("home/.local/lib/python3.12/site-packages/nvidia/cublas/lib/libfake.so.9", 1);
  variables_ = {
      {"PATH", fmt::format("relative:{}:{}", (folder_ / "venv/bin").string(), (folder_ / "base/bin").string())},
      {"HOME", folder_ / "home"}};
  engine::LibraryPlaces all = places();
  EXPECT_GT(rank(all, own), 0);
  EXPECT_EQ(rank(all, of_base), -1) << "the environment does not see the system's packages";
  std::ofstream(folder_ / "venv/pyvenv.cfg") << "include-system-site-packages = true\n";
  all = places();
  EXPECT_GT(rank(all, of_base), rank(all, own));
  EXPECT_GT(rank(all, of_user), 0);
  EXPECT_EQ(rank(all, other), -1) << "packages of another version of Python";

  // no environment: the program's own prefix, through the link
  fs::create_directories(folder_ / "bin");
  fs::create_symlink(folder_ / "base/bin/python3.12", folder_ / "bin/python");
  variables_ = {{"PATH", folder_ / "bin"}};
  EXPECT_GT(rank(places(), of_base), 0);

  // pyenv: a script stands for the program
  program("pyenv/shims/python3");
  program("pyenv/versions/3.12.1/bin/python3");
  std::ofstream(folder_ / "pyenv/version") << "3.12.1\n";
  const fs::path of_pyenv =
      library("pyenv/versions/3.12.1/lib/python3.12/site-packages/nvidia/cudnn/lib/libfake.so.9", 1);
  variables_ = {{"PATH", folder_ / "pyenv/shims"}};
  EXPECT_GT(rank(places(), of_pyenv), 0);
}

TEST_F(LibrarySearchTest, OneThatTheUserNamesIsTheOnlyOne) {
  library("usr/local/cuda/lib64/libfake.so.9", 1);
  const fs::path named = library("mine.so", 2);
  variables_ = {{"FAKE_LIBRARY", named}};
  const engine::LibrarySearch found = search(places());
  ASSERT_NE(found.taken(), nullptr) << found.why();
  EXPECT_EQ(found.taken()->words, "fake 2");
  variables_ = {{"FAKE_LIBRARY", "none"}};
  EXPECT_EQ(search(places()).why(), "FAKE_LIBRARY=none");
  variables_ = {{"FAKE_LIBRARY", "/nonexistent/lib.so"}};
  EXPECT_TRUE(search(places()).why().starts_with("/nonexistent/lib.so: cannot open")) << search(places()).why();
}

TEST_F(LibrarySearchTest, AfterARefusalTheNextIsTried) {
  const fs::path text = folder_ / "usr/local/cuda-1/lib64/libfake.so.9";
  fs::create_directories(text.parent_path());
  std::ofstream(text) << "no library";
  const fs::path old = library("usr/local/cuda-2/lib64/libfake.so.9", 1),
                 good = library("usr/local/cuda-3/lib64/libfake.so.9", 2);
  const engine::LibrarySearch found = search(places(), 2);
  ASSERT_NE(found.taken(), nullptr) << found.why();
  EXPECT_EQ(found.taken()->file, good.string());
  EXPECT_NE(found.handle, nullptr);
  std::map<std::string, std::string> refused;
  for (const engine::LibraryAttempt& attempt : found.attempts) {
    if (attempt.state == State::refused) refused[attempt.file] = attempt.words;
  }
  EXPECT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[old.string()], "version 1 is too old");
  EXPECT_NE(refused[text.string()].find("file too short"), std::string::npos) << refused[text.string()];
  EXPECT_EQ(found.attempts.back().file, good.string()) << "none is opened behind the one that was taken";

  const engine::LibrarySearch none = search(places(), 3);
  EXPECT_EQ(none.handle, nullptr);
  EXPECT_TRUE(none.why().starts_with(text.string())) << none.why();
  const std::vector<std::string> folders = none.folders();
  EXPECT_EQ(folders.front(), "the loader's search path");
  EXPECT_NE(std::ranges::find(folders, good.parent_path().string()), folders.end());
}

TEST_F(LibrarySearchTest, AbsenceSaysWhereItWasLookedFor) {
  fs::create_directories(folder_ / "usr/local/cuda");
  const engine::LibrarySearch none = search(places());
  EXPECT_EQ(none.why(), "libfake.so.9 is in none of 4 places (tensortide doctor lists them)");
}

TEST_F(LibrarySearchTest, NothingIsTakenFromWhereOthersMayWrite) {
  const fs::path file = library("usr/local/cuda/lib64/libfake.so.9", 1), folder = file.parent_path();
  ASSERT_EQ(engine::why_not_trusted(file), "");
  ASSERT_NE(search(places()).handle, nullptr);
  const auto refused = [&](const std::string& words) {
    const engine::LibrarySearch found = search(places());
    EXPECT_EQ(found.handle, nullptr) << words;
    EXPECT_NE(found.why().find(words), std::string::npos) << found.why();
  };
  chmod(file.c_str(), 0666);
  refused("every user may write " + file.string());
  chmod(file.c_str(), 0644);
  chmod(folder.c_str(), 0777);
  refused("every user may write " + folder.string());
  chmod(folder.c_str(), 01777);
  EXPECT_NE(search(places()).handle, nullptr) << "in a sticky folder nobody can replace what is not theirs";
  chmod(folder.c_str(), 0755);
  chmod(folder.parent_path().c_str(), 0777);
  refused("every user may write " + folder.parent_path().string());
  chmod(folder.parent_path().c_str(), 0755);
  ASSERT_NE(search(places()).handle, nullptr);

  // through a link, from a sound folder into one that is none
  const fs::path open = library("open/libfake.so.9", 2);
  chmod((folder_ / "open").c_str(), 0777);
  fs::remove(file);
  fs::create_symlink(open, file);
  refused("every user may write");
  chmod((folder_ / "open").c_str(), 0755);
  EXPECT_NE(search(places()).handle, nullptr);

  // and through one that goes on from there to a sound one
  fs::remove(file);
  const fs::path sound = library("sound/libfake.so.9", 2), middle = folder_ / "open/middle.so";
  fs::create_symlink(sound, middle);
  fs::create_symlink("../../../../open/middle.so", file);
  EXPECT_NE(search(places()).handle, nullptr) << search(places()).why();
  chmod((folder_ / "open").c_str(), 0777);
  refused("every user may write " + (folder_ / "open").string());
  chmod((folder_ / "open").c_str(), 0755);
  fs::remove(file);
  fs::create_symlink(file.filename(), file);
  EXPECT_NE(engine::why_not_trusted(file), "") << "a link to itself";
  fs::remove(file);
  fs::create_symlink(open, file);

  if (geteuid() != 0) return;  // only root can give files away
  fs::create_symlink(folder_ / "sound", folder_ / "open/link");
  chmod((folder_ / "open").c_str(), 01777);
  EXPECT_EQ(engine::why_not_trusted(folder_ / "open/link/libfake.so.9"), "");
  ASSERT_EQ(lchown((folder_ / "open/link").c_str(), 12345, 0), 0);
  EXPECT_NE(engine::why_not_trusted(folder_ / "open/link/libfake.so.9").find("belongs to user 12345"),
            std::string::npos)
      << "who owns a link leads it elsewhere";
  fs::remove(folder_ / "open/link");
  chmod((folder_ / "open").c_str(), 0755);
  ASSERT_EQ(chown(open.c_str(), 12345, 0), 0);
  refused("belongs to user 12345");
  ASSERT_EQ(chown(open.c_str(), 0, 12345), 0);
  chmod(open.c_str(), 0664);
  refused("group 12345 may write");
}

}  // namespace
