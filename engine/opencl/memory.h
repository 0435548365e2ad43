// SPDX-License-Identifier: Apache-2.0
// DeviceMemory: buffers of an OpenCL device under addresses. OpenCL's buffers have none, so each gets a range that
// nobody can read or write.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/base/result.h"
#include "engine/opencl/api.h"
#include "engine/tensor/storage.h"

namespace engine::opencl {

/// Where an address lies.
struct Place {
  cl_mem buffer = nullptr;
  int64_t offset_bytes = 0;
};

class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
 public:
  /// `most_bytes`: of one buffer; 0: the driver does not say.
  DeviceMemory(const Api& api, std::shared_ptr<_cl_context> context, Device device, std::string model,
               int64_t most_bytes);
  /// Refused with the bytes asked for, the driver's limit and what this run holds.
  Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes);
  /// CHECKs that the address lies in a block of this memory.
  Place find(const std::byte* address) const;

 private:
  struct Block {
    cl_mem buffer = nullptr;
    int64_t size_bytes = 0;
    size_t range_bytes = 0;
  };
  void release(std::byte* data);

  const Api api_;
  const std::shared_ptr<_cl_context> context_;
  const Device device_;
  const std::string model_;
  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::map<const std::byte*, Block> blocks_;
};

}  // namespace engine::opencl
