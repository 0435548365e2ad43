// SPDX-License-Identifier: Apache-2.0
// The ONNX project's backend test cases (Debian's libonnx-testdata): those listed in node_cases.txt
// must pass, and only those do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = "/usr/share/libonnx-testdata/data";

std::set<std::string> listed_cases() {
  std::ifstream stream(TENSORTIDE_SOURCE_DIR "/tests/engine/onnx/node_cases.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line[0] != '#') names.insert(line);
  }
  return names;
}

std::vector<std::string> all_cases() {
  std::vector<std::string> names;
  for (const char* set : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(kCases / set)) {
      names.push_back(std::string(set) + "/" + entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

fs::path data_file(const fs::path& folder, const char* kind, size_t number) {
  return folder / "test_data_set_0" / (std::string(kind) + "_" + std::to_string(number) + ".pb");
}

/// The case's model and the tensors to feed it. Integer inputs (shapes, axes) become initializers:
/// we need them at import.
struct Case {
  ::onnx::ModelProto model;
  std::vector<Tensor> inputs;
};

/// Moves an input's tensor into the model when it is of integers, else into `inputs`.
Result<void> take_input(const std::string& name, const fs::path& file, Case& test) {
  Result<Tensor> tensor = load_tensor(file);
  if (!tensor) return tensor.error();
  if (tensor->dtype() != DType::int64) {
    test.inputs.push_back(std::move(*tensor));
    return {};
  }
  std::ifstream bytes(file, std::ios::binary);
  ::onnx::TensorProto& constant = *test.model.mutable_graph()->add_initializer();
  if (!constant.ParseFromIstream(&bytes)) return refused_error("no tensor");
  constant.set_name(name);
  return {};
}

Result<Case> read_case(const fs::path& folder) {
  Case test;
  std::ifstream stream(folder / "model.onnx", std::ios::binary);
  if (!test.model.ParseFromIstream(&stream)) return refused_error("no model");
  std::set<std::string> initialized;
  for (const ::onnx::TensorProto& tensor : test.model.graph().initializer())
    initialized.insert(tensor.name());
  size_t number = 0;  // input files count the real inputs
  for (const ::onnx::ValueInfoProto& info : test.model.graph().input()) {
    if (initialized.contains(info.name())) continue;
    if (Result<void> taken = take_input(info.name(), data_file(folder, "input", number++), test);
        !taken)
      return taken.error();
  }
  return test;
}

/// ONNX's own tolerance: relative 1e-3, absolute 1e-7, NaN equal.
Result<void> compare(const Tensor& got, const Tensor& wanted) {
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape()) {
    return refused_error(to_string(got.type()) + " instead of " + to_string(wanted.type()));
  }
  const std::vector<double> a = elements(got), b = elements(wanted);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i] || std::abs(a[i] - b[i]) <= 1e-7 + 1e-3 * std::abs(b[i])) continue;
    return refused_error("element " + std::to_string(i) + ": " + std::to_string(a[i]) +
                         " instead of " + std::to_string(b[i]));
  }
  return {};
}

Result<void> run_case(Backend& backend, const std::string& name) {
  Result<Case> test = read_case(kCases / name);
  if (!test) return test.error();
  const ScratchFolder folder;
  Result<Model> model = load_model(folder.write("case.onnx", test->model.SerializeAsString()));
  if (!model) return model.error();
  if (model->inputs.size() != test->inputs.size()) return refused_error("other inputs");
  const Result<std::vector<Tensor>> outputs = run_model(backend, std::move(*model), test->inputs);
  if (!outputs) return outputs.error();
  for (size_t i = 0; i < outputs->size(); ++i) {
    const Result<Tensor> wanted = load_tensor(data_file(kCases / name, "output", i));
    if (!wanted) return wanted.error();
    if (Result<void> equal = compare((*outputs)[i], *wanted); !equal) return equal;
  }
  return {};
}

TEST(OnnxNodeCases, ListedCasesPassAndNoOthers) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  const std::unique_ptr<Backend> backend = cpu_backend();
  const std::set<std::string> listed = listed_cases();
  EXPECT_GT(listed.size(), 100u);
  std::set<std::string> seen;
  for (const std::string& name : all_cases()) {
    seen.insert(name);
    const Result<void> passed = run_case(*backend, name);
    if (listed.contains(name)) {
      EXPECT_TRUE(passed.ok()) << name << ": " << (passed ? "" : passed.error().message);
    } else {
      EXPECT_FALSE(passed.ok()) << name << " passes now: add it to node_cases.txt";
    }
  }
  for (const std::string& name : listed)
    EXPECT_TRUE(seen.contains(name)) << name << " is listed but does not exist";
}

}  // namespace
}  // namespace engine::onnx
