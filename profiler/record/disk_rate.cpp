// SPDX-License-Identifier: Apache-2.0
// A file written, synced, and read with O_DIRECT.
#include "profiler/record/disk_rate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "profiler/base/statistics.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

constexpr int64_t kBlock = 1 << 20;
constexpr size_t kAlignment = 4096;
constexpr int kPasses = 3;

/// Closes and removes the file.
class ScratchFile {
 public:
  explicit ScratchFile(const std::filesystem::path& folder)
      : path_((folder / "tensortide-disk-XXXXXX").string()), descriptor_(mkstemp(path_.data())) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(path_.c_str());
  }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

struct FreeBlock {
  void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, FreeBlock>;

engine::Error trouble(const std::string& path, const char* doing) {
  return refused_error(fmt::format("{}: cannot {}: {}", path, doing, std::strerror(errno)));
}

Result<void> fill_file(const ScratchFile& file, int64_t bytes, char* block) {
  for (int64_t at = 0; at < bytes; at += kBlock) {
    for (int64_t i = 0; i < kBlock; i += 8) {  // nothing that a file system could leave out or pack
      const uint64_t value = static_cast<uint64_t>(at + i) * 0x9e3779b97f4a7c15ULL;
      std::memcpy(block + i, &value, sizeof value);
    }
    if (::write(file.descriptor(), block, kBlock) != kBlock) return trouble(file.path(), "write the test file");
  }
  if (fsync(file.descriptor()) != 0) return trouble(file.path(), "bring the test file to the disk");
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  return {};
}

/// Bytes per second of one pass.
Result<double> read_past_cache(const ScratchFile& file, int64_t bytes, char* block, const std::atomic<bool>& stop) {
  const int direct = open(file.path().c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (direct < 0)
    return refused_error(
        fmt::format("{}: this file system does not read past the page cache (O_DIRECT: {}), so the disk's rate is "
                    "unknown. Name a folder on a disk",
                    file.path(), std::strerror(errno)));
  const int64_t begin = engine::now_ns();
  Result<void> done;
  for (int64_t at = 0; at < bytes && done; at += kBlock) {
    if (stop) done = refused_error("[disk] stopped");
    else if (pread(direct, block, kBlock, at) != kBlock) done = trouble(file.path(), "read the test file");
  }
  const int64_t end = engine::now_ns();
  close(direct);
  if (!done) return done.error();
  return static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(1, end - begin)) * 1e9;
}

}  // namespace

Result<DiskRate> measure_disk(const std::filesystem::path& folder, int64_t bytes, const std::atomic<bool>& stop) {
  if (bytes < kBlock || bytes % kBlock != 0)
    return engine::usage_error(fmt::format("[disk] a file of {} bytes: give whole MiB from 1 on", bytes));
  const ScratchFile file(folder);
  if (file.descriptor() < 0) return trouble(file.path(), "make a test file");
  const Block block(std::aligned_alloc(kAlignment, kBlock));
  if (block == nullptr) return refused_error("[disk] there is not enough memory for one block");
  auto* data = static_cast<char*>(block.get());
  if (Result<void> filled = fill_file(file, bytes, data); !filled) return filled.error();
  std::vector<double> rates;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Result<double> rate = read_past_cache(file, bytes, data, stop);
    if (!rate) return rate.error();
    rates.push_back(*rate);
  }
  const auto [low, high] = std::ranges::minmax(rates);
  return DiskRate{.read_bytes_per_s = {median(rates), low, high, kPasses}, .file_bytes = bytes, .block_bytes = kBlock};
}

}  // namespace profiler
