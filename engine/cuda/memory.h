// SPDX-License-Identifier: Apache-2.0
// Memory of one GPU: device blocks from the driver's stream-ordered pool, and pinned host buffers through which copies
// are staged.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "engine/base/result.h"
#include "engine/tensor/storage.h"

namespace engine::cuda {

/// Makes a GPU the calling thread's. Asked for before every op: CUDA is called only where the thread has another GPU,
/// or none yet. All of engine/cuda goes through here.
cudaError_t use_device(int index);

/// Which GPU a thread has, as far as calls through here decide it.
class CurrentDevice {
 public:
  /// `set` is cudaSetDevice, but in tests. What failed is not remembered.
  cudaError_t use(int index, cudaError_t (*set)(int)) {
    if (index == index_) return cudaSuccess;
    const cudaError_t code = set(index);
    index_ = code == cudaSuccess ? index : kNone;
    return code;
  }

 private:
  static constexpr int kNone = -1;
  int index_ = kNone;
};

/// The stream on which all work of a backend is ordered: kernels, copies, and the freeing of memory. It does not wait
/// for the legacy default stream.
class Stream {
 public:
  static Result<std::shared_ptr<Stream>> make(int device);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  explicit Stream(int device) : device_(device) {}
  const int device_;
  cudaStream_t stream_ = nullptr;
};

/// Device memory, freed in the order of the stream, so that nobody waits: what kernels still use stays until they are
/// done. Freed blocks stay in the pool for the next of their size; a refused allocation first gives all of them back.
class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
 public:
  /// `device`: as tensors on this GPU name it.
  DeviceMemory(Device device, std::string model, std::shared_ptr<Stream> stream);

  /// Refused with what was asked, what is free and what is live; the GPU works on after that.
  Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes);

  struct Live {
    int64_t blocks = 0, bytes = 0, largest_bytes = 0;
  };
  Live live() const;

 private:
  void release(std::byte* data);

  const Device device_;
  const std::string model_;
  const std::shared_ptr<Stream> stream_;
  mutable std::mutex mutex_;
  std::map<std::byte*, int64_t> blocks_;
};

/// Two pinned buffers per direction: while one is on its way, the next part is copied into (or out of) the other.
class Staging {
 public:
  static constexpr int64_t kPartBytes = 4 << 20;
  static Result<std::shared_ptr<Staging>> make(int device);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// In the order of `stream`; when it returns, `host` has been read (the GPU may not have it all yet).
  cudaError_t upload(void* device, const void* host, int64_t size_bytes, cudaStream_t stream);
  /// When it returns, `host` holds the bytes.
  cudaError_t download(void* host, const void* device, int64_t size_bytes, cudaStream_t stream);

 private:
  Staging() = default;
  struct Part {
    std::byte* data = nullptr;
    cudaEvent_t done = nullptr;
  };
  std::mutex mutex_;
  Part up_[2], down_[2];
};

}  // namespace engine::cuda
