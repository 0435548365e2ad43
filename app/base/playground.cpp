// SPDX-License-Identifier: Apache-2.0
// A line is split into words by hand; everything else is the eager engine's.
#include "app/base/playground.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "app/base/devices.h"
#include "app/base/playground_words.h"
#include "engine/base/clock.h"
#include "engine/eager/module.h"
#include "engine/eager/variable.h"
#include "engine/runtime/observer.h"
#include "engine/tensor/device_name.h"
#include "engine/tensor/element.h"
#include "profiler/base/words.h"

namespace app {

using engine::DType;
using engine::Result;
using engine::Shape;
using engine::Tensor;
using engine::TensorType;
using engine::usage_error;
using engine::Variable;

namespace {

constexpr int64_t kMostElements = 1 << 20;

/// Keeps the copies between devices of one line.
struct MoveLog final : engine::Observer {
  void step_begin(uint32_t, int64_t) override {}
  void step_end(uint32_t, int64_t) override {}
  void op_done(uint32_t, int64_t, int64_t) override {}
  void transfer_done(uint32_t, const engine::Transfer& t) override {
    const char* reason = t.reason == engine::Transfer::Reason::asked    ? "asked"
                         : t.reason == engine::Transfer::Reason::scalar ? "fetched"
                                                                        : "gradient";
    moves.push_back({engine::to_string(t.from), engine::to_string(t.to), t.size_bytes, reason});
  }
  std::vector<PlaygroundMove> moves;
};

std::string counted_ops(size_t count) { return profiler::counted(count, "op"); }
std::string bytes_words(int64_t bytes) { return fmt::format("{} B", bytes); }

/// Ends each message about a line that is none.
constexpr std::string_view kLines =
    "Lines are such as: x = ones(2x3), y = x.to(sim:0), z = x + y, y.copy_(x), x[0] = 5, m = linear(3, 2), m.to(sim:1)";

/// What can go wrong with a line: that it is none, or that the engine refuses it.
engine::Error not_understood(const std::string& what) { return usage_error(fmt::format("{}. {}", what, kLines)); }

/// The number as the data type stores it: "255 (u8 has no 300)"; as it was typed where it is stored as it is.
std::string stored_words(engine::DType dtype, double value, const std::string& typed) {
  std::byte bytes[8];
  engine::store_element(dtype, bytes, value);
  const double stored = engine::load_element(dtype, bytes);
  constexpr double kShown = 1e-6;  // of the value: f32 has no 0.1 either, and shows it as 0.1
  if (!(std::abs(stored - value) > kShown * std::abs(value))) return typed;
  return fmt::format("{:.9g} ({} has no {})", stored, engine::name(dtype), typed);
}

}  // namespace

struct Playground::Impl {
  struct Named {
    std::string name;
    Variable variable;
    std::unique_ptr<engine::Module> module;  ///< null: a tensor
  };

  std::vector<std::unique_ptr<engine::Backend>> backends;
  std::vector<std::string> device_names;
  std::unique_ptr<engine::EagerSession> session;  // after the backends: it ends first
  MoveLog log;
  std::vector<Named> named;
  std::string remedy;  // of the line at hand

  Named* find(std::string_view name) {
    const auto at = std::ranges::find(named, name, &Named::name);
    return at == named.end() ? nullptr : &*at;
  }
  Result<Named*> known(std::string_view name) {
    Named* at = find(name);
    if (at == nullptr) return not_understood(fmt::format("there is no \"{}\"", name));
    return at;
  }
  Result<std::string> device(const std::string& name) const {
    const std::string wanted = name == "cuda" ? "cuda:0" : name;
    for (const std::string& known : device_names)
      if (known == name || known == wanted) return known;
    return not_understood(
        fmt::format("there is no device \"{}\" here; there are {}", name, fmt::join(device_names, ", ")));
  }
  /// Names of other variables that are this very tensor.
  std::vector<std::string> others(const Variable& v, std::string_view but) const {
    std::vector<std::string> names;
    for (const Named& n : named)
      if (n.module == nullptr && n.name != but && n.variable.cell() == v.cell()) names.push_back(n.name);
    return names;
  }
  static Result<Variable> checked(Variable v) {
    if (!v.ok()) return v.error();
    return v;
  }

  Result<Variable> operand(const std::string& text);
  Result<Variable> create(const PlaygroundCall&);
  Result<Variable> method(const std::string& name, const PlaygroundCall&);
  Result<Variable> binary(const std::string& line, const std::string& left, char op, const std::string& right);
  Result<std::string> assign(const std::string& name, const std::string& expression);
  Result<std::string> assign_module(const std::string& name, const PlaygroundCall&);
  Result<std::string> do_method(const std::string& owner, const PlaygroundCall&);
  Result<std::string> write(const std::string& name, const std::string& index, const std::string& value);
  /// "x.norm()", "x.sum()": a number that is read from the tensor.
  Result<double> figure(const std::string& text);
  Result<std::string> repeat(const std::string& line);
  static std::string tape_words(const std::string& name, const Variable&);
  Result<std::string> run(const std::string& line);
};

/// "x", "x.to(sim:0)", "x.cpu()", "2.5".
Result<Variable> Playground::Impl::operand(const std::string& text) {
  if (const auto value = number_of(text))
    return checked(engine::make_variable(*session, TensorType::contiguous(DType::float32, {}),
                                         {engine::Fill::Kind::constant, *value, 0}));
  const size_t dot = text.find('.');
  if (dot == std::string::npos) {
    auto at = known(text);
    if (!at) return at.error();
    if ((*at)->module != nullptr) return not_understood(fmt::format("{} is a module, not a tensor", text));
    return (*at)->variable;
  }
  const auto call = call_of(text.substr(dot + 1));
  if (!call) return not_understood(fmt::format("\"{}\" is no tensor", text));
  return method(stripped(text.substr(0, dot)), *call);
}

/// zeros(2x3), ones, full(2x3, 1.4), random(4), tensor(1, 2, 3), scalar(2); then a dtype and a device.
Result<Variable> Playground::Impl::create(const PlaygroundCall& call) {
  DType dtype = DType::float32;
  std::string where = "cpu";
  bool grad = false;
  std::vector<std::string> rest;
  for (const std::string& word : call.arguments) {
    if (word == "grad") {
      grad = true;
    } else if (const auto parsed = engine::parse_dtype(word)) {
      dtype = *parsed;
    } else if (word.find(':') != std::string::npos || word == "cpu" || word == "cuda") {
      auto known = device(word);
      if (!known) return known.error();
      where = *known;
    } else {
      rest.push_back(word);
    }
  }
  const auto made = [&](Variable v) { return where == "cpu" ? checked(std::move(v)) : checked(v.to(where)); };
  if (call.name == "tensor" || call.name == "scalar") {
    std::vector<double> values;
    for (const std::string& word : rest) {
      const auto value = number_of(word);
      if (!value) return not_understood(fmt::format("\"{}\" is no number", word));
      values.push_back(*value);
    }
    if (values.empty() || (call.name == "scalar" && values.size() != 1))
      return not_understood(fmt::format("{} needs {}", call.name, call.name == "scalar" ? "one number" : "numbers"));
    const Shape shape = call.name == "scalar" ? Shape{} : Shape{static_cast<int64_t>(values.size())};
    const auto tensor = Tensor::from_values(shape, values, dtype);
    if (!tensor) return tensor.error();
    return made(engine::make_variable(*session, *tensor, grad));
  }
  const bool full = call.name == "full";
  if (rest.size() != (full ? 2U : 1U))
    return not_understood(fmt::format("{} needs a shape such as 2x3{}", call.name, full ? " and a number" : ""));
  const auto shape = shape_of(rest[0]);
  if (!shape) return not_understood(fmt::format("\"{}\" is no shape such as 2x3", rest[0]));
  const auto count = engine::element_count(*shape);
  if (!count || *count > kMostElements)
    return usage_error(
        fmt::format("{} has more than {} elements: the playground shows small tensors", rest[0], kMostElements));
  engine::Fill fill{engine::Fill::Kind::constant, call.name == "ones" ? 1.0 : 0.0, 0};
  if (call.name == "random") fill = {engine::Fill::Kind::normal, 0, 1};
  if (full) {
    const auto value = number_of(rest[1]);
    if (!value) return not_understood(fmt::format("\"{}\" is no number", rest[1]));
    fill.a = *value;
  }
  return made(engine::make_variable(*session, TensorType::contiguous(dtype, *shape), fill, grad));
}

/// Methods that give a tensor.
Result<Variable> Playground::Impl::method(const std::string& name, const PlaygroundCall& call) {
  auto at = known(name);
  if (!at) return at.error();
  if ((*at)->module != nullptr) return not_understood(fmt::format("{} is a module: it has .to() alone", name));
  const Variable x = (*at)->variable;
  if (call.name == "to" && call.arguments.size() == 1) {
    auto where = device(call.arguments[0]);
    if (!where) return where.error();
    return checked(x.to(*where));
  }
  if (call.name == "cpu" && call.arguments.empty()) return checked(x.cpu());
  if (call.name == "sum" && call.arguments.empty()) return checked(x.sum());
  if (call.name == "relu" && call.arguments.empty()) return checked(x.relu());
  if (call.name == "grad" && call.arguments.empty()) return checked(x.grad());
  if (call.name == "new_zeros" || call.name == "new_ones" || call.name == "new_full") {
    const bool full = call.name == "new_full";
    const auto shape = call.arguments.empty() ? std::nullopt : shape_of(call.arguments[0]);
    const auto value = full && call.arguments.size() == 2 ? number_of(call.arguments[1]) : std::nullopt;
    if (!shape || (full && !value))
      return not_understood(fmt::format("{} needs a shape such as 2x3{}", call.name, full ? " and a number" : ""));
    if (const auto count = engine::element_count(*shape); !count || *count > kMostElements)
      return usage_error(fmt::format("{} has more than {} elements", call.arguments[0], kMostElements));
    return checked(full                      ? x.new_full(*shape, *value)
                   : call.name == "new_ones" ? x.new_ones(*shape)
                                             : x.new_zeros(*shape));
  }
  return not_understood(fmt::format("tensors have no .{}() here", call.name));
}

Result<Variable> Playground::Impl::binary(const std::string& line, const std::string& left, char op,
                                          const std::string& right) {
  auto a = operand(left);
  if (!a) return a.error();
  auto b = operand(right);
  if (!b) return b.error();
  Variable result = op == '+' ? *a + *b : op == '-' ? *a - *b : op == '*' ? *a * *b : engine::matmul(*a, *b);
  if (!result.ok() && engine::to_string(a->device()) != engine::to_string(b->device()) && is_name(right)) {
    const size_t at = line.rfind(right);
    remedy = line.substr(0, at) + fmt::format("{}.to({})", right, engine::to_string(a->device())) +
             line.substr(at + right.size());
  }
  return checked(std::move(result));
}

Result<std::string> Playground::Impl::assign_module(const std::string& name, const PlaygroundCall& call) {
  int64_t sizes[2] = {0, 0};
  for (size_t i = 0; i < 2; ++i) {
    const auto value = i < call.arguments.size() ? shape_of(call.arguments[i]) : std::nullopt;
    if (!value || value->size() != 1 || value->front() < 1 || value->front() > 1024)
      return not_understood("linear needs two numbers of features from 1 to 1024, such as linear(3, 2)");
    sizes[i] = value->front();
  }
  auto module = std::make_unique<engine::Linear>(*session, sizes[0], sizes[1]);
  std::string words =
      fmt::format("{} is a module with a weight of {}x{} and a bias of {} on cpu.", name, sizes[1], sizes[0], sizes[1]);
  if (Named* at = find(name)) at->variable = {}, at->module = std::move(module);
  else named.push_back({name, {}, std::move(module)});
  return words;
}

Result<std::string> Playground::Impl::assign(const std::string& name, const std::string& expression) {
  const std::string line = fmt::format("{} = {}", name, expression);
  Result<Variable> result = not_understood(fmt::format("\"{}\" is not understood", expression));
  const auto call = call_of(expression);
  const auto parts = assignment_of(line);
  const size_t dot = expression.find('.');
  if (parts && parts->sign != 0) {
    result = binary(line, parts->left, parts->sign, parts->right);
  } else if (call && call->name == "linear") {
    return assign_module(name, *call);
  } else if (call && find(call->name) != nullptr && find(call->name)->module != nullptr) {
    if (call->arguments.size() != 1) return not_understood("a module is called with one tensor");
    auto x = operand(call->arguments[0]);
    if (!x) return x.error();
    result = checked(find(call->name)->module->forward(*x));
  } else if (call && is_name(call->name)) {
    static constexpr std::string_view kMakers[] = {"zeros", "ones", "full", "random", "tensor", "scalar"};
    if (std::ranges::find(kMakers, call->name) == std::end(kMakers))
      return not_understood(
          fmt::format("there is no {}(); there are {}, linear", call->name, fmt::join(kMakers, ", ")));
    result = create(*call);
  } else if (is_name(expression) || (dot != std::string::npos && call)) {
    result = operand(expression);
  }
  if (!result) return result.error();
  const std::vector<std::string> same = others(*result, name);
  std::string words;
  if (!same.empty()) {
    words = fmt::format("{} is {}: the same tensor on {}, nothing was copied.", name, fmt::join(same, " and "),
                        engine::to_string(result->device()));
  } else {
    words = fmt::format("{} is a new tensor of {} on {} ({}).", name, engine::to_string(result->type()),
                        engine::to_string(result->device()), bytes_words(result->type().distinct_bytes()));
  }
  if (Named* at = find(name)) at->variable = *result, at->module = nullptr;
  else named.push_back({name, *result, nullptr});
  return words;
}

/// Methods that change in place: x.copy_(y), x.fill_(1), m.to(sim:0).
Result<std::string> Playground::Impl::do_method(const std::string& owner, const PlaygroundCall& call) {
  auto at = known(owner);
  if (!at) return at.error();
  if ((*at)->module != nullptr) {
    if (call.name != "to" || call.arguments.size() != 1) return not_understood("modules have .to(device) alone");
    auto where = device(call.arguments[0]);
    if (!where) return where.error();
    auto moved = (*at)->module->to(*where);
    if (!moved) return moved.error();
    if (moved->size_bytes == 0) return fmt::format("All of {} lies on {} already: nothing was copied.", owner, *where);
    return fmt::format(
        "{} moved to {} in place: {} of parameters and buffers. It is the same module; tensors that are "
        "not its own stayed where they are.",
        owner, *where, bytes_words(moved->size_bytes));
  }
  const Variable& x = (*at)->variable;
  if (call.name == "copy_" && call.arguments.size() == 1) {
    auto from = operand(call.arguments[0]);
    if (!from) return from.error();
    if (auto done = x.copy_(*from); !done) return done.error();
    return fmt::format("The elements of {} are those of {} now; {} is the same tensor on {}.", owner, call.arguments[0],
                       owner, engine::to_string(x.device()));
  }
  if (call.name == "tape" && call.arguments.empty()) return tape_words(owner, x);
  if (call.name == "backward" && call.arguments.empty()) {
    if (auto done = x.backward(); !done) return done.error();
    return fmt::format("The gradient ran back through {}; leaves with a gradient show it as .grad().",
                       counted_ops(x.tape().size()));
  }
  if (call.name == "fill_" && call.arguments.size() == 1) {
    const auto value = number_of(call.arguments[0]);
    if (!value) return not_understood(fmt::format("\"{}\" is no number", call.arguments[0]));
    if (auto done = x.fill_(*value); !done) return done.error();
    return fmt::format("All elements of {} are {} now.", owner, stored_words(x.dtype(), *value, call.arguments[0]));
  }
  if (call.name == "to")
    return not_understood(fmt::format("{}.to() gives a tensor and leaves {} where it is: write y = {}.to({})", owner,
                                      owner, owner, call.arguments.empty() ? "sim:0" : call.arguments[0]));
  return not_understood(fmt::format("tensors have no .{}() here", call.name));
}

Result<std::string> Playground::Impl::write(const std::string& name, const std::string& index,
                                            const std::string& value) {
  auto at = known(name);
  if (!at) return at.error();
  const auto i = number_of(index), v = number_of(value);
  if ((*at)->module != nullptr || !i || !v || *i != static_cast<double>(static_cast<int64_t>(*i)))
    return not_understood(fmt::format("{}[{}] = {} is no element and number", name, index, value));
  const Variable& x = (*at)->variable;
  if (x.shape().empty()) return usage_error(fmt::format("{} is 0-d: it has no element {}", name, index));
  const auto n = static_cast<int64_t>(*i);
  if (n < 0 || n >= x.shape().front())
    return usage_error(fmt::format("{}[{}]: the first axis has {} elements", name, index, x.shape().front()));
  if (auto done = x.slice(0, n, n + 1).fill_(*v); !done) return done.error();
  const std::vector<std::string> same = others(x, name);
  const std::string stored = stored_words(x.dtype(), *v, value);
  return same.empty() ? fmt::format("{}[{}] is {} now.", name, n, stored)
                      : fmt::format("{}[{}] is {} now, and so is {}[{}]: it is the same tensor.", name, n, stored,
                                    fmt::join(same, ", "), n);
}

std::string Playground::Impl::tape_words(const std::string& name, const Variable& v) {
  const std::vector<engine::TapedOp> ops = v.tape();
  if (ops.empty())
    return fmt::format("Nothing is recorded for {}: no tensor it was computed from was made with grad.", name);
  int64_t bytes = 0;
  for (const engine::TapedOp& op : ops) bytes += op.saved_bytes;
  std::string text = fmt::format("The tape of {} has {} and keeps {} for the gradient:", name, counted_ops(ops.size()),
                                 bytes_words(bytes));
  constexpr size_t kShown = 12;
  for (size_t i = 0; i < std::min(kShown, ops.size()); ++i)
    text += fmt::format("{} {} {} keeps {}", i > 0 ? "," : "", ops[i].op, engine::to_string(ops[i].result),
                        bytes_words(ops[i].saved_bytes));
  if (ops.size() > kShown) text += fmt::format(", and {} more", ops.size() - kShown);
  return text + ".";
}

Result<double> Playground::Impl::figure(const std::string& text) {
  const size_t dot = text.find('.');
  const auto call = dot == std::string::npos ? std::nullopt : call_of(text.substr(dot + 1));
  if (!call || !call->arguments.empty() || (call->name != "norm" && call->name != "sum"))
    return not_understood(fmt::format("\"{}\" is no number of a tensor, such as x.norm() or x.sum()", text));
  auto x = operand(stripped(text.substr(0, dot)));
  if (!x) return x.error();
  const auto tensor = x->to_tensor();
  if (!tensor) return tensor.error();
  double sum = 0;
  for (int64_t i = 0; i < tensor->type().elements(); ++i)
    sum += call->name == "norm" ? tensor->get_flat(i) * tensor->get_flat(i) : tensor->get_flat(i);
  return call->name == "norm" ? std::sqrt(sum) : sum;
}

/// "while x.norm() > 1: x = x * w"
Result<std::string> Playground::Impl::repeat(const std::string& line) {
  constexpr int kMostTurns = 1000;
  const size_t colon = line.find(": ");
  const std::string condition = stripped(line.substr(5, colon == std::string::npos ? colon : colon - 5));
  const size_t sign = std::min(condition.find(" > "), condition.find(" < "));
  const auto parts = colon == std::string::npos ? std::nullopt : assignment_of(line.substr(colon + 2));
  const auto limit = sign == std::string::npos ? std::nullopt : number_of(stripped(condition.substr(sign + 3)));
  if (!limit || !parts || !is_name(parts->name) || parts->expression.empty())
    return not_understood("a loop has a condition and one assignment, such as: while x.norm() > 1: x = x * w");
  int turns = 0;
  int64_t ns = 0;
  while (true) {
    const auto value = figure(stripped(condition.substr(0, sign)));
    if (!value) return value.error();
    if (!(condition[sign + 1] == '>' ? *value > *limit : *value < *limit)) break;
    if (turns == kMostTurns)
      return usage_error(fmt::format("after {} turns {} is {:.4g}: the loop is stopped there", kMostTurns,
                                     stripped(condition.substr(0, sign)), *value));
    const int64_t begin = engine::now_ns();
    if (auto done = assign(parts->name, parts->expression); !done) return done.error();
    ns += engine::now_ns() - begin;
    ++turns;
  }
  std::string text = fmt::format("{} turn{}: the data decided.", turns, turns == 1 ? "" : "s");
  if (turns > 0) text += fmt::format(" A turn took {:.3g} us (measured).", static_cast<double>(ns) / turns * 1e-3);
  if (const Named* at = find(parts->name); at != nullptr && at->module == nullptr && !at->variable.tape().empty())
    text += " " + tape_words(parts->name, at->variable);
  return text;
}

Result<std::string> Playground::Impl::run(const std::string& line) {
  if (line.starts_with(kLoopWord)) return repeat(line);
  const size_t equals = line.find('=');
  if (equals != std::string::npos) {
    const std::string left = stripped(line.substr(0, equals)), right = stripped(line.substr(equals + 1));
    const size_t bracket = left.find('[');
    if (bracket != std::string::npos && left.back() == ']')
      return write(stripped(left.substr(0, bracket)), left.substr(bracket + 1, left.size() - bracket - 2), right);
    if (!is_name(left)) return not_understood(fmt::format("\"{}\" is no name", left));
    if (right.empty()) return not_understood("nothing stands behind =");
    return assign(left, right);
  }
  const size_t dot = line.find('.');
  const auto call = dot == std::string::npos ? std::nullopt : call_of(line.substr(dot + 1));
  if (call) return do_method(stripped(line.substr(0, dot)), *call);
  return not_understood(fmt::format("\"{}\" is not understood", line));
}

Playground::Playground(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Playground::~Playground() {
  if (impl_ != nullptr) impl_->named.clear();
}

Result<std::unique_ptr<Playground>> Playground::make() {
  auto impl = std::make_unique<Impl>();
  std::vector<std::string> names{"cpu", "sim:0", "sim:1"};
  for (const DeviceEntry& entry : app::devices())
    if (entry.name.starts_with("cuda")) names.push_back(entry.name);
  DeviceOptions options;
  options.threads = 1;
  for (const std::string& name : names) {
    auto backend = make_device(name, options);
    if (!backend) {
      if (name.starts_with("cuda")) continue;  // what is missing, `devices` says
      return backend.error();
    }
    impl->backends.push_back(*std::move(backend));
    impl->device_names.push_back(engine::to_string(impl->backends.back()->info().device));
  }
  impl->session = std::make_unique<engine::EagerSession>(*impl->backends.front());
  for (size_t i = 1; i < impl->backends.size(); ++i)
    if (auto added = impl->session->add_device(*impl->backends[i]); !added) return added.error();
  impl->session->observe(&impl->log);
  return std::unique_ptr<Playground>(new Playground(std::move(impl)));
}

const std::vector<std::string>& Playground::devices() const { return impl_->device_names; }

PlaygroundStep Playground::run(const std::string& line) {
  PlaygroundStep step;
  step.line = stripped(line);
  impl_->log.moves.clear();
  impl_->remedy.clear();
  constexpr size_t kLongest = 400;
  auto words = step.line.size() > kLongest
                   ? Result<std::string>(usage_error(fmt::format("a line has at most {} characters", kLongest)))
                   : impl_->run(step.line);
  step.moves = impl_->log.moves;
  step.recorded_ops = impl_->session->recorded_ops();
  step.saved_bytes = impl_->session->saved_bytes();
  if (words) {
    step.text = *std::move(words);
    int64_t bytes = 0;
    for (const PlaygroundMove& move : step.moves) bytes += move.size_bytes;
    for (const PlaygroundMove& move : step.moves)
      step.text += fmt::format(" {} went from {} to {}{}.", bytes_words(move.size_bytes), move.from, move.to,
                               move.reason == "fetched" ? " unasked: a 0-d operand is fetched, and the op waits" : "");
    return step;
  }
  step.text = words.error().message;
  step.understood = !step.text.ends_with(kLines);
  step.refused = step.understood;
  step.remedy = impl_->remedy;
  return step;
}

std::vector<PlaygroundValue> Playground::values() const {
  std::vector<PlaygroundValue> list;
  for (const Impl::Named& n : impl_->named) {
    PlaygroundValue v;
    v.name = n.name;
    v.module = n.module != nullptr;
    if (v.module) {
      for (const engine::Module::Named& p : n.module->parameters()) {
        v.size_bytes += p.variable->type().distinct_bytes();
        v.device = engine::to_string(p.variable->device());
        v.dtype = std::string(engine::name(p.variable->dtype()));
        v.shape += (v.shape.empty() ? "" : ", ") + p.name + " " + engine::to_string(p.variable->shape());
      }
      list.push_back(std::move(v));
      continue;
    }
    v.device = engine::to_string(n.variable.device());
    v.dtype = std::string(engine::name(n.variable.dtype()));
    v.shape = engine::to_string(n.variable.shape());
    v.size_bytes = n.variable.type().distinct_bytes();
    v.same_as = fmt::format("{}", fmt::join(impl_->others(n.variable, n.name), ", "));
    if (const auto tensor = n.variable.to_tensor()) {
      constexpr int64_t kShown = 6;
      const int64_t count = tensor->type().elements();
      for (int64_t i = 0; i < std::min(kShown, count); ++i)
        v.values += fmt::format("{}{:.7g}", i > 0 ? ", " : "", tensor->get_flat(i));
      if (count > kShown) v.values += ", ...";
    }
    list.push_back(std::move(v));
  }
  return list;
}

std::string playground_grammar() {
  return "x = tensor(1, 2, 3)       a tensor of these values on cpu; also zeros(2x3), ones(2x3), random(2x3),\n"
         "x = full(2x3, 1.4, f16)   also scalar(2); a data type (f16) and a device (sim:0) may follow\n"
         "y = x.to(sim:0)           a copy on sim:0, or x itself where it lies there; also x.cpu()\n"
         "z = x + y                 also -, * and @ (matrix multiplication); all operands lie on one device\n"
         "y.copy_(x)                overwrites elements, across devices and dtypes; also y.fill_(5), y[0] = 5\n"
         "n = x.new_full(2x3, 1.4)  of the dtype and on the device of x; also new_zeros(2x3), new_ones(2x3)\n"
         "m = linear(3, 2)          a module; m.to(sim:1) moves it in place, y = m(x) runs it\n"
         "w = tensor(2, 3, grad)    records its ops: y.tape() lists them, then y.backward(), g = w.grad()\n"
         "while x.norm() > 1: x = x * w   a loop whose length the data decide; also x.sum(), <\n";
}

}  // namespace app
