// SPDX-License-Identifier: Apache-2.0
// Entry points: a file in, a graph or a tensor out.
#include "engine/onnx/import.h"

#include <fmt/format.h>

#include "engine/onnx/file.h"
#include "engine/onnx/importer.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

Error in_file(const std::filesystem::path& file, const Error& error) {
  return {error.kind, fmt::format("{}: {}", printable(file.string()), error.message)};
}

}  // namespace

Result<Model> load_model(const std::filesystem::path& file, const ImportOptions& options) {
  if (options.batch < 0) return usage_error(fmt::format("[batch] {} is negative", options.batch));
  ::onnx::ModelProto proto;
  if (Result<void> read = read_model(file, proto); !read) return read.error();
  Result<Model> model = Importer(proto, options, file.parent_path()).run();
  if (!model) return in_file(file, model.error());
  return model;
}

Result<Tensor> load_tensor(const std::filesystem::path& file) {
  ::onnx::TensorProto proto;
  if (Result<void> read = read_tensor(file, proto); !read) return read.error();
  Result<Tensor> tensor = to_tensor(proto, file.parent_path());
  if (!tensor) return in_file(file, tensor.error());
  return tensor;
}

}  // namespace engine::onnx
