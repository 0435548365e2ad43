// SPDX-License-Identifier: Apache-2.0
// tensortide_idiom_runner FOLDER THREADS FUSE: loads FOLDER/model.onnx with the inputs input_0.pb, input_1.pb, ... and
// answers lines: "check" by the largest difference to output_0.pb, ... relative to the largest element, "run N" by the
// shortest of N steps in ns, "teams N" by the teams of several threads and the processor time in ns that a step takes
// in the mean, "ops N" by the time of each op.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/thread_team.h"
#include "engine/cpu/backend.h"
#include "engine/onnx/import.h"
#include "engine/ops/data_dependent.h"
#include "engine/ops/fusion.h"
#include "engine/runtime/fold_constants.h"
#include "engine/runtime/lazy_values.h"
#include "engine/runtime/plan.h"

namespace {

using namespace engine;  // NOLINT: a program of this floor
namespace fs = std::filesystem;

int failed(const std::string& message) {
  fmt::print("no {}\n", message);
  return 3;
}

/// Sums the time of each op over steps.
class OpTimes final : public Observer {
 public:
  explicit OpTimes(size_t ops) : ticks(ops, 0) {}
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t op, int64_t begin, int64_t end) override { ticks[op] += end - begin; }
  std::vector<int64_t> ticks;
};

struct Loaded {
  std::shared_ptr<const Graph> graph;
  std::vector<ValueId> inputs, outputs;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;
  std::vector<Tensor> wanted;
};

/// The model; where its shapes depend on data, with those that its inputs in the folder give.
Result<onnx::Model> read_model(const fs::path& folder, int threads) {
  auto model = onnx::load_model(folder / "model.onnx");
  if (model) return model;
  auto backend = cpu::make_backend(threads);
  if (!backend) return backend.error();
  LazyValues values(**backend, 1);
  int inputs = 0;
  onnx::ImportOptions options;
  options.evaluate = [&](const Graph& graph, ValueId id) -> Result<Tensor> {
    for (const Value& value : graph.values()) {
      if (inputs > 0 || value.kind != ValueKind::input) continue;
      for (const Value& each : graph.values()) {
        if (each.kind != ValueKind::input) continue;
        auto tensor = onnx::load_tensor(folder / fmt::format("input_{}.pb", inputs++));
        if (!tensor) return tensor;
        values.give(each.name, *std::move(tensor));
      }
    }
    return values.value(graph, id);
  };
  return onnx::load_model(folder / "model.onnx", options);
}

Result<void> load(const fs::path& folder, int threads, bool fuses, Loaded& loaded) {
  auto model = read_model(folder, threads);
  if (!model) return model.error();
  fuses = fuses && model->data_dependent.empty();  // rounded otherwise, data may ask for other sizes
  loaded.inputs = model->inputs;
  for (const onnx::ModelOutput& output : model->outputs)
    loaded.outputs.insert(loaded.outputs.end(), output.values.begin(), output.values.end());
  auto backend = cpu::make_backend(threads);
  if (!backend) return backend.error();
  loaded.backend = *std::move(backend);
  auto folded = fold_constants(model->graph, *loaded.backend, {.keep_dequantized = fuses});
  if (folded && fuses) folded = fold_constants(fuse(folded->graph), *loaded.backend);
  if (!folded) return folded.error();
  loaded.graph = std::make_shared<const Graph>(std::move(folded->graph));
  auto plan = Plan::make(loaded.graph, *loaded.backend);
  if (!plan) return plan.error();
  loaded.plan = *std::move(plan);
  for (size_t i = 0; i < loaded.inputs.size(); ++i) {
    const auto tensor = onnx::load_tensor(folder / fmt::format("input_{}.pb", i));
    if (!tensor) return tensor.error();
    if (Result<void> copied = loaded.backend->copy(*tensor, loaded.plan->tensor(loaded.inputs[i])); !copied)
      return copied;
  }
  for (size_t i = 0; i < loaded.outputs.size(); ++i) {
    auto tensor = onnx::load_tensor(folder / fmt::format("output_{}.pb", i));
    if (!tensor) return tensor.error();
    loaded.wanted.push_back(*std::move(tensor));
  }
  return {};
}

double difference(const Loaded& loaded) {
  double most = 0;
  for (const ops::SizeCheck& check : ops::size_checks(*loaded.graph)) {
    const auto found = static_cast<int64_t>(loaded.plan->tensor(check.found).get_flat(0));
    if (!ops::check_size(*loaded.graph, check, found)) return std::numeric_limits<double>::infinity();
  }
  for (size_t i = 0; i < loaded.outputs.size(); ++i) {
    const Tensor &got = loaded.plan->tensor(loaded.outputs[i]), &wanted = loaded.wanted[i];
    if (got.shape() != wanted.shape()) return std::numeric_limits<double>::infinity();
    double scale = 1e-30, apart = 0;
    for (int64_t k = 0; k < got.type().elements(); ++k) {
      if (std::isnan(wanted.get_flat(k)) != std::isnan(got.get_flat(k))) return std::numeric_limits<double>::infinity();
      if (std::isnan(wanted.get_flat(k)) || wanted.get_flat(k) == got.get_flat(k)) continue;  // infinities too
      scale = std::max(scale, std::abs(wanted.get_flat(k)));
      apart = std::max(apart, std::abs(wanted.get_flat(k) - got.get_flat(k)));
    }
    most = std::max(most, apart / scale);
  }
  return most;
}

/// Of all threads of this program.
int64_t ran_ns() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return spent.tv_sec * 1'000'000'000 + spent.tv_nsec;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    fmt::print(stderr, "usage: tensortide_idiom_runner FOLDER THREADS on|off\n");
    return 2;
  }
  Loaded loaded;
  if (Result<void> done = load(words[1], std::atoi(words[2]), std::string(words[3]) == "on", loaded); !done)
    return failed(done.error().message);
  loaded.plan->run_step(0, nullptr);
  fmt::print("ready {}\n", loaded.graph->nodes().size());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const int steps = line.find(' ') == std::string::npos ? 1 : std::max(1, std::atoi(line.c_str() + line.find(' ')));
    if (line == "check") {
      fmt::print("difference {:.3g}\n", difference(loaded));
    } else if (line.starts_with("run")) {
      int64_t best = std::numeric_limits<int64_t>::max();
      for (int i = 0; i < steps; ++i) {
        const int64_t begin = now_ns();
        loaded.plan->run_step(1, nullptr);
        best = std::min(best, now_ns() - begin);
      }
      fmt::print("ns {}\n", best);
    } else if (line.starts_with("teams")) {
      const uint64_t teams = teams_started();
      const int64_t ran = ran_ns();
      for (int i = 0; i < steps; ++i) loaded.plan->run_step(1, nullptr);
      fmt::print("teams {} ran {}\n", static_cast<double>(teams_started() - teams) / steps, (ran_ns() - ran) / steps);
    } else if (line.starts_with("ops")) {
      OpTimes times(loaded.graph->nodes().size());
      for (int i = 0; i < steps; ++i) loaded.plan->run_step(1, &times);
      for (const Node& node : loaded.graph->nodes()) {
        if (node.op->view != nullptr) continue;
        fmt::print("op {} {} | {} | {} | {}\n", times.ticks[node.id],
                   is_reference(loaded.plan->code(node.id)) ? "reference" : "fast", node.op->name,
                   loaded.plan->kernel_name(node.id), to_string(loaded.graph->value(node.outputs[0]).type));
      }
      fmt::print("end\n");
    } else {
      fmt::print("no such request\n");
    }
    std::fflush(stdout);
  }
  return 0;
}
