// SPDX-License-Identifier: Apache-2.0
// Host memory: aligned, in huge pages where that pays, refused instead of overcommitted.
#include "engine/tensor/storage.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/base/memory.h"

namespace engine {
namespace {

constexpr int64_t kAlignment = 64;               // one cache line, one 512-bit vector
constexpr int64_t kHugePage = int64_t{2} << 20;  // x86-64
constexpr int64_t kMapFrom = int64_t{4} << 20;   // page faults cost 1.3 us per 4 KiB page (design/engine.md, section 5)

Error refusal(int64_t size_bytes) {
  const HostMemory memory = host_memory();
  return refused_error(fmt::format(
      "cannot allocate {} of host memory: {} of {} are available{}", format_bytes(static_cast<double>(size_bytes)),
      format_bytes(static_cast<double>(memory.available_bytes)), format_bytes(static_cast<double>(memory.total_bytes)),
      memory.limit.empty() ? "" : fmt::format(" (limit: {})", memory.limit)));
}

Result<std::shared_ptr<Storage>> share(std::byte* data, int64_t size_bytes, std::function<void(std::byte*)> release) {
  return std::make_shared<Storage>(Device{}, data, size_bytes, std::move(release));
}

/// A mapping with the surplus before and after the 2 MiB aligned part given back.
Result<std::shared_ptr<Storage>> map_host(int64_t size_bytes) {
  // Linux hands out more than there is and kills later: ask first.
  const int64_t available = host_memory().available_bytes;
  if (available > 0 && size_bytes > available) return refusal(size_bytes);
  const size_t length = static_cast<size_t>((size_bytes + kHugePage - 1) / kHugePage * kHugePage);
  const size_t reserved = length + static_cast<size_t>(kHugePage);
  void* base = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return refusal(size_bytes);
  const auto address = reinterpret_cast<uintptr_t>(base);
  const uintptr_t aligned = (address + kHugePage - 1) / kHugePage * kHugePage;
  const size_t before = aligned - address;
  if (before > 0) munmap(base, before);
  if (reserved - before > length) munmap(reinterpret_cast<void*>(aligned + length), reserved - before - length);
  madvise(reinterpret_cast<void*>(aligned), length,
          MADV_HUGEPAGE);  // a wish: refused where huge pages are off
  return share(reinterpret_cast<std::byte*>(aligned), size_bytes, [length](std::byte* data) { munmap(data, length); });
}

}  // namespace

Storage::Storage(Device device, std::byte* data, int64_t size_bytes, std::function<void(std::byte*)> release)
    : device_(std::move(device)), data_(data), size_bytes_(size_bytes), release_(std::move(release)) {}

Storage::~Storage() {
  if (release_) release_(data_);
}

Result<std::shared_ptr<Storage>> Storage::allocate_host(int64_t size_bytes) {
  CHECK(size_bytes >= 0);
  if (size_bytes > (int64_t{1} << 62)) return refusal(size_bytes);  // keeps the rounding below from overflowing
  if (size_bytes >= kMapFrom) return map_host(size_bytes);
  // At least one line, so that an empty tensor has an address too.
  const int64_t rounded = std::max(kAlignment, (size_bytes + kAlignment - 1) / kAlignment * kAlignment);
  auto* data =
      static_cast<std::byte*>(std::aligned_alloc(static_cast<size_t>(kAlignment), static_cast<size_t>(rounded)));
  if (data == nullptr) return refusal(size_bytes);
  return share(data, size_bytes, [](std::byte* bytes) { std::free(bytes); });
}

}  // namespace engine
