// SPDX-License-Identifier: Apache-2.0
// Calls rebuilt from a capture, each held against what its op says of shapes: a file may say anything.
#include "profiler/memory/captured_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "engine/base/check.h"
#include "engine/ops/ops.h"
#include "profiler/memory/byte_ranges.h"
#include "profiler/memory/op_access.h"

namespace profiler {

using engine::refused_error;
using engine::Result;
using engine::access::Fidelity;
using engine::access::Operand;

namespace {

constexpr uint64_t kPage = 4096, kFirstAddress = uint64_t{1} << 28, kPanelBytes = engine::access::kWorkspaceBytes;
/// Loops of more iterations were never run by anybody who made a capture: a damaged file would keep us here for days.
constexpr double kMostWork = 1e13;
constexpr size_t kWeightOperand = 1;   ///< of convolutions, fused ones too
constexpr int kMostThreads = 1 << 12;  ///< what a file claims beyond is no machine's

uint64_t pages(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage + kPage; }

/// An attribute that no op takes, or of another kind: ops and descriptions CHECK the kind, so a file's are compared
/// first. Empty: there is none. Those of members of fused ops are "1/epsilon".
std::string strange_attribute(const engine::Attributes& attributes) {
  for (const auto& [key, item] : attributes.items()) {
    const std::string_view own = std::string_view(key).substr(key.find('/') + 1);
    const auto kind = engine::attribute_kind(own);
    if (!kind || static_cast<size_t>(*kind) != item.index()) return key;
  }
  return {};
}

/// Of an unknown one, our own code is described.
bool is_library(const engine::KernelFacts& kernel) {
  return kernel.library != engine::KernelLibrary::own && kernel.library != engine::KernelLibrary::unknown;
}
bool is_reference(const engine::KernelFacts& kernel) { return kernel.code == engine::CodeKind::reference; }

/// Elements and bytes of a type are numbers of 63 bits, with room for what ops reckon with them.
bool countable(const engine::TensorType& type) {
  double elements = static_cast<double>(engine::size_bytes(type.dtype)), reach = 0;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] < 0) return false;
    elements *= static_cast<double>(std::max<int64_t>(1, type.shape[i]));
    reach += std::abs(static_cast<double>(type.strides[i])) * static_cast<double>(type.shape[i]);
  }
  return type.shape.size() == type.strides.size() && elements < 0x1p60 && reach < 0x1p58;
}

/// Elements of a type lie within `bytes` from `offset` on.
bool lies_within(const engine::TensorType& type, int64_t offset, int64_t bytes) {
  double low = static_cast<double>(offset), high = low;
  const auto size = static_cast<double>(engine::size_bytes(type.dtype));
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] == 0) return true;
    const double reach = static_cast<double>(type.shape[i] - 1) * static_cast<double>(type.strides[i]) * size;
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high + size <= static_cast<double>(bytes);
}

/// Stores of kernels that say so go past the caches.
class PastCaches : public engine::AccessSink {
 public:
  explicit PastCaches(engine::AccessSink& to) : to_(to) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    streams_.assign(streams.begin(), streams.end());
    for (engine::AccessStream& s : streams_) {
      if (s.kind == engine::AccessKind::store) s.kind = engine::AccessKind::store_past_caches;
    }
    to_.group(iterations, streams_);
  }
  bool stopped() const override { return to_.stopped(); }

 private:
  engine::AccessSink& to_;
  std::vector<engine::AccessStream> streams_;
};

}  // namespace

Result<CapturedStep> CapturedStep::make(std::shared_ptr<const Capture> capture, uint64_t address_limit) {
  const Capture& c = *capture;
  if (!c.computed()) return refused_error("the null device runs no kernel, so nothing is moved");
  if (!c.run().source.empty()) return refused_error("an imported trace does not hold the accesses of its kernels");
  if (c.device().is_gpu) return refused_error("the run was on a GPU; the simulated hierarchy is a processor's");
  CapturedStep step;
  step.addresses_.resize(c.tensors().size(), 0);
  const bool placed = ByteRanges(c).by_address();
  uint64_t next = kFirstAddress;
  const auto advance = [&](double bytes) {
    if (bytes >= static_cast<double>(address_limit)) return false;
    next += pages(static_cast<uint64_t>(bytes));
    return next + kPanelBytes <= address_limit;
  };
  double persistent = 0, arena = 0;
  for (const TensorRecord& t : c.tensors()) {
    double& end = t.persistent ? persistent : arena;
    end = std::max(end, static_cast<double>(t.offset_bytes) + static_cast<double>(t.size_bytes));
  }
  const uint64_t base = next;
  bool fits = !placed || advance(persistent);
  const uint64_t arena_base = next;
  fits = fits && (!placed || advance(arena));
  for (const TensorRecord& t : c.tensors()) {
    if (!fits || t.alias_of != kNoTensor) continue;
    step.addresses_[t.id] = placed ? (t.persistent ? base : arena_base) + static_cast<uint64_t>(t.offset_bytes) : next;
    if (!placed) fits = advance(static_cast<double>(t.size_bytes));
  }
  if (!fits)
    return refused_error(
        fmt::format("its tensors need more than the {} bytes of addresses that can be simulated", address_limit));
  step.panels_address_ = next;
  step.beyond_panels_ = next + kPanelBytes;
  step.address_limit_ = address_limit;
  for (const TensorRecord& t : c.tensors()) {
    const TensorId owner = t.alias_of == kNoTensor ? t.id : t.alias_of;
    step.addresses_[t.id] = step.addresses_[owner];
    step.operands_.push_back({{t.dtype, t.shape, t.strides}, step.addresses_[owner], owner});
  }
  step.capture_ = std::move(capture);
  const bool packs_before = prepares_weights(c);
  for (const OpRecord& op : c.ops()) step.objections_.push_back(step.rebuild(op, packs_before));
  return step;
}

/// Makes node and call of an op; why that is impossible, else empty.
std::string CapturedStep::rebuild(const OpRecord& record, bool packs_before) {
  const Capture& c = *capture_;
  auto node = std::make_unique<engine::Node>();
  // Fused ops are called after their members.
  node->op = engine::find_op(c.fused_members(record.id).empty() ? c.name(record.type) : std::string_view("fused"));
  node->attributes = c.attributes(record.id);
  node->phase = record.phase;
  const engine::KernelFacts& kernel = c.facts(record.id);
  const bool nothing_ran = kernel.code == engine::CodeKind::unknown;
  const bool steps = kernel.packed == engine::PackedWeights::steps || kernel.packed == engine::PackedWeights::all;
  const bool inputs_packed =
      kernel.packed == engine::PackedWeights::inputs || kernel.packed == engine::PackedWeights::all;
  const int vector_bytes = std::clamp(c.machine().info.vector_bits / 8, 16, 64);
  calls_.push_back(engine::access::OpCall{.node = *node,
                                          .inputs = {},
                                          .outputs = {},
                                          .workspace_address = panels_address_,
                                          .workspace_tensor = panels(),
                                          .vector_bytes = c.machine().info.vector_bits > 0 ? vector_bytes : 64,
                                          .by_images = nothing_ran || kernel.per_image,
                                          .plain_weights = nothing_ran || kernel.plain_weights,
                                          .own_products = kernel.own_gemm && !is_library(kernel),
                                          .packed_steps = steps,
                                          .packed_inputs = inputs_packed,
                                          .copies = kernel.copies});
  engine::access::OpCall& call = calls_.back();
  const auto& caches = c.machine().info.caches;
  if (!caches.empty() && caches[0].size_bytes > 0) call.first_level_bytes = caches[0].size_bytes;
  call.winograd_tile = kernel.winograd_tile;
  call.own_convolution = kernel.own_convolution;
  call.threads = std::clamp(c.run().threads, 1, kMostThreads);
  nodes_.push_back(std::move(node));
  const engine::Op* op = nodes_.back()->op;
  if (op == nullptr) return fmt::format("this version has no op \"{}\"", c.name(record.type));
  if (const std::string key = strange_attribute(nodes_.back()->attributes); !key.empty())
    return fmt::format("its attribute \"{}\" is of an unknown kind", key);
  std::vector<engine::TensorType> inputs;
  std::vector<TensorId> outputs;
  for (const OperandRecord& o : c.operands(record)) {
    if (o.output) {
      outputs.push_back(o.tensor);
      continue;
    }
    const bool constant = packs_before && c.tensors()[o.tensor].role == Role::weight;
    if (call.inputs.size() == kWeightOperand) call.constant_weights = constant;
    call.kept_copies.push_back(constant ? place_kept_copy(kernel.copies, operands_[o.tensor].type) : 0);
    call.inputs.push_back(operands_[o.tensor]);
    inputs.push_back(operands_[o.tensor].type);
  }
  // Ops reckon with sizes below 2^63: a file may claim others.
  for (const OperandRecord& o : c.operands(record)) {
    if (!countable(operands_[o.tensor].type))
      return fmt::format("the shape or strides of tensor {} exceed its bytes", c.name(c.tensors()[o.tensor].name));
  }
  const auto inferred = op->infer(inputs, nodes_.back()->attributes);
  if (!inferred) return fmt::format("its record does not fit the op: {}", inferred.error().message);
  if (inferred->size() != outputs.size())
    return fmt::format("{} results are recorded, {} has {}", outputs.size(), op->name, inferred->size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if ((*inferred)[i].shape != operands_[outputs[i]].type.shape)
      return "the recorded shape of a result is not the op's";
  }
  if (op->view != nullptr) {
    const Result<engine::View> view = op->view(inputs[0], nodes_.back()->attributes);
    if (!view) return view.error().message;
    const int64_t offset = view->offset_elements * static_cast<int64_t>(engine::size_bytes(view->type.dtype));
    operands_[outputs[0]] = {view->type, call.inputs[0].address + static_cast<uint64_t>(offset), call.inputs[0].tensor};
  }
  for (size_t j = 0; j < std::min(op->in_place.size(), outputs.size()); ++j) {
    const int over = op->in_place[j];
    if (over >= 0 && static_cast<size_t>(over) < call.inputs.size())
      operands_[outputs[j]] = call.inputs[static_cast<size_t>(over)];
  }
  for (const TensorId output : outputs) call.outputs.push_back(operands_[output]);
  for (const auto* list : {&call.inputs, &call.outputs}) {
    for (const Operand& o : *list) {
      const auto offset = static_cast<int64_t>(o.address - addresses_[o.tensor]);
      if (!lies_within(o.type, offset, c.tensors()[o.tensor].size_bytes))
        return fmt::format("tensor {} exceeds its bytes", c.name(c.tensors()[o.tensor].name));
    }
  }
  if (call.winograd_tile != 0 && call.own_products && !place_winograd_weights(call))
    return "its transformed weights do not fit into the addresses that can be simulated";
  const engine::Cost cost = op->cost({nodes_.back()->attributes, inputs, *inferred});
  double work = std::isnan(cost.flops) ? 0 : cost.flops / 2;
  for (const auto* list : {&cost.read_bytes, &cost.written_bytes}) {
    for (const int64_t bytes : *list) work += static_cast<double>(bytes);
  }
  if (!(work < kMostWork)) return fmt::format("{:.3g} steps of its loops are too many to follow", work);
  return {};
}

/// Where so many bytes lie beyond all else; 0: beyond the last address.
uint64_t CapturedStep::place_beyond(double bytes) {
  if (static_cast<double>(beyond_panels_) + bytes + static_cast<double>(pages(0)) > static_cast<double>(address_limit_))
    return 0;
  const uint64_t address = beyond_panels_;
  beyond_panels_ += pages(static_cast<uint64_t>(bytes));
  return address;
}

/// Where the copy of a constant operand lies that a kernel computes on; 0: it needs none, or beyond the last address.
uint64_t CapturedStep::place_kept_copy(const engine::OperandCopies& copies, const engine::TensorType& type) {
  if (!countable(type) || !(copies.any() || engine::is_16_bit_float(type.dtype))) return 0;
  const auto element = static_cast<double>(std::max<int64_t>(engine::size_bytes(type.dtype), sizeof(float)));
  return place_beyond(static_cast<double>(type.elements()) * element);
}

/// Of Winograd's filtering, which stay beside those of the graph. False: beyond the last address.
bool CapturedStep::place_winograd_weights(engine::access::OpCall& call) {
  size_t weight = 1;
  if (call.node.op->program != nullptr) {
    const engine::FusedProgram program = call.node.op->program(call.node.attributes);
    const std::vector<int>& operands = program.members.front().operands;
    if (operands.size() < 2 || operands[1] < 0) return true;  // no convolution
    weight = static_cast<size_t>(operands[1]);
  }
  if (weight >= call.inputs.size() || call.inputs[weight].type.rank() != 4) return true;
  // Channels up to whole vectors, and a line between the points of a tile.
  constexpr int64_t kMostLanes = 16, kBesidePoint = 16;
  const engine::Shape& s = call.inputs[weight].type.shape;
  const int side = call.winograd_tile + 2;
  const double kernels = static_cast<double>(s[0] + kMostLanes) * static_cast<double>(s[1] + kMostLanes) + kBesidePoint;
  call.winograd_weights = place_beyond(static_cast<double>(side * side) * kernels * sizeof(float));
  return call.winograd_weights != 0;
}

Fidelity CapturedStep::describe(OpId op, engine::AccessSink& sink) const {
  CHECK(objections_[op].empty());
  return describe_as_run(calls_[op], capture_->facts(op), sink);
}

Fidelity describe_as_run(const engine::access::OpCall& call, const engine::KernelFacts& kernel,
                         engine::AccessSink& sink) {
  PastCaches past(sink);
  const Fidelity fidelity =
      engine::access::describe(call, kernel.streaming_stores ? static_cast<engine::AccessSink&>(past) : sink);
  return fidelity == Fidelity::loops && (is_library(kernel) || is_reference(kernel)) ? Fidelity::modelled : fidelity;
}

TensorOwners::TensorOwners(const CapturedStep& step) : step_(step) {
  for (const TensorRecord& t : step.capture().tensors()) {
    if (t.alias_of == kNoTensor && t.size_bytes > 0)
      assign(step.address(t.id), step.address(t.id) + static_cast<uint64_t>(t.size_bytes), t.id);
  }
  assign(step.panels_address(), step.panels_address() + kPanelBytes, step.panels());
}

void TensorOwners::assign(uint64_t begin, uint64_t end, TensorId tensor) {
  // Pieces that reach into [begin, end) are cut; what lies inside goes.
  auto at = pieces_.upper_bound(begin);
  if (at != pieces_.begin()) {
    const auto before = std::prev(at);
    const Piece piece = before->second;
    if (piece.end > begin) {
      before->second.end = begin;
      if (piece.end > end) pieces_[end] = piece;
      if (before->first == begin) pieces_.erase(before);
    }
  }
  for (at = pieces_.lower_bound(begin); at != pieces_.end() && at->first < end; at = pieces_.erase(at)) {
    if (at->second.end > end) {
      pieces_[end] = at->second;
      pieces_.erase(at);
      break;
    }
  }
  pieces_[begin] = {end, tensor};
}

bool TensorOwners::produce(OpId op) {
  const Capture& c = step_.capture();
  bool changed = false;
  for (const OperandRecord& o : c.operands(c.ops()[op])) {
    const TensorRecord& t = c.tensors()[o.tensor];
    if (!o.output || t.persistent || t.alias_of != kNoTensor || t.size_bytes == 0) continue;
    assign(step_.address(t.id), step_.address(t.id) + static_cast<uint64_t>(t.size_bytes), t.id);
    changed = true;
  }
  return changed;
}

std::vector<TensorRange> TensorOwners::ranges() const {
  std::vector<TensorRange> list;
  for (const auto& [begin, piece] : pieces_) list.push_back({begin, piece.end, piece.tensor});
  return list;
}

std::string access_note(Fidelity fidelity, const engine::KernelFacts& kernel, std::string_view kernel_name) {
  switch (fidelity) {
    case Fidelity::loops: return "accesses by the loops of our kernel";
    case Fidelity::modelled:
      return is_library(kernel)     ? fmt::format("{}: tiles as libraries make them, sizes assumed (it ran {})",
                                                  kModelledAccesses, kernel_name)
             : is_reference(kernel) ? fmt::format(
                                          "{}: the reference computes it; its own copies of operands are not "
                                          "counted",
                                          kModelledAccesses)
                                    : fmt::format(
                                          "{}: tile sizes assumed, indices taken as evenly spread, or rows in the "
                                          "order of memory",
                                          kModelledAccesses);
    case Fidelity::assumed:
      return "not simulated: its loops have no description; its operands pass through the caches once, for the ops "
             "after it";
  }
  return {};
}

}  // namespace profiler
