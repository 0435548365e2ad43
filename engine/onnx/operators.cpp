// SPDX-License-Identifier: Apache-2.0
// The table of ONNX operators we can read, sorted by name.
#include "engine/onnx/operators.h"

#include <array>

namespace engine::onnx {

std::span<const Operator> operators() {
  static constexpr std::array kOperators{
      Operator{"Add", convert_add},
      Operator{"AveragePool", convert_average_pool},
      Operator{"BatchNormalization", convert_batch_normalization},
      Operator{"Constant", convert_constant},
      Operator{"ConstantOfShape", convert_constant_of_shape},
      Operator{"Conv", convert_conv},
      Operator{"Dropout", convert_dropout},
      Operator{"Expand", convert_expand},
      Operator{"Flatten", convert_flatten},
      Operator{"Gemm", convert_gemm},
      Operator{"GlobalAveragePool", convert_global_average_pool},
      Operator{"Identity", convert_identity},
      Operator{"MatMul", convert_matmul},
      Operator{"MaxPool", convert_max_pool},
      Operator{"Mul", convert_mul},
      Operator{"ReduceSum", convert_reduce_sum},
      Operator{"Relu", convert_relu},
      Operator{"Reshape", convert_reshape},
      Operator{"Shape", convert_shape},
      Operator{"Sigmoid", convert_sigmoid},
      Operator{"Slice", convert_slice},
      Operator{"Softmax", convert_softmax},
      Operator{"Squeeze", convert_squeeze},
      Operator{"Sub", convert_sub},
      Operator{"Sum", convert_sum},
      Operator{"Transpose", convert_transpose},
      Operator{"Unsqueeze", convert_unsqueeze},
  };
  return kOperators;
}

const Operator* find_operator(std::string_view domain, std::string_view name) {
  if (!domain.empty() && domain != "ai.onnx") return nullptr;
  for (const Operator& entry : operators()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace engine::onnx
