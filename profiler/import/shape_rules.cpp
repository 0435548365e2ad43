// SPDX-License-Identifier: Apache-2.0
// FLOPs and operands by shape for the ops whose inputs say all that is needed.
#include "profiler/import/shape_rules.h"

#include "profiler/import/shape_known.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace profiler {
namespace {

constexpr size_t kMostExtents = 4096;
using Shape = std::vector<int64_t>;
using Name = std::string_view;

double elements(const Shape& shape, size_t from = 0) {
  return elements_of({shape.begin() + static_cast<std::ptrdiff_t>(std::min(from, shape.size())), shape.end()});
}

template <size_t N>
bool listed(Name name, const std::array<Name, N>& list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The texts of a JSON list of strings, or of what stands between commas.
std::vector<Name> texts_of(Name json) {
  std::vector<Name> texts;
  for (size_t at = json.find('"'); at != json.npos && texts.size() < kMostExtents;) {
    const size_t end = json.find('"', at + 1);
    if (end == json.npos) break;
    texts.push_back(json.substr(at + 1, end - at - 1));
    at = json.find('"', end + 1);
  }
  return texts;
}

/// The output of a matrix product of a [.., m, k] and b [.., k, n] (b transposed: [n, k]); nothing: the shapes do not
/// fit.
std::optional<Shape> product_shape(const Shape& a, const Shape& b, bool b_transposed) {
  if (a.size() < 2 || b.size() < 2) return {};
  const int64_t n = b_transposed ? b[b.size() - 2] : b.back(), inner = b_transposed ? b.back() : b[b.size() - 2];
  if (a.back() != inner) return {};
  Shape out;
  // a batch only on the right is repeated for each matrix on the left
  if (a.size() == 2) out.assign(b.begin(), b.end() - 2);
  out.insert(out.end(), a.begin(), a.end() - 1);
  out.push_back(n);
  return out;
}

/// "[2, 2]" -> {2,2}; nothing where it is no list of whole numbers.
std::optional<Shape> numbers(Name text) {
  Shape list;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  for (const char* at = text.data() + 1; at < text.data() + text.size() - 1 && list.size() < kMostExtents;) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), value);
    if (error != std::errc()) return {};
    list.push_back(value);
    at = end;
    while (*at == ',' || *at == ' ') ++at;  // ends at ']'
  }
  return list;
}

/// Where a convolution's arguments stand among the inputs.
struct ConvolutionArguments {
  Name name;
  size_t stride, padding, dilation, transposed;  // kAbsent: 1; never
};
constexpr size_t kAbsent = 99;
constexpr std::array kConvolutions{ConvolutionArguments{"aten::cudnn_convolution", 3, 2, 4, kAbsent},
                                   ConvolutionArguments{"aten::convolution", 3, 4, 5, 6},
                                   ConvolutionArguments{"aten::_convolution", 3, 4, 5, 6},
                                   ConvolutionArguments{"aten::conv1d", 3, 4, 5, kAbsent},
                                   ConvolutionArguments{"aten::conv2d", 3, 4, 5, kAbsent},
                                   ConvolutionArguments{"aten::conv3d", 3, 4, 5, kAbsent},
                                   ConvolutionArguments{"aten::cudnn_convolution_relu", 3, 4, 5, kAbsent},
                                   ConvolutionArguments{"aten::mkldnn_convolution", 4, 3, 5, kAbsent},
                                   ConvolutionArguments{"aten::miopen_convolution", 4, 3, 5, kAbsent},
                                   ConvolutionArguments{"aten::_slow_conv2d_forward", 4, 5, kAbsent, kAbsent},
                                   ConvolutionArguments{"aten::thnn_conv2d", 4, 5, kAbsent, kAbsent}};

/// The output of a transposed convolution of x [n, c, ..] with w [c, k/groups, ..]: the inverse of convolution_shape().
std::optional<Shape> transposed_shape(const ConvolutionArguments& where, const Shape& x, const Shape& w,
                                      const std::vector<Name>& constants) {
  const auto list = [&](size_t i) { return i < constants.size() ? numbers(constants[i]) : std::nullopt; };
  const auto stride = list(where.stride), padding = list(where.padding), dilation = list(where.dilation),
             beyond = list(where.transposed + 1);
  Shape groups{0};
  if (where.transposed + 2 < constants.size()) {
    const Name text = constants[where.transposed + 2];
    std::from_chars(text.data(), text.data() + text.size(), groups[0]);
  }
  if (x.size() < 3 || x.size() != w.size() || groups[0] < 1 || groups[0] > (1 << 20) || w[1] > (1 << 30)) return {};
  Shape out{x[0], w[1] * groups[0]};
  for (size_t i = 2; i < x.size(); ++i) {
    int64_t at[4] = {};
    for (size_t k = 0; k < 4; ++k) {
      const auto& one = *std::array{&stride, &padding, &dilation, &beyond}[k];
      if (!one || (one->size() != 1 && one->size() != x.size() - 2)) return {};
      at[k] = one->size() == 1 ? (*one)[0] : (*one)[i - 2];
      if (at[k] < 0 || at[k] > (1 << 20)) return {};
    }
    if (x[i] < 1 || x[i] > (1 << 30) || w[i] < 1 || w[i] > (1 << 20)) return {};
    out.push_back((x[i] - 1) * at[0] - 2 * at[1] + at[2] * (w[i] - 1) + at[3] + 1);
    if (out.back() < 1) return {};
  }
  return out;
}

/// The output of a convolution of x [n, c, ..] with w [k, c/groups, ..]; nothing: its arguments are not recorded, or
/// are odd.
std::optional<Shape> convolution_shape(const ConvolutionArguments& where, const Shape& x, const Shape& w,
                                       const std::vector<Name>& constants) {
  const auto text = [&](size_t i) { return i < constants.size() ? constants[i] : Name(); };
  if (x.size() < 3 || x.size() != w.size() || (where.transposed != kAbsent && text(where.transposed) != "False"))
    return {};
  auto stride = numbers(text(where.stride)), padding = numbers(text(where.padding)),
       dilation = where.dilation == kAbsent ? std::optional(Shape{1}) : numbers(text(where.dilation));
  Shape out{x[0], w[0]};
  for (size_t i = 2; i < x.size(); ++i) {
    for (const auto* list : {&stride, &padding, &dilation}) {
      if (!*list || ((*list)->size() != 1 && (*list)->size() != x.size() - 2)) return {};
    }
    const auto at = [i](const Shape& list) { return list.size() == 1 ? list[0] : list[i - 2]; };
    constexpr int64_t kMost = int64_t{1} << 40;
    if (at(*stride) < 1 || at(*padding) < 0 || at(*dilation) < 1 || x[i] > kMost || w[i] > kMost ||
        at(*padding) > kMost || at(*dilation) > (1 << 20))
      return {};
    const int64_t room = x[i] + 2 * at(*padding) - at(*dilation) * (w[i] - 1) - 1;
    if (room < 0) return {};
    out.push_back(room / at(*stride) + 1);
  }
  return out;
}

/// A call understood: its FLOPs, the inputs it reads (by their place) and what it writes.
struct Known {
  double flops = -1;  ///< unknown
  std::vector<Shape> inputs;
  std::vector<size_t> places;  ///< of the inputs among the call's
  std::vector<Shape> outputs;
  size_t typed_like =
      kAbsent;  ///< the place of the input whose element type outputs have; kAbsent: the first of places
};

std::optional<Known> known_product(Name name, const std::vector<Shape>& shapes) {
  const bool plain = name == "aten::mm" || name == "aten::bmm" || name == "aten::matmul";
  const bool adds = name == "aten::addmm" || name == "aten::baddbmm", linear = name == "aten::linear";
  if (!plain && !adds && !linear) return {};
  const size_t first = adds ? 1 : 0;
  if (shapes.size() < first + 2) return {};
  const auto out = product_shape(shapes[first], shapes[first + 1], linear);
  if (!out) return {};
  Known k{2 * elements(*out) * static_cast<double>(shapes[first].back()),
          {shapes[first], shapes[first + 1]},
          {first, first + 1},
          {*out}};
  if (adds || (linear && shapes.size() > 2 && !shapes[2].empty()))
    k.inputs.push_back(shapes[adds ? 0 : 2]), k.places.push_back(adds ? 0 : 2);
  return k;
}

std::optional<Known> known_convolution(const ShapedCall& call, const std::vector<Shape>& shapes) {
  for (const ConvolutionArguments& where : kConvolutions) {
    if (where.name != call.name || shapes.size() < 2) continue;
    const std::vector<Name> said = texts_of(call.constants);
    if (where.transposed < said.size() && said[where.transposed] == "True") {
      const auto larger = transposed_shape(where, shapes[0], shapes[1], said);
      if (!larger) return {};
      return Known{2 * elements(shapes[0]) * elements(shapes[1], 1), {shapes[0], shapes[1]}, {0, 1}, {*larger}};
    }
    const auto out = convolution_shape(where, shapes[0], shapes[1], texts_of(call.constants));
    if (!out) return {};
    return Known{2 * elements(*out) * elements(shapes[1], 1), {shapes[0], shapes[1]}, {0, 1}, {*out}};
  }
  // gradients: one product as large as the forward one for each of input and weight
  if ((call.name == "aten::convolution_backward" || call.name == "aten::_slow_conv2d_backward") && shapes.size() >= 3) {
    const std::vector<Name> constants = texts_of(call.constants);
    const Name mask = constants.empty() ? Name() : constants.back();
    if (!mask.starts_with("[True") && !mask.starts_with("[False")) return {};
    const bool input = mask.starts_with("[True"), weight = mask.find(", True", 1) == mask.find(',');
    constexpr size_t kTransposed =
        7;  // among (gradient, input, weight, bias sizes, stride, padding, dilation, transposed, ...)
    const bool transposed = constants.size() > kTransposed && constants[kTransposed] == "True";
    const double each = 2 * elements(shapes[transposed ? 1 : 0]) * elements(shapes[2], 1);
    const double flops = input || weight ? each * ((input ? 1 : 0) + (weight ? 1 : 0))
                                         : -1;  // of the bias alone: sums that no rule counts
    Known k{flops, {shapes[0]}, {0}, {}};
    if (weight) k.inputs.push_back(shapes[1]), k.places.push_back(1), k.outputs.push_back(shapes[2]);
    if (input) k.inputs.push_back(shapes[2]), k.places.push_back(2), k.outputs.push_back(shapes[1]);
    return k;
  }
  // until 2021: one call for each, whose own first argument is the size of what it makes, which is not recorded
  const bool input = call.name == "aten::cudnn_convolution_backward_input",
             weight = call.name == "aten::cudnn_convolution_backward_weight";
  if ((!input && !weight) || call.around_name != "aten::cudnn_convolution_backward" || shapes.size() < 3) return {};
  const std::vector<Shape> around = parse_dimensions(call.around_dimensions);  // input, gradient, weight
  if (around.size() < 3 || around[1] != shapes[1]) return {};
  return Known{
      2 * elements(around[1]) * elements(around[2], 1), {shapes[1], shapes[2]}, {1, 2}, {around[input ? 0 : 2]}};
}

std::optional<Known> known_copy(Name name, const std::vector<Shape>& shapes) {
  if (name == "aten::copy_" && shapes.size() >= 2) return Known{0, {shapes[1]}, {1}, {shapes[0]}, 0};
  if ((name == "aten::zero_" || name == "aten::fill_") && !shapes.empty()) return Known{0, {}, {0}, {shapes[0]}};
  return {};
}

KnownCall as_call(const Known& known) {
  KnownCall call{known.flops, {}, {}};
  for (size_t i = 0; i < known.inputs.size(); ++i) call.inputs.push_back({known.inputs[i], known.places[i]});
  const size_t like = known.typed_like == kAbsent ? known.places.front() : known.typed_like;
  for (const Shape& shape : known.outputs) call.outputs.push_back({shape, like});
  return call;
}

constexpr Name kListOfTensors = "TensorList";
constexpr int64_t kMostExtent = 1'000'000'000'000'000;
constexpr double kMostFlops = 1e30;

/// Rules multiply extents: of those beyond this they say nothing, whatever extents of 0 stand beside them.
bool beyond_any(const Shape& shape) {
  return std::ranges::any_of(shape, [](int64_t extent) { return extent > kMostExtent; });
}

bool odd_extents(const CallArguments& args) {
  return std::ranges::any_of(args.shapes, [](const auto& shapes) { return std::ranges::any_of(shapes, beyond_any); });
}

std::optional<KnownCall> understand(const ShapedCall& call, const CallArguments& args) {
  if (call.dimensions.empty()) return {};
  const std::vector<Shape> shapes = parse_dimensions(call.dimensions);
  if (std::ranges::any_of(shapes, beyond_any) || odd_extents(args)) return {};
  if (call.name.starts_with("onnx::")) {
    const CallArguments outputs = arguments_of(call.outputs, call.output_types, {});
    return odd_extents(outputs) ? std::nullopt : known_onnx(call.name, args, outputs);
  }
  if (const auto product = known_product(call.name, shapes)) return as_call(*product);
  if (const auto convolution = known_convolution(call, shapes)) return as_call(*convolution);
  if (const auto copy = known_copy(call.name, shapes)) return as_call(*copy);
  if (auto known = known_aten(call.name, args)) return known;
  return known_library(call.name, args);
}

}  // namespace

double elements_of(const TracedShape& shape) {
  double count = 1;
  for (const int64_t extent : shape) count *= static_cast<double>(extent);
  return count;
}

std::optional<engine::DType> traced_dtype(Name type) {
  using engine::DType;
  constexpr std::pair<Name, DType> kTypes[] = {{"float", DType::float32},     {"c10::BFloat16", DType::bfloat16},
                                               {"c10::Half", DType::float16}, {"double", DType::float64},
                                               {"long int", DType::int64},    {"long", DType::int64},
                                               {"int64", DType::int64},       {"int32", DType::int32},
                                               {"float16", DType::float16},   {"bfloat16", DType::bfloat16},
                                               {"uint8", DType::uint8},       {"int8", DType::int8},
                                               {"int", DType::int32},         {"unsigned char", DType::uint8},
                                               {"signed char", DType::int8},  {"bool", DType::boolean}};
  for (const auto& [name, dtype] : kTypes) {
    if (name == type) return dtype;
  }
  return engine::parse_dtype(type);
}

std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return {};
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

CallArguments arguments_of(Name dimensions, Name types, Name constants) {
  CallArguments args{{}, texts_of(types), texts_of(constants)};
  // a list of numbers is a tensor's shape, a list of lists a list of tensors
  int depth = 0;
  bool nested = false;
  Shape current;
  size_t extents = 0;
  for (size_t i = 0; i < dimensions.size() && extents < kMostExtents; ++i) {
    const char c = dimensions[i];
    if (c == '[') {
      if (++depth > 3) return {};
      if (depth == 2) args.shapes.emplace_back(), nested = false;
      if (depth == 3) nested = true;
      current.clear();
    } else if (c == ']') {
      if (depth == 3 || (depth == 2 && !nested)) args.shapes.back().push_back(current);
      if (--depth < 0) return {};
    } else if (c >= '0' && c <= '9' && depth >= 2) {
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(dimensions.data() + i, dimensions.data() + dimensions.size(), extent);
      if (error != std::errc()) return {};
      current.push_back(extent);
      ++extents;
      i = static_cast<size_t>(end - dimensions.data()) - 1;
    } else if (c != ',' && c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      return {};
    }
  }
  return args;
}

std::vector<Shape> parse_dimensions(std::string_view json) {
  std::vector<Shape> shapes;
  Shape current;
  int depth = 0;
  size_t extents = 0;
  bool leaf = false;  // the list that is open holds numbers or nothing
  for (size_t i = 0; i < json.size() && extents < kMostExtents && shapes.size() < kMostExtents; ++i) {
    const char c = json[i];
    if (c == '[') {
      ++depth;
      current.clear();
      leaf = true;
    } else if (c == ']') {
      if (--depth < 0) return {};
      if (leaf && depth > 0) shapes.push_back(current);
      leaf = false;
    } else if ((c >= '0' && c <= '9') || c == '-') {
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(json.data() + i, json.data() + json.size(), extent);
      if (error != std::errc() || extent < 0) return {};
      current.push_back(extent);
      ++extents;
      i = static_cast<size_t>(end - json.data()) - 1;
    } else if (c != ',' && c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      return {};
    }
  }
  return shapes;
}

bool touches_nothing(Name name) {
  constexpr std::array kNothing{Name("aten::view"),
                                Name("aten::_unsafe_view"),
                                Name("aten::t"),
                                Name("aten::transpose"),
                                Name("aten::permute"),
                                Name("aten::as_strided"),
                                Name("aten::expand"),
                                Name("aten::slice"),
                                Name("aten::select"),
                                Name("aten::unsqueeze"),
                                Name("aten::squeeze"),
                                Name("aten::empty"),
                                Name("aten::empty_strided"),
                                Name("aten::empty_like"),
                                Name("aten::resize_"),
                                Name("aten::detach"),
                                Name("detach"),
                                Name("detach_"),
                                Name("aten::detach_"),
                                Name("aten::reshape"),
                                Name("aten::_reshape_alias"),
                                Name("aten::alias"),
                                Name("aten::narrow"),
                                Name("aten::split"),
                                Name("aten::chunk"),
                                Name("aten::unbind"),
                                Name("aten::flatten"),
                                Name("aten::is_nonzero"),
                                Name("aten::size"),
                                Name("aten::result_type"),
                                Name("aten::lift_fresh"),
                                Name("aten::view_as"),
                                Name("aten::expand_as"),
                                Name("aten::broadcast_to"),
                                Name("aten::resolve_conj"),
                                Name("aten::resolve_neg"),
                                Name("aten::unsafe_chunk"),
                                Name("aten::unsafe_split"),
                                Name("aten::unsafe_split_with_sizes"),
                                Name("aten::split_with_sizes"),
                                Name("aten::tensor_split"),
                                Name("aten::movedim"),
                                Name("aten::swapaxes"),
                                Name("aten::swapdims"),
                                Name("aten::unflatten"),
                                Name("aten::ravel"),
                                Name("aten::numpy_T"),
                                Name("aten::mT"),
                                Name("aten::adjoint"),
                                Name("aten::diagonal"),
                                Name("aten::unfold"),
                                Name("aten::new_empty"),
                                Name("aten::new_empty_strided"),
                                Name("aten::set_"),
                                Name("aten::squeeze_"),
                                Name("aten::unsqueeze_"),
                                Name("aten::transpose_"),
                                Name("aten::t_"),
                                Name("aten::as_strided_"),
                                Name("aten::view_as_real"),
                                Name("aten::view_as_complex"),
                                Name("aten::requires_grad_"),
                                Name("aten::is_floating_point"),
                                Name("aten::cudnn_is_acceptable"),
                                Name("aten::is_same_size"),
                                Name("aten::is_pinned"),
                                Name("aten::to"),  // what it copies, a call inside does
                                Name("aten::item"),
                                Name("aten::dropout")};
  return listed(name, kNothing);
}

namespace {

/// Calls that move or set elements and compute none, whatever their shapes.
bool moves_only(Name name) {
  constexpr std::array kMoves{Name("aten::copy_"),       Name("aten::_to_copy"),   Name("aten::to"),
                              Name("aten::clone"),       Name("aten::contiguous"), Name("aten::pin_memory"),
                              Name("aten::_pin_memory"), Name("aten::_copy_from"), Name("aten::zero_"),
                              Name("aten::fill_"),       Name("aten::zeros"),      Name("aten::zeros_like"),
                              Name("aten::new_zeros"),   Name("aten::ones"),       Name("aten::ones_like"),
                              Name("aten::new_ones"),    Name("aten::full"),       Name("aten::full_like"),
                              Name("aten::new_full"),    Name("aten::item"),       Name("aten::_local_scalar_dense"),
                              Name("aten::cat"),         Name("aten::_cat"),       Name("aten::stack"),
                              Name("aten::_stack"),      Name("aten::concat"),     Name("aten::repeat"),
                              Name("aten::flip"),        Name("aten::roll"),       Name("aten::index_select"),
                              Name("aten::gather"),      Name("aten::embedding"),  Name("aten::constant_pad_nd"),
                              Name("aten::pad")};
  return listed(name, kMoves);
}

}  // namespace

namespace {

/// Nodes of autograd call the ops that compute: "ConvolutionBackward0", "torch::autograd::AccumulateGrad".
bool is_node(Name name) {
  if (name.starts_with("torch::autograd::") || name.starts_with("autograd::engine::evaluate_function: ")) return true;
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  return digits < name.size() && name.substr(0, digits).ends_with("Backward") && name.find(':') == name.npos;
}

std::optional<std::vector<ShapedOperand>> operands_of(const KnownCall& known, const CallArguments& args) {
  std::vector<ShapedOperand> operands;
  if (!known.whole || (known.inputs.empty() && known.outputs.empty())) return {};
  for (const KnownOperand& input : known.inputs) {
    const auto own = input.type ? input.type : args.type(input.typed_like);
    if (own) operands.push_back({input.shape, *own, false});  // a number is not read from memory
  }
  for (const KnownOperand& output : known.outputs) {
    const auto own = output.type ? output.type : args.type(output.typed_like);
    if (!own) return {};
    operands.push_back({output.shape, *own, true});
  }
  // beyond this sizes are nobody's
  const auto odd_size = [](const ShapedOperand& o) {
    double size = 1;
    for (const int64_t extent : o.shape) {
      if (extent < 0) return true;  // out of a constant
      size *= static_cast<double>(std::max<int64_t>(1, extent));
    }
    return size > 1e13;
  };
  if (std::ranges::any_of(operands, odd_size)) return {};
  return operands;
}

}  // namespace

ShapeFacts facts_of_call(const ShapedCall& call) {
  if (touches_nothing(call.name) || is_node(call.name)) return {{true, 0}, true, {}};
  CallArguments args = arguments_of(call.dimensions, call.types, call.constants);
  args.list_dtype = call.list_dtype;
  const auto known = understand(call, args);
  ShapeFacts facts;
  if (moves_only(call.name)) facts.cost = {true, 0};
  if (!known) return facts;
  if (known->flops >= 0 && known->flops <= kMostFlops) facts.cost = {true, known->flops};
  if (auto operands = operands_of(*known, args)) facts.bytes_known = true, facts.operands = *std::move(operands);
  return facts;
}

std::optional<Shape> shape_of_list(const ShapedCall& call) {
  if (call.types.find(kListOfTensors) == call.types.npos) return {};
  const CallArguments args = arguments_of(call.dimensions, call.types, call.constants);
  for (size_t i = 0; i < args.types.size() && i < args.shapes.size(); ++i) {
    if (args.types[i] != kListOfTensors || args.shapes[i].empty()) continue;
    if (const auto joined = joined_shape(call.name, args)) return joined;
    for (const Shape& shape : args.shapes[i]) {
      if (!shape.empty()) return shape;
    }
  }
  return {};
}

std::optional<engine::DType> dtype_of_shape(const ShapedCall& call, const Shape& shape) {
  const CallArguments args = arguments_of(call.dimensions, call.types, {});
  for (size_t i = 0; i < args.shapes.size(); ++i) {
    const Shape* own = args.tensor(i);
    if (own != nullptr && *own == shape && args.type(i)) return args.type(i);
  }
  return {};
}

bool rules_need_constants(Name name) {
  for (const Name mark :
       {"_loss",     "_backward",  "conv",       "pool",       "norm",      "gelu",       "embedding", "index_select",
        "aten::sum", "aten::mean", "aten::amax", "aten::amin", "aten::arg", "aten::prod", "aten::all", "aten::any",
        "aten::cat", "upsample",   "rnn_layer",  "attention",  "attn",      "mha_"}) {
    if (name.find(mark) != name.npos) return true;
  }
  return false;
}

int64_t bytes_of_inputs(std::string_view dimensions, std::string_view types) {
  const std::vector<Shape> shapes = parse_dimensions(dimensions);
  const std::vector<Name> names = texts_of(types);
  double bytes = 0;
  if (shapes.empty()) return -1;
  for (size_t i = 0; i < shapes.size(); ++i) {
    // lists of tensors have one type for all
    const auto dtype = names.empty() ? std::nullopt : traced_dtype(names[std::min(i, names.size() - 1)]);
    if (!dtype) return -1;
    bytes += elements(shapes[i]) * static_cast<double>(engine::size_bytes(*dtype));
  }
  return bytes < 9e18 ? static_cast<int64_t>(bytes) : -1;
}

std::string shapes_in_words(std::string_view dimensions, std::string_view types) {
  constexpr size_t kMostWords = 6;
  std::vector<std::string> words;
  size_t left_out = 0;
  for (const Shape& shape : parse_dimensions(dimensions)) {
    if (shape.empty()) continue;
    if (words.size() == kMostWords) {
      ++left_out;
    } else {
      words.push_back(fmt::format("[{}]", fmt::join(shape, ",")));
    }
  }
  if (words.empty()) return {};
  if (left_out > 0) words.push_back(fmt::format("and {} more", left_out));
  for (const Name type : texts_of(types)) {  // the first tensor type names them
    if (type.empty() || type == "Scalar" || type == "ScalarList" || type == "Int" || type == "long int" ||
        type == "GenericList")
      continue;
    words.emplace_back(type);
    break;
  }
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace profiler
