// SPDX-License-Identifier: Apache-2.0
// devices: copies between devices and what they cost: a product on the host and on another device, and one layer on two
// devices.
#include <array>
#include <cmath>

#include "engine/graph/to_device.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "engine/tensor/device_name.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

constexpr std::string_view kNone = "none";

bool accepts_device(std::string_view value) { return value == kNone || parse_device(value).ok(); }

/// As to_device() calls it: empty for the device of the run.
std::string device_argument(const Arguments& arguments, std::string_view name) {
  const std::string& text = text_argument(arguments, name);
  return text == kNone ? std::string() : to_string(*parse_device(text));
}

Parameter device_parameter(std::string name, std::string label, std::string help, std::string default_value) {
  return text_parameter(std::move(name), std::move(label), std::move(help), std::move(default_value),
                        "a device such as sim:0 or cuda, or none: the device of the run", accepts_device);
}

/// m x on the device of the run, then both moved and multiplied there; the product stays there.
void build_product(GraphBuilder& builder, const Arguments& arguments) {
  const LayerScope layer(builder, "product");
  const Fill fill{Fill::Kind::uniform, -1, 1};
  const int64_t rows = integer_argument(arguments, "m"), inner = integer_argument(arguments, "k"),
                columns = integer_argument(arguments, "n");
  const ValueId m = builder.input("m", TensorType::contiguous(DType::float32, {rows, inner}), fill);
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {inner, columns}), fill);
  {
    const LayerScope here(builder, "here");
    builder.mark_output(ops::matmul(builder, m, x));
  }
  const LayerScope there(builder, "there");
  const std::string device = device_argument(arguments, "first");
  const ValueId moved_m = to_device(builder, m, "", device), moved_x = to_device(builder, x, "", device);
  ValueId y = ops::matmul(builder, moved_m, moved_x);
  if (text_argument(arguments, "scalar") == "yes") {
    // 0-d operands mix freely: this one is fetched with every step, though nobody asks for it.
    const ValueId scalar =
        builder.input("scalar", TensorType::contiguous(DType::float32, {}), Fill{Fill::Kind::constant, 0.5, 0});
    y = ops::multiply(builder, y, scalar);
  }
  builder.mark_output(y);
}

/// A linear layer as DataParallel (engine/eager/data_parallel.h) computes it: parts of the batch and copies of the
/// parameters go to each device, the results come back.
ValueId build_parallel(GraphBuilder& builder, const Arguments& arguments) {
  const std::array devices{device_argument(arguments, "first"), device_argument(arguments, "second")};
  const int64_t batch = integer_argument(arguments, "batch"), inputs = integer_argument(arguments, "inputs"),
                outputs = integer_argument(arguments, "outputs");
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  const ValueId x =
      builder.input("x", TensorType::contiguous(DType::float32, {batch, inputs}), Fill{Fill::Kind::normal, 0, 1});
  const ValueId weight = builder.parameter("parallel.weight", TensorType::contiguous(DType::float32, {outputs, inputs}),
                                           Fill{Fill::Kind::uniform, -bound, bound});
  const ValueId bias = builder.parameter("parallel.bias", TensorType::contiguous(DType::float32, {outputs}),
                                         Fill{Fill::Kind::uniform, -bound, bound});
  constexpr std::array kNames{"first", "second"};
  const std::vector<int64_t> split = split_rows(batch, integer_argument(arguments, "replicas"));
  std::vector<ValueId> parts, weights, biases, results;
  // All copies come first, so that the devices compute side by side.
  int64_t at = 0;
  for (size_t i = 0; i < split.size(); ++i) {
    const LayerScope scatter(builder, "scatter"), which(builder, kNames[i]);
    parts.push_back(to_device(builder, ops::slice(builder, x, 0, at, at + split[i]), "", devices[i]));
    at += split[i];
  }
  for (size_t i = 0; i < split.size(); ++i) {
    const LayerScope replicate(builder, "replicate"), which(builder, kNames[i]);
    weights.push_back(to_device(builder, weight, "", devices[i]));
    biases.push_back(to_device(builder, bias, "", devices[i]));
  }
  for (size_t i = 0; i < split.size(); ++i) {
    const LayerScope which(builder, kNames[i]);
    results.push_back(ops::linear(builder, parts[i], weights[i], biases[i]));
  }
  const LayerScope gather(builder, "gather");
  for (size_t i = 0; i < split.size(); ++i) {
    const LayerScope which(builder, kNames[i]);
    results[i] = to_device(builder, results[i], devices[i], "");
  }
  return results.size() == 1 ? results[0] : ops::concat(builder, results, 0);
}

void build_devices(GraphBuilder& builder, const Arguments& arguments) {
  build_product(builder, arguments);
  builder.set_layer("parallel");
  const ValueId y = build_parallel(builder, arguments);
  builder.set_layer("");
  finish_classifier(builder, y, arguments);
}

}  // namespace

Workload devices_workload() {
  Workload workload;
  workload.name = "devices";
  workload.title = "Devices and copies";
  workload.description =
      "A product on this device and, after two copies, on another one; then one layer on two devices, each with half "
      "of the batch (DataParallel). Scatter and replicate come first; both halves are computed side by side, then "
      "gathered. One lane per device and one per direction of copies. Runs eagerly. sim:0 and sim:1 are simulated: "
      "each "
      "has half of the cores, and their copies are copies within host memory, measured as such.";
  workload.on_command_line = "`analyze --table transfers` lists bytes and reasons of the copies.";
  workload.parameters = {
      batch_parameter(50),
      mode_parameter({"training", "inference"}),
      device_parameter("first", "First device", "Where m and x are moved, and the first half of the batch.", "sim:0"),
      device_parameter("second", "Second device", "Where the second half of the batch is moved.", "sim:1"),
      choice_parameter("replicas", "Replicas", "1: the whole batch on the first device. 2: half of it on each.",
                       {"2", "1"}),
      integer_parameter("m", "m", "Rows of m.", 10, "rows"),
      integer_parameter("k", "k", "Columns of m, rows of x.", 10, "elements"),
      integer_parameter("n", "n", "Columns of x.", 100, "columns"),
      choice_parameter("scalar", "0-d operand",
                       "yes: the product is multiplied by a 0-d tensor of this device, which is copied for it unasked.",
                       {"yes", "no"}),
      integer_parameter("inputs", "Inputs", "Inputs of the layer on two devices.", 5, "elements"),
      integer_parameter("outputs", "Outputs", "Outputs of the layer on two devices.", 2, "elements")};
  for (Parameter& parameter : optimizer_parameters("0.1", "0")) workload.parameters.push_back(std::move(parameter));
  workload.small = {{"batch", "5"}, {"first", "none"}, {"second", "none"}};
  workload.build = build_devices;
  return workload;
}

}  // namespace engine
