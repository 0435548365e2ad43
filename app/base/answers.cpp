// SPDX-License-Identifier: Apache-2.0
// Answers about machine, memory, other GPUs and numbers.
#include "app/base/answers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "app/base/collector_choices.h"
#include "app/base/devices.h"
#include "app/base/module_loader.h"
#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "profiler/analysis/footprint.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/batch.h"
#include "profiler/predict/sheet_bounds.h"

namespace app {
namespace {

using engine::Result;
using profiler::Cell;
using profiler::Column;
using profiler::format_quantity;
using profiler::Origin;
using profiler::Quantity;

Column text_column(const char* key, const char* title, const char* help, Origin origin = Origin::exact) {
  return {.key = key, .title = title, .quantity = Quantity::text, .origin = origin, .help = help};
}

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

std::string bytes_words(double value) { return format_quantity(value, Quantity::bytes); }
std::string capacity_words(double value) { return format_quantity(value, Quantity::capacity_bytes); }

/// What lives at the peak: roles, then the largest tensors.
profiler::Table peak_table(const Fit& fit) {
  profiler::Table table{
      .name = "peak",
      .columns = {text_column("what", "At the peak", "A role of bytes, or one of the largest tensors"),
                  {.key = "live_bytes",
                   .title = "Live bytes",
                   .quantity = Quantity::bytes,
                   .origin = Origin::exact,
                   .help = "Bytes that live while the op of the peak runs"}},
      .rows = {},
      .row_ops = {}};
  if (!fit.planned || fit.planned->ops().empty()) return table;
  const profiler::Footprint footprint = profiler::footprint(*fit.planned);
  for (const profiler::FootprintPoint& point : footprint.points) {
    if (point.op != footprint.peak_op) continue;
    for (size_t role = 0; role < point.live_bytes.size(); ++role)
      if (point.live_bytes[role] > 0)
        table.rows.push_back(
            {fmt::format("all: {}", engine::name(static_cast<engine::Role>(role))), point.live_bytes[role]});
  }
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < std::min(kShown, footprint.at_peak.size()); ++i) {
    const profiler::TensorRecord& tensor = fit.planned->tensors()[footprint.at_peak[i]];
    table.rows.push_back({std::string(fit.planned->name(tensor.name)), static_cast<double>(tensor.size_bytes)});
  }
  return table;
}

/// What is free on a device, as it reports it; 0: it does not say.
double free_bytes(const std::string& device) {
  for (const DeviceEntry& entry : devices())
    if (entry.name == device) return static_cast<double>(entry.describe().memory_available_bytes);
  return 0;
}

}  // namespace

std::vector<MachinePart> build_libraries() {
  const auto version = [](const std::string& name) {
    for (const std::string& library : engine::cpu::describe().libraries) {
      if (library.starts_with(name)) return library;
    }
    return std::string();
  };
  const bool onednn = engine::cpu::has_onednn();
  std::vector<MachinePart> list{{"oneDNN", onednn,
                                 onednn ? version("oneDNN") + " computes convolutions and most matrix multiplications"
                                        : "this build was made without it; Tensortide's own kernels replace it",
                                 onednn ? "" : "install libdnnl-dev and configure with -DTENSORTIDE_ONEDNN=ON"}};
  if (onednn) {
    engine::forget_teams();
    const bool shared = engine::largest_team() > 0;
    list.push_back(
        {"oneDNN on our threads", shared,
         shared ? "waiting threads sleep while other programs want their processors"
                : "this oneDNN keeps threads of its own: runs beside busy programs are slow, and threads per op are "
                  "unknown",
         shared ? "" : "use a oneDNN that is built on libgomp, as Debian's is, or set OMP_WAIT_POLICY=passive"});
  }
  return list;
}

Answer machine_answer() {
  std::vector<MachinePart> parts = build_libraries();
  for (const DeviceModule& module : device_modules()) {
    if (engine::traits_of(module.kind).emulated) continue;
    const ModuleAvailability& gpus = availability(module);
    parts.push_back({fmt::format("{}: to run on", module.people), gpus.available, gpus.why, gpus.remedy});
  }
  for (const CollectorChoice& choice : collector_choices_on("cpu"))
    parts.push_back({choice.title, choice.available, choice.why, choice.remedy});
  Answer answer;
  answer.table = {.name = "machine",
                  .columns = {text_column("part", "Part", "A library of this build, or a source of figures"),
                              text_column("works", "Works here", "Whether a run on this machine can use it"),
                              text_column("found", "What was found", "What a look at this machine showed"),
                              text_column("remedy", "What helps", "What makes it work; empty: nothing is to be done")},
                  .rows = {},
                  .row_ops = {}};
  size_t working = 0;
  for (const MachinePart& part : parts) {
    working += part.works ? 1 : 0;
    answer.table.rows.push_back({part.title, std::string(part.works ? "yes" : "no"), text_cell(part.why),
                                 text_cell(part.works ? std::string() : part.remedy)});
  }
  answer.sentence = fmt::format("{} of {} parts work on this machine.", working, parts.size());
  return answer;
}

std::vector<std::string> fit_sentences(const Fit& fit) {
  // Sizes that look the same although one fits and the other does not are told to the byte.
  const bool alike =
      fit.refused > 0 && (bytes_words(fit.refused_bytes) == bytes_words(fit.available_bytes) ||
                          (fit.largest > 0 && bytes_words(fit.refused_bytes) == bytes_words(fit.largest_bytes)));
  const auto told = [&](double value) {
    return alike ? fmt::format("{} ({:.0f} B)", bytes_words(value), value) : bytes_words(value);
  };
  const std::string room =
      told(fit.available_bytes) + (fit.limit.empty() ? std::string() : fmt::format(" (what {} leaves)", fit.limit));
  std::vector<std::string> sentences{
      fit.largest > 0 ? fmt::format("The largest batch that fits into {} is {}: it needs {}.", room, fit.largest,
                                    told(fit.largest_bytes))
                      : fmt::format("Not even one sample fits into {}: it needs {}.", room, told(fit.refused_bytes))};
  if (fit.largest > 0 && fit.refused > 0) {
    sentences.push_back(
        fmt::format("Batch {} would need {}.", fit.refused,
                    std::isnan(fit.refused_bytes) ? std::string("more than can be counted") : told(fit.refused_bytes)));
  } else if (fit.refused == 0) {
    sentences.emplace_back("No larger batch is allowed by the workload, or none was tried beyond 2^40.");
  }
  if (fit.copies_most_bytes > 0)
    sentences.push_back(fmt::format("Beside it, kernels may keep packed copies of weights: up to {} more.",
                                    bytes_words(fit.copies_most_bytes)));
  return sentences;
}

Result<Answer> fit_answer(const RunRequest& request, double memory_bytes) {
  if (memory_bytes == 0) memory_bytes = free_bytes(request.device);
  if (!(memory_bytes > 0))
    return engine::refused_error(
        fmt::format("The free memory of {} is unknown. Give a size, such as 16GB.", request.device));
  Result<Fit> fit = largest_batch(request, memory_bytes);
  if (!fit) return fit.error();
  Answer answer;
  answer.notes = fit_sentences(*fit);
  answer.sentence = answer.notes.front();
  answer.notes.erase(answer.notes.begin());
  answer.notes.emplace_back("Planned from shapes: nothing was allocated or run.");
  answer.table = peak_table(*fit);
  return answer;
}

std::vector<std::string> prediction_sentences(const profiler::Prediction& p) {
  const auto percent = [](double ratio) { return format_quantity(ratio, Quantity::percent_of); };
  std::vector<std::string> sentences;
  if (!(p.modelled_ns > 0)) {
    sentences.push_back(fmt::format("{}: no op of this step is modelled.", p.gpu.name));
  } else {
    sentences.push_back(
        fmt::format("{}: {} would take {} (modelled, ± {}: {}), most of it ({}) limited by {}.", p.gpu.name,
                    p.unknown_ops == 0 ? "a step" : "the modelled ops of a step",
                    format_quantity(p.modelled_ns, Quantity::duration_ns), percent(p.error),
                    p.gpu.errors.checked ? "GEMMs, convolutions and recurrent layers: mean error against measured "
                                           "layers on this device; streams of bytes: a margin without measurements"
                                         : "mean error over other devices with measured layers (this one has none); "
                                           "streams of bytes: a margin",
                    percent(p.limit_share),
                    p.limit == profiler::GpuLimit::launch      ? "launches"
                    : p.limit == profiler::GpuLimit::occupancy ? "occupancy: too few tiles to fill the GPU"
                                                               : std::string(profiler::name(p.limit))));
  }
  if (p.unknown_ops > 0)
    sentences.push_back(fmt::format("{} {} not modelled ({} in all).", p.unknown_ops,
                                    p.unknown_ops == 1 ? "op is" : "ops are",
                                    format_quantity(p.unknown_flops, Quantity::flops)));
  sentences.push_back(
      fmt::format("Specified: {} f32, {}; ops one after the other, caches cold, nothing between kernels.",
                  format_quantity(p.gpu.peak_flop_per_s(), Quantity::flop_per_s),
                  format_quantity(p.gpu.memory_bytes_per_s, Quantity::bytes_per_s)));
  return sentences;
}

Answer sheets_answer(const profiler::Capture& capture, const profiler::GpuDataSheet* one) {
  std::vector<profiler::SheetBound> bounds = profiler::sheet_bounds(capture);
  if (one != nullptr) std::erase_if(bounds, [&](const profiler::SheetBound& bound) { return bound.sheet != one; });
  size_t sized = 0, fitting = 0;
  for (const profiler::SheetBound& bound : bounds) {
    sized += std::isnan(bound.fits()) ? 0 : 1;
    fitting += bound.fits() > 0 ? 1 : 0;
  }
  Answer answer;
  answer.sentence =
      sized == 0 ? std::string("Whether it fits is unknown.")
      : one != nullptr
          ? fmt::format("It {} into the memory of {}: it needs {} of {}.", fitting > 0 ? "fits" : "does not fit",
                        one->name, capacity_words(bounds.front().needed_bytes), capacity_words(one->memory_bytes))
          : fmt::format("It fits into the memory of {} of {} devices: it needs {}.", fitting, sized,
                        capacity_words(bounds.front().needed_bytes));
  answer.notes = {"Times are bounds of data sheets (modelled). No device reaches them, and none was measured.",
                  "Memory is that of our plan. Frameworks and drivers need more."};
  answer.table = profiler::sheet_bounds_table(bounds);
  return answer;
}

Result<Answer> prediction_answer(const profiler::Capture& capture, const std::string& gpu, bool by_type) {
  if (gpu == kSheets) return sheets_answer(capture);
  Answer answer;
  if (!gpu.empty() && !profiler::modelled_gpu(gpu)) {
    if (const profiler::GpuDataSheet* sheet = profiler::named_data_sheet(gpu)) return sheets_answer(capture, sheet);
  }
  if (!gpu.empty()) {
    const Result<profiler::ModelledGpu> one = profiler::modelled_gpu(gpu);
    if (!one) return one.error();
    const profiler::Prediction prediction = profiler::predict(capture, *one);
    answer.sentence = prediction.modelled_ns > 0
                          ? fmt::format("A step would take about {} on {}.",
                                        format_quantity(prediction.modelled_ns, Quantity::duration_ns), one->name)
                          : fmt::format("No op of this step is modelled on {}.", one->name);
    answer.notes = prediction_sentences(prediction);
    answer.table = profiler::prediction_table(capture, prediction, by_type);
    return answer;
  }
  std::vector<profiler::Prediction> predictions;
  for (const profiler::ModelledGpu& each : profiler::modelled_gpus())
    predictions.push_back(profiler::predict(capture, each));
  const profiler::Prediction* fastest = nullptr;
  for (const profiler::Prediction& p : predictions)
    if (p.modelled_ns > 0 && (fastest == nullptr || p.modelled_ns < fastest->modelled_ns)) fastest = &p;
  answer.sentence = fastest == nullptr ? std::string("No op of this step is modelled.")
                                       : fmt::format("The fastest of {} modelled GPUs is {}, with about {} a step.",
                                                     predictions.size(), fastest->gpu.name,
                                                     format_quantity(fastest->modelled_ns, Quantity::duration_ns));
  answer.notes.emplace_back("All modelled: ops one after the other, caches cold, nothing between kernels.");
  answer.table = profiler::predicted_devices_table(predictions, profiler::batch_of(capture));
  return answer;
}

Result<Answer> number_answer(const std::string& text, bool integers, const engine::Quantization& quantization) {
  using engine::DType;
  const std::vector<DType> dtypes = integers
                                        ? std::vector{DType::int8, DType::uint8}
                                        : std::vector{DType::float64, DType::float32, DType::bfloat16, DType::float16};
  Answer answer;
  answer.table = {
      .name = "number",
      .columns = {text_column("dtype", "Data type", "How the number is stored"),
                  text_column("value", "Stored value", "What the bits mean, exactly, in decimal"),
                  text_column("error", "Error", "Stored value - number, exactly"),
                  {.key = "relative_error",
                   .title = "Relative error",
                   .quantity = Quantity::percent_of,
                   .origin = Origin::exact,
                   .help = "|error / number|"},
                  text_column("bits", "Bits", "Sign | exponent | fraction; of integers, two's complement or unsigned"),
                  text_column("kind", "Kind", "Zero, subnormal, normal, infinite, NaN or integer"),
                  text_column("spacing", "Spacing", "From |value| to the next larger magnitude"),
                  text_column("below", "Next below", "The next smaller value that the data type has"),
                  text_column("above", "Next above", "The next larger value that the data type has"),
                  text_column("largest", "Largest", "The largest finite value of the data type")},
      .rows = {},
      .row_ops = {}};
  for (const DType dtype : dtypes) {
    const auto stored = engine::inspect_number(text, dtype, quantization);
    if (!stored) return stored.error();
    const std::string bits = stored->exponent.empty()
                                 ? stored->fraction
                                 : fmt::format("{} | {} | {}", stored->sign, stored->exponent, stored->fraction);
    answer.table.rows.push_back({std::string(name(dtype)), text_cell(stored->value), text_cell(stored->error),
                                 std::isnan(stored->relative_error) ? Cell() : Cell(stored->relative_error), bits,
                                 std::string(name(stored->kind)), text_cell(stored->spacing), text_cell(stored->below),
                                 text_cell(stored->above), text_cell(stored->largest)});
    if (stored->overflowed)
      answer.notes.push_back(
          fmt::format("{}: too large; it is held at the end of the range or becomes infinite.", name(dtype)));
    if (stored->underflowed) answer.notes.push_back(fmt::format("{}: too small; it becomes zero.", name(dtype)));
  }
  return answer;
}

}  // namespace app
