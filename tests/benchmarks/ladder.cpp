// SPDX-License-Identifier: Apache-2.0
// The ladder: GFLOP/s of every rung beside the libraries, measured in turn, and whether the hand-written rungs are near
// enough.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <memory>

#include "benchmarks.h"
#include "engine/base/vector_bits.h"
#include "engine/cpu/backend.h"
#include "engine/kernels/core/kernels.h"
#include "engine/ops/ladder.h"
#include "engine/ops/ops.h"
#include "engine/tensor/random.h"

namespace benchmarks {
namespace {

using engine::Result;

struct Options {
  int threads = 1, rounds = 5;
  std::string product = "matmul";
  std::vector<int64_t> sizes;
};

template <class Number>
bool parse_number(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

Result<Options> parse(std::span<const std::string> arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    int64_t size = 0;
    if ((a == "--threads" || a == "--rounds") && has_value) {
      if (!parse_number(arguments[++i], a == "--threads" ? options.threads : options.rounds))
        return engine::usage_error(a + " needs a number above 0, got " + arguments[i]);
    } else if (a == "--product" && has_value) {
      options.product = arguments[++i];
    } else if (parse_number(a, size)) {
      options.sizes.push_back(size);
    } else {
      return engine::usage_error("unknown argument " + a);
    }
  }
  if (options.product != "layer" && options.product != "matmul")
    return engine::usage_error("--product is layer or matmul, got " + options.product);
  if (options.sizes.empty())
    options.sizes = options.product == "layer" ? std::vector<int64_t>{64, 256, 1024, 4096}
                                               : std::vector<int64_t>{128, 256, 512, 1024};
  return options;
}

double seconds_now(int threads) {
  timespec t{};
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// One way to compute the product, ready to run.
struct Contender {
  std::string name;
  std::unique_ptr<engine::Node> node;  // kernels refer to it
  std::shared_ptr<engine::Storage> workspace;
  std::unique_ptr<engine::PreparedOp> op;
  std::vector<double> seconds = {};
  bool library = false;
};

/// The operands of one size, and all contenders on them.
class Race {
 public:
  Race(const Options& options, engine::Backend& backend, engine::cpu::Context& context, int64_t size)
      : options_(options) {
    const auto type = [](int64_t rows, int64_t columns) {
      return engine::TensorType::contiguous(engine::DType::float32, {rows, columns});
    };
    const bool layer = options.product == "layer";
    const int64_t rows = layer ? 1 : size;
    a_ = *engine::Tensor::empty(type(rows, size)), b_ = *engine::Tensor::empty(type(size, size)),
    c_ = *engine::Tensor::empty(type(rows, size));
    const double reach = 1 / std::sqrt(static_cast<double>(size));
    engine::fill(a_, {engine::Fill::Kind::uniform, -1, 1}, 1, 1);
    engine::fill(b_, {engine::Fill::Kind::uniform, -reach, reach}, 1, 2);
    flops_ = 2.0 * static_cast<double>(rows) * static_cast<double>(size) * static_cast<double>(size);
    for (const engine::ops::LadderRung& rung : engine::ops::ladder_rungs()) {
      if (rung.vector_bits > engine::vector_bits()) continue;
      Contender contender =
          prepared(&engine::ops::kLadderProduct,
                   {{"rung", std::string(rung.name)}, {"tile", int64_t{64}}, {"sigmoid", int64_t{layer}}}, backend);
      auto op = backend.prepare(request(contender));
      if (!op) continue;
      contender.op = *std::move(op);
      contender.name = rung.name;
      contenders_.push_back(std::move(contender));
    }
    // The libraries leave the sigmoid out: one of `size` sums, to their advantage.
    for (const auto& [name, prepare] :
         {std::pair{"oneDNN", &engine::cpu::prepare_dnnl_matmul}, {"OpenBLAS", &engine::cpu::prepare_blas_matmul}}) {
      Contender contender = prepared(engine::find_op("matmul"), {}, backend);
      contender.op = prepare(context, request(contender));
      if (contender.op == nullptr) continue;
      contender.name = name;
      contender.library = true;
      contenders_.push_back(std::move(contender));
    }
  }

  void run() {
    for (int round = 0; round < options_.rounds; ++round) {
      for (Contender& contender : contenders_) {
        if (round > 0 && contender.seconds.front() > kSlowSeconds) continue;  // once is enough
        contender.seconds.push_back(batch(contender));
      }
    }
  }

  /// Whether the best of ours is near enough to the best library.
  bool print(int64_t size) const {
    double ours = 1e30, theirs = 1e30;
    for (const Contender& c : contenders_) {
      const double seconds = median(c.seconds);
      (c.library ? theirs : ours) = std::min(c.library ? theirs : ours, seconds);
      fmt::print("{:>6}  {:<10} {:>12.3f} {:>10.2f}  {}\n", size, c.name, seconds * 1e3, flops_ / seconds / 1e9,
                 c.op->kernel_name());
    }
    const double goal = options_.product == "layer" ? 1.1 : size >= 512 ? 1.25 : 1.5;
    fmt::print("{:>6}  best own / best library: {:.2f} of its time (goal: at most {:.2f})\n\n", size, ours / theirs,
               goal);
    return ours <= goal * theirs;
  }

 private:
  static constexpr double kSlowSeconds = 0.5, kBatchSeconds = 0.02;

  engine::PrepareRequest request(const Contender& c) const {
    return {*c.node,
            {&c.node->attributes, {a_, b_}, {c_}},
            c.workspace == nullptr ? nullptr : c.workspace->data(),
            {false, false}};
  }
  Contender prepared(const engine::Op* op, engine::Attributes attributes, engine::Backend& backend) const {
    Contender contender;
    contender.node = std::make_unique<engine::Node>();
    contender.node->op = op;
    contender.node->attributes = std::move(attributes);
    const std::vector<engine::TensorType> in{a_.type(), b_.type()}, out{c_.type()};
    const int64_t bytes = backend.workspace_bytes(*contender.node, {contender.node->attributes, in, out});
    if (bytes > 0) contender.workspace = *engine::Storage::allocate_host(bytes);
    return contender;
  }
  /// Seconds per run, over as many runs as fill a batch.
  double batch(Contender& contender) const {
    if (contender.seconds.empty()) contender.op->run();  // first touch
    int runs = 0;
    const double begin = seconds_now(options_.threads);
    double end = begin;
    while (end - begin < kBatchSeconds) {
      contender.op->run();
      ++runs;
      end = seconds_now(options_.threads);
    }
    return (end - begin) / runs;
  }

  const Options& options_;
  engine::Tensor a_, b_, c_;
  double flops_ = 0;
  std::vector<Contender> contenders_;
};

}  // namespace

int ladder(std::span<const std::string> arguments) {
  const Result<Options> options = parse(arguments);
  const auto refuse = [](const engine::Error& error) {
    fmt::print(stderr, "{}\n", error.message);
    return error.kind == engine::ErrorKind::usage ? 2 : 3;
  };
  if (!options) return refuse(options.error());
  auto backend = engine::cpu::make_backend(options->threads);
  if (!backend) return refuse(backend.error());
  engine::cpu::Context context(engine::cpu::BackendOptions{.threads = options->threads});
  fmt::print("{} in f32, {} threads, medians of {} rounds by {}\n\n{:>6}  {:<10} {:>12} {:>10}  kernel\n",
             options->product, options->threads, options->rounds,
             options->threads == 1 ? "processor time" : "the clock", "size", "rung", "ms", "GFLOP/s");
  bool reached = true;
  for (const int64_t size : options->sizes) {
    if (size > 32768) return refuse(engine::usage_error(fmt::format("size = {}, expected at most 32768", size)));
    Race race(*options, **backend, context, size);
    race.run();
    reached = race.print(size) && reached;
  }
  return reached ? 0 : 1;
}

}  // namespace benchmarks
