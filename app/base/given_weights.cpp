// SPDX-License-Identifier: Apache-2.0
// Every parameter is found and checked first; then tensors are read one by one.
#include "app/base/given_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

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
  std::vector<const StoredTensor*> from;  ///< one, or for experts as many as there are, one behind the other
  bool transposed = false, stacked = false;
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
      Match m{.values = value.id, .from = {}};
      if ((m.transposed = name.ends_with(engine::kTransposed))) name.remove_suffix(engine::kTransposed.size());
      if (in_blocks(value)) {
        const auto scales = graph_.find(value.name + std::string(engine::kScales));
        if (!scales)
          return refuse(fmt::format("cannot fill {}: its {} values have no scales of blocks", shown(value.name),
                                    engine::name(value.type.dtype)));
        m.scales = *scales;
      }
      m.stacked = name.find(engine::kEach) != name.npos && value.type.rank() >= 2 && file_.find(name) == nullptr;
      const int64_t parts = m.stacked ? value.type.shape[0] : 1;
      for (int64_t i = 0; i < parts; ++i) {
        if (Result<void> found = find(value, m.stacked ? part_name(name, i) : std::string(name), m); !found)
          return found;
      }
      matches_.push_back(std::move(m));
    }
    if (matches_.empty()) return refuse("cannot be given: this graph has no parameters");
    return check_memory();
  }

  Result<WeightedGraph> read() {
    engine::GraphBuilder builder(graph_);
    WeightedGraph weighted;
    int64_t rounded = 0;
    for (const Match& m : matches_) {
      const Value& value = graph_.value(m.values);
      Result<Tensor> values = Tensor::empty(TensorType::contiguous(value.type.dtype, value.type.shape));
      if (!values) return values.error();
      std::optional<Tensor> scales;
      if (m.scales != engine::kNoValue) {
        const TensorType& type = graph_.value(m.scales).type;
        Result<Tensor> made = Tensor::empty(TensorType::contiguous(type.dtype, type.shape));
        if (!made) return made.error();
        scales = *std::move(made);
      }
      for (size_t i = 0; i < m.from.size(); ++i) {
        Result<Tensor> tensor = file_.read(*m.from[i]);
        if (!tensor) return tensor.error();
        const Tensor oriented = m.transposed ? *tensor->transpose(0, 1) : *tensor;
        const Tensor part = part_of(*values, m, i);
        if (Result<void> given =
                scales ? give_blocks(*m.from[i], oriented, part, part_of(*scales, m, i)) : give(oriented, part);
            !given)
          return given.error();
      }
      rounded += in_blocks(value) ? static_cast<int64_t>(m.from.size()) : 0;
      builder.give(m.values, *std::move(values));
      if (scales) builder.give(m.scales, *std::move(scales));
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

  static std::string part_name(std::string_view name, int64_t i) {
    std::string part(name);
    if (const size_t at = part.find(engine::kEach); at != part.npos)
      part.replace(at, engine::kEach.size(), std::to_string(i));
    return part;
  }
  static Tensor part_of(const Tensor& all, const Match& m, size_t i) {
    if (!m.stacked) return all;
    const auto at = static_cast<int64_t>(i);
    const Shape shape(all.shape().begin() + 1, all.shape().end());
    return *all.slice(0, at, at + 1)->reshape(shape);
  }

  Result<void> find(const Value& value, const std::string& name, Match& m) {
    Shape wanted = shape_of(value);
    if (m.stacked) wanted.erase(wanted.begin());
    if (m.transposed) std::swap(wanted[0], wanted[1]);
    const StoredTensor* tensor = file_.find(name);
    if (tensor == nullptr) tensor = file_.find(without_root(name));
    if (tensor == nullptr)
      return refuse(fmt::format("has no tensor \"{}\" {}; it has {}{}", name, engine::to_string(wanted), file_.count(),
                                file_.count() > 0 ? ", such as " + shown(file_.first_name()) : ""));
    if (Result<void> fits = check(*tensor, wanted); !fits) return fits;
    if (!used_.insert(tensor).second)
      return refuse(fmt::format("has {} once, and two parameters want it", shown(tensor->name)));
    m.from.push_back(tensor);
    return {};
  }

  Result<void> check(const StoredTensor& t, const Shape& wanted) const {
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
      for (const StoredTensor* from : m.from) largest = std::max(largest, from->end - from->begin);
    }
    const double needed = 2 * bytes + 2 * static_cast<double>(largest);
    const auto available = static_cast<double>(engine::host_memory().available_bytes);
    if (available <= 0 || needed <= available) return {};
    return refuse(
        fmt::format("needs {} of memory while it is read, {} are available: take fewer layers (--set layers=N) "
                    "or a smaller format (--set weights=q8_0)",
                    engine::format_bytes(needed), engine::format_bytes(available)));
  }

  static void convert(const Tensor& rows, const Tensor& to) {
    const int64_t each = engine::size_bytes(rows.dtype()), of_to = engine::size_bytes(to.dtype());
    for (int64_t i = 0; i < rows.type().elements(); ++i)
      engine::convert_element(rows.dtype(), rows.data() + i * each, to.dtype(), to.data() + i * of_to);
  }

  static Result<void> give(const Tensor& from, const Tensor& to) {
    const Result<Tensor> rows = from.contiguous();
    if (!rows) return rows.error();
    if (from.dtype() == to.dtype())
      std::memcpy(to.data(), rows->data(), static_cast<size_t>(to.type().elements() * engine::size_bytes(to.dtype())));
    else convert(*rows, to);
    return {};
  }

  Result<void> give_blocks(const StoredTensor& stored, const Tensor& from, const Tensor& bits,
                           const Tensor& factors) const {
    Result<Tensor> plain = from.contiguous();
    if (plain && from.dtype() != DType::float32) {
      const Tensor rows = *plain;
      plain = Tensor::empty(TensorType::contiguous(DType::float32, from.shape()));
      if (plain) convert(rows, *plain);
    }
    if (!plain) return plain.error();
    const bool eight = bits.dtype() == DType::int8;
    const int64_t blocks = factors.type().elements(), bytes = eight ? kBlock : kBlock / 2;
    for (int64_t b = 0; b < blocks; ++b) {
      const float* x = plain->data_as<const float>() + b * kBlock;
      std::byte* to = bits.data() + b * bytes;
      factors.data_as<uint16_t>()[b] = eight ? engine::block_of_8_bits(x, reinterpret_cast<int8_t*>(to))
                                             : engine::block_of_4_bits(x, reinterpret_cast<uint8_t*>(to));
      if (!std::isfinite(engine::half_to_float(factors.data_as<uint16_t>()[b])))
        return refuse(
            fmt::format("has {} with values that blocks cannot hold: NaN, infinite, or above {}; use "
                        "--set weights=dtype",
                        shown(stored.name), eight ? "127 x 65504" : "8 x 65504"));
    }
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
