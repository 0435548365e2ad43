// SPDX-License-Identifier: Apache-2.0
// Counts of engine/workloads/language_model.h beside the memory of this machine.
#include "app/base/language_facts.h"

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/base/read_file.h"
#include "engine/netfile/network_file.h"
#include "engine/workloads/llm.h"

namespace app {
namespace {

using engine::Arguments;
using engine::DType;
using engine::LanguageModel;
using engine::Result;
using engine::WeightFormat;

constexpr uint64_t kLargestConfig = 1 << 20;

struct Request {
  LanguageModel model;
  Arguments arguments;
};

Result<std::optional<Request>> read(const RunRequest& request) {
  std::optional<Request> none;
  if (request.workload == "llm") {
    const Result<const engine::Workload*> workload = engine::find_workload(request.workload);
    if (!workload) return workload.error();
    Arguments given;
    for (const engine::Preset& preset : (*workload)->presets) {
      if (preset.name == request.preset) given = preset.arguments;
    }
    for (const auto& [key, value] : request.settings) given[key] = value;
    Result<Arguments> arguments = engine::resolve(**workload, given);
    if (!arguments) return arguments.error();
    Result<LanguageModel> model = engine::language_model_of(*arguments);
    if (!model) return model.error();
    return std::optional(Request{*std::move(model), *std::move(arguments)});
  }
  if (!request.workload.ends_with(".json")) return none;
  const Result<std::string> text = engine::read_file(request.workload, kLargestConfig);
  if (!text || !engine::looks_like_language_model(*text)) return none;  // whoever makes the graph says what is wrong
  Result<LanguageModel> model = engine::read_language_model(*text, request.workload);
  if (!model) return model.error();
  const Result<engine::Workload> workload = engine::language_workload(*text, request.workload);
  if (!workload) return workload.error();
  Result<Arguments> arguments = engine::resolve(*workload, request.settings);
  if (!arguments) return arguments.error();
  return std::optional(Request{*std::move(model), *std::move(arguments)});
}

LanguageFormat format_facts(const LanguageModel& m, DType dtype, WeightFormat format, const LanguageFacts& facts) {
  LanguageFormat f;
  f.weights = format == WeightFormat::as_dtype ? std::string(name(dtype)) : std::string(name(format));
  f.weight_bytes = engine::weight_bytes(m, format, dtype);
  const auto cache = [&](int64_t context) {
    return engine::cache_elements(m, context) * static_cast<double>(facts.batch) *
           static_cast<double>(engine::size_bytes(dtype));
  };
  f.cache_bytes = cache(facts.context);
  const double room = facts.memory_bytes - f.weight_bytes;
  f.fits = facts.memory_bytes > 0 && f.cache_bytes <= room;
  if (room < cache(1)) return f;
  int64_t low = 1, high = facts.made_for > 0 ? facts.made_for : int64_t{1} << 21;
  while (low < high) {  // the last that fits
    const int64_t middle = low + (high - low + 1) / 2;
    if (cache(middle) <= room) low = middle;
    else high = middle - 1;
  }
  f.longest_context = low;
  return f;
}

}  // namespace

Result<std::optional<LanguageFacts>> language_facts(const RunRequest& request) {
  Result<std::optional<Request>> asked = read(request);
  if (!asked) return asked.error();
  if (!*asked) return std::optional<LanguageFacts>();
  const Arguments& arguments = (*asked)->arguments;
  const Result<LanguageModel> part = (*asked)->model.first_layers(engine::integer_argument(arguments, "layers"));
  if (!part) return part.error();
  const LanguageModel& m = *part;
  LanguageFacts facts;
  facts.title = m.title, facts.family = m.family, facts.layers = m.layers, facts.made_for = m.context;
  facts.parameters = engine::parameter_count(m);
  facts.parameters_per_token = engine::parameters_per_token(m);
  facts.context = engine::integer_argument(arguments, "context");
  facts.batch = engine::integer_argument(arguments, "batch");
  facts.cache_elements_per_token = static_cast<int64_t>(engine::cache_elements(m, 1));
  facts.flops_per_token = engine::flops_per_token(m, facts.context);
  facts.memory_bytes = static_cast<double>(engine::host_memory().available_bytes);
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16})
    facts.formats.push_back(format_facts(m, dtype, WeightFormat::as_dtype, facts));
  for (const WeightFormat format : {WeightFormat::q8_0, WeightFormat::q4_0})
    facts.formats.push_back(format_facts(m, DType::float32, format, facts));
  return std::optional(std::move(facts));
}

}  // namespace app
