// SPDX-License-Identifier: Apache-2.0
// Each side that is not row-major gets a row-major tensor beside it.
#include "engine/tensor/staged_copy.h"

#include <utility>

#include "engine/tensor/element.h"

namespace engine {
namespace {

bool is_row_major(const Tensor& tensor) { return is_contiguous(tensor.shape(), tensor.strides()); }

/// Of the tensor's shape, where the tensor is.
Result<Tensor> row_major_beside(const DeviceCopies& device, const Tensor& tensor) {
  const TensorType type = TensorType::contiguous(tensor.dtype(), tensor.shape());
  const int64_t bytes = type.elements() * size_bytes(type.dtype);
  Result<std::shared_ptr<Storage>> storage = on_host(tensor) ? Storage::allocate_host(bytes) : device.allocate(bytes);
  if (!storage) return storage.error();
  return Tensor(*std::move(storage), type);
}

/// On one side: host or device.
Result<void> rearrange(const DeviceCopies& device, const Tensor& from, const Tensor& to) {
  if (!on_host(from)) return device.rearrange(from, to);
  copy_elements(from, to);
  return {};
}

}  // namespace

bool on_host(const Tensor& tensor) { return !is_gpu(tensor.storage()->device()); }

std::byte* lowest_address(const Tensor& tensor) {
  int64_t below = 0;
  for (size_t i = 0; i < tensor.shape().size(); ++i) {
    if (tensor.strides()[i] < 0) below += (tensor.shape()[i] - 1) * tensor.strides()[i];
  }
  return tensor.data() + below * size_bytes(tensor.dtype());
}

Result<void> copy_through_row_major(const DeviceCopies& device, const Tensor& from, const Tensor& to) {
  Tensor source = from, target = to;
  if (!is_row_major(from)) {
    Result<Tensor> beside = row_major_beside(device, from);
    if (!beside) return beside.error();
    source = *std::move(beside);
    if (Result<void> done = rearrange(device, from, source); !done) return done;
  }
  if (!is_row_major(to)) {
    Result<Tensor> beside = row_major_beside(device, to);
    if (!beside) return beside.error();
    target = *std::move(beside);
  }
  if (Result<void> done = device.move(source, target); !done) return done;
  return is_row_major(to) ? Result<void>() : rearrange(device, target, to);
}

}  // namespace engine
