// SPDX-License-Identifier: Apache-2.0
// Imports a text or a file of tests/data/traces; looks into what came out.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>

#include "profiler/import/importer.h"
#include "tests/support/temporary_folder.h"

namespace tests {

using CapturePtr = std::shared_ptr<const profiler::Capture>;

/// Writes `bytes` to a file of that name and imports it.
inline engine::Result<CapturePtr> import_bytes(const std::string& bytes, const std::string& name = "trace.json") {
  TemporaryFolder folder;
  write_bytes(folder / name, bytes);
  return profiler::import_traces({.files = {folder / name}, .format = {}, .command = {}, .control = {}});
}

/// The events as a whole trace.
inline engine::Result<CapturePtr> import_events(const std::string& events) {
  return import_bytes("{\"traceEvents\": [" + events + "]}");
}

inline std::string trace_file(const std::string& name) { return std::string(TENSORTIDE_TEST_DATA) + "/traces/" + name; }

inline CapturePtr import_file(const std::string& path) {
  auto capture = profiler::import_traces({.files = {path}, .format = {}, .command = {}, .control = {}});
  EXPECT_TRUE(capture) << capture.error().message;
  return capture ? *capture : nullptr;
}

/// Runs statements on a database, made with the first.
inline void run_sql(const std::filesystem::path& file, const std::string& text) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(db, text.c_str(), nullptr, nullptr, &error), SQLITE_OK) << (error == nullptr ? "" : error);
  sqlite3_free(error);
  sqlite3_close(db);
}

/// All notes in one text.
inline std::string notes(const profiler::Capture& capture) {
  std::string text;
  for (const std::string& note : capture.honesty().notes) text += note + "\n";
  return text;
}

}  // namespace tests
