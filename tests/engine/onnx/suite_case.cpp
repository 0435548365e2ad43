// SPDX-License-Identifier: Apache-2.0
// One case of the ONNX project's backend tests: a model, its inputs and its expected outputs.
#include "tests/engine/onnx/suite_case.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <array>
#include <cmath>
#include <fstream>
#include <set>

#include "engine/onnx/tensor_proto.h"
#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

namespace fs = std::filesystem;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr std::array<std::string_view, 3> kTold{"nothing", "integers", "everything"};

// Fields of the messages SequenceProto and OptionalProto (onnx-data.proto).
constexpr int kTensorField = 3, kSequenceField = 5;

std::string read_bytes(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The contents of all fields of this number in a message.
std::vector<std::string> fields(const std::string& message, int number) {
  CodedInputStream stream(reinterpret_cast<const uint8_t*>(message.data()), static_cast<int>(message.size()));
  std::vector<std::string> found;
  while (const uint32_t tag = stream.ReadTag()) {
    std::string bytes;
    int size = 0;
    if (WireFormatLite::GetTagFieldNumber(tag) != number) {
      if (!WireFormatLite::SkipField(&stream, tag)) break;
    } else if (!stream.ReadVarintSizeAsInt(&size) || !stream.ReadString(&bytes, size)) {
      break;
    } else {
      found.push_back(bytes);
    }
  }
  return found;
}

Result<Item> tensors_item(const std::vector<std::string>& messages, bool is_sequence, int32_t data_type = 0) {
  Item item{{}, is_sequence};
  for (const std::string& bytes : messages) {
    ::onnx::TensorProto proto;
    if (!proto.ParseFromString(bytes)) return refused_error("a data file holds no tensor");
    // numpy has no bf16: the data files hold its bits as u16.
    if (data_type == ::onnx::TensorProto::BFLOAT16 && proto.data_type() == ::onnx::TensorProto::UINT16)
      proto.set_data_type(data_type);
    Result<Tensor> tensor = to_tensor(proto, {});
    if (!tensor) return tensor.error();
    item.tensors.push_back(std::move(*tensor));
  }
  return item;
}

/// Sequences and optionals parse as tensors without an error: the model's type decides.
Result<Item> read_item(const fs::path& file, const ::onnx::TypeProto& type) {
  if (!fs::exists(file)) return refused_error(file.filename().string() + " is missing");
  const std::string bytes = read_bytes(file);
  if (type.has_sequence_type()) return tensors_item(fields(bytes, kTensorField), true);
  if (!type.has_optional_type()) return tensors_item({bytes}, false, type.tensor_type().elem_type());
  if (type.optional_type().elem_type().has_sequence_type()) {
    const std::vector<std::string> sequence = fields(bytes, kSequenceField);
    if (!sequence.empty()) return tensors_item(fields(sequence[0], kTensorField), true);
  }
  return tensors_item(fields(bytes, kTensorField), false);
}

fs::path data_file(const fs::path& folder, const char* kind, int number) {
  return folder / "test_data_set_0" / fmt::format("{}_{}.pb", kind, number);
}

/// The cases leave some extents open; the data say what they are.
void close_shape(::onnx::ValueInfoProto& info, const Tensor& tensor) {
  auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.clear_dim();
  for (const int64_t extent : tensor.shape()) shape.add_dim()->set_dim_value(extent);
}

Result<void> compare(const Tensor& got, const Tensor& wanted) {
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape()) {
    return refused_error(to_string(got.type()) + " instead of " + to_string(wanted.type()));
  }
  const std::vector<double> a = elements(got), b = elements(wanted);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i] || std::abs(a[i] - b[i]) <= 1e-7 + 1e-3 * std::abs(b[i])) continue;
    return refused_error(fmt::format("element {}: {} instead of {}", i, a[i], b[i]));
  }
  return {};
}

bool is_told(const Item& item, Told told) {
  if (told == Told::everything || item.is_sequence || item.tensors.size() != 1) return true;
  return told == Told::integers && item.tensors[0].dtype() == DType::int64;
}

}  // namespace

std::string_view name(Told told) { return kTold[static_cast<size_t>(told)]; }

std::optional<Told> parse_told(std::string_view text) {
  for (const Told told : {Told::nothing, Told::integers, Told::everything}) {
    if (name(told) == text) return told;
  }
  return std::nullopt;
}

Result<SuiteCase> read_case(const fs::path& folder) {
  SuiteCase test;
  if (!test.model.ParseFromString(read_bytes(folder / "model.onnx"))) return refused_error("no model");
  std::set<std::string> initialized;
  for (const ::onnx::TensorProto& tensor : test.model.graph().initializer()) initialized.insert(tensor.name());
  for (::onnx::ValueInfoProto& info : *test.model.mutable_graph()->mutable_input()) {
    if (initialized.contains(info.name())) continue;
    const auto number = static_cast<int>(test.inputs.size());  // input files count the real inputs
    Result<Item> item = read_item(data_file(folder, "input", number), info.type());
    if (!item) return item.error();
    if (info.type().has_tensor_type()) close_shape(info, item->tensors[0]);
    test.input_names.push_back(info.name());
    test.inputs.push_back(std::move(*item));
  }
  for (int i = 0; i < test.model.graph().output_size(); ++i) {
    Result<Item> item = read_item(data_file(folder, "output", i), test.model.graph().output(i).type());
    if (!item) return item.error();
    test.outputs.push_back(std::move(*item));
  }
  return test;
}

Result<void> run_case(Backend& backend, const SuiteCase& test, Told told) {
  ImportOptions options;
  std::vector<Tensor> fed;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    if (is_told(test.inputs[i], told)) options.known[test.input_names[i]] = test.inputs[i];
    else fed.push_back(test.inputs[i].tensors[0]);
  }
  const ScratchFolder folder;
  Result<Model> model = load_model(folder.write("case.onnx", test.model.SerializeAsString()), options);
  if (!model) return model.error();
  if (model->inputs.size() != fed.size()) return refused_error("other inputs");
  const std::vector<ModelOutput> outputs = model->outputs;
  const Result<std::vector<Tensor>> tensors = run_model(backend, std::move(*model), fed);
  if (!tensors) return tensors.error();
  size_t next = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Item& wanted = test.outputs[i];
    if (outputs[i].is_sequence != wanted.is_sequence || outputs[i].values.size() != wanted.tensors.size()) {
      return refused_error(
          fmt::format("output {} has {} tensors, not {}", i, outputs[i].values.size(), wanted.tensors.size()));
    }
    for (const Tensor& tensor : wanted.tensors) {
      if (Result<void> equal = compare((*tensors)[next++], tensor); !equal)
        return refused_error(fmt::format("output {}: {}", i, equal.error().message));
    }
  }
  return {};
}

}  // namespace engine::onnx
