// SPDX-License-Identifier: Apache-2.0
// Nodes, layers and edges from the ops and operands of a capture, in one pass over each.
#include "profiler/analysis/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/only_planned.h"
#include "profiler/capture/phases.h"

namespace profiler {
namespace {

/// Adds what is known; unknown stays unknown only where nothing is known.
void add_known(double& sum, double value) {
  if (std::isnan(value)) return;
  sum = std::isnan(sum) ? value : sum + value;
}

using BytesByType = std::vector<std::pair<engine::DType, double>>;

void add_bytes(BytesByType& sums, engine::DType dtype, double bytes) {
  const auto at = std::ranges::find(sums, dtype, &BytesByType::value_type::first);
  if (at == sums.end()) sums.emplace_back(dtype, bytes);
  else at->second += bytes;
}

std::optional<engine::DType> most_of(const BytesByType& sums) {
  const auto largest = std::ranges::max_element(sums, {}, &BytesByType::value_type::second);
  return largest == sums.end() ? std::nullopt : std::optional(largest->first);
}

/// The data type that most bytes of the op's tensors have.
std::optional<engine::DType> main_dtype(const Capture& capture, const OpRecord& op) {
  BytesByType sums;
  for (const OperandRecord& operand : capture.operands(op)) {
    const TensorRecord& tensor = capture.tensors()[operand.tensor];
    add_bytes(sums, tensor.dtype, static_cast<double>(tensor.size_bytes));
  }
  return most_of(sums);
}

/// Layers by path, made with their parents at their first mention.
class LayerBook {
 public:
  explicit LayerBook(std::vector<NetworkLayer>& layers) : layers_(layers) {}

  uint32_t of(std::string_view path, OpId op) {
    if (path.empty()) return kNoNetworkLayer;
    uint32_t parent = kNoNetworkLayer;
    size_t begin = 0;
    for (uint32_t depth = 0; begin <= path.size(); ++depth) {
      size_t end = depth + 1 < kMostLayerDepth ? path.find('.', begin) : std::string_view::npos;
      if (end == std::string_view::npos) end = path.size();
      const auto [at, fresh] =
          known_.try_emplace(std::string(path.substr(0, end)), static_cast<uint32_t>(layers_.size()));
      if (fresh) {
        NetworkLayer layer;
        layer.path = at->first;
        layer.name = std::string(path.substr(begin, end - begin));
        layer.parent = parent;
        layer.depth = depth;
        layer.first_op = op;
        layers_.push_back(std::move(layer));
      }
      parent = at->second;
      begin = end + 1;
    }
    return parent;
  }

 private:
  std::vector<NetworkLayer>& layers_;
  std::unordered_map<std::string, uint32_t> known_;
};

double compulsory_bytes(const Capture& capture, const OpRecord& op) {
  double sum = 0;
  for (const OperandRecord& operand : capture.operands(op))
    sum += static_cast<double>(operand.read_bytes + operand.written_bytes);
  return sum;
}

/// What limits most time, and the type of most bytes, of many ops.
struct Votes {
  std::array<double, kBoundCount> time_of{};
  BytesByType bytes_of;

  void add(const Capture& capture, const OpRecord& record, const NetworkFigures& op) {
    if (op.time_ns > 0) time_of[static_cast<size_t>(op.bound)] += op.time_ns;
    if (!op.dtype) return;
    add_bytes(bytes_of, *op.dtype, compulsory_bytes(capture, record));
  }
  void decide(NetworkFigures& figures) const {
    const auto longest = std::ranges::max_element(time_of);
    if (*longest > 0) figures.bound = static_cast<Bound>(longest - time_of.begin());
    figures.dtype = most_of(bytes_of);
  }
};

void fill_ops(const Analyzed& analyzed, Network& net) {
  const Capture& capture = *analyzed.capture;
  const bool planned = only_planned(capture);
  net.bytes_origin = planned ? Origin::exact : best_origin_of_step(analyzed);
  if (!planned && !analyzed.model.links.empty()) net.link = analyzed.model.links.front();
  net.ops.resize(capture.ops().size());
  for (const OpRecord& op : capture.ops()) {
    NetworkFigures& figures = net.ops[op.id];
    figures.ops = 1;
    ++net.ops_in[static_cast<size_t>(op.phase)];
    figures.time_ns = time_of(analyzed, op.id);
    figures.flops = op.flops;
    if (!net.link.empty()) figures.bytes = known_bytes(analyzed, net.bytes_origin, op.id, net.link);
    else if (planned) figures.bytes = compulsory_bytes(capture, op);
    if (op.id < analyzed.verdicts.size()) figures.bound = analyzed.verdicts[op.id].bound;
    figures.dtype = main_dtype(capture, op);
  }
}

void fill_layers(const Capture& capture, Network& net) {
  LayerBook book(net.layers);
  std::unordered_map<NameId, uint32_t> by_name;
  net.layer_of.resize(capture.ops().size(), kNoNetworkLayer);
  for (const OpRecord& op : capture.ops()) {
    const auto [at, fresh] = by_name.try_emplace(op.layer, kNoNetworkLayer);
    if (fresh) at->second = book.of(capture.name(op.layer), op.id);
    net.layer_of[op.id] = at->second;
  }
  std::vector<std::array<Votes, kPasses>> votes(net.layers.size());
  std::vector<bool> counted(capture.tensors().size(), false);
  for (const OpRecord& op : capture.ops()) {
    const NetworkFigures& own = net.ops[op.id];
    const auto pass = static_cast<size_t>(op.phase);
    double weights = 0;
    for (const OperandRecord& operand : capture.operands(op)) {
      const TensorRecord& tensor = capture.tensors()[operand.tensor];
      if (operand.output || tensor.role != Role::weight || tensor.alias_of != kNoTensor || counted[tensor.id]) continue;
      counted[tensor.id] = true;
      weights += static_cast<double>(tensor.size_bytes);
    }
    for (uint32_t l = net.layer_of[op.id]; l != kNoNetworkLayer; l = net.layers[l].parent) {
      NetworkFigures& sum = net.layers[l].passes[pass];
      ++sum.ops;
      add_known(sum.time_ns, own.time_ns);
      add_known(sum.bytes, own.bytes);
      add_known(sum.flops, own.flops);
      net.layers[l].weight_bytes += weights;
      votes[l][pass].add(capture, op, own);
    }
  }
  for (size_t l = 0; l < net.layers.size(); ++l) {
    for (size_t pass = 0; pass < kPasses; ++pass) votes[l][pass].decide(net.layers[l].passes[pass]);
  }
}

void fill_edges(const Capture& capture, Network& net) {
  // The op that wrote a tensor last; of its storage, for those who read it by another name.
  std::vector<OpId> writer(capture.tensors().size(), kNoOp), storage_writer(capture.tensors().size(), kNoOp);
  std::vector<size_t> edge_of(capture.tensors().size(), std::numeric_limits<size_t>::max());  // of the newest reader
  const auto storage = [&](TensorId id) {
    size_t left = capture.tensors().size();  // a damaged file may name a circle
    while (capture.tensors()[id].alias_of != kNoTensor && left-- > 0) id = capture.tensors()[id].alias_of;
    return id;
  };
  for (const OpRecord& op : capture.ops()) {
    const size_t first = net.edges.size();
    for (const OperandRecord& operand : capture.operands(op)) {
      if (operand.output) continue;
      OpId from = writer[operand.tensor];
      if (from == kNoOp) from = storage_writer[storage(operand.tensor)];
      if (from == kNoOp) continue;  // an input, a weight: it was there before the step
      size_t& edge = edge_of[operand.tensor];
      if (edge >= first && edge < net.edges.size()) {  // it reads the same tensor twice
        net.edges[edge].bytes += operand.read_bytes;
        continue;
      }
      edge = net.edges.size();
      net.edges.push_back({from, op.id, operand.tensor, operand.role, operand.read_bytes});
    }
    for (const OperandRecord& operand : capture.operands(op)) {
      if (!operand.output) continue;
      writer[operand.tensor] = op.id;
      storage_writer[storage(operand.tensor)] = op.id;
    }
  }
}

std::string shape_text(const TensorRecord& tensor) {
  return tensor.shape.empty() ? std::string("scalar") : fmt::format("{}", fmt::join(tensor.shape, "x"));
}

}  // namespace

std::string_view op_label(const Capture& capture, const OpRecord& op) {
  const std::string_view name = capture.name(op.name), layer = capture.name(op.layer);
  return !layer.empty() && name.size() > layer.size() + 1 && name.starts_with(layer) && name[layer.size()] == '/'
             ? name.substr(layer.size() + 1)
             : name;
}

Network network(const Analyzed& analyzed) {
  Network net;
  fill_ops(analyzed, net);
  fill_layers(*analyzed.capture, net);
  fill_edges(*analyzed.capture, net);
  return net;
}

std::string no_network_words(const Capture& capture) {
  if (capture.ops().empty()) return say("No ops were recorded, only what the timeline shows.");
  if (capture.run().source.empty()) return {};
  std::vector<bool> written(capture.tensors().size(), false);
  for (const OpRecord& op : capture.ops()) {
    for (const OperandRecord& operand : capture.operands(op))
      if (!operand.output && written[operand.tensor]) return {};
    for (const OperandRecord& operand : capture.operands(op))
      if (operand.output) written[operand.tensor] = true;
  }
  return say("The trace does not hold which op reads what another op wrote.");
}

std::vector<std::string> network_sentences(const Analyzed& analyzed) {
  const Network net = network(analyzed);
  if (net.edges.empty()) return {};
  double bytes = 0;
  for (const NetworkEdge& edge : net.edges) bytes += static_cast<double>(edge.bytes);
  return {say("{} in {}; {} with {} to read.", counted(net.ops.size(), "op"), counted(net.layers.size(), "layer"),
              counted(net.edges.size(), "edge"), format_quantity(bytes, Quantity::bytes))};
}

Table network_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  Table table;
  table.name = "network";
  table.columns = {
      {"from", "From", Quantity::text, Origin::exact, "Op that wrote the tensor last before it is read"},
      {"to", "To", Quantity::text, Origin::exact, "Op that reads it"},
      {"tensor", "Tensor", Quantity::text, Origin::exact, "Name of the tensor"},
      {"role", "Role", Quantity::text, Origin::exact, "Whose bytes these are"},
      {"dtype", "Data type", Quantity::text, Origin::exact, "Data type of the tensor"},
      {"shape", "Shape", Quantity::text, Origin::exact, "Extents of the tensor"},
      {"read_bytes", "Bytes", Quantity::bytes, Origin::exact, "Compulsory bytes that the reader reads; 0: a view"},
      {"from_pass", "From pass", Quantity::text, Origin::exact, "Part of the step of the op that writes"},
      {"to_pass", "To pass", Quantity::text, Origin::exact, "Part of the step of the op that reads"}};
  for (const NetworkEdge& edge : network(analyzed).edges) {
    const OpRecord &from = capture.ops()[edge.from], &to = capture.ops()[edge.to];
    const TensorRecord& tensor = capture.tensors()[edge.tensor];
    table.rows.push_back({std::string(capture.name(from.name)), std::string(capture.name(to.name)),
                          std::string(capture.name(tensor.name)), std::string(engine::name(edge.role)),
                          std::string(engine::name(tensor.dtype)), shape_text(tensor), static_cast<double>(edge.bytes),
                          std::string(phase_name(capture, from.phase)), std::string(phase_name(capture, to.phase))});
    table.row_ops.push_back(edge.to);
  }
  return table;
}

}  // namespace profiler
