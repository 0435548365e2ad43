// SPDX-License-Identifier: Apache-2.0
// Elementwise ops and SGD: loops over strided operands around the inner loops of
// elementwise_simd.cpp.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/loops.h"

namespace engine::cpu {
namespace {

/// Non-temporal stores pay (1.15-1.35x) once the result outgrows the last cache level, from about
/// 64 MiB on; below, the next op would find its input gone from the cache.
constexpr int64_t kStreamingFromBytes = int64_t{64} << 20;

class ElementwiseOp final : public PreparedOp {
 public:
  ElementwiseOp(const PrepareRequest& request, LoopNest loops, RowFunction function,
                std::vector<double> constants, int threads, std::string name)
      : loops_(std::move(loops)),
        function_(function),
        constants_(std::move(constants)),
        threads_(threads),
        name_(std::move(name)),
        outputs_(static_cast<int>(request.arguments.outputs.size())) {
    int k = 0;
    for (const Tensor& t : request.arguments.outputs) base_[k++] = t.data();
    for (const Tensor& t : request.arguments.inputs) base_[k++] = t.data();
    for (int i = outputs_; i < loops_.operands; ++i) {
      if (loops_.inner_stride[i] == 0) repeated_ |= 1u << (i - outputs_);
    }
  }

  void run() override {
    run_loops(loops_, base_, threads_, [this](const Addresses& at, int64_t count) {
      RowArguments row{.count = count, .repeated = repeated_, .constants = constants_.data()};
      for (int i = 0; i < outputs_; ++i) row.out[i] = at[i];
      for (int i = outputs_; i < loops_.operands; ++i) row.in[i - outputs_] = at[i];
      function_(row);
    });
  }
  std::string kernel_name() const override { return name_; }

 private:
  LoopNest loops_;
  Addresses base_{};
  RowFunction function_;
  std::vector<double> constants_;
  int threads_;
  std::string name_;
  int outputs_;
  uint32_t repeated_ = 0;
};

std::vector<double> constants_of(std::string_view op, const Attributes& a) {
  if (op == "scale") return {a.get_double("factor", 1), a.get_double("shift", 0)};
  if (op == "scaled_add") return {a.get_double("factor", 1)};
  if (op == "sgd") return {a.get_double("rate", 0), a.get_double("weight_decay", 0)};
  if (op == "sgd_momentum")
    return {a.get_double("rate", 0), a.get_double("momentum", 0), a.get_double("weight_decay", 0),
            static_cast<double>(a.get_int("nesterov", 0))};
  return {};
}

/// Whether rows are what the inner loops can do: results side by side, inputs side by side or
/// (unless in place) one for all.
bool rows_fit(const LoopNest& loops, int outputs, int64_t element_bytes, bool may_repeat) {
  for (int k = 0; k < loops.operands; ++k) {
    const bool repeats = loops.inner_stride[k] == 0 && k >= outputs && may_repeat;
    if (loops.inner_stride[k] != element_bytes && !repeats) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_elementwise(Context& context, const PrepareRequest& request) {
  const std::string_view op = request.node.op->name;
  const Tensor& y = request.arguments.outputs[0];
  std::vector<TensorType> types;
  for (const Tensor& t : request.arguments.outputs) types.push_back(t.type());
  for (const Tensor& t : request.arguments.inputs) types.push_back(t.type());
  for (const TensorType& type : types) {
    if (type.dtype != y.dtype() || type.rank() > y.type().rank()) return nullptr;
  }
  const int outputs = static_cast<int>(request.arguments.outputs.size());
  const LoopNest loops = make_loops(y.shape(), types, 0);
  const bool in_place = op == "sgd" || op == "sgd_momentum";
  if (!rows_fit(loops, outputs, size_bytes(y.dtype()), !in_place)) return nullptr;

  RowFunction function = nullptr;
  bool streaming =
      loops.rows() == 1 && y.type().elements() * size_bytes(y.dtype()) >= kStreamingFromBytes;
  if (streaming) function = find_row_function(op, y.dtype(), true);
  if (function == nullptr) {
    streaming = false;
    function = find_row_function(op, y.dtype(), false);
  }
  if (function == nullptr) return nullptr;
  std::string name =
      fmt::format("own {} ({}{})", op, vector_unit(), streaming ? ", non-temporal stores" : "");
  return std::make_unique<ElementwiseOp>(request, loops, function,
                                         constants_of(op, request.node.attributes), context.threads,
                                         std::move(name));
}

}  // namespace engine::cpu
