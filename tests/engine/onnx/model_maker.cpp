// SPDX-License-Identifier: Apache-2.0
// Builds small ONNX models with the generated messages, writes them to files, loads and runs them.
#include "tests/engine/onnx/model_maker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"

namespace engine::onnx {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "tensortide-onnx-XXXXXX").string();
  CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path ScratchFolder::write(const std::string& name, const std::string& bytes) const {
  const fs::path file = path_ / name;
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

ModelMaker::ModelMaker(int64_t opset) {
  model.set_ir_version(8);
  model.set_producer_name("tensortide tests");
  model.add_opset_import()->set_version(opset);
}

ModelMaker& ModelMaker::input(const std::string& name, const std::vector<int64_t>& dims, int32_t data_type) {
  ::onnx::ValueInfoProto& info = *graph().add_input();
  info.set_name(name);
  ::onnx::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(data_type);
  type.mutable_shape();
  for (const int64_t extent : dims) type.mutable_shape()->add_dim()->set_dim_value(extent);
  return *this;
}

ModelMaker& ModelMaker::output(const std::string& name) {
  graph().add_output()->set_name(name);
  return *this;
}

ModelMaker& ModelMaker::floats(const std::string& name, const std::vector<int64_t>& dims,
                               const std::vector<float>& values) {
  ::onnx::TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  for (const int64_t extent : dims) tensor.add_dims(extent);
  for (const float value : values) tensor.add_float_data(value);
  return *this;
}

ModelMaker& ModelMaker::integers(const std::string& name, const std::vector<int64_t>& dims,
                                 const std::vector<int64_t>& values) {
  ::onnx::TensorProto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::INT64);
  for (const int64_t extent : dims) tensor.add_dims(extent);
  for (const int64_t value : values) tensor.add_int64_data(value);
  return *this;
}

ModelMaker& ModelMaker::node(const std::string& type, const std::vector<std::string>& inputs,
                             const std::string& output) {
  ::onnx::NodeProto& node = *graph().add_node();
  node.set_name("node of " + output);
  node.set_op_type(type);
  for (const std::string& name : inputs) node.add_input(name);
  node.add_output(output);
  return *this;
}

::onnx::NodeProto& ModelMaker::last_node() { return *graph().mutable_node(graph().node_size() - 1); }

::onnx::AttributeProto& ModelMaker::add_attribute(const std::string& name, ::onnx::AttributeProto::AttributeType type) {
  ::onnx::AttributeProto& attribute = *last_node().add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

ModelMaker& ModelMaker::attribute(const std::string& name, int64_t value) {
  add_attribute(name, ::onnx::AttributeProto::INT).set_i(value);
  return *this;
}

ModelMaker& ModelMaker::attribute(const std::string& name, float value) {
  add_attribute(name, ::onnx::AttributeProto::FLOAT).set_f(value);
  return *this;
}

ModelMaker& ModelMaker::attribute(const std::string& name, const std::string& value) {
  add_attribute(name, ::onnx::AttributeProto::STRING).set_s(value);
  return *this;
}

ModelMaker& ModelMaker::attribute(const std::string& name, std::initializer_list<int64_t> values) {
  ::onnx::AttributeProto& attribute = add_attribute(name, ::onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
  return *this;
}

Result<Model> ModelMaker::load(const ImportOptions& options) const {
  const ScratchFolder folder;
  return load_model(folder.write("made.onnx", model.SerializeAsString()), options);
}

std::string ModelMaker::refusal(const ImportOptions& options) const {
  const Result<Model> loaded = load(options);
  return loaded ? "" : loaded.error().message;
}

std::unique_ptr<Backend> cpu_backend() {
  Result<std::unique_ptr<Backend>> backend = cpu::make_backend(1);
  CHECK(backend.ok());
  return std::move(*backend);
}

Result<std::vector<Tensor>> run_model(Backend& backend, Model model, const std::vector<Tensor>& inputs) {
  CHECK(inputs.size() <= model.inputs.size());
  const auto graph = std::make_shared<const Graph>(std::move(model.graph));
  Result<std::unique_ptr<Plan>> plan = Plan::make(graph, backend);
  if (!plan) return plan.error();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (Result<void> copied = backend.copy(inputs[i], (*plan)->tensor(model.inputs[i])); !copied) return copied.error();
  }
  (*plan)->run_step(0, nullptr);
  backend.synchronize();
  std::vector<Tensor> outputs;
  for (const ValueId id : graph->outputs()) {
    // A copy: the plan's memory goes with it.
    Result<Tensor> host =
        Tensor::empty(TensorType::contiguous(graph->value(id).type.dtype, graph->value(id).type.shape));
    if (!host) return host.error();
    if (Result<void> copied = backend.copy((*plan)->tensor(id), *host); !copied) return copied.error();
    outputs.push_back(std::move(*host));
  }
  return outputs;
}

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.type().elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = tensor.get_flat(static_cast<int64_t>(i));
  return values;
}

std::vector<double> run(const ModelMaker& maker) {
  Result<Model> model = maker.load();
  EXPECT_TRUE(model.ok()) << (model ? "" : model.error().message);
  if (!model) return {};
  const std::unique_ptr<Backend> backend = cpu_backend();
  const Result<std::vector<Tensor>> outputs = run_model(*backend, std::move(*model));
  EXPECT_TRUE(outputs.ok()) << (outputs ? "" : outputs.error().message);
  return outputs ? elements(outputs->at(0)) : std::vector<double>{};
}

::onnx::GraphProto& inner_graph(ModelMaker& maker, const std::string& attribute) {
  ::onnx::AttributeProto& added = *maker.last_node().add_attribute();
  added.set_name(attribute);
  added.set_type(::onnx::AttributeProto::GRAPH);
  return *added.mutable_g();
}

void add_node(::onnx::GraphProto& graph, const std::string& type, std::initializer_list<std::string> inputs,
              const std::string& output) {
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(type);
  for (const std::string& name : inputs) node.add_input(name);
  node.add_output(output);
}

}  // namespace engine::onnx
