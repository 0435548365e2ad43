// SPDX-License-Identifier: Apache-2.0
// The stream, stream-ordered device memory, double-buffered staging.
#include "engine/cuda/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/base/memory.h"
#include "engine/cuda/context.h"

namespace engine::cuda {

cudaError_t use_device(int index) {
  static thread_local CurrentDevice current;
  return current.use(index, [](int wanted) { return cudaSetDevice(wanted); });
}

Result<std::shared_ptr<Stream>> Stream::make(int device) {
  std::shared_ptr<Stream> stream(new Stream(device));
  const cudaError_t code = cudaStreamCreateWithFlags(&stream->stream_, cudaStreamNonBlocking);
  if (code != cudaSuccess) return refused_error(fmt::format("[cuda] no stream could be made: {}", error_words(code)));
  return stream;
}

Stream::~Stream() {
  static_cast<void>(use_device(device_));
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

DeviceMemory::DeviceMemory(Device device, std::string model, std::shared_ptr<Stream> stream)
    : device_(std::move(device)), model_(std::move(model)), stream_(std::move(stream)) {
  cudaMemPool_t pool = nullptr;
  if (cudaDeviceGetDefaultMemPool(&pool, device_.index) != cudaSuccess) return;
  uint64_t keep_all = UINT64_MAX;  // freed blocks stay ours between steps
  static_cast<void>(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
}

Result<std::shared_ptr<Storage>> DeviceMemory::allocate(int64_t size_bytes) {
  if (size_bytes < 0) return usage_error(fmt::format("[cuda] cannot allocate {} bytes", size_bytes));
  static_cast<void>(use_device(device_.index));
  const auto asked = static_cast<size_t>(std::max<int64_t>(size_bytes, 1));
  void* data = nullptr;
  cudaError_t code = cudaMallocAsync(&data, asked, stream_->get());
  if (code == cudaErrorMemoryAllocation) {  // what the pool keeps may be in the way: give it back and try once more
    static_cast<void>(cudaGetLastError());
    static_cast<void>(cudaStreamSynchronize(stream_->get()));
    cudaMemPool_t pool = nullptr;
    if (cudaDeviceGetDefaultMemPool(&pool, device_.index) == cudaSuccess) static_cast<void>(cudaMemPoolTrimTo(pool, 0));
    code = cudaMallocAsync(&data, asked, stream_->get());
  }
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    size_t free = 0, total = 0;
    const bool known = cudaMemGetInfo(&free, &total) == cudaSuccess;
    const Live now = live();
    return refused_error(
        fmt::format("[{}] {} could not be allocated on {}: {}. Free: {}; this run holds {} in {} block{} (the "
                    "largest "
                    "{}). Use a smaller batch or model",
                    to_string(device_), format_bytes(static_cast<double>(size_bytes)), model_, error_words(code),
                    known ? format_bytes(static_cast<double>(free)) + " of " + format_bytes(static_cast<double>(total))
                          : "an unknown amount",
                    format_bytes(static_cast<double>(now.bytes)), now.blocks, now.blocks == 1 ? "" : "s",
                    format_bytes(static_cast<double>(now.largest_bytes))));
  }
  auto* const bytes = static_cast<std::byte*>(data);
  {
    const std::lock_guard lock(mutex_);
    blocks_[bytes] = size_bytes;
  }
  return std::make_shared<Storage>(device_, bytes, size_bytes,
                                   [memory = shared_from_this()](std::byte* block) { memory->release(block); });
}

void DeviceMemory::release(std::byte* data) {
  {
    const std::lock_guard lock(mutex_);
    blocks_.erase(data);
  }
  static_cast<void>(use_device(device_.index));
  static_cast<void>(cudaFreeAsync(data, stream_->get()));
}

DeviceMemory::Live DeviceMemory::live() const {
  const std::lock_guard lock(mutex_);
  Live live;
  for (const auto& [data, bytes] : blocks_) {
    ++live.blocks;
    live.bytes += bytes;
    live.largest_bytes = std::max(live.largest_bytes, bytes);
  }
  return live;
}

Result<std::shared_ptr<Staging>> Staging::make(int device) {
  static_cast<void>(use_device(device));
  std::shared_ptr<Staging> staging(new Staging());
  for (Part* part : {&staging->up_[0], &staging->up_[1], &staging->down_[0], &staging->down_[1]}) {
    void* data = nullptr;
    cudaError_t code = cudaHostAlloc(&data, kPartBytes, cudaHostAllocDefault);
    part->data = static_cast<std::byte*>(data);
    if (code == cudaSuccess) code = cudaEventCreateWithFlags(&part->done, cudaEventDisableTiming);
    if (code != cudaSuccess) {
      return refused_error(fmt::format("[cuda] no pinned host memory for staging copies ({} wanted): {}",
                                       format_bytes(4.0 * kPartBytes), error_words(code)));
    }
  }
  return staging;
}

Staging::~Staging() {
  for (const Part& part : {up_[0], up_[1], down_[0], down_[1]}) {
    if (part.done != nullptr) {
      static_cast<void>(cudaEventSynchronize(part.done));
      static_cast<void>(cudaEventDestroy(part.done));
    }
    if (part.data != nullptr) static_cast<void>(cudaFreeHost(part.data));
  }
}

cudaError_t Staging::upload(void* device, const void* host, int64_t size_bytes, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  auto* to = static_cast<std::byte*>(device);
  const auto* from = static_cast<const std::byte*>(host);
  for (int64_t at = 0, turn = 0; at < size_bytes; at += kPartBytes, ++turn) {
    const Part& part = up_[turn % 2];
    const auto bytes = static_cast<size_t>(std::min(kPartBytes, size_bytes - at));
    cudaError_t code = cudaEventSynchronize(part.done);  // its last bytes have left
    if (code != cudaSuccess) return code;
    std::memcpy(part.data, from + at, bytes);
    code = cudaMemcpyAsync(to + at, part.data, bytes, cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess) code = cudaEventRecord(part.done, stream);
    if (code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

cudaError_t Staging::download(void* host, const void* device, int64_t size_bytes, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  auto* to = static_cast<std::byte*>(host);
  const auto* from = static_cast<const std::byte*>(device);
  const int64_t parts = (size_bytes + kPartBytes - 1) / kPartBytes;
  const auto bytes_of = [&](int64_t i) {
    return static_cast<size_t>(std::min(kPartBytes, size_bytes - i * kPartBytes));
  };
  for (int64_t i = 0; i <= parts; ++i) {
    if (i < parts) {  // part i starts while part i - 1 is being read
      const Part& part = down_[i % 2];
      cudaError_t code = cudaMemcpyAsync(part.data, from + i * kPartBytes, bytes_of(i), cudaMemcpyDeviceToHost, stream);
      if (code == cudaSuccess) code = cudaEventRecord(part.done, stream);
      if (code != cudaSuccess) return code;
    }
    if (i > 0) {
      const Part& part = down_[(i - 1) % 2];
      const cudaError_t code = cudaEventSynchronize(part.done);
      if (code != cudaSuccess) return code;
      std::memcpy(to + (i - 1) * kPartBytes, part.data, bytes_of(i - 1));
    }
  }
  return cudaSuccess;
}

}  // namespace engine::cuda
