// SPDX-License-Identifier: Apache-2.0
// Buffers and their ranges of addresses.
#include "engine/opencl/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/memory.h"

namespace engine::opencl {

DeviceMemory::DeviceMemory(const Api& api, std::shared_ptr<_cl_context> context, Device device, std::string model,
                           int64_t most_bytes)
    : api_(api),
      context_(std::move(context)),
      device_(std::move(device)),
      model_(std::move(model)),
      most_bytes_(most_bytes) {}

Result<std::shared_ptr<Storage>> DeviceMemory::allocate(int64_t size_bytes) {
  if (size_bytes < 0) return usage_error(fmt::format("[opencl] cannot allocate {} bytes", size_bytes));
  const auto shown = [](int64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  if (most_bytes_ > 0 && size_bytes > most_bytes_) {
    return refused_error(fmt::format("[{}] {} in one block: the driver of {} allows {}. Use a smaller batch or model",
                                     to_string(device_), shown(size_bytes), model_, shown(most_bytes_)));
  }
  const auto bytes = static_cast<size_t>(std::max<int64_t>(size_bytes, 1));
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t range = (bytes + page - 1) / page * page + page;  // the last page keeps neighbours apart
  void* const address = mmap(nullptr, range, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    return refused_error(
        fmt::format("[{}] no addresses for {}: the process has too many", to_string(device_), shown(size_bytes)));
  }
  cl_int code = CL_SUCCESS;
  cl_mem buffer = api_.create_buffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &code);
  const std::lock_guard lock(mutex_);
  if (buffer == nullptr || code != CL_SUCCESS) {
    munmap(address, range);
    int64_t held = 0;
    for (const auto& [data, block] : blocks_) held += block.size_bytes;
    return refused_error(
        fmt::format("[{}] {} could not be allocated on {}: {}. This run holds {} in {} block{}. Use a "
                    "smaller batch or model",
                    to_string(device_), shown(size_bytes), model_, error_words(code), shown(held), blocks_.size(),
                    blocks_.size() == 1 ? "" : "s"));
  }
  auto* const data = static_cast<std::byte*>(address);
  blocks_[data] = {buffer, static_cast<int64_t>(bytes), range};
  return std::make_shared<Storage>(device_, data, size_bytes,
                                   [memory = shared_from_this()](std::byte* block) { memory->release(block); });
}

void DeviceMemory::release(std::byte* data) {
  Block block;
  {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(data);
    CHECK(found != blocks_.end());
    block = found->second;
    blocks_.erase(found);
  }
  static_cast<void>(api_.release_mem_object(block.buffer));  // commands in the queue keep it until they are done
  munmap(data, block.range_bytes);
}

Place DeviceMemory::find(const std::byte* address) const {
  const std::lock_guard lock(mutex_);
  const auto behind = blocks_.upper_bound(address);
  CHECK(behind != blocks_.begin());
  const auto& [data, block] = *std::prev(behind);
  const int64_t offset = address - data;
  CHECK(offset <= block.size_bytes);
  return {block.buffer, offset};
}

}  // namespace engine::opencl
