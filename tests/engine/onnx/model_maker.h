// SPDX-License-Identifier: Apache-2.0
// Builds small ONNX models with the generated messages, writes them to files, loads and runs them.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "engine/onnx/import.h"
#include "engine/onnx/onnx.pb.h"
#include "engine/runtime/backend.h"

namespace engine::onnx {

/// A folder of its own that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  /// Writes `bytes` to a file of that name.
  std::filesystem::path write(const std::string& name, const std::string& bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A model with IR version 8; inputs, outputs and nodes are added by the test. `model` is open for
/// any damage.
class ModelMaker {
 public:
  explicit ModelMaker(int64_t opset = 13);

  ModelMaker& input(const std::string& name, const std::vector<int64_t>& dims,
                    int32_t data_type = ::onnx::TensorProto::FLOAT);
  ModelMaker& output(const std::string& name);
  ModelMaker& floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values);
  ModelMaker& integers(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& values);
  /// A node named "node of <output>"; the attributes of the last node are added by the calls below.
  ModelMaker& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output);
  ModelMaker& attribute(const std::string& name, int64_t value);
  ModelMaker& attribute(const std::string& name, float value);
  ModelMaker& attribute(const std::string& name, const std::string& value);
  ModelMaker& attribute(const std::string& name, std::initializer_list<int64_t> values);

  ::onnx::GraphProto& graph() { return *model.mutable_graph(); }
  ::onnx::NodeProto& last_node();

  Result<Model> load(const ImportOptions& options = {}) const;
  /// The refusal's message; empty when the model loads.
  std::string refusal(const ImportOptions& options = {}) const;

  ::onnx::ModelProto model;

 private:
  ::onnx::AttributeProto& add_attribute(const std::string& name, ::onnx::AttributeProto::AttributeType type);
};

/// One thread: tests run side by side.
std::unique_ptr<Backend> cpu_backend();
/// Runs a model once with the given inputs (none: the dummy input arange(n)/n) and returns its
/// outputs, row-major.
Result<std::vector<Tensor>> run_model(Backend& backend, Model model, const std::vector<Tensor>& inputs = {});
/// All elements in row-major order.
std::vector<double> elements(const Tensor& tensor);
/// The first output of a model, loaded and run once with the dummy input. Empty, and the test fails: it was refused.
std::vector<double> run(const ModelMaker&);

/// Adds an inner graph to the last node.
::onnx::GraphProto& inner_graph(ModelMaker&, const std::string& attribute);
void add_node(::onnx::GraphProto&, const std::string& type, std::initializer_list<std::string> inputs,
              const std::string& output);

}  // namespace engine::onnx
