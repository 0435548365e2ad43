// SPDX-License-Identifier: Apache-2.0
// tensortide_catalog_benchmark: every op of the conformance catalog at realistic sizes, with plain, cut-out and transposed operands, held against the
// larger of five plain copies of its compulsory bytes and its FLOPs at a tenth of the peak. What is slower needs a reason in catalog_reasons.txt.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/cpu/backend.h"
#include "engine/ops/ops.h"
#include "tests/benchmarks/catalog_sizes.h"

namespace {

using namespace engine;  // NOLINT: a program of this floor
using benchmarks::OperandLayout;
using test::OpExample;

constexpr double kCopies = 5, kPartOfPeak = 0.1;
/// Below this an op is the start of a call or of threads: no copy is as short.
constexpr double kLeastNs = 20e3;

struct Options {
  int threads = 1;
  std::string op, reasons;
  DType dtype = DType::float32;
  double seconds = 0.15;  ///< of one measurement, at most
  bool all = false;       ///< also what keeps the limit
};

double now_ns() { return static_cast<double>(engine::now_ns()); }

/// The shortest of several runs; fewer where one takes long.
template <class Run>
double shortest_ns(double seconds, const Run& run) {
  double best = 0;
  const double start = now_ns();
  for (int i = 0; i < 200; ++i) {
    const double before = now_ns();
    run();
    const double after = now_ns();
    best = i == 0 ? after - before : std::min(best, after - before);
    if (after - start > (i >= 2 ? 1 : 5) * seconds * 1e9) break;
  }
  return best;
}

/// An op on tensors of its own, made ready.
struct Ready {
  Node node;
  std::vector<Tensor> inputs, outputs;
  std::shared_ptr<Storage> workspace;
  std::unique_ptr<PreparedOp> op;
  double bytes = 0, flops = 0;
};

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// Empty where the op refuses the operands.
Result<std::unique_ptr<Ready>> make_ready(Backend& backend, const OpExample& example, DType dtype) {
  auto ready = std::make_unique<Ready>();
  ready->node.op = find_op(example.op);
  ready->node.attributes = example.attributes;
  ready->inputs = test::make_operands(example, dtype);
  const std::vector<TensorType> inputs = types_of(ready->inputs);
  const auto outputs = ready->node.op->infer(inputs, example.attributes);
  if (!outputs) return outputs.error();
  const auto& in_place = ready->node.op->in_place;
  for (size_t j = 0; j < outputs->size(); ++j) {
    if (j < in_place.size() && in_place[j] >= 0) ready->outputs.push_back(ready->inputs[static_cast<size_t>(in_place[j])]);
    else ready->outputs.push_back(test::make_tensor((*outputs)[j]));
  }
  const Call call{ready->node.attributes, inputs, *outputs};
  const Cost cost = ready->node.op->cost(call);
  ready->flops = cost.flops;
  for (const auto* list : {&cost.read_bytes, &cost.written_bytes}) ready->bytes += static_cast<double>(std::accumulate(list->begin(), list->end(), int64_t{0}));
  auto workspace = backend.allocate(backend.workspace_bytes(ready->node, call));
  if (!workspace) return workspace.error();
  ready->workspace = *workspace;
  auto op = backend.prepare({ready->node, {&ready->node.attributes, ready->inputs, ready->outputs}, ready->workspace->data(), {}});
  if (!op) return op.error();
  ready->op = *std::move(op);
  return ready;
}

/// Times of plain copies, by whole powers of two of bytes, measured when they are asked for.
class CopyTimes {
 public:
  CopyTimes(Backend& backend, double seconds) : backend_(backend), seconds_(seconds) {}
  double ns(double bytes) {
    int64_t size = 4096;
    while (static_cast<double>(size) < bytes) size *= 2;
    const auto [at, is_new] = known_.emplace(size, 0);
    if (is_new) {
      const OpExample copy{"copy", "", {{TensorType::contiguous(DType::float64, {size / 4}), {}}}, {}};
      const auto ready = make_ready(backend_, copy, DType::float32);
      if (ready) at->second = shortest_ns(seconds_, [&] { (*ready)->op->run(); });
    }
    return at->second * bytes / static_cast<double>(size);
  }

 private:
  Backend& backend_;
  double seconds_;
  std::map<int64_t, double> known_;
};

/// FLOP/s of a product of matrices that fit the caches: what arithmetic comes to in practice, on so many threads.
double peak_flop_per_s(Backend& backend, DType dtype, double seconds) {
  const auto square = [] { return test::Operand{TensorType::contiguous(DType::float64, {512, 512}), {Fill::Kind::uniform, -1, 1}}; };
  const auto ready = make_ready(backend, {"matmul", "", {square(), square()}, {}}, dtype);
  return ready ? (*ready)->flops / shortest_ns(4 * seconds, [&] { (*ready)->op->run(); }) * 1e9 : 0;
}

/// "op | layout | dtype: reason"; "*" stands for all.
class Reasons {
 public:
  explicit Reasons(const std::string& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      const size_t colon = line.find(": ");
      if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
      reasons_[line.substr(0, colon)] = line.substr(colon + 2);
    }
  }
  std::string of(std::string_view op, std::string_view layout, std::string_view dtype) const {
    for (const std::string_view l : {layout, std::string_view("*")}) {
      for (const std::string_view d : {dtype, std::string_view("*")}) {
        const auto at = reasons_.find(fmt::format("{} | {} | {}", op, l, d));
        if (at != reasons_.end()) return at->second;
      }
    }
    return {};
  }

 private:
  std::map<std::string, std::string> reasons_;
};

std::string shapes_of(const OpExample& example) {
  std::string text;
  for (const test::Operand& operand : example.inputs) text += (text.empty() ? "" : ", ") + to_string(operand.type.shape);
  return text;
}

struct Totals {
  int measured = 0, slow = 0, reference = 0, without_reason = 0;
};

void measure(Backend& backend, const Options& options, const OpExample& example, OperandLayout layout, CopyTimes& copies, double peak, const Reasons& reasons, Totals& totals) {
  const auto laid = benchmarks::laid_out(example, layout);
  if (!laid) return;
  const auto ready = make_ready(backend, *laid, options.dtype);
  if (!ready) return;
  const double ns = shortest_ns(options.seconds, [&] { (*ready)->op->run(); });
  const double limit = std::max({kCopies * copies.ns((*ready)->bytes), (*ready)->flops / (kPartOfPeak * peak) * 1e9, kLeastNs});
  const bool slow = ns > limit, reference = is_reference((*ready)->op->code());
  ++totals.measured;
  totals.slow += slow ? 1 : 0;
  totals.reference += reference ? 1 : 0;
  const std::string reason = slow ? reasons.of(example.op, name(layout), name(options.dtype)) : std::string();
  if (slow && reason.empty()) ++totals.without_reason;
  if (!options.all && !slow && !reference) return;
  fmt::print("{:7.1f}x {:10.1f} us  {:9.2f} MB  {}{} [{}] {}, {}: {}{}\n", ns / limit, ns / 1e3, (*ready)->bytes / 1e6, reference ? "REFERENCE " : "", example.op, example.label,
             name(layout), shapes_of(example), (*ready)->op->kernel_name(), reason.empty() ? "" : " -- " + reason);
  std::fflush(stdout);
}

std::optional<Options> options_of(int count, char** words) {
  Options options;
  const auto number = [](const char* text, auto& to) { return std::from_chars(text, text + std::strlen(text), to).ec == std::errc(); };
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--all") {
      options.all = true;
      continue;
    }
    if (i + 1 >= count) return {};
    const char* value = words[++i];
    if (word == "--threads" && number(value, options.threads)) continue;
    if (word == "--seconds" && number(value, options.seconds)) continue;
    if (word == "--op") options.op = value;
    else if (word == "--reasons") options.reasons = value;
    else if (word == "--dtype" && parse_dtype(value)) options.dtype = *parse_dtype(value);
    else return {};
  }
  return options;
}

}  // namespace

int main(int count, char** words) {
  const auto options = options_of(count, words);
  if (!options) {
    fmt::print(stderr, "usage: tensortide_catalog_benchmark [--threads N] [--dtype f32] [--op NAME] [--seconds S] [--reasons FILE] [--all]\n");
    return 2;
  }
  auto backend = cpu::make_backend(options->threads);
  if (!backend) {
    fmt::print(stderr, "{}\n", backend.error().message);
    return 3;
  }
  CopyTimes copies(**backend, options->seconds);
  const double peak = peak_flop_per_s(**backend, options->dtype == DType::float64 ? DType::float64 : DType::float32, options->seconds);
  const Reasons reasons(options->reasons);
  fmt::print("{} thread(s), {}: a product reaches {:.1f} GFLOP/s, 8 MB are copied in {:.0f} us. Times over the limit first.\n", options->threads, name(options->dtype), peak / 1e9,
             copies.ns(8e6) / 1e3);
  Totals totals;
  for (const Op* op : op_catalog()) {
    if (op->view != nullptr || (!options->op.empty() && op->name != options->op)) continue;
    for (const OpExample& example : benchmarks::measured_examples(op->name)) {
      for (const OperandLayout layout : benchmarks::kOperandLayouts) measure(**backend, *options, example, layout, copies, peak, reasons, totals);
    }
  }
  fmt::print("{} measured, {} slower than the limit ({} of them without a reason), {} in reference code.\n", totals.measured, totals.slow, totals.without_reason, totals.reference);
  return totals.without_reason == 0 ? 0 : 1;
}
