// SPDX-License-Identifier: Apache-2.0
// DataSet: pixels made from a seed, compressed by zlib, in a file without a name.
#include "engine/runtime/data_set.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <random>
#include <system_error>

#include "engine/base/memory.h"

namespace engine {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 30;

Error refused(const char* what) {
  return refused_error(fmt::format(
      "[load_batch] the data set cannot be {} the directory for temporary files: {}; make it smaller or set TMPDIR",
      what, std::generic_category().message(errno)));
}

/// write() until all is written.
bool write_all(int file, const std::byte* data, size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

void paint(std::span<std::byte> pixels, uint64_t seed) {
  std::mt19937_64 random(seed);
  const double turns = 2 * std::numbers::pi / static_cast<double>(40 + random() % 200);
  uint64_t noise = 0;
  for (size_t i = 0; i < pixels.size(); ++i) {
    if (i % 16 == 0) noise = random();
    const auto wave = static_cast<uint8_t>(128 + 100 * std::sin(turns * static_cast<double>(i)));
    pixels[i] = static_cast<std::byte>((wave & 0xF0U) | (noise & 0x03U));
    noise >>= 4;
  }
}

}  // namespace

Result<std::unique_ptr<DataSet>> DataSet::make(int64_t batches, int64_t batch_bytes, uint64_t seed) {
  CHECK(batches >= 1 && batch_bytes >= 0);
  if (batch_bytes > kMostBytes / batches) {
    return refused_error(fmt::format(
        "[load_batch] {} batches of {} are more than a data set may have, {}: make the images or the batch smaller",
        batches, format_bytes(static_cast<double>(batch_bytes)), format_bytes(static_cast<double>(kMostBytes))));
  }
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "tensortide-data-XXXXXX").string();
  if (error)
    return refused_error(
        fmt::format("[load_batch] there is no directory for temporary files: {}; set TMPDIR", error.message()));
  const int file = ::mkstemp(path.data());
  if (file < 0) return refused("made in");
  ::unlink(path.c_str());
  std::unique_ptr<DataSet> set(new DataSet(file, batch_bytes));
  std::vector<std::byte> pixels(static_cast<size_t>(batch_bytes));
  for (int64_t b = 0; b < batches; ++b) {
    paint(pixels, seed * 1'000'003 + static_cast<uint64_t>(b));
    if (Result<void> appended = set->append(pixels); !appended) return appended.error();
  }
  return set;
}

DataSet::~DataSet() { ::close(file_); }

Result<void> DataSet::append(std::span<const std::byte> pixels) {
  uLongf size = ::compressBound(pixels.size());
  std::vector<std::byte> encoded(size);
  const int done = ::compress2(reinterpret_cast<Bytef*>(encoded.data()), &size,
                               reinterpret_cast<const Bytef*>(pixels.data()), pixels.size(), Z_BEST_SPEED);
  if (done != Z_OK) return refused_error("[load_batch] zlib has not got the memory to make the data set");
  if (!write_all(file_, encoded.data(), size)) return refused("written to");
  offsets_.push_back(offsets_.empty() ? 0 : offsets_.back() + sizes_.back());
  sizes_.push_back(static_cast<int64_t>(size));
  return {};
}

bool DataSet::read(int64_t batch, std::vector<std::byte>& encoded) const {
  encoded.resize(static_cast<size_t>(sizes_[static_cast<size_t>(batch)]));
  size_t have = 0;
  while (have < encoded.size()) {
    const ssize_t got = ::pread(file_, encoded.data() + have, encoded.size() - have,
                                offsets_[static_cast<size_t>(batch)] + static_cast<int64_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += static_cast<size_t>(got);
  }
  return true;
}

bool DataSet::decode(std::span<const std::byte> encoded, std::span<std::byte> pixels) const {
  auto size = static_cast<uLongf>(pixels.size());
  const int done = ::uncompress(reinterpret_cast<Bytef*>(pixels.data()), &size,
                                reinterpret_cast<const Bytef*>(encoded.data()), encoded.size());
  return done == Z_OK && size == pixels.size();
}

}  // namespace engine
