// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets do: put the bytes into a file in memory, import it, and look at what came out.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "profiler/import/importer.h"

namespace fuzz {

/// Imports the bytes; an answer must be a consistent capture or a refusal in words.
inline void import_bytes(const uint8_t* data, size_t size, const char* format) {
  static const int descriptor = memfd_create("fuzz", 0);
  if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const auto capture = profiler::import_traces({.files = {path}, .format = format, .command = {}, .control = {}});
  if (!capture) {
    if (capture.error().message.empty() || capture.error().message.find("[capture]") != std::string::npos) {
      std::fprintf(stderr, "the importer built what the capture refuses: %s\n", capture.error().message.c_str());
      std::abort();
    }
    return;
  }
  const profiler::Capture& c = **capture;
  for (size_t i = 0; i < c.activities().size(); ++i) {
    if (c.activities().duration_ns[i] < 0 || c.activities().name[i] >= c.names().size()) std::abort();
  }
}

}  // namespace fuzz
