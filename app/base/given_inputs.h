// SPDX-License-Identifier: Apache-2.0
// Files as inputs of a model: NumPy arrays, tensors of ONNX, folders of test data, pictures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace app {

/// What --input, --mean and --scale give.
struct GivenInputs {
  std::vector<std::string> files;   ///< "x=x.npy", or a file or folder alone
  std::vector<double> mean, scale;  ///< of pictures; empty: 0 and 1/255, of u8 inputs 0 and 1
  bool empty() const { return files.empty(); }
};

/// An input that files can be given for.
struct InputSlot {
  std::string name;
  std::optional<engine::DType> dtype;  ///< nothing: no tensor, or a dtype that the engine lacks
  engine::Shape extents;               ///< -1: open
};

struct InputTensor {
  std::string name;  ///< of the slot
  engine::Tensor tensor;
  std::string file;
};

/// "x=x.npy" split at the first '='; the name is empty where there is none, or the whole is a file's name.
struct InputWord {
  std::string name, file;
};
InputWord split_input(const std::string& word);
/// The word with another file.
std::string join_input(const InputWord&);

/// Reads what is given for the slots. NAME=FILE: .npy, .pb (TensorProto), .png, .jpg; .npz has an array of that name or
/// a single one. A file without a name: .npz gives each input the array of its name. A folder (test_data_set_0) has
/// input_K.pb or NAME.npy. Any other file is for a model with a single input. Refused, naming input and file: an
/// unknown name, an input given twice, a file that cannot be read, a picture whose size does not fit. Whether other
/// shapes fit is checked by who makes the graph.
engine::Result<std::vector<InputTensor>> read_inputs(const GivenInputs&, std::span<const InputSlot>);

/// Reads "0.485,0.456,0.406". `flag` is for messages.
engine::Result<std::vector<double>> parse_reals(const std::string& flag, const std::string& text);

}  // namespace app
