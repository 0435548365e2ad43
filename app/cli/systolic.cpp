// SPDX-License-Identifier: Apache-2.0
// tensortide systolic: a systolic array run cycle by cycle: cycles, use, reads, and what its elements hold.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/argument_checks.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "profiler/base/table.h"
#include "profiler/predict/systolic_steps.h"

namespace app::cli {
namespace {

using nlohmann::json;
using profiler::format_quantity;
using profiler::Quantity;
using profiler::SystolicSteps;

struct SystolicArguments {
  int size = 64, rows = 64, cycle = -1;
  bool json = false;
};

constexpr int kMostDrawn = 16;  ///< elements a side that fit a terminal

/// Inputs as they stand in the elements; a dot: the element has no work in this cycle.
std::string picture(const SystolicSteps& array) {
  std::string text = fmt::format("Cycle {} ({}):\n", array.cycle(),
                                 array.cycle() <= array.rows() ? std::string("loading weights")
                                                               : fmt::format("{} of {} elements work", array.working(),
                                                                             array.rows() * array.columns()));
  const bool loads = array.cycle() <= array.rows();
  for (int64_t r = 0; r < array.rows(); ++r) {
    for (int64_t c = 0; c < array.columns(); ++c) {
      text += loads                ? fmt::format("{:5}", array.weight(r, c))
              : array.worked(r, c) ? fmt::format("{:4}*", array.input(r, c))
                                   : std::string("    .");
    }
    text += "\n";
  }
  return text;
}

int count_reads(const std::vector<int>& reads) { return reads.empty() ? 0 : *std::ranges::max_element(reads); }

json document(const SystolicSteps& array) {
  const bool done = array.multiply_adds() == array.m() * array.rows() * array.columns();
  json grid = json::array();
  for (int64_t r = 0; r < array.rows() && array.rows() <= kMostDrawn; ++r) {
    json line = json::array();
    for (int64_t c = 0; c < array.columns(); ++c) {
      line.push_back({{"weight", array.weight(r, c)},
                      {"input", array.worked(r, c) ? json(array.input(r, c)) : json(nullptr)},
                      {"sum", array.sum(r, c)}});
    }
    grid.push_back(line);
  }
  return {{"size", array.rows()},
          {"input_rows", array.m()},
          {"loading_cycles", std::min(array.cycle(), array.rows())},
          {"computing_cycles", array.computing_cycles()},
          {"cycles", array.cycle()},
          {"multiply_adds", array.multiply_adds()},
          {"used_ratio", json_number(array.used_ratio(true))},
          {"used_after_loading_ratio", json_number(array.used_ratio(false))},
          {"most_reads_of_an_input", count_reads(array.input_reads())},
          {"most_reads_of_a_weight", count_reads(array.weight_reads())},
          {"output_is_right", done ? json(array.output_is_right()) : json(nullptr)},
          {"elements", grid},
          {"origin", "simulated"}};
}

std::string summary(const SystolicSteps& array) {
  const auto percent = [](double ratio) { return format_quantity(ratio, Quantity::percent_of); };
  std::string text =
      fmt::format("{0} x {0} elements, {1} x {0} input times {0} x {0} weights, stepped cycle by cycle:\n",
                  array.rows(), array.m());
  text += fmt::format("  {:<22} {} to load the weights, {} to compute, {} in all\n", "cycles", array.rows(),
                      array.computing_cycles(), array.cycle());
  text += fmt::format("  {:<22} {} after loading, {} with it\n", "elements used", percent(array.used_ratio(false)),
                      percent(array.used_ratio(true)));
  text += fmt::format("  {:<22} each input {} time, each weight {} time\n", "reads from memory",
                      count_reads(array.input_reads()), count_reads(array.weight_reads()));
  text += fmt::format("  {:<22} {}\n", "result",
                      array.output_is_right() ? "equals the matrix multiplication" : "differs from the multiplication");
  constexpr int64_t kLeastReal = 128;
  if (array.rows() >= kLeastReal) return text;
  return text + fmt::format(
                    "\nA size of {} is an illustration. Real arrays are 128 or 256 wide: TPU v1 has 256 x 256, v2 "
                    "128 x 128.\n",
                    array.rows());
}

int systolic(const SystolicArguments& options) {
  engine::Result<SystolicSteps> array = SystolicSteps::make(options.size, options.size, options.rows);
  if (!array) return report(array.error());
  if (options.cycle >= 0 && options.size > kMostDrawn && !options.json) {
    return report(
        engine::usage_error(fmt::format("[--cycle] an array of {} x {} does not fit a terminal: give --size up to {}",
                                        options.size, options.size, kMostDrawn)));
  }
  while ((options.cycle < 0 || array->cycle() < options.cycle) && array->step()) {
  }
  if (options.cycle > array->cycle()) {
    return report(
        engine::usage_error(fmt::format("[--cycle] {}: this product takes {} cycles", options.cycle, array->cycle())));
  }
  if (options.json) {
    print_json(document(*array));
  } else {
    show("{}", options.cycle >= 0 ? picture(*array) : summary(*array));
  }
  return kDone;
}

}  // namespace

Handler add_systolic(CLI::App& verb) {
  auto o = std::make_shared<SystolicArguments>();
  verb.add_option("--size", o->size, "Elements a side (default 64)")
      ->transform(whole_number(1, 1024))
      ->capture_default_str()
      ->option_text("N");
  verb.add_option("--rows", o->rows, "Rows of input that stream through (default 64)")
      ->transform(whole_number(1, 65536))
      ->capture_default_str()
      ->option_text("M");
  verb.add_option("--cycle", o->cycle, "Show what each element holds after this cycle")
      ->transform(whole_number(0, 1000000))
      ->option_text("CYCLE");
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide systolic --size 4 --rows 4 --cycle 6");
  return [o] { return systolic(*o); };
}

}  // namespace app::cli
