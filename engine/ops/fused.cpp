// SPDX-License-Identifier: Apache-2.0
// The fused op: its members as attributes and back, shapes, cost and truth, each by way of the members.
#include "engine/ops/fused.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "engine/base/check.h"
#include "engine/ops/check.h"
#include "engine/ops/fusion_limits.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

std::string joined(const FusedProgram& program, char separator, std::string_view (*word)(const FusedMember&)) {
  std::string text;
  for (const FusedMember& member : program.members) {
    if (&member != &program.members.front()) text += separator;
    text += word(member);
  }
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Lists behind one another, each after its length.
void put_list(std::vector<int64_t>& all, const auto& list) {
  all.push_back(static_cast<int64_t>(list.size()));
  for (const auto number : list) all.push_back(static_cast<int64_t>(number));
}
/// The next list; nothing where there is none.
template <class Number>
std::optional<std::vector<Number>> take_list(const std::vector<int64_t>& all, size_t& at) {
  if (at >= all.size() || all[at] < 0 || static_cast<uint64_t>(all[at]) > all.size() - at - 1) return std::nullopt;
  std::vector<Number> list;
  const size_t end = at + 1 + static_cast<size_t>(all[at]);
  for (++at; at < end; ++at) list.push_back(static_cast<Number>(all[at]));
  return list;
}

/// An attribute of that kind; nothing where it is absent or of another.
template <class Kind>
const Kind* attribute(const Attributes& attributes, std::string_view key) {
  const auto found = attributes.items().find(key);
  return found == attributes.items().end() ? nullptr : std::get_if<Kind>(&found->second);
}

/// "3/epsilon": attributes of members go to them; false: to one that does not exist.
bool hand_out(const Attributes& attributes, FusedProgram& program) {
  for (const auto& [key, item] : attributes.items()) {
    const size_t slash = key.find('/');
    if (slash == std::string::npos) continue;
    size_t member = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + slash, member);
    if (error != std::errc() || end != key.data() + slash || member >= program.members.size()) return false;
    program.members[member].attributes.set(key.substr(slash + 1), item);
  }
  return true;
}

/// What the attributes say, checked as far as that goes without types; they may come from a file.
Result<FusedProgram> parse_program(const Attributes& attributes) {
  const auto* names = attribute<std::string>(attributes, "ops");
  const auto* layer_names = attribute<std::string>(attributes, "layers");
  const auto* operands = attribute<std::vector<int64_t>>(attributes, "operands");
  const auto* values = attribute<std::vector<int64_t>>(attributes, "values");
  const auto* results = attribute<std::vector<int64_t>>(attributes, "results");
  const Error broken = usage_error("[fused] its attributes are no list of members with their operands");
  if (names == nullptr || layer_names == nullptr || operands == nullptr || values == nullptr || results == nullptr)
    return broken;
  const std::vector<std::string> ops = split(*names, ';'), layers = split(*layer_names, '\n');
  if (layers.size() != ops.size()) return broken;
  if (ops.size() > kMostFusedMembers)
    return usage_error(fmt::format("[fused] {} members; at most {} are", ops.size(), kMostFusedMembers));
  FusedProgram program;
  size_t operand_at = 0, value_at = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op* op = find_op(ops[i]);
    const FusionPart part = op == nullptr ? FusionPart::none : fusion_part(*op);
    const bool call = part == FusionPart::product || part == FusionPart::normalization;
    auto read = take_list<int>(*operands, operand_at);
    auto made = take_list<uint32_t>(*values, value_at);
    if (op != nullptr && (!read || !made)) return broken;
    if (op != nullptr)
      program.members.push_back(
          {.op = op, .attributes = {}, .operands = *std::move(read), .layer = layers[i], .outputs = *std::move(made)});
    const bool may_stand =
        part == FusionPart::elementwise || (call && i == 0) || (i == 1 && normalizes_convolution(program));
    if (op == nullptr || op->program != nullptr || !may_stand) {
      return usage_error(fmt::format("[fused] member {} is {}, which is not allowed there", i, ops[i]));
    }
  }
  if (!hand_out(attributes, program)) return broken;
  program.results.assign(results->begin(), results->end());
  // The last value, then what else the first member makes.
  const size_t beside = program.members[0].outputs.empty() ? 0 : program.members[0].outputs.size() - 1;
  bool in_order = program.results.size() == beside + 1 && program.results[0] + size_t{1} == program.value_count();
  for (size_t j = 1; in_order && j <= beside; ++j) in_order = program.results[j] == static_cast<int>(j);
  return in_order ? Result<FusedProgram>(std::move(program)) : broken;
}

FusedProgram fused_program(const Attributes& attributes) {
  Result<FusedProgram> program = parse_program(attributes);
  CHECK(program.ok());  // infer has refused what is none
  return *std::move(program);
}

/// Of what the loop over the result does, all but a first product's or norm's own: as the kernels and the descriptions
/// of their accesses take it for granted.
Result<void> check_loop(const FusedProgram& program, std::span<const TensorType> inputs,
                        std::span<const TensorType> values) {
  const Shape& result = values[static_cast<size_t>(program.results[0])].shape;
  std::set<int> read;
  for (const FusedMember& member : program.members) {
    if (fusion_part(*member.op) != FusionPart::elementwise) continue;
    for (const int operand : member.operands) {
      const TensorType& type =
          operand >= 0 ? inputs[static_cast<size_t>(operand)] : values[static_cast<size_t>(~operand)];
      if (const Result<Shape> both = broadcast_shapes(type.shape, result); !both || *both != result) {
        return usage_error(fmt::format("[fused] {} reads {}, which does not fit the result {}", member.op->name,
                                       to_string(type.shape), to_string(result)));
      }
      if (operand >= 0) read.insert(operand);
    }
  }
  if (read.size() + 1 > kMostFusedOperands) {
    return usage_error(
        fmt::format("[fused] {} operands and a result; at most {} are", read.size(), kMostFusedOperands));
  }
  return {};
}

InferResult infer_fused(std::span<const TensorType> inputs, const Attributes& attributes) {
  const Result<FusedProgram> program = parse_program(attributes);
  if (!program) return program.error();
  std::vector<TensorType> values, outputs;
  for (const FusedMember& member : program->members) {
    for (const int operand : member.operands) {
      if (operand >= 0 ? static_cast<size_t>(operand) < inputs.size() : static_cast<size_t>(~operand) < values.size())
        continue;
      return usage_error(fmt::format("[fused] {} reads operand {}, which does not exist", member.op->name, operand));
    }
    InferResult made = member.op->infer(operand_types(member, inputs, values), member.attributes);
    if (!made) return made;
    if (made->size() != member.outputs.size())
      return usage_error(
          fmt::format("[fused] {} has {} outputs, not {}", member.op->name, made->size(), member.outputs.size()));
    for (TensorType& type : *made) values.push_back(std::move(type));
  }
  for (const int result : program->results) outputs.push_back(values[static_cast<size_t>(result)]);
  if (Result<void> checked = check_loop(*program, inputs, values); !checked) return checked.error();
  const bool call = fusion_part(*program->members[0].op) != FusionPart::elementwise;
  if (call && values[0] != outputs[0]) {
    return usage_error(fmt::format("[fused] {} makes {}, the whole {}: they must be one type",
                                   program->members[0].op->name, to_string(values[0]), to_string(outputs[0])));
  }
  return outputs;
}

/// The members' work; of their bytes, those that enter and leave the group.
Cost fused_cost(const Call& call) {
  const FusedProgram program = fused_program(call.attributes);
  const std::vector<Cost> costs = member_costs(program, call.inputs);
  Cost cost;
  cost.read_bytes.assign(call.inputs.size(), 0);
  std::vector<int64_t> written;
  for (size_t i = 0; i < costs.size(); ++i) {
    const FusedMember& member = program.members[i];
    cost.flops += costs[i].flops;
    for (size_t k = 0; k < member.operands.size(); ++k) {
      if (member.operands[k] < 0) continue;
      int64_t& bytes = cost.read_bytes[static_cast<size_t>(member.operands[k])];
      bytes = std::max(bytes, costs[i].read_bytes[k]);
    }
    written.insert(written.end(), costs[i].written_bytes.begin(), costs[i].written_bytes.end());
  }
  for (const int result : program.results) cost.written_bytes.push_back(written[static_cast<size_t>(result)]);
  return cost;
}

/// Runs the members' references one after another; what stays inside is held in tensors of its own, rounded to its
/// dtype.
void reference_fused(KernelArguments& arguments) {
  const FusedProgram program = fused_program(*arguments.attributes);
  std::vector<TensorType> input_types;
  for (const Tensor& input : arguments.inputs) input_types.push_back(input.type());
  const std::vector<TensorType> types = value_types(program, input_types);
  std::vector<Tensor> values(types.size());
  for (size_t j = 0; j < program.results.size(); ++j)
    values[static_cast<size_t>(program.results[j])] = arguments.outputs[j];
  size_t first = 0;
  for (const FusedMember& member : program.members) {
    KernelArguments part{.attributes = &member.attributes, .inputs = {}, .outputs = {}};
    for (const int operand : member.operands)
      part.inputs.push_back(operand >= 0 ? arguments.inputs[static_cast<size_t>(operand)]
                                         : values[static_cast<size_t>(~operand)]);
    for (size_t v = first; v < first + member.outputs.size(); ++v) {
      if (!values[v].defined()) {
        Result<Tensor> own = Tensor::empty(types[v]);
        CHECK(own.ok());
        values[v] = *std::move(own);
      }
      part.outputs.push_back(values[v]);
    }
    member.op->reference(part);
    first += member.outputs.size();
  }
}

}  // namespace

const Op kFused{
    .name = "fused",
    .formula =
        "y = f(g(...)): several ops in one pass; values between them stay in registers and the "
        "first cache level",
    .infer = infer_fused,
    .cost = fused_cost,
    .reference = reference_fused,
    .program = fused_program,
    .attributes = {AttributeSpec::word("ops"), AttributeSpec::word("layers"), AttributeSpec::list("operands"),
                   AttributeSpec::list("values"), AttributeSpec::list("results")},
};

Attributes fused_attributes(const FusedProgram& program) {
  Attributes attributes;
  attributes.set("ops", joined(program, ';', [](const FusedMember& m) { return m.op->name; }));
  attributes.set("layers", joined(program, '\n', [](const FusedMember& m) { return std::string_view(m.layer); }));
  std::vector<int64_t> operands, values;
  for (size_t i = 0; i < program.members.size(); ++i) {
    const FusedMember& member = program.members[i];
    put_list(operands, member.operands);
    put_list(values, member.outputs);
    for (const auto& [key, item] : member.attributes.items()) attributes.set(fmt::format("{}/{}", i, key), item);
  }
  attributes.set("operands", std::move(operands));
  attributes.set("values", std::move(values));
  attributes.set("results", std::vector<int64_t>(program.results.begin(), program.results.end()));
  return attributes;
}

bool fusable_dtype(DType dtype) { return is_floating(dtype) || dtype == DType::boolean; }

std::span<const Op* const> fused_ops() {
  static constexpr const Op* kOps[] = {&kFused};
  return kOps;
}

}  // namespace engine::ops
