// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets do: put the bytes into a file in memory, read it, and look at what came out.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "profiler/import/importer.h"

namespace fuzz {

/// A file in memory with these bytes; the same one for every input. It has a name: SQLite opens none without.
inline std::string file_of(const uint8_t* data, size_t size) {
  static const std::string name = "/dev/shm/tensortide-fuzz-" + std::to_string(getpid());
  static const int descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  static const int registered = std::atexit([] { unlink(name.c_str()); });
  if (registered != 0 || ftruncate(descriptor, 0) != 0 ||
      pwrite(descriptor, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return name;
}

/// How many inputs were taken and how many refused, printed at the end: where none is taken, nothing was tried.
inline void count(bool taken) {
  static long taken_count = 0, refused_count = 0;
  static const int registered =
      std::atexit([] { std::fprintf(stderr, "fuzz: %ld inputs taken, %ld refused\n", taken_count, refused_count); });
  if (registered != 0) std::abort();
  ++(taken ? taken_count : refused_count);
}

/// Stops, which libFuzzer reports as a finding.
[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

/// A capture's rows must be in order and point at what is there.
inline void look_at(const profiler::Capture& c) {
  const auto& a = c.activities();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.duration_ns[i] < 0) finding("an activity ends before it begins");
    if (a.name[i] >= c.names().size()) finding("an activity's name is not there");
    if (a.track[i] >= c.tracks().size()) finding("an activity's track is not there");
    if (i > 0 && a.start_ns[i] < a.start_ns[i - 1]) finding("activities are not in order");
  }
}

/// Imports the bytes; an answer must be a consistent capture or a refusal in words.
inline int import_bytes(const uint8_t* data, size_t size, const char* format) {
  const auto capture =
      profiler::import_traces({.files = {file_of(data, size)}, .format = format, .command = {}, .control = {}});
  count(capture.ok());
  if (capture) {
    look_at(**capture);
  } else if (capture.error().message.empty() || capture.error().message.find("[capture]") != std::string::npos) {
    finding("the importer built what the capture refuses: " + capture.error().message);
  }
  return 0;
}

}  // namespace fuzz
