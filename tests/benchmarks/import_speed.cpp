// SPDX-License-Identifier: Apache-2.0
// How fast a foreign trace becomes a capture, and how much memory that takes.
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "benchmarks.h"
#include "profiler/import/importer.h"

namespace benchmarks {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// Bytes of the file as it is after unpacking.
double raw_bytes(const std::string& file) {
  auto stream = profiler::ByteStream::open(file, {});
  std::string piece(1 << 18, '\0');
  while (stream) {
    const auto got = (*stream)->read(piece.data(), piece.size());
    if (!got || *got == 0) break;
  }
  return stream ? static_cast<double>((*stream)->bytes_out()) : 0;
}

}  // namespace

int import_speed(const std::string& file) {
  const double before = peak_bytes(), raw = raw_bytes(file), started = cpu_seconds();
  const auto capture = profiler::import_traces({.files = {file}, .format = {}, .command = {}, .control = {}});
  if (!capture) {
    fmt::print(stderr, "{}\n", capture.error().message);
    return 3;
  }
  const double seconds = cpu_seconds() - started, peak = peak_bytes() - before;
  const bool fast = raw / seconds >= 150e6, small = peak <= 2 * raw;
  fmt::print(
      "{:.1f} MB raw, {} spans: {:.2f} s of one core, {:.0f} MB/s (goal 150), peak {:.1f} MB = {:.2f} x raw (goal 2)\n",
      raw / 1e6, (*capture)->activities().size(), seconds, raw / seconds / 1e6, peak / 1e6, peak / raw);
  return fast && small ? 0 : 1;
}

}  // namespace benchmarks
