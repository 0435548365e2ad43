// SPDX-License-Identifier: Apache-2.0
// Holds the texts that people read in the sources (window, command line, findings, verdicts, reports, errors) against
// the rules of writing that a machine can hold: short sentences, and the words of the glossary. Comments of public
// headers, too.
// tests/app/cli/handbook_test holds README, docs/ and --help.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/prose.h"

namespace {

namespace fs = std::filesystem;

/// Reads notes of older files, in the words of those.
constexpr const char* kReader = "profiler/machine/fields_from_notes.cpp";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SourceWords, SentencesAreShortAndKeepToTheGlossary) {
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  int looked_at = 0;
  for (const char* floor : {"engine", "profiler", "views", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (path == kReader) continue;
      for (const auto& [line, text] : test::literals(text_of(entry.path()))) {
        if (!test::is_prose(text)) continue;
        ++looked_at;
        EXPECT_EQ(test::first_banned(text), "") << path << ":" << line << ": " << text;
        for (const std::string& sentence : test::sentences(text))
          EXPECT_LE(test::words_in(sentence), test::kMostWords) << path << ":" << line << ": " << sentence;
      }
    }
  }
  EXPECT_GT(looked_at, 2500) << "nothing was looked at";
}

/// Rooms whose public headers keep to the rules. A room that is put in order is added here.
constexpr std::array kRooms{
    "engine/cpu",        "engine/eager",    "engine/graph",     "engine/netfile",   "engine/null",
    "engine/onnx",       "engine/runtime",  "engine/sim",       "engine/tensor",    "engine/workloads",
    "profiler/analysis", "profiler/base",   "profiler/capture", "profiler/compare", "profiler/cupti",
    "profiler/export",   "profiler/gpu",    "profiler/import",  "profiler/machine", "profiler/memory",
    "profiler/predict",  "profiler/report", "profiler/store",   "profiler/sweep",   "app/base"};

TEST(SourceWords, CommentsOfPublicHeadersKeepToTheRules) {
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  int looked_at = 0;
  for (const char* room : kRooms) {
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (!path.ends_with(".h") || path.ends_with("-inl.h")) continue;
      for (const auto& [line, text] : test::comments(text_of(entry.path()))) {
        ++looked_at;
        EXPECT_EQ(test::first_banned(text), "") << path << ":" << line << ": " << text;
        for (const std::string& sentence : test::sentences(text))
          EXPECT_LE(test::words_in(sentence), test::kMostWords) << path << ":" << line << ": " << sentence;
      }
    }
  }
  EXPECT_GT(looked_at, 1000) << "nothing was looked at";
}

TEST(SourceWords, CommentsAreReadWithTheirNextLines) {
  const auto read = test::comments(
      "// SPDX-License-Identifier: Apache-2.0\n// What it is.\n//   Code c(1);\n\n/// One `told` of\n/// "
      "A::honesty().\n///\n"
      "/// Two.\nint a = 1;  ///< three\n            ///< four\nint b;\n");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].text, "What it is.");
  EXPECT_EQ(read[1].line, 5);
  EXPECT_EQ(read[1].text, "One x of x.\n Two.");
  EXPECT_EQ(read[2].text, "three four");
}

TEST(SourceWords, LiteralsAreReadAsTheCompilerReadsThem) {
  const std::string source =
      "// \"a comment\"\nf(\"one \"\n  \"two\", 'c', '\"', R\"x(three \"four\")x\", \"five \\\"six\\\"\\n\");\n";
  const auto read = test::literals(source);
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].line, 2);
  EXPECT_EQ(read[0].text, "one two");
  EXPECT_EQ(read[1].text, "three \"four\"");
  EXPECT_EQ(read[1].line, 3);
  EXPECT_EQ(read[2].text, "five \"six\"\n");
}

TEST(SourceWords, CodeIsNotProse) {
  for (const char* prose :
       std::array{"There is no op.", "[--axis] {}: the value {} is there twice", "<b>The step</b> is long"})
    EXPECT_TRUE(test::is_prose(prose)) << prose;
  for (const char* code : std::array{
           "SELECT name FROM ops WHERE id = ?", "(id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)", "--threads N",
           "weight = weight - rate * gradient / scale + decay", "h1 { margin: 0; padding: 0 8px auto; color: red }"})
    EXPECT_FALSE(test::is_prose(code)) << code;
}

TEST(SourceWords, WhatTheGlossaryReplacesIsFound) {
  for (const char* text :
       std::array{"It ran on 1 threads.", "Foreign traces open", "saw no disturbed step", "wins {} of a step",
                  "so many of them", "lost to wrong guesses", "the roofs had said 3 ms"})
    EXPECT_NE(test::first_banned(text), "") << text;
  for (const char* text : std::array{"They ran on 11 threads; 0.1 steps; a roof", "untold", "Windows of 3 x 3"})
    EXPECT_EQ(test::first_banned(text), "") << text;
}

}  // namespace
