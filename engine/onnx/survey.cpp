// SPDX-License-Identifier: Apache-2.0
// Counts what stands in a ModelProto; nothing is computed.
#include "engine/onnx/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "engine/onnx/file.h"
#include "engine/onnx/importer.h"
#include "engine/onnx/narrow_types.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

using Names = std::map<std::pair<std::string, std::string>, int64_t>;  // domain and operator

DeclaredValue declared(const ::onnx::ValueInfoProto& info) {
  DeclaredValue value;
  value.name = info.name();
  if (!info.type().has_tensor_type()) {
    value.type = info.type().has_sequence_type()   ? "a sequence"
                 : info.type().has_optional_type() ? "an optional"
                                                   : "no tensor";
    return value;
  }
  const ::onnx::TypeProto::Tensor& tensor = info.type().tensor_type();
  if (const Result<DType> dtype = to_dtype(tensor.elem_type()); dtype) {
    value.dtype = *dtype;
    value.type = std::string(name(*dtype));
  } else {
    value.type = fmt::format("data type {} (not supported)", tensor.elem_type());
  }
  value.has_shape = tensor.has_shape();
  for (const auto& dim : tensor.shape().dim()) {
    value.extents.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : -1);
    value.extent_names.push_back(dim.dim_param());
  }
  return value;
}

template <class Nodes>
void count_operators(const Nodes& nodes, Names& names) {
  for (const ::onnx::NodeProto& node : nodes) {
    ++names[{node.domain() == "ai.onnx" ? "" : node.domain(), node.op_type()}];
    for (const ::onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) count_operators(attribute.g().node(), names);
    }
  }
}

void add_saturated(int64_t& sum, int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<int64_t>::max();
}

}  // namespace

std::string needed_for(const std::string& domain, const std::string& op_type) {
  if (domain == "com.microsoft" || domain == "com.microsoft.nchwc")
    return "onnxruntime's optimizer wrote it; use the model from before that optimization";
  if (domain == "ai.onnx.ml") return "it is an operator of classical machine learning; export the network alone";
  if (domain == "ai.onnx.preview.training") return "it is an operator of training; export the model for inference";
  if (!domain.empty())
    return fmt::format("it is of the domain \"{}\"; export the model with operators of ONNX", printable(domain));
  for (const char* text : {"StringNormalizer", "TfIdfVectorizer", "RegexFullMatch", "StringConcat", "StringSplit"}) {
    if (op_type == text) return "it works on text, which the engine has no data type for";
  }
  return "an ONNX op that is not implemented; docs/extending.md shows how to add one";
}

Result<Survey> survey_model(const std::filesystem::path& file) {
  ::onnx::ModelProto model;
  if (Result<void> read = read_model(file, model); !read) return read.error();
  if (!model.has_graph())
    return refused_error(fmt::format("{}: is no ONNX model: it has no field graph", printable(file.string())));
  Survey survey;
  survey.producer = printable(model.producer_name());
  survey.ir_version = model.ir_version();
  for (const ::onnx::OperatorSetIdProto& entry : model.opset_import()) {
    if (entry.domain().empty() || entry.domain() == "ai.onnx") survey.opset = std::max(survey.opset, entry.version());
  }
  std::set<std::string> initialized;
  for (const ::onnx::TensorProto& tensor : model.graph().initializer()) {
    initialized.insert(tensor.name());
    const int64_t elements = claimed_elements(tensor);
    if (const NarrowType* narrow = narrow_type(tensor.data_type())) {
      add_saturated(survey.parameters, elements);
      constexpr int64_t kMostCounted = int64_t{1} << 58;  // beyond it packed_bytes() would not fit
      add_saturated(survey.initializer_bytes, narrow->packed_bytes(std::min(elements, kMostCounted)));
      continue;
    }
    const Result<DType> dtype = to_dtype(tensor.data_type());
    if (!dtype) continue;
    if (is_floating(*dtype)) add_saturated(survey.parameters, elements);
    int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, size_bytes(*dtype), &bytes)) bytes = std::numeric_limits<int64_t>::max();
    add_saturated(survey.initializer_bytes, bytes);
  }
  for (const ::onnx::ValueInfoProto& info : model.graph().input()) {
    if (!initialized.contains(info.name())) survey.inputs.push_back(declared(info));
  }
  for (const ::onnx::ValueInfoProto& info : model.graph().output()) survey.outputs.push_back(declared(info));
  Names names;
  count_operators(model.graph().node(), names);
  std::set<std::pair<std::string, std::string>> functions;
  for (const ::onnx::FunctionProto& function : model.functions()) {
    functions.emplace(function.domain(), function.name());
    count_operators(function.node(), names);
  }
  for (const auto& [key, count] : names) {
    const auto& [domain, op_type] = key;
    const bool supported = find_operator(domain, op_type) != nullptr || functions.contains(key);
    survey.operators.push_back({(domain.empty() ? "" : printable(domain) + ".") + printable(op_type), count,
                                supported ? std::string() : needed_for(domain, op_type)});
  }
  return survey;
}

}  // namespace engine::onnx
