// SPDX-License-Identifier: Apache-2.0
// The list of studies.
#include "app/base/studies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "app/base/run_settings.h"
#include "engine/base/nearest_name.h"
#include "engine/workloads/workload.h"

namespace app {
namespace {

/// 1, 2, 4 ... and all threads the machine has.
std::string thread_axis() {
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  std::vector<unsigned> counts;
  for (unsigned n = 1; n < all; n = n < 4 ? n + 1 : n * 2) counts.push_back(n);
  counts.push_back(all);
  return fmt::format("threads={}", fmt::join(counts, ","));
}

/// The networks of Table 7 of Shi et al. 2016, each with its minibatch: see profiler/sweep/reference.h.
constexpr const char* kTable7 =
    "workload=mlp:fcn-s,alexnet:alexnet-s,resnet50:shi2016,mlp:fcn-r,alexnet:alexnet-r,resnet56:shi2016,lstm:shi2016";

std::vector<Study> all_studies() {
  return {
      {"batch",
       "Batch size",
       "Parameters are read once per step: a larger batch shares them, until arithmetic binds. "
       "Where is the knee, and what binds on each side?",
       "",
       {"batch=1,2,4..256"},
       {}},
      {"one_sample",
       "Almost as fast as one sample",
       "A fully connected layer reads its weights once per step, so a batch takes little longer than one sample. A "
       "convolution uses each weight at every pixel: its time grows from the second sample on.",
       "mlp",
       {"workload=mlp:one-layer,im2col:direct", "batch=1,2,4..64"},
       {}},
      {"threads",
       "Threads",
       "How far more cores help: speed-up, efficiency and the serial part by Amdahl's law. Each thread stays on one "
       "processor: cores first, hyper-threads last.",
       "",
       {thread_axis()},
       {},
       false,
       {},
       {{"pin", "auto"}}},
      {"dtype",
       "Number formats",
       "The same step in every dtype the workload has: time and bytes side by side.",
       "",
       {"dtype="},
       {}},
      {"loss_formats",
       "Losses by number format",
       "A small training in f32, bf16, f16 without and with loss scaling, and with weights rounded to 8-bit integers, "
       "over five seeds. f16 learns nothing without scaling: its gradients become zero.",
       "half_training",
       {"preset=f32,bf16,f16,f16-scaled,i8-weights", "seed=1..5+1"},
       {},
       false,
       "3..3",
       {{"steps", "200"}}},
      {"parallel_width",
       "Parallel width",
       "Independent chains of arithmetic, more and more of them: the knee is what the machine "
       "works on at once, cores times lanes of a vector.",
       "parallel_width",
       {"batch=1..4096"},
       {}},
      {"working_set",
       "Working set",
       "A pointer chase through more and more bytes: the time of one load climbs a rung with each "
       "cache it outgrows.",
       "latency_ladder",
       {"working_set=4096..268435456"},
       {}},
      {"bandwidth",
       "Bandwidth by size",
       "STREAM triad over longer and longer arrays: compulsory bytes per second fall with each "
       "cache they outgrow. With --collect simulate: bytes per second over each link.",
       "stream",
       {"n=256..16777216"},
       {}},
      {"block_size",
       "Block size",
       "A tiled matrix multiplication with growing tiles: which tile is the fastest here, and what it moves. "
       "The traffic model has no tiles, so the caches are simulated at each size.",
       "ladder",
       {"tile=4..512"},
       {"product=matmul", "rung=tiled", "size=768"},
       true},
      {"launches",
       "Starting an op",
       "A chain of more and more ops that do next to nothing, one by one and fused: the slope is what starting one "
       "costs. The table quantiles of a point's capture has the distribution of these times.",
       "launch",
       {"fuse=off,on", "ops=1,10,100,1000"},
       {"n=1"}},
      {"derivatives",
       "Forward and reverse mode over the depth",
       "All derivatives of ever deeper networks. Reverse mode keeps what each layer put out until its gradient; the "
       "memory of forward mode stays the same but for the weights.",
       "jacobian",
       {"mode=forward,reverse", "depth=2,4,8..64"},
       {"hidden=64", "inputs=4", "outputs=4"}},
      {"dependent_steps",
       "One multiplication, or a chain of steps",
       "The same FLOPs as one matrix multiplication and as 2 to 32 steps of which each needs the one before. More "
       "launches and narrower matrices leave more of the arithmetic units idle: why recurrent networks take longer.",
       "dependent_steps",
       {"steps=1,2,4..32"},
       {}},
      {"llm_batch_context",
       "Batch and context of a language model",
       "Each decoded token reads all weights, shared by the batch, and its own cache, shared by nobody. What limits "
       "the "
       "step at each batch and context?",
       "llm",
       {"batch=1,4,16,64", "context=128,512,2048"},
       {"model=smollm2-135m", "phase=decode", "layers=4"}},
      {"table7",
       "Table 7 of Shi et al. 2016",
       "The seven networks of a well-known comparison of frameworks, with their minibatches, "
       "beside the published times.",
       "mlp",
       {kTable7},
       {}},
  };
}

}  // namespace

std::span<const Study> studies() {
  static const std::vector<Study> all = all_studies();
  return all;
}

engine::Result<const Study*> find_study(std::string_view name) {
  std::vector<std::string> names;
  for (const Study& study : studies()) {
    if (study.name == name) return &study;
    names.push_back(study.name);
  }
  return engine::usage_error(fmt::format("[--study] there is no study \"{}\"{} There are: {}", name,
                                         engine::did_you_mean(name, names), fmt::join(names, ", ")));
}

engine::Result<std::vector<std::string>> study_axes(const Study& study, std::string_view workload,
                                                    std::span<const std::string> given) {
  std::vector<std::string> axes;
  for (const std::string& axis : study.axes) {
    const std::string name = axis.substr(0, axis.find('='));
    if (std::ranges::any_of(given, [&](const std::string& own) { return own.starts_with(name + "="); })) continue;
    const RunSetting* setting = find_run_setting(name);
    const bool of_run = name == "workload" || name == "preset" ||
                        (setting != nullptr && setting->is_axis() && setting->about != RunSetting::About::workload);
    const auto found = engine::find_workload(workload);
    const engine::Parameter* parameter = nullptr;
    if (found.ok()) {
      const auto at = std::ranges::find((*found)->parameters, name, &engine::Parameter::name);
      if (at != (*found)->parameters.end()) parameter = &*at;
    }
    if (found.ok() && !of_run && parameter == nullptr) {
      return engine::usage_error(
          fmt::format("[--study] {}: {} has no parameter {} to vary", study.name, workload, name));
    }
    if (!axis.ends_with('=')) {
      axes.push_back(axis);
    } else if (parameter != nullptr && !parameter->choices.empty()) {
      axes.push_back(fmt::format("{}{}", axis, fmt::join(parameter->choices, ",")));
    } else {
      return engine::usage_error(
          fmt::format("[--study] {}: what values {} may take is not known for {}; name them: --axis {}f32,bf16",
                      study.name, name, workload, axis));
    }
  }
  return axes;
}

}  // namespace app
