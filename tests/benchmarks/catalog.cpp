// SPDX-License-Identifier: Apache-2.0
// tensortide_catalog_benchmark: every op of the conformance catalog at realistic sizes, with plain, cut-out and
// transposed operands, held against the larger of five plain copies of its compulsory bytes and its FLOPs at a tenth of
// the peak. What is slower needs a reason in catalog_reasons.txt.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
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
  std::vector<int> threads{1, 2};
  std::vector<DType> dtypes{DType::float32, DType::bfloat16, DType::float16, DType::int8};
  std::string op, reasons, table;
  double minutes = 11;
  bool all = false;      ///< also what keeps the limit
  bool kernels = false;  ///< only who computes what, nothing is run
};

std::atomic<bool> is_stopped{false};

/// A first run longer than that is the only one.
constexpr double kLongNs = 50e6;

double wall_ns() { return static_cast<double>(engine::now_ns()); }
/// What the calling thread ran: others on its processor do not count.
double ran_ns() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) * 1e9 + static_cast<double>(spent.tv_nsec);
}

/// The shortest of several runs after the first, which touches memory for the first time; of the first alone where it
/// takes long. One thread is measured by the time it ran, several by the clock.
template <class Run>
double shortest_ns(int threads, double seconds, const Run& run) {
  const auto now = threads == 1 ? ran_ns : wall_ns;
  double best = 0;
  const double start = wall_ns();
  for (int i = 0; i < 200; ++i) {
    const double before = now();
    run();
    const double took = now() - before;
    best = i <= 1 ? took : std::min(best, took);
    const double spent = wall_ns() - start;
    if (is_stopped || (i == 0 ? took > kLongNs : spent > seconds * 1e9)) break;
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
Result<std::unique_ptr<Ready>> make_ready(Backend& backend, const OpExample& example,
                                          const std::vector<Tensor>& operands) {
  auto ready = std::make_unique<Ready>();
  ready->node.op = find_op(example.op);
  ready->node.attributes = example.attributes;
  ready->inputs = operands;
  const std::vector<TensorType> inputs = types_of(ready->inputs);
  const auto outputs = ready->node.op->infer(inputs, example.attributes);
  if (!outputs) return outputs.error();
  const auto& in_place = ready->node.op->in_place;
  for (size_t j = 0; j < outputs->size(); ++j) {
    if (j < in_place.size() && in_place[j] >= 0)
      ready->outputs.push_back(ready->inputs[static_cast<size_t>(in_place[j])]);
    else ready->outputs.push_back(test::make_tensor((*outputs)[j]));
  }
  const Call call{ready->node.attributes, inputs, *outputs};
  const Cost cost = ready->node.op->cost(call);
  ready->flops = cost.flops;
  for (const auto* list : {&cost.read_bytes, &cost.written_bytes})
    ready->bytes += static_cast<double>(std::accumulate(list->begin(), list->end(), int64_t{0}));
  auto workspace = backend.allocate(backend.workspace_bytes(ready->node, call));
  if (!workspace) return workspace.error();
  ready->workspace = *workspace;
  auto op = backend.prepare(
      {ready->node, {&ready->node.attributes, ready->inputs, ready->outputs}, ready->workspace->data(), {}});
  if (!op) return op.error();
  ready->op = *std::move(op);
  return ready;
}

/// What ops on so many threads are held against.
class Peers {
 public:
  static Result<std::unique_ptr<Peers>> make(int threads) {
    auto backend = cpu::make_backend(threads);
    if (!backend) return backend.error();
    return std::unique_ptr<Peers>(new Peers(*std::move(backend)));
  }
  Backend& backend() const { return *backend_; }
  int threads() const { return backend_->threads(); }
  /// Of a plain copy, by whole powers of two of bytes, measured when they are asked for.
  double copy_ns(double bytes) {
    int64_t size = 4096;
    while (static_cast<double>(size) < bytes) size *= 2;
    const auto [at, is_new] = copies_.emplace(size, 0);
    if (is_new)
      at->second = time_of({"copy", "", {{TensorType::contiguous(DType::float64, {size / 4}), {}}}, {}}).second;
    return at->second * bytes / static_cast<double>(size);
  }
  /// Of an f32 product of matrices that fit the caches: what arithmetic comes to in practice.
  double flop_per_s() {
    if (peak_ == 0) {
      const auto square = [] {
        return test::Operand{TensorType::contiguous(DType::float64, {512, 512}), {Fill::Kind::uniform, -1, 1}};
      };
      const auto [flops, ns] = time_of({"matmul", "", {square(), square()}, {}});
      peak_ = flops / ns * 1e9;
    }
    return peak_;
  }

 private:
  explicit Peers(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}
  /// FLOPs, and the time of a run in ns.
  std::pair<double, double> time_of(const OpExample& example) const {
    constexpr double kSeconds = 0.3;
    const auto ready = make_ready(*backend_, example, test::make_operands(example, DType::float32));
    if (!ready) return {};
    return {(*ready)->flops, shortest_ns(threads(), kSeconds, [&] { (*ready)->op->run(); })};
  }

  std::unique_ptr<Backend> backend_;
  std::map<int64_t, double> copies_;
  double peak_ = 0;
};

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
  for (const test::Operand& operand : example.inputs)
    text += (text.empty() ? "" : ", ") + to_string(operand.type.shape);
  return text;
}

/// Rows as they are found, on standard output and in the table: what a stopped run has measured stays.
class Report {
 public:
  explicit Report(const std::string& file) {
    if (!file.empty()) file_ = std::fopen(file.c_str(), "w");
  }
  ~Report() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  bool failed(const std::string& file) const { return !file.empty() && file_ == nullptr; }
  void line(const std::string& text) const {
    for (FILE* to : {stdout, file_}) {
      if (to == nullptr) continue;
      fmt::print(to, "{}\n", text);
      std::fflush(to);
    }
  }

 private:
  FILE* file_ = nullptr;
};

struct Totals {
  int measured = 0, slow = 0, reference = 0, without_reason = 0;
};

struct Case {
  OpExample example;
  OperandLayout layout;
};

std::vector<Case> cases_of(const Options& options) {
  std::vector<Case> cases;
  for (const Op* op : op_catalog()) {
    if (op->view != nullptr || (!options.op.empty() && op->name != options.op)) continue;
    for (const OpExample& example : benchmarks::measured_examples(op->name)) {
      for (const OperandLayout layout : benchmarks::kOperandLayouts) {
        if (auto laid = benchmarks::laid_out(example, layout)) cases.push_back({*std::move(laid), layout});
      }
    }
  }
  return cases;
}

class Run {
 public:
  Run(const Options& options, std::vector<std::unique_ptr<Peers>> peers, const Report& report)
      : options_(options),
        peers_(std::move(peers)),
        report_(report),
        reasons_(options.reasons),
        cases_(cases_of(options)),
        left_(static_cast<int64_t>(cases_.size() * options.dtypes.size())),
        until_ns_(wall_ns() + options.minutes * 60e9) {}

  void go() {
    for (const auto& peers : peers_) {
      if (options_.kernels) break;
      report_.line(fmt::format("{} thread(s): a product reaches {:.1f} GFLOP/s, 8 MB are copied in {:.0f} us.",
                               peers->threads(), peers->flop_per_s() / 1e9, peers->copy_ns(8e6) / 1e3));
    }
    report_.line(
        "\n| times over the limit | us | MB | op | layout | dtype | threads | kernel | reason |\n| ---: | ---: | ---: "
        "| --- | --- | --- | ---: | --- | --- |");
    for (const DType dtype : options_.dtypes) {
      for (const Case& c : cases_) {
        if (is_stopped || wall_ns() > until_ns_) return;
        const auto operands = test::make_operands(c.example, dtype);
        for (const auto& peers : peers_) measure(*peers, c, dtype, operands);
        --left_;
      }
    }
  }
  /// Whether all was measured, and nothing slow is without a reason.
  bool tell() const {
    report_.line(fmt::format(
        "\n{} measured, {} slower than the limit ({} of them without a reason), {} in reference code.{}",
        totals_.measured, totals_.slow, totals_.without_reason, totals_.reference,
        left_ == 0 ? std::string()
                   : fmt::format(" Not measured: {} of {} cases ({}).", left_, cases_.size() * options_.dtypes.size(),
                                 is_stopped ? "stopped" : "the minutes were over")));
    return left_ == 0 && totals_.without_reason == 0;
  }

 private:
  void measure(Peers& peers, const Case& c, DType dtype, const std::vector<Tensor>& operands) {
    const auto ready = make_ready(peers.backend(), c.example, operands);
    if (!ready) return;
    Ready& op = **ready;
    const bool reference = is_reference(op.op->code());
    if (options_.kernels) return told(c, dtype, peers, op, reference, 0, 0);
    // What is left of the time for what is left to measure, less what making operands takes.
    const double seconds = std::clamp(
        0.4 * (until_ns_ - wall_ns()) / 1e9 / static_cast<double>(left_ * static_cast<int64_t>(peers_.size())), 0.0005,
        0.15);
    const double ns = shortest_ns(peers.threads(), seconds, [&] { op.op->run(); });
    const double limit =
        std::max({kCopies * peers.copy_ns(op.bytes), op.flops / (kPartOfPeak * peers.flop_per_s()) * 1e9, kLeastNs});
    told(c, dtype, peers, op, reference, ns, limit);
  }
  void told(const Case& c, DType dtype, const Peers& peers, const Ready& op, bool reference, double ns, double limit) {
    const bool slow = ns > limit;
    ++totals_.measured;
    totals_.slow += slow ? 1 : 0;
    totals_.reference += reference ? 1 : 0;
    const std::string reason =
        slow || reference ? reasons_.of(c.example.op, name(c.layout), name(dtype)) : std::string();
    if (slow && reason.empty()) ++totals_.without_reason;
    if (!options_.all && !slow && !reference) return;
    const auto figure = [&](double value) {
      return options_.kernels ? std::string("\u2013") : fmt::format("{:.1f}", value);
    };
    report_.line(fmt::format("| {} | {} | {:.2f} | {}{} [{}] {} | {} | {} | {} | {} | {} |", figure(ns / limit),
                             figure(ns / 1e3), op.bytes / 1e6, reference ? "REFERENCE " : "", c.example.op,
                             c.example.label, shapes_of(c.example), name(c.layout), name(dtype), peers.threads(),
                             op.op->kernel_name(), reason));
  }

  const Options& options_;
  std::vector<std::unique_ptr<Peers>> peers_;
  const Report& report_;
  Reasons reasons_;
  std::vector<Case> cases_;
  int64_t left_;  ///< cases, each of a dtype
  double until_ns_;
  Totals totals_;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (size_t from = 0; from <= list.size();) {
    const size_t comma = std::min(list.find(',', from), list.size());
    words.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

bool take(const std::string& word, const std::string& value, Options& options) {
  const auto number = [](const std::string& text, auto& to) {
    return std::from_chars(text.data(), text.data() + text.size(), to).ec == std::errc() && to > 0;
  };
  if (word == "--op") return options.op = value, true;
  if (word == "--reasons") return options.reasons = value, true;
  if (word == "-o") return options.table = value, true;
  if (word == "--minutes") return number(value, options.minutes);
  if (word == "--threads") {
    options.threads.clear();
    for (const std::string& text : words_of(value)) {
      if (!number(text, options.threads.emplace_back())) return false;
    }
    return true;
  }
  if (word != "--dtype") return false;
  options.dtypes.clear();
  for (const std::string& text : words_of(value)) {
    const auto dtype = parse_dtype(text);
    if (!dtype) return false;
    options.dtypes.push_back(*dtype);
  }
  return true;
}

std::optional<Options> options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--all") options.all = true;
    else if (word == "--kernels") options.kernels = true;
    else if (i + 1 >= count || !take(word, words[++i], options)) return {};
  }
  return options;
}

std::string load_text() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? fmt::format("{:.1f}", load) : std::string("unknown");
}

}  // namespace

int main(int count, char** words) {
  const auto options = options_of(count, words);
  if (!options) {
    fmt::print(stderr,
               "usage: tensortide_catalog_benchmark [--dtype f32,bf16,f16,i8] [--threads 1,2] [--op NAME] [--minutes "
               "M] [--reasons FILE] [-o TABLE.md] [--all] [--kernels]\n");
    return 2;
  }
  const Report report(options->table);
  if (report.failed(options->table)) {
    fmt::print(stderr, "{}: cannot be written\n", options->table);
    return 3;
  }
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, [](int) { is_stopped = true; });
  std::vector<std::unique_ptr<Peers>> peers;
  for (const int threads : options->threads) {
    auto made = Peers::make(threads);
    if (!made) {
      fmt::print(stderr, "{}\n", made.error().message);
      return 3;
    }
    peers.push_back(*std::move(made));
  }
  const double start = wall_ns();
  report.line(
      fmt::format("# Catalog benchmark\n\nOps slower than the larger of {:.0f} plain copies of their compulsory bytes "
                  "and their FLOPs at a tenth of the peak, or in reference code. "
                  "One thread by the time it ran, several by the clock. Load {} at the start.\n",
                  kCopies, load_text()));
  Run run(*options, std::move(peers), report);
  run.go();
  const bool good = run.tell();
  report.line(fmt::format("{:.1f} minutes; load {} at the end.", (wall_ns() - start) / 60e9, load_text()));
  return good ? 0 : 1;
}
