// SPDX-License-Identifier: Apache-2.0
// Walks a ModelProto once: header, operators, nodes and the graphs inside them.
#include "engine/onnx/importer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/onnx/fold.h"
#include "engine/onnx/narrow_types.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/save.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"
#include "engine/ops/data_dependent.h"

namespace engine::onnx {
namespace {

/// 25 is the newest set looked at. Of all sets, attributes that no conversion knows are refused, so
/// that an operator is never read as an older or newer one of its name.
constexpr int64_t kOldestOpset = 1;
constexpr int64_t kNewestOpset = 28;  // of ONNX 1.23; later ones are read as this one
constexpr int64_t kHighestOpset = 1000;

/// Unsupported operators that a message lists: more than any real model has, but a hostile one has
/// no bound.
constexpr size_t kMostListed = 100;

/// What describe() starts with.
constexpr std::string_view kNodeWord = "node ";

/// Graphs in graphs in ...; protobuf allows a few more.
constexpr int kDeepestGraph = 16;
/// Nodes and values that all passes of all loops may write and hand on.
constexpr int64_t kMostInlinedNodes = 100'000;

/// The highest version of the default operator domain; nothing when none is given.
std::optional<int64_t> default_opset(const ::onnx::ModelProto& model) {
  std::optional<int64_t> version;
  for (const ::onnx::OperatorSetIdProto& entry : model.opset_import()) {
    if (!entry.domain().empty() && entry.domain() != "ai.onnx") continue;
    version = std::max(version.value_or(entry.version()), entry.version());
  }
  return version;
}

/// Whether the file says which version of our own operators it means.
bool imports_own(const ::onnx::ModelProto& model) {
  return std::ranges::any_of(model.opset_import(), [](const auto& entry) { return entry.domain() == kOwnDomain; });
}

/// Counts the operators we have not, those of inner graphs included (protobuf bounds their depth).
template <class Nodes>
void count_unsupported(const ::onnx::ModelProto& model, const Nodes& nodes, std::map<std::string, int64_t>& counts) {
  for (const ::onnx::NodeProto& node : nodes) {
    const bool undeclared = node.domain() == kOwnDomain && !imports_own(model);
    if ((undeclared || find_operator(node.domain(), node.op_type()) == nullptr) &&
        find_function(model, node) == nullptr) {
      const std::string domain = node.domain().empty() ? "" : printable(node.domain()) + ".";
      ++counts[domain + printable(node.op_type())];
    }
    for (const ::onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) count_unsupported(model, attribute.g().node(), counts);
    }
  }
}

}  // namespace

std::string describe(const ::onnx::NodeProto& node) {
  std::string_view name = node.name();
  if (name.empty() && node.output_size() > 0) name = node.output(0);
  return fmt::format("{}{} ({})", kNodeWord, in_quotes(name), printable(node.op_type()));
}

void Importer::drop_unread() {
  const Graph& graph = builder_.graph();
  std::vector<size_t> readers(graph.values().size());
  for (const ValueId id : graph.outputs()) ++readers[id];
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.inputs) ++readers[id];
  }
  std::vector<bool> dropped(graph.nodes().size());
  for (ValueId id : left_out_) {
    while (readers[id] == 0 && graph.value(id).producer != kNoNode) {
      const Node& node = graph.node(graph.value(id).producer);
      const bool layout = node.op->view != nullptr || node.op->name == "contiguous";
      if (!layout || dropped[node.id]) break;
      dropped[node.id] = true;
      id = node.inputs[0];
      --readers[id];
    }
  }
  std::vector<Node> nodes;
  for (const Node& node : graph.nodes()) {
    if (!dropped[node.id]) nodes.push_back(node);
  }
  if (nodes.size() < graph.nodes().size()) builder_.replace_nodes(std::move(nodes));
}

Result<Model> Importer::run() {
  if (Result<void> header = check_header(); !header) return header.error();
  if (Result<void> known = check_operators(); !known) return known.error();
  if (Result<void> added = add_initializers(model_.graph()); !added) return added.error();
  light_ = std::ranges::all_of(model_.graph().initializer(), [](const ::onnx::TensorProto& t) {
    const Result<DType> dtype = to_dtype(t.data_type());
    const bool matrix = t.dims_size() > 1 && std::ranges::any_of(t.dims(), [](int64_t extent) { return extent > 1; });
    return !matrix || !dtype || !is_floating(*dtype);
  });
  for (const auto part : {&Importer::add_inputs, &Importer::add_main_nodes, &Importer::add_outputs}) {
    const Result<void> done = (this->*part)();
    if (done) continue;
    if (!replaced_batch_ || part == &Importer::add_inputs) return done.error();
    return Error{
        done.error().kind,
        fmt::format("{} (the file fixes the leading extent of its inputs at 1, which the batch of {} replaced)",
                    done.error().message, options_.batch)};
  }
  if (Result<void> follows = check_batch(); !follows) return follows.error();
  for (const ValueId found : found_) builder_.mark_output(found);
  drop_unread();
  Result<Graph> graph = builder_.finish();
  if (!graph) return graph.error();
  return Model{std::move(*graph),
               printable(model_.producer_name()),
               model_.ir_version(),
               opset_,
               batch_extent_,
               std::move(inputs_),
               std::move(outputs_),
               std::move(notes_),
               std::move(data_dependent_)};
}

Result<void> Importer::check_header() {
  if (!model_.has_graph()) return refused_error("is no ONNX model: it has no field graph");
  if (model_.ir_version() < 1) {
    return refused_error(fmt::format("field ir_version: {} is not positive", model_.ir_version()));
  }
  const std::optional<int64_t> opset = default_opset(model_);
  if (!opset)
    return refused_error(
        "field opset_import: no version of the default operators is given; the file may be "
        "truncated");
  if (*opset < kOldestOpset || *opset > kHighestOpset) {
    return refused_error(
        fmt::format("field opset_import: opset {} is not between {} and {}", *opset, kOldestOpset, kHighestOpset));
  }
  if (*opset > kNewestOpset)
    note(
        fmt::format("its opset, {0}, is newer than {1}, the newest that this program knows: its operators are taken to "
                    "mean what they mean in opset {1}",
                    *opset, kNewestOpset));
  opset_ = *opset;
  for (const ::onnx::OperatorSetIdProto& entry : model_.opset_import()) {
    if (entry.domain() == kOwnDomain && entry.version() != kOwnVersion)
      return refused_error(fmt::format("field opset_import: domain {} has version {}, this program reads {}",
                                       kOwnDomain, entry.version(), kOwnVersion));
  }
  if (model_.graph().node_size() == 0)
    return refused_error("field graph.node: the graph is empty, there is nothing to run");
  if (model_.training_info_size() > 0) note("training_info is ignored: imported models run inference");
  return {};
}

Result<void> Importer::check_operators() {
  std::map<std::string, int64_t> unsupported;
  count_unsupported(model_, model_.graph().node(), unsupported);
  for (const ::onnx::FunctionProto& function : model_.functions())
    count_unsupported(model_, function.node(), unsupported);
  if (unsupported.empty()) return {};
  std::vector<std::string> counted;
  for (const auto& [name, count] : unsupported) {
    if (counted.size() == kMostListed) {
      counted.push_back(fmt::format("and {} others", unsupported.size() - kMostListed));
      break;
    }
    counted.push_back(fmt::format("{} ({}x)", name, count));
  }
  return refused_error(fmt::format("{} {} not supported: {}", unsupported.size(),
                                   unsupported.size() == 1 ? "operator is" : "operators are",
                                   fmt::join(counted, ", ")));
}

Slot* Importer::find(const std::string& name) {
  for (Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    if (const auto found = scope->slots.find(name); found != scope->slots.end()) return &found->second;
  }
  return nullptr;
}

Result<void> Importer::define(const std::string& name, Slot slot) {
  const auto [entry, is_new] = scope_->slots.try_emplace(name, std::move(slot));
  if (is_new) return {};
  return refused_error(fmt::format("name {} is given twice: it is {} already", in_quotes(name), entry->second.made_by));
}

std::string Importer::why_missing(const std::string& name) const {
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    if (const auto dropped = scope->dropped.find(name); dropped != scope->dropped.end()) return dropped->second;
    const auto later = scope->made_later.find(name);
    if (later == scope->made_later.end()) continue;
    return fmt::format("is made only later, by {}: the graph has a cycle, or its nodes are not in topological order",
                       later->second);
  }
  return "is undefined: no input, initializer or node of that name";
}

Result<void> Importer::load(const std::string& name, Slot& slot) {
  if (slot.initializer == nullptr || slot.constant) return {};
  Result<Tensor> tensor = to_tensor(*slot.initializer, folder_);
  if (!tensor) return refused_error(fmt::format("initializer {}: {}", in_quotes(name), tensor.error().message));
  if (const NarrowType* narrow = narrow_type(slot.initializer->data_type())) slot.narrow = narrow->name;
  slot.constant = Constant{tensor->type(), std::nullopt, std::move(*tensor)};
  return {};
}

Result<ValueId> Importer::value_of(const std::string& name, Slot& slot) {
  if (slot.value != kNoValue) return slot.value;
  if (slot.is_sequence) return refused_error(fmt::format("{} is a sequence, not a tensor", in_quotes(name)));
  if (slot.is_absent) return refused_error(fmt::format("{} is an optional that is not there", in_quotes(name)));
  if (Result<void> loaded = load(name, slot); !loaded) return loaded.error();
  CHECK(slot.constant.has_value());
  const Constant& constant = *slot.constant;
  const Role role = take_learned(slot, constant.type.elements());
  // One value for all elements stays a fill: models without trained weights then cost no memory
  // before they are run.
  if (constant.uniform) {
    const Fill fill{Fill::Kind::constant, *constant.uniform, 0};
    slot.value = role == Role::weight ? builder_.parameter(printable(name), constant.type, fill)
                                      : builder_.state(printable(name), constant.type, fill, role);
  } else {
    slot.value = builder_.constant(printable(name), constant.data, role);
  }
  if (builder_.failed()) return refused_error(builder_.finish().error().message);
  return slot.value;
}

Result<Tensor> Importer::elements_of(Slot& slot, std::string_view op_type) {
  CHECK(slot.value != kNoValue && evaluates());
  if (!slot.seen) {
    Result<Tensor> elements = options_.evaluate(builder_.graph(), slot.value);
    if (!elements) return elements;
    slot.seen = std::move(*elements);
  }
  ++data_dependent_[printable(op_type)];
  return *slot.seen;
}

/// The inputs of integers without given elements that alone decide about a value: "x", "y"; empty: others do, too.
std::string Importer::deciding_inputs(ValueId id) const {
  const Graph& graph = builder_.graph();
  std::vector<bool> seen(graph.values().size());
  std::vector<ValueId> todo{id};
  std::vector<std::string> names;
  while (!todo.empty()) {
    const Value& value = graph.value(todo.back());
    todo.pop_back();
    if (seen[value.id]) continue;
    seen[value.id] = true;
    if (value.producer != kNoNode) {
      const std::vector<ValueId>& inputs = graph.node(value.producer).inputs;
      todo.insert(todo.end(), inputs.begin(), inputs.end());
    } else if (value.kind == ValueKind::input) {
      if (is_floating(value.type.dtype) || options_.given.contains(value.name)) return {};
      names.push_back(value.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<void> Importer::guard(Slot& slot) {
  constexpr int64_t kMostValues = 4096;
  if (slot.guarded) return {};
  CHECK(slot.seen.has_value());
  if (const std::string inputs = deciding_inputs(slot.value); !inputs.empty())
    return refused_error(fmt::format(
        "the graph input {} decides about extents and has no elements: give them as in --set {}=2,3, or by --input",
        inputs, inputs.substr(0, inputs.find(','))));
  if (slot.seen->type().elements() > kMostValues)
    return refused_error(
        fmt::format("{} values decide about extents, at most {} can", slot.seen->type().elements(), kMostValues));
  check_each_step(
      builder_.append(ops::kKnownValues, {slot.value}, {{"expected", ops::expected_values(*slot.seen)}})[0]);
  if (builder_.failed()) return refused_error(builder_.finish().error().message);
  slot.guarded = true;
  return {};
}

bool Importer::spend_folding(double work) {
  if (work > folding_left_) return false;
  folding_left_ -= work;
  return true;
}

/// True when all inputs are known and small: such a node computes shapes, axes or limits. What dequantises weights, of
/// whatever size, stays: it is part of a quantised product (fold_quantized()).
bool Importer::can_fold(const ::onnx::NodeProto& node) {
  if (node.domain() == kOwnDomain) return false;  // the graph comes back as it was
  const int64_t largest = node.op_type() == "DequantizeLinear" ? 1 : kLargestFolded;
  const auto small = [&](const Slot& slot) { return slot.constant && slot.constant->type.elements() <= largest; };
  for (const std::string& name : node.input()) {
    if (name.empty()) continue;
    Slot* slot = find(name);
    if (slot == nullptr || !load(name, *slot)) return false;  // told when the node asks for it
    if (slot->is_sequence ? !std::ranges::all_of(slot->elements, small) : !slot->is_absent && !small(*slot))
      return false;
  }
  return std::ranges::none_of(node.attribute(), [](const auto& attribute) { return attribute.has_g(); });
}

/// Of graphs in graphs the outermost node and the innermost one are named; those between would fill the screen.
Error Importer::of_node(const ::onnx::NodeProto& node, const std::string& message) const {
  const bool between = depth_ > 0 && message.starts_with(kNodeWord);
  return refused_error(between ? message : fmt::format("{}: {}", describe(node), message));
}

/// Weight where the value holds learned numbers of the file that no other value has brought yet.
Role Importer::take_learned(Slot& slot, int64_t elements) {
  int64_t taken = 0;
  for (const std::shared_ptr<int64_t>& left : slot.learned) {
    const int64_t part = std::min(*left, elements - taken);
    *left -= part, taken += part;
  }
  return taken > 0 ? Role::weight : Role::input;
}

namespace {

/// Inputs of operators that hold quantised weights (of any integer dtype), and those that hold no learned numbers
/// though they are floating.
struct KindOfInputs {
  std::string_view op_type;
  std::initializer_list<int> weights, scales;
};
const KindOfInputs kKindsOfInputs[] = {
    {"DequantizeLinear", {0}, {1, 2}},
    {"QuantizeLinear", {}, {1, 2}},
    {"QLinearConv", {3, 8}, {1, 2, 4, 5, 6, 7}},
    {"QLinearMatMul", {0, 3}, {1, 2, 4, 5, 6, 7}},
    {"MatMulInteger", {0, 1}, {2, 3}},
    {"ConvInteger", {1}, {2, 3}},
    {"Resize", {}, {1, 2}},
    {"Upsample", {}, {1}},
    {"Clip", {}, {1, 2}},
    {"Range", {}, {0, 1, 2}},
    {"Pad", {}, {2}},
    {"Dropout", {}, {1}},
};

}  // namespace

/// Says of the initializers that a node reads whether they are learned, where their dtype does not tell.
void Importer::tell_learned(const ::onnx::NodeProto& node) {
  const auto* const kind = std::ranges::find(kKindsOfInputs, std::string_view(node.op_type()), &KindOfInputs::op_type);
  if (kind == std::end(kKindsOfInputs)) return;
  const auto each = [&](std::initializer_list<int> inputs, const auto& f) {
    for (const int i : inputs) {
      Slot* slot = i < node.input_size() ? find(node.input(i)) : nullptr;
      if (slot != nullptr && slot->initializer != nullptr && slot->value == kNoValue) f(*slot);
    }
  };
  each(kind->weights, [](Slot& slot) {
    if (!slot.learned.empty()) return;
    if (slot.initializer->dims_size() > 0)
      slot.learned.push_back(std::make_shared<int64_t>(claimed_elements(*slot.initializer)));
  });
  each(kind->scales, [](Slot& slot) { slot.learned.clear(); });
}

/// What our own files say of a node's results.
void Importer::set_roles(const ::onnx::NodeProto& node, const NodeNote& note) {
  for (size_t i = 0; i < note.roles.size(); ++i) {
    const Slot* const slot = find(node.output(static_cast<int>(i)));
    if (slot != nullptr && slot->value != kNoValue) builder_.set_role(slot->value, note.roles[i]);
  }
}

Result<void> Importer::add_node(const ::onnx::NodeProto& node) {
  tell_learned(node);
  const Result<std::optional<NodeNote>> note = node_note(node);
  if (!note) return of_node(node, note.error().message);
  const std::string& layer = node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
  builder_.set_layer(scope_->layer + (*note ? (*note)->layer : printable(layer)));
  builder_.set_phase(*note ? (*note)->phase : Phase::forward);
  if (const ::onnx::FunctionProto* function = find_function(model_, node); function != nullptr) {
    const Result<void> added = add_function(node, *function);
    return added ? added : of_node(node, added.error().message);
  }
  const Convert convert = find_operator(node.domain(), node.op_type())->convert;
  if (can_fold(node)) {
    GraphBuilder apart;
    NodeContext context(*this, node, apart);
    convert(context);
    const Result<bool> folded = context.finish();
    if (!folded) return of_node(node, folded.error().message);
    if (*folded) return {};
  }
  NodeContext context(*this, node);
  convert(context);
  const Result<bool> finished = context.finish();
  if (!finished) return of_node(node, finished.error().message);
  if (*note) set_roles(node, **note);
  return {};
}

Result<void> Importer::add_nodes(const ::onnx::GraphProto& graph) {
  for (const ::onnx::NodeProto& node : graph.node()) {
    for (const std::string& output : node.output()) {
      if (!output.empty()) scope_->made_later.try_emplace(output, describe(node));
    }
  }
  for (const ::onnx::NodeProto& node : graph.node()) {
    if (Result<void> added = add_node(node); !added) return added;
  }
  builder_.set_layer("");
  builder_.set_phase(Phase::forward);
  return {};
}

Result<std::vector<Slot>> Importer::inline_graph(const ::onnx::GraphProto& graph, std::vector<Slot> inputs,
                                                 const std::string& label) {
  if (depth_ >= kDeepestGraph) return refused_error(fmt::format("graphs are nested more than {} deep", kDeepestGraph));
  inlined_nodes_ += graph.node_size() + static_cast<int64_t>(inputs.size()) + 1;
  if (inlined_nodes_ > kMostInlinedNodes)
    return refused_error(
        fmt::format("branches and passes of loops have more than {} nodes and values together", kMostInlinedNodes));
  if (static_cast<size_t>(graph.input_size()) != inputs.size()) {
    return refused_error(
        fmt::format("the inner graph has {} inputs, the node gives it {}", graph.input_size(), inputs.size()));
  }
  Scope scope;
  scope.outer = scope_;
  scope.layer = builder_.layer() + "." + label + ".";
  const std::string layer = builder_.layer();
  scope_ = &scope;
  ++depth_;
  const Result<std::vector<Slot>> outputs = [&]() -> Result<std::vector<Slot>> {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (Result<void> defined = define(graph.input(static_cast<int>(i)).name(), std::move(inputs[i])); !defined)
        return defined.error();
    }
    if (Result<void> added = add_initializers(graph); !added) return added.error();
    if (Result<void> added = add_nodes(graph); !added) return added.error();
    std::vector<Slot> made;
    for (const ::onnx::ValueInfoProto& info : graph.output()) {
      Slot* slot = find(info.name());
      if (slot == nullptr)
        return refused_error(fmt::format("inner output {} {}", in_quotes(info.name()), why_missing(info.name())));
      if (Result<void> loaded = load(info.name(), *slot); !loaded) return loaded.error();
      made.push_back(*slot);
    }
    return made;
  }();
  --depth_;
  scope_ = scope.outer;
  builder_.set_layer(layer);
  return outputs;
}

}  // namespace engine::onnx
