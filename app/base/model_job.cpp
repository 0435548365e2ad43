// SPDX-License-Identifier: Apache-2.0
// Makes a model file's graph of a request: its settings, its input files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "app/base/devices.h"
#include "app/base/job.h"
#include "engine/onnx/import.h"
#include "engine/onnx/survey.h"
#include "engine/runtime/lazy_values.h"

namespace app {
namespace {

using engine::Arguments;
using engine::Result;
using engine::onnx::ImportOptions;
using engine::onnx::Model;

/// Given inputs of integers up to so many elements may decide about extents.
constexpr int64_t kMostDeciding = 4096;

/// "128", "2,3,4" or "2x3x4": an extent, the elements of an input of a model, or the extents of one.
Result<std::vector<int64_t>> parse_numbers(const std::string& key, const std::string& text) {
  std::vector<int64_t> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(text.starts_with("0x") ? "," : ",x", begin), text.size());
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, number);
    if (error != std::errc() || stop != text.data() + end) {
      return engine::usage_error(
          fmt::format("[{}] \"{}\" is no whole number and no list such as 2,3 or 2x3", key, text));
    }
    numbers.push_back(number);
    begin = end + 1;
  }
  return numbers;
}

/// Of a model: that of most of its weights, of most of its values where it has none; of its first input where nothing
/// is a floating number.
engine::DType main_dtype(const Model& model) {
  std::map<engine::DType, int64_t> of_weights, of_values;
  for (const engine::Value& value : model.graph.values()) {
    if (!engine::is_floating(value.type.dtype)) continue;
    (value.role == engine::Role::weight ? of_weights : of_values)[value.type.dtype] += value.type.elements();
  }
  const auto& counted = of_weights.empty() ? of_values : of_weights;
  if (counted.empty()) return model.graph.value(model.inputs.front()).type.dtype;
  return std::ranges::max_element(counted, {}, [](const auto& entry) { return entry.second; })->first;
}

Result<int64_t> parse_batch(const RunRequest& request, const std::string& value) {
  engine::Parameter batch{.name = "batch",
                          .label = "Batch size",
                          .help = "",
                          .default_value = "1",
                          .minimum = 1,
                          .maximum = 4611686018427387904.0,
                          .choices = {},
                          .unit = ""};
  const engine::Workload shape{
      .name = request.workload, .title = "", .description = "", .parameters = {batch}, .presets = {}, .build = nullptr};
  Result<Arguments> checked = engine::resolve(shape, {{"batch", value}});
  if (!checked) return checked.error();
  return engine::integer_argument(*checked, "batch");
}

Result<ImportOptions> import_options(const RunRequest& request) {
  ImportOptions options;
  for (const auto& [key, value] : request.settings) {
    if (key == "batch") {
      const Result<int64_t> batch = parse_batch(request, value);
      if (!batch) return batch.error();
      options.batch = *batch;
    } else if (key == "mode" && value == "inference") {
      continue;
    } else if (key == "mode" || key == "dtype") {
      return engine::usage_error(
          fmt::format("[{}] {} = {}: a model file is run as it is written (inference, its own dtypes)",
                      request.workload, key, value));
    } else {
      Result<std::vector<int64_t>> numbers = parse_numbers(key, value);
      if (!numbers) return numbers.error();
      options.numbers[key] = std::move(*numbers);
    }
  }
  return options;
}

/// The files of a request, read for the inputs that the model declares. What --set NAME.dims closes is closed for
/// pictures, too.
Result<std::vector<InputTensor>> read_model_inputs(const RunRequest& request, const ImportOptions& options) {
  if (request.inputs.empty()) return std::vector<InputTensor>{};
  const Result<engine::onnx::Survey> survey = engine::onnx::survey_model(request.workload);
  if (!survey) return survey.error();
  std::vector<InputSlot> slots;
  for (const engine::onnx::DeclaredValue& input : survey->inputs) {
    InputSlot slot{input.name, input.has_shape ? input.dtype : std::nullopt, input.extents};
    const auto dims = options.numbers.find(input.name + ".dims");
    if (dims != options.numbers.end() && dims->second.size() == slot.extents.size()) slot.extents = dims->second;
    slots.push_back(std::move(slot));
  }
  return read_inputs(request.inputs, slots);
}

/// Computes values of a model while it is read, on the processor as a step of it would.
class FirstPass {
 public:
  FirstPass(const RunRequest& request, const std::vector<InputTensor>& given) : request_(request), given_(given) {}

  Result<engine::Tensor> value(const engine::Graph& graph, engine::ValueId id) {
    if (values_ == nullptr) {
      Result<std::unique_ptr<engine::Backend>> made = make_device("cpu", request_.device_options());
      if (!made) return made.error();
      backend_ = *std::move(made);
      values_ = std::make_unique<engine::LazyValues>(*backend_, request_.seed);
      for (const InputTensor& input : given_) values_->give(input.name, input.tensor);
    }
    return values_->value(graph, id);
  }

 private:
  const RunRequest& request_;
  const std::vector<InputTensor>& given_;
  std::unique_ptr<engine::Backend> backend_;
  std::unique_ptr<engine::LazyValues> values_;
};

/// "NonZero (2x), TopK".
std::string counted(const std::map<std::string, int64_t>& operators) {
  std::vector<std::string> words;
  for (const auto& [name, count] : operators) words.push_back(count > 1 ? fmt::format("{} ({}x)", name, count) : name);
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The model with shapes that its data decide: a first pass computes these data.
Result<Model> load_by_data(const RunRequest& request, ImportOptions options, const std::vector<InputTensor>& given) {
  FirstPass pass(request, given);
  options.evaluate = [&](const engine::Graph& graph, engine::ValueId id) { return pass.value(graph, id); };
  Result<Model> model = engine::onnx::load_model(request.workload, options);
  if (model && !model->data_dependent.empty())
    model->notes.push_back(fmt::format(
        "Shapes of this model depend on data: {}. A first pass found them with {} inputs. Each step computes these ops "
        "again and checks that the shapes still hold.",
        counted(model->data_dependent), given.empty() ? "made-up" : "the given"));
  return model;
}

/// With the given inputs as inputs; where that cannot be, because small integers decide about extents, those as
/// constants; where data decide, by a first pass.
Result<Model> load_with(const RunRequest& request, ImportOptions options, const std::vector<InputTensor>& given) {
  for (const InputTensor& input : given) options.given[input.name] = input.tensor.type();
  Result<Model> model = engine::onnx::load_model(request.workload, options);
  if (model || model.error().kind == engine::ErrorKind::usage) return model;
  const ImportOptions as_inputs = options;
  bool deciding = false;
  for (const InputTensor& input : given) {
    if (engine::is_floating(input.tensor.dtype()) || input.tensor.type().elements() > kMostDeciding) continue;
    options.given.erase(input.name);
    options.known[input.name] = {{input.tensor}, false};
    deciding = true;
  }
  if (deciding) {
    Result<Model> again = engine::onnx::load_model(request.workload, options);
    if (again) return again;
  }
  return load_by_data(request, as_inputs, given);
}

/// "x.dims=1,3,224,224" where the file leaves an extent of a given input open: what a later plan of the same step
/// needs.
void note_extents(Arguments& arguments, const Model& model, const std::vector<InputTensor>& given) {
  for (const engine::ValueId id : model.inputs) {
    const engine::Value& value = model.graph.value(id);
    const auto input = std::ranges::find(given, value.name, &InputTensor::name);
    if (input == given.end() || value.type.shape.empty()) continue;
    arguments[value.name + ".dims"] = fmt::format("{}", fmt::join(value.type.shape, ","));
  }
}

/// Puts tensors into the inputs of their names. Inputs that became constants are passed over.
Result<void> put_inputs(Job& job, const std::vector<InputTensor>& given) {
  if (given.empty()) return {};
  engine::GraphBuilder builder(*job.graph);
  for (const InputTensor& input : given) {
    const std::optional<engine::ValueId> id = builder.graph().find(input.name);
    if (!id || builder.graph().value(*id).kind != engine::ValueKind::input) continue;
    const engine::TensorType& type = builder.type(*id);
    if (type.shape != input.tensor.shape() || type.dtype != input.tensor.dtype()) {
      return engine::usage_error(fmt::format("[--input] {}: it takes {}, {} has {}", input.name, to_string(type),
                                             input.file, to_string(input.tensor.type())));
    }
    builder.give(*id, input.tensor);
  }
  Result<engine::Graph> graph = builder.finish();
  if (!graph) return graph.error();
  job.graph = std::make_shared<const engine::Graph>(std::move(*graph));
  job.build = [graph = job.graph](engine::GraphBuilder& appended) { engine::append_graph(appended, *graph); };
  for (const InputTensor& input : given) {
    const std::string word = fmt::format("{}={}", input.name, std::filesystem::path(input.file).filename().string());
    job.inputs.push_back(word);
  }
  return {};
}

}  // namespace

Result<void> give_inputs(const RunRequest& request, Job& job) {
  if (request.inputs.empty()) return {};
  std::vector<InputSlot> slots;
  for (const engine::Value& value : job.graph->values()) {
    if (value.kind == engine::ValueKind::input) slots.push_back({value.name, value.type.dtype, value.type.shape});
  }
  const Result<std::vector<InputTensor>> given = read_inputs(request.inputs, slots);
  return given ? put_inputs(job, *given) : given.error();
}

Result<Job> load_model_job(const RunRequest& request) {
  const Result<ImportOptions> options = import_options(request);
  if (!options) return options.error();
  const Result<std::vector<InputTensor>> given = read_model_inputs(request, *options);
  if (!given) return given.error();
  Result<Model> model = load_with(request, *options, *given);
  if (!model) return model.error();
  Job job;
  job.title = std::filesystem::path(request.workload).filename().string();
  job.arguments = {{"mode", "inference"}};
  if (!model->inputs.empty()) {
    job.arguments["dtype"] = std::string(name(main_dtype(*model)));
    if (model->batch > 0) job.arguments["batch"] = std::to_string(model->batch);
  }
  note_extents(job.arguments, *model, *given);
  job.notes = model->notes;
  for (const engine::onnx::ModelOutput& output : model->outputs) {
    for (size_t i = 0; i < output.values.size(); ++i) {
      job.outputs.push_back(
          {output.is_sequence ? fmt::format("{}.{}", output.name, i) : output.name, output.values[i]});
    }
  }
  job.graph = std::make_shared<const engine::Graph>(std::move(model->graph));
  job.build = [graph = job.graph](engine::GraphBuilder& builder) { engine::append_graph(builder, *graph); };
  if (Result<void> put = put_inputs(job, *given); !put) return put.error();
  return job;
}

}  // namespace app
