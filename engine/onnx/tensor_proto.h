// SPDX-License-Identifier: Apache-2.0
// TensorProto -> Tensor: types, dimensions and data checked against each other before anything is
// allocated.
#pragma once

#include <google/protobuf/repeated_field.h>

#include <filesystem>
#include <string>

#include "engine/base/result.h"
#include "engine/onnx/onnx.pb.h"
#include "engine/tensor/tensor.h"

namespace engine::onnx {

/// Most axes a tensor may have; none of the operators knows what to do with more.
inline constexpr int kLargestRank = 16;

/// Refused, naming the field "data_type", for a dtype that the engine lacks.
Result<DType> to_dtype(int32_t data_type);
/// Fails (refused, naming the field "dims") for a negative extent, more bytes than 2^63 - 1, or too
/// many axes.
Result<Shape> to_shape(const google::protobuf::RepeatedField<int64_t>& dims, DType dtype);
Result<void> check_shape(const Shape& shape, DType dtype);
/// A row-major host tensor; of a type that the engine lacks, held in another (narrow_types.h). External data are read
/// from regular files in `folder` or below it. Fails (refused, naming the field) for data elsewhere, segments, and data
/// that do not fill the dimensions exactly.
Result<Tensor> to_tensor(const ::onnx::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace engine::onnx
