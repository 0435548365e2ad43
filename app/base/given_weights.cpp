// SPDX-License-Identifier: Apache-2.0
// Every parameter is found and checked first; then tensors are read one by one.
#include "app/base/given_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "engine/base/display_text.h"
#include "engine/base/memory.h"
#include "engine/files/safetensors.h"
#include "engine/graph/builder.h"
#include "engine/tensor/element.h"
#include "engine/tensor/quantization.h"
#include "engine/workloads/transformer_weights.h"

namespace app {
namespace {

using engine::DType;
using engine::kBlock;
using engine::refused_error;
using engine::Result;
using engine::Shape;
using engine::StoredTensor;
using engine::Tensor;
using engine::TensorType;
using engine::Value;
using engine::ValueId;

/// A parameter and where its numbers come from.
struct Match {
  ValueId values = engine::kNoValue, scales = engine::kNoValue;
  const StoredTensor* from = nullptr;
  bool transposed = false;
};

bool in_blocks(const Value& value) { return value.type.dtype == DType::int8 || value.type.dtype == DType::uint8; }

/// Files of a base model alone leave the first part of names out: "transformer.h.0.ln_1.weight" is "h.0.ln_1.weight".
std::string_view without_root(std::string_view name) {
  for (const std::string_view root : {"transformer.", "bert.", "model."}) {
    if (name.starts_with(root)) return name.substr(root.size());
  }
  return name;
}

/// Weights that a parameter stands for: two in a byte of 4-bit blocks.
Shape shape_of(const Value& value) {
  Shape shape = value.type.shape;
  if (value.type.dtype == DType::uint8) shape.back() *= 2;
  return shape;
}

class Weights {
 public:
  Weights(const engine::Graph& graph, const engine::WeightFile& file, std::string name)
      : graph_(graph), file_(file), name_(std::move(name)) {}

  Result<void> match() {
    for (const Value& value : graph_.values()) {
      if (value.kind != engine::ValueKind::parameter || value.name.ends_with(engine::kScales)) continue;
      std::string_view name = value.name;
      Match m{.values = value.id};
      if ((m.transposed = name.ends_with(engine::kTransposed))) name.remove_suffix(engine::kTransposed.size());
      if (in_blocks(value)) {
        const auto scales = graph_.find(value.name + std::string(engine::kScales));
        if (!scales)
          return refuse(fmt::format("cannot fill {}: its {} values have no scales of blocks", shown(value.name),
                                    engine::name(value.type.dtype)));
        m.scales = *scales;
      }
      m.from = file_.find(name);
      if (m.from == nullptr) m.from = file_.find(without_root(name));
      if (m.from == nullptr)
        return refuse(fmt::format("has no tensor \"{}\" {}; it has {}{}", name, engine::to_string(shape_of(value)),
                                  file_.count(), file_.count() > 0 ? ", such as " + shown(file_.first_name()) : ""));
      if (Result<void> fits = check(value, m); !fits) return fits;
      if (!used_.insert(m.from).second)
        return refuse(fmt::format("has {} once, and two parameters want it", shown(m.from->name)));
      matches_.push_back(m);
    }
    if (matches_.empty()) return refuse("cannot be given: this graph has no parameters");
    return check_memory();
  }

  Result<WeightedGraph> read() {
    engine::GraphBuilder builder(graph_);
    WeightedGraph weighted;
    int64_t rounded = 0;
    for (const Match& m : matches_) {
      Result<Tensor> tensor = file_.read(*m.from);
      if (!tensor) return tensor.error();
      Tensor oriented = *tensor;
      if (m.transposed) oriented = *tensor->transpose(0, 1);
      const Value& value = graph_.value(m.values);
      Result<void> given = in_blocks(value) ? give_blocks(builder, m, oriented) : give(builder, value, oriented);
      if (!given) return given.error();
      rounded += in_blocks(value) ? 1 : 0;
    }
    Result<engine::Graph> graph = builder.finish();
    if (!graph) return graph.error();
    weighted.graph = std::make_shared<const engine::Graph>(std::move(*graph));
    weighted.notes.push_back(fmt::format("Weights: {} tensors of {}.", used_.size(), name_));
    if (rounded > 0) weighted.notes.push_back(fmt::format("{} of them were rounded to blocks.", rounded));
    if (used_.size() < file_.count())
      weighted.notes.push_back(fmt::format("{} further tensors of it are not used.", file_.count() - used_.size()));
    return weighted;
  }

 private:
  static std::string shown(const std::string& name) { return "\"" + engine::display_line(name, 80) + "\""; }
  engine::Error refuse(const std::string& what) const {
    return refused_error(fmt::format("[--weights] {} {}", name_, what));
  }

  Result<void> check(const Value& value, const Match& m) const {
    Shape wanted = shape_of(value);
    if (m.transposed) std::swap(wanted[0], wanted[1]);
    const StoredTensor& t = *m.from;
    if (t.shape != wanted)
      return refuse(fmt::format("has {} as {}, {} is needed", shown(t.name), engine::to_string(t.shape),
                                engine::to_string(wanted)));
    if (!t.dtype || !engine::is_floating(*t.dtype))
      return refuse(fmt::format("has {} in {}, floating numbers are needed", shown(t.name), t.dtype_name));
    return {};
  }

  /// The weights here, once more in the plan, and the largest as it is read.
  Result<void> check_memory() const {
    double bytes = 0;
    uint64_t largest = 0;
    for (const Match& m : matches_) {
      bytes += static_cast<double>(graph_.value(m.values).type.span_bytes());
      if (m.scales != engine::kNoValue) bytes += static_cast<double>(graph_.value(m.scales).type.span_bytes());
      largest = std::max(largest, m.from->end - m.from->begin);
    }
    const double needed = 2 * bytes + 2 * static_cast<double>(largest);
    const auto available = static_cast<double>(engine::host_memory().available_bytes);
    if (available <= 0 || needed <= available) return {};
    return refuse(
        fmt::format("needs {} of memory while it is read, {} are available: take fewer layers (--set layers=N) "
                    "or a smaller format (--set weights=q8_0)",
                    engine::format_bytes(needed), engine::format_bytes(available)));
  }

  static Result<Tensor> converted(const Tensor& from, DType dtype) {
    const Result<Tensor> rows = from.contiguous();
    if (!rows || from.dtype() == dtype) return rows;
    Result<Tensor> to = Tensor::empty(TensorType::contiguous(dtype, from.shape()));
    if (!to) return to;
    const int64_t each = engine::size_bytes(from.dtype()), of_to = engine::size_bytes(dtype);
    for (int64_t i = 0; i < from.type().elements(); ++i)
      engine::convert_element(from.dtype(), rows->data() + i * each, dtype, to->data() + i * of_to);
    return to;
  }

  static Result<void> give(engine::GraphBuilder& builder, const Value& value, const Tensor& from) {
    Result<Tensor> tensor = converted(from, value.type.dtype);
    if (!tensor) return tensor.error();
    builder.give(value.id, *std::move(tensor));
    return {};
  }

  Result<void> give_blocks(engine::GraphBuilder& builder, const Match& m, const Tensor& from) const {
    const Value &values = graph_.value(m.values), &scales = graph_.value(m.scales);
    const Result<Tensor> plain = converted(from, DType::float32);
    if (!plain) return plain.error();
    Result<Tensor> bits = Tensor::empty(values.type), factors = Tensor::empty(scales.type);
    if (!bits) return bits.error();
    if (!factors) return factors.error();
    const bool eight = values.type.dtype == DType::int8;
    const int64_t blocks = scales.type.elements(), bytes = eight ? kBlock : kBlock / 2;
    for (int64_t b = 0; b < blocks; ++b) {
      const float* x = plain->data_as<const float>() + b * kBlock;
      std::byte* to = bits->data() + b * bytes;
      factors->data_as<uint16_t>()[b] = eight ? engine::block_of_8_bits(x, reinterpret_cast<int8_t*>(to))
                                              : engine::block_of_4_bits(x, reinterpret_cast<uint8_t*>(to));
      if (!std::isfinite(engine::half_to_float(factors->data_as<uint16_t>()[b])))
        return refuse(
            fmt::format("has {} with values that blocks cannot hold: NaN, infinite, or above {}; use "
                        "--set weights=dtype",
                        shown(m.from->name), eight ? "127 x 65504" : "8 x 65504"));
    }
    builder.give(m.values, *std::move(bits));
    builder.give(m.scales, *std::move(factors));
    return {};
  }

  const engine::Graph& graph_;
  const engine::WeightFile& file_;
  std::string name_;
  std::vector<Match> matches_;
  std::set<const StoredTensor*> used_;
};

}  // namespace

Result<WeightedGraph> with_weights(const engine::Graph& graph, const std::filesystem::path& path) {
  const Result<engine::WeightFile> file = engine::WeightFile::open(path);
  if (!file) return refused_error("[--weights] " + file.error().message);
  Weights weights(graph, *file, engine::display_line(path.filename().string()));
  if (Result<void> matched = weights.match(); !matched) return matched.error();
  return weights.read();
}

}  // namespace app
