// SPDX-License-Identifier: Apache-2.0
// What a model file declares, read without making a graph of it: for files that cannot be run as well.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace engine::onnx {

/// An input or output as the file declares it.
struct DeclaredValue {
  std::string name;                       ///< as in the file
  std::string type;                       ///< "f32", "a sequence", "FLOAT8E4M3FN (not supported)"
  std::optional<DType> dtype;             ///< of a tensor of a dtype that the engine has
  bool has_shape = false;                 ///< else `extents` is empty
  Shape extents;                          ///< -1: open
  std::vector<std::string> extent_names;  ///< one for each extent; empty: it has none
};

/// An operator of the file and how often it stands there, graphs inside nodes included.
struct OperatorCount {
  std::string name;  ///< with its domain where that is not the default
  int64_t count = 0;
  std::string needed;  ///< what would be needed to run it, a sentence; empty: it is supported
};

struct Survey {
  std::string producer;
  int64_t ir_version = 0;
  int64_t opset = 0;                  ///< of the default operators; 0: the file gives none
  std::vector<DeclaredValue> inputs;  ///< without initializers
  std::vector<DeclaredValue> outputs;
  std::vector<OperatorCount> operators;  ///< by name, with those of the model's functions
  int64_t parameters = 0;                ///< elements of initializers of floats, or of types for weights
  int64_t initializer_bytes = 0;         ///< of all initializers that can be read, as in the file
};

/// What would be needed to run an operator that is not supported: a sentence.
std::string needed_for(const std::string& domain, const std::string& op_type);

/// Refused (naming the file): what load_model() refuses of files that are no ONNX models.
Result<Survey> survey_model(const std::filesystem::path& file);

}  // namespace engine::onnx
