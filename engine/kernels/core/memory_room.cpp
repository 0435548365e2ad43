// SPDX-License-Identifier: Apache-2.0
// openblas_has_room(), kernels_have_room(), room_of_libraries().
#include "engine/kernels/core/memory_room.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "engine/base/memory_limits.h"

// Of libopenblas, in no header of it; a library without them takes its buffers at the first products.
extern "C" __attribute__((weak)) void* blas_memory_alloc(int);
extern "C" __attribute__((weak)) void blas_memory_free(void*);

namespace engine::cpu {
namespace {

constexpr size_t kBuffer =
    (size_t{128} << 20) +
    (size_t{1} << 20);  // BUFFER_SIZE of its common_x86_64.h (32 << 22), and what stands around it

constexpr size_t kSpare = size_t{64} << 20;

/// Whether this process can be refused memory before the machine has none.
bool is_limited() {
  const ResourceLimits limits = ResourceLimits::of_this_process();
  return limits.address_space_bytes >= 0 || limits.data_bytes >= 0 || memory_is_committed();
}

/// Whether so many buffers can be had at once; none is kept.
bool can_have(int buffers, size_t bytes) {
  std::vector<void*> had;
  for (int i = 0; i < buffers; ++i) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) break;
    had.push_back(at);
  }
  for (void* at : had) munmap(at, bytes);
  return had.size() == static_cast<size_t>(buffers);
}

}  // namespace

bool openblas_has_room(int threads) {
  static std::mutex mutex;
  static int taken = 0;
  const std::lock_guard lock(mutex);
  if (threads <= taken) return true;
  if (!is_limited()) return true;
  if (!can_have(threads, kBuffer))
    return false;  // the first of them may be there already: rather one too many than a hang
  if (blas_memory_alloc != nullptr && blas_memory_free != nullptr) {
    std::vector<void*> buffers;
    for (int i = 0; i < threads; ++i) buffers.push_back(blas_memory_alloc(0));
    for (void* buffer : buffers) blas_memory_free(buffer);
  }
  taken = threads;
  return true;
}

bool kernels_have_room() {
  static const bool limited = is_limited();  // limits are set before a program starts
  return !limited || can_have(1, kSpare);
}

double room_of_libraries(int threads) { return static_cast<double>(kSpare) + static_cast<double>(kBuffer) * threads; }

}  // namespace engine::cpu
