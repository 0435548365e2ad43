// SPDX-License-Identifier: Apache-2.0
// Storage: bytes on one device, freed with the last tensor that uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "engine/tensor/device.h"

namespace engine {

class Storage {
 public:
  /// Takes over `data`; `release(data)` runs when the last user goes.
  Storage(Device device, std::byte* data, int64_t size_bytes, std::function<void(std::byte*)> release);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Host memory, 64-byte aligned; from 4 MiB on 2 MiB aligned with huge pages asked for. Contents are unspecified.
  /// Refused (never an abort) when the system has not got the bytes.
  static Result<std::shared_ptr<Storage>> allocate_host(int64_t size_bytes);

  const Device& device() const { return device_; }
  std::byte* data() const { return data_; }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  Device device_;
  std::byte* data_;
  int64_t size_bytes_;
  std::function<void(std::byte*)> release_;
};

}  // namespace engine
