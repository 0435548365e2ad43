// SPDX-License-Identifier: Apache-2.0
// Where a model's graph begins and ends: initializers, inputs with their open dimensions, outputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "engine/onnx/importer.h"
#include "engine/onnx/input_fill.h"
#include "engine/onnx/narrow_types.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"
#include "engine/ops/ops.h"
#include "engine/tensor/element.h"

namespace engine::onnx {

namespace {
constexpr std::string_view kInitializer = "an initializer";
}

int64_t claimed_elements(const ::onnx::TensorProto& tensor) {
  int64_t elements = 1;
  bool too_many = false;
  for (const int64_t extent : tensor.dims())
    too_many = __builtin_mul_overflow(elements, std::max<int64_t>(extent, 0), &elements) || too_many;
  return too_many ? std::numeric_limits<int64_t>::max() : elements;
}

/// An initializer of our own files: the leaf it was.
Result<ValueId> Importer::noted_leaf(const ::onnx::TensorProto& tensor, const LeafNote& note) {
  Result<Tensor> data = to_tensor(tensor, folder_);
  if (!data) return data.error();
  TensorType type = data->type();
  if (!note.strides.empty()) {
    type.strides = note.strides;
    Result<Tensor> laid = Tensor::empty(type);
    if (!laid) return laid.error();
    copy_elements(*data, *laid);
    data = std::move(laid);
  }
  const std::string name = printable(tensor.name());
  ValueId id = kNoValue;
  switch (note.kind) {
    case ValueKind::input:
      id = builder_.input(name, type, note.fill, *data);
      if (!builder_.failed()) inputs_.push_back(id);
      break;
    case ValueKind::parameter: id = builder_.parameter(name, type, note.fill); break;
    case ValueKind::state: id = builder_.state(name, type, note.fill, note.role); break;
    case ValueKind::constant: id = builder_.constant(name, *data, note.role); break;
    default: return refused_error("field metadata_props.tensortide.kind: an initializer is computed by no node");
  }
  if (builder_.failed()) return refused_error(builder_.finish().error().message);
  builder_.set_role(id, note.role);
  if (note.kind == ValueKind::parameter || note.kind == ValueKind::state) builder_.give(id, *std::move(data));
  return id;
}

Result<void> Importer::add_initializers(const ::onnx::GraphProto& graph) {
  if (graph.sparse_initializer_size() > 0) {
    return refused_error(fmt::format("field graph.sparse_initializer: {} sparse tensors are not supported",
                                     graph.sparse_initializer_size()));
  }
  for (const ::onnx::TensorProto& tensor : graph.initializer()) {
    if (tensor.name().empty()) return refused_error("field graph.initializer: a tensor has no name");
    Slot slot;
    slot.made_by = kInitializer;
    const Result<std::optional<LeafNote>> note = leaf_note(tensor, {tensor.dims().begin(), tensor.dims().end()});
    if (!note) return refused_error(fmt::format("initializer {}: {}", in_quotes(tensor.name()), note.error().message));
    if (*note) {
      const Result<ValueId> leaf = noted_leaf(tensor, **note);
      if (!leaf)
        return refused_error(fmt::format("initializer {}: {}", in_quotes(tensor.name()), leaf.error().message));
      slot.value = *leaf;
      if (Result<void> defined = define(tensor.name(), std::move(slot)); !defined) return defined;
      continue;
    }
    slot.initializer = &tensor;
    if (tensor.dims_size() > 0) {
      const Result<DType> dtype = to_dtype(tensor.data_type());
      if (dtype && is_floating(*dtype)) slot.learned.push_back(std::make_shared<int64_t>(claimed_elements(tensor)));
    }
    if (Result<void> defined = define(tensor.name(), std::move(slot)); !defined) return defined;
  }
  return {};
}

namespace {

/// What some exporters write for an extent that they leave open; all others are meant, and 0 is that of an empty
/// tensor.
constexpr int64_t kOpenExtent = -1;

bool is_open(const ::onnx::TensorShapeProto::Dimension& dim) {
  return !dim.has_dim_value() || dim.dim_value() == kOpenExtent;
}

/// "open", or "-1, which leaves it open": as the file has it.
std::string how_open(const ::onnx::TensorShapeProto::Dimension& dim) {
  return dim.has_dim_value() ? fmt::format("{}, which leaves it open", dim.dim_value()) : "open";
}

/// "batch", "batch_size", "Batch", "N", "bs": what exporters call it. Formulas, such as "batch_size * 12", are other
/// extents.
bool means_batch(std::string name) {
  if (!std::ranges::all_of(name,
                           [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; }))
    return false;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.starts_with("batch") || name.ends_with("batch") || name == "n" || name == "b" || name == "bs";
}

const ::onnx::TensorShapeProto& shape_of(const ::onnx::ValueInfoProto& info) {
  return info.type().tensor_type().shape();
}

/// "batch x 3 x ? x ?": what the file declares.
std::string shape_words(const ::onnx::TensorShapeProto& shape) {
  std::string words;
  for (const auto& dim : shape.dim()) {
    const std::string extent = !is_open(dim)             ? std::to_string(dim.dim_value())
                               : dim.dim_param().empty() ? std::string("?")
                                                         : printable(dim.dim_param());
    words += (words.empty() ? "" : " x ") + extent;
  }
  return words.empty() ? "a scalar" : words;
}

/// "x.dims=1,3,224,224": what closes an input's extents, with 224 for those that are open.
std::string dims_example(const ::onnx::ValueInfoProto& info) {
  constexpr int64_t kExample = 224;
  std::string words;
  for (int axis = 0; axis < shape_of(info).dim_size(); ++axis) {
    const auto& dim = shape_of(info).dim(axis);
    const int64_t extent = !is_open(dim) ? dim.dim_value() : axis == 0 ? 1 : kExample;
    words += fmt::format("{}{}", words.empty() ? "" : ",", extent);
  }
  return printable(info.name()) + ".dims=" + words;
}

}  // namespace

/// Those that stay inputs: neither initializers nor known beforehand.
std::vector<const ::onnx::ValueInfoProto*> Importer::real_inputs() const {
  std::vector<const ::onnx::ValueInfoProto*> inputs;
  for (const ::onnx::ValueInfoProto& info : model_.graph().input()) {
    const bool initialized =
        std::ranges::any_of(model_.graph().initializer(), [&](const auto& t) { return t.name() == info.name(); });
    if (!initialized && !options_.known.contains(info.name())) inputs.push_back(&info);
  }
  return inputs;
}

/// Which dimensions ImportOptions.batch may set.
Result<void> Importer::find_batch() {
  std::set<std::string> leading;
  std::vector<std::pair<std::string, int64_t>> fixed;  // input, leading extent
  for (const ::onnx::ValueInfoProto* info : real_inputs()) {
    for (int axis = 0; axis < shape_of(*info).dim_size(); ++axis) {
      const auto& dim = shape_of(*info).dim(axis);
      if (is_open(dim) && means_batch(dim.dim_param())) batch_names_.insert(dim.dim_param());
      if (axis > 0) continue;
      if (is_open(dim)) leading.insert(dim.dim_param());
      else fixed.emplace_back(info->name(), dim.dim_value());
    }
  }
  if (batch_names_.empty()) {
    for (const std::string& name : leading) {
      if (!options_.numbers.contains(name)) batch_names_.insert(name);
    }
  }
  const bool single = !fixed.empty() && std::ranges::all_of(fixed, [](const auto& input) { return input.second == 1; });
  if (options_.batch == 0) {
    if (batch_names_.empty() && leading.empty() && single) batch_extent_ = 1;
    return {};
  }
  batch_extent_ = options_.batch;
  for (const std::string& name : batch_names_) {
    const auto given = options_.numbers.find(name);
    if (given == options_.numbers.end() || given->second == std::vector<int64_t>{options_.batch}) continue;
    return usage_error(
        fmt::format("[batch] {} and {}={} give the same open dimension two extents: leave one of them out",
                    options_.batch, in_quotes(name), given->second.front()));
  }
  if (batch_names_.empty() && fixed.empty()) {
    return refused_error(
        fmt::format("[batch] no input has a leading extent that {} could be. Leave --batch out", options_.batch));
  }
  if (!batch_names_.empty() ||
      std::ranges::all_of(fixed, [&](const auto& input) { return input.second == options_.batch; }))
    return {};
  if (leading.empty() && single) {
    replaced_batch_ = 1;
    note(fmt::format("the file fixes the leading extent of its inputs at 1: taken as the batch, it becomes {}",
                     options_.batch));
    return {};
  }
  const auto other = std::ranges::find_if(fixed, [&](const auto& input) { return input.second != 1; });
  const auto& [input, extent] = other == fixed.end() ? fixed.front() : *other;
  return refused_error(
      fmt::format("[batch] input {} has a fixed leading extent of {}, so {} cannot be its batch. "
                  "Export the model with an open batch dimension, or leave --batch out",
                  in_quotes(input), extent, options_.batch));
}

/// Gives the symbolic dimensions their extents: those that were asked for, the batch to its own, 1 to others that lead
/// an input.
Result<void> Importer::name_extents() {
  for (const auto& [name, numbers] : options_.numbers) {
    if (numbers.size() == 1) extents_[name] = numbers.front(), extent_from_[name] = fmt::format("--set {}", name);
  }
  if (Result<void> read = read_shapes(); !read) return read;
  if (Result<void> found = find_batch(); !found) return found;
  if (options_.batch > 0) {
    for (const std::string& name : batch_names_) extents_[name] = options_.batch;
  }
  for (const ::onnx::ValueInfoProto* info : real_inputs()) {
    for (int axis = 0; axis < shape_of(*info).dim_size(); ++axis) {
      const std::string& name = shape_of(*info).dim(axis).dim_param();
      if (!is_open(shape_of(*info).dim(axis)) || (axis > 0 && !batch_names_.contains(name)) ||
          (axis > 0 && name.empty()))
        continue;
      if (extents_.try_emplace(name, 1).second) {
        note(fmt::format("input {}: its {} dimension{} is {}; 1 is taken", in_quotes(info->name()),
                         axis == 0 ? "leading" : "batch", name.empty() ? "" : " " + in_quotes(name),
                         how_open(shape_of(*info).dim(axis))));
      }
    }
  }
  if (batch_extent_ == 0 && !batch_names_.empty()) batch_extent_ = extents_[*batch_names_.begin()];
  return {};
}

/// Where a fixed extent of 1 was taken for the batch, outputs must have as many samples.
Result<void> Importer::check_batch() const {
  if (!replaced_batch_) return {};
  bool follows = false;
  for (int i = 0; i < model_.graph().output_size(); ++i) {
    const ::onnx::TensorShapeProto& declared = shape_of(model_.graph().output(i));
    const std::vector<ValueId>& values = outputs_[static_cast<size_t>(i)].values;
    if (declared.dim_size() == 0 || is_open(declared.dim(0)) || outputs_[static_cast<size_t>(i)].is_sequence ||
        values.size() != 1) {
      follows = true;  // nothing to compare with
      continue;
    }
    const Shape& shape = builder_.graph().value(values.front()).type.shape;
    bool same_rest = static_cast<size_t>(declared.dim_size()) == shape.size();
    for (int axis = 1; same_rest && axis < declared.dim_size(); ++axis) {
      same_rest = is_open(declared.dim(axis)) || declared.dim(axis).dim_value() == shape[static_cast<size_t>(axis)];
    }
    const bool grown =
        same_rest && shape[0] % options_.batch == 0 && shape[0] / options_.batch == declared.dim(0).dim_value();
    const bool kept = same_rest && shape[0] == declared.dim(0).dim_value();
    if (!grown && !kept) {
      return refused_error(
          fmt::format("[batch] output {} becomes {} with a batch of {}: the leading 1 of the file's "
                      "inputs is not a batch. Export the model with an open batch dimension",
                      in_quotes(model_.graph().output(i).name()), to_string(shape), options_.batch));
    }
    follows = follows || grown;
  }
  if (follows || options_.batch == 1) return {};
  return refused_error(fmt::format(
      "[batch] no output grows with a batch of {}: the leading extent of 1 that the file gives its inputs is no batch",
      options_.batch));
}

/// Takes the extents of one input as those of its open dimensions.
Result<void> Importer::close_extents(const ::onnx::ValueInfoProto& info, const Shape& shape, const std::string& whose) {
  const ::onnx::TensorShapeProto& declared = shape_of(info);
  if (static_cast<size_t>(declared.dim_size()) != shape.size()) {
    return usage_error(fmt::format("input {}: the model declares {} axes ({}), {} has {} ({})", in_quotes(info.name()),
                                   declared.dim_size(), shape_words(declared), whose, shape.size(), to_string(shape)));
  }
  for (int axis = 0; axis < declared.dim_size(); ++axis) {
    const int64_t extent = shape[static_cast<size_t>(axis)];
    const auto& dim = declared.dim(axis);
    if (extent < 0) continue;
    if (!is_open(dim)) {
      const bool batch = axis == 0 && dim.dim_value() == 1 && options_.batch == extent;
      if (dim.dim_value() == extent || batch) continue;
      return usage_error(fmt::format("input {}: dimension {} is {} in the model and {} in {}; the model declares {}",
                                     in_quotes(info.name()), axis, dim.dim_value(), extent, whose,
                                     shape_words(declared)));
    }
    if (dim.dim_param().empty()) continue;
    const auto [entry, is_new] = extents_.try_emplace(dim.dim_param(), extent);
    if (is_new) extent_from_[dim.dim_param()] = fmt::format("{} for input {}", whose, in_quotes(info.name()));
    if (entry->second == extent) continue;
    return usage_error(fmt::format("input {}: dimension {} ({}) is {} in {}, but {} by {}; the model needs one extent",
                                   in_quotes(info.name()), axis, in_quotes(dim.dim_param()), extent, whose,
                                   entry->second, extent_from_[dim.dim_param()]));
  }
  shapes_[info.name()] = shape;
  return {};
}

/// The extents that were given of whole inputs: by "x.dims", by tensors.
Result<void> Importer::read_shapes() {
  constexpr std::string_view kDims = ".dims";
  for (const ::onnx::ValueInfoProto* info : real_inputs()) {
    if (!info->type().has_tensor_type() || !info->type().tensor_type().has_shape()) continue;
    const std::string key = info->name() + std::string(kDims);
    if (const auto numbers = options_.numbers.find(key); numbers != options_.numbers.end()) {
      extents_.erase(key);
      used_numbers_.insert(key);
      if (Result<void> closed = close_extents(*info, numbers->second, "--set " + printable(key)); !closed)
        return closed;
    }
    if (const auto given = options_.given.find(info->name()); given != options_.given.end()) {
      if (Result<void> closed = close_extents(*info, given->second.shape, "the given tensor"); !closed) return closed;
    }
  }
  return {};
}

/// Whether a given tensor is what the model takes, of extents that are all known now.
Result<void> Importer::check_given(const ::onnx::ValueInfoProto& info, const TensorType& type) const {
  const auto given = options_.given.find(info.name());
  if (given == options_.given.end()) return {};
  if (given->second.dtype != type.dtype) {
    return usage_error(fmt::format("the model takes {}, the given tensor is {}; convert it before you save it",
                                   name(type.dtype), name(given->second.dtype)));
  }
  if (given->second.shape == type.shape) return {};
  return usage_error(
      fmt::format("the model takes {}, the given tensor is {}", to_string(type.shape), to_string(given->second.shape)));
}

Result<void> Importer::check_given_names() const {
  const std::vector<const ::onnx::ValueInfoProto*> inputs = real_inputs();
  for (const auto& [name, type] : options_.given) {
    if (std::ranges::any_of(inputs, [&](const auto* info) { return info->name() == name; })) continue;
    std::vector<std::string> names;
    for (const ::onnx::ValueInfoProto* info : inputs) names.push_back(in_quotes(info->name()));
    return usage_error(fmt::format("the model has no input {}; its inputs are {}", in_quotes(name),
                                   names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  return {};
}

/// An extent that the file leaves open.
Result<int64_t> Importer::open_extent(const ::onnx::ValueInfoProto& info, int axis) {
  const std::string& name = info.type().tensor_type().shape().dim(axis).dim_param();
  if (const auto shape = shapes_.find(info.name()); shape != shapes_.end() && replaced_batch_ == std::nullopt) {
    if (const int64_t extent = shape->second[static_cast<size_t>(axis)]; extent >= 0) {
      used_numbers_.insert(name);
      return extent;
    }
  }
  const auto known = extents_.find(name);
  if (known != extents_.end() && (axis == 0 || !name.empty())) {
    used_numbers_.insert(name);
    return known->second;
  }
  if (name.empty()) {
    return refused_error(
        fmt::format("dimension {} is {}, and has no name; give all extents of the input, as in --set {}", axis,
                    how_open(info.type().tensor_type().shape().dim(axis)), dims_example(info)));
  }
  open_dimensions_.try_emplace(name, fmt::format("dimension {} of input {}", axis, in_quotes(info.name())));
  return 1;
}

Result<Shape> Importer::input_shape(const ::onnx::ValueInfoProto& info) {
  const ::onnx::TensorShapeProto& proto = info.type().tensor_type().shape();
  Shape shape;
  for (int axis = 0; axis < proto.dim_size(); ++axis) {
    const ::onnx::TensorShapeProto::Dimension& dim = proto.dim(axis);
    int64_t extent = dim.dim_value();
    if (axis == 0 && replaced_batch_ && dim.has_dim_value()) {
      extent = options_.batch;
    } else if (is_open(dim)) {
      const Result<int64_t> open = open_extent(info, axis);
      if (!open) return open.error();
      extent = *open;
    }
    if (extent < 0) {
      const std::string named = dim.dim_param().empty() ? "" : fmt::format(" ({})", in_quotes(dim.dim_param()));
      return refused_error(fmt::format("dimension {}{} = {} is negative", axis, named, extent));
    }
    shape.push_back(extent);
  }
  if (options_.batch > 0 && !replaced_batch_ && !shape.empty() && !is_open(proto.dim(0)) &&
      shape.front() != options_.batch) {
    note(fmt::format("input {}: its leading extent is fixed at {} in the file and stays; the batch is {}",
                     in_quotes(info.name()), shape.front(), options_.batch));
  }
  return shape;
}

Result<void> Importer::add_input(const ::onnx::ValueInfoProto& info) {
  if (!info.type().has_tensor_type())
    return refused_error("field type: is no tensor; sequences, maps and optionals are not supported");
  if (!info.type().tensor_type().has_shape()) return refused_error("field type.shape: is missing");
  if (info.type().tensor_type().shape().dim_size() > kLargestRank) {
    return refused_error(fmt::format("field type.shape: {} axes, at most {} are supported",
                                     info.type().tensor_type().shape().dim_size(), kLargestRank));
  }
  const Result<DType> dtype = to_dtype(info.type().tensor_type().elem_type());
  if (!dtype) return dtype.error();
  Result<Shape> shape = input_shape(info);
  if (!shape) return shape.error();
  if (Result<void> fits = check_shape(*shape, *dtype); !fits) return fits.error();
  // The onnx runner's dummy input: arange(n) / n, by which the reference outputs of models without
  // data were made. Of integers it would make zeros.
  if (Result<void> fits = check_given(info, TensorType::contiguous(*dtype, *shape)); !fits) return fits;
  Shape declared;
  for (const auto& dim : shape_of(info).dim()) declared.push_back(dim.dim_value());
  const Result<std::optional<LeafNote>> note = leaf_note(info, declared);
  if (!note) return note.error();
  if (*note && (*note)->kind != ValueKind::input)
    return refused_error("field metadata_props.tensortide.kind: an input is nothing else");
  Fill fill = is_floating(*dtype) ? Fill{Fill::Kind::arange, 0, static_cast<double>(*element_count(*shape))}
                                  : integer_fill(model_.graph(), info.name());
  Slot slot;
  slot.made_by = "a graph input";
  TensorType type = TensorType::channels_last(*dtype, *shape);
  if (*note) {
    fill = (*note)->fill;
    if (declared == *shape) {
      type = TensorType::contiguous(*dtype, *shape);
      if (!(*note)->strides.empty()) type.strides = (*note)->strides;
    }
  }
  slot.value = builder_.input(printable(info.name()), type, fill);
  if (*note && !builder_.failed()) builder_.set_role(slot.value, (*note)->role);
  inputs_.push_back(slot.value);
  return define(info.name(), std::move(slot));
}

Result<void> Importer::add_known(const std::string& name, const KnownInput& known) {
  const auto as_constant = [&](const Tensor& tensor) {
    Slot slot;
    slot.made_by = "a graph input";
    slot.constant = Constant{tensor.type(), std::nullopt, tensor};
    return slot;
  };
  if (!known.is_sequence && known.tensors.size() == 1) return define(name, as_constant(known.tensors.front()));
  Slot slot;
  slot.made_by = "a graph input";
  slot.is_sequence = known.is_sequence;
  slot.is_absent = !known.is_sequence;
  for (const Tensor& tensor : known.tensors) slot.elements.push_back(as_constant(tensor));
  return define(name, std::move(slot));
}

/// The numbers given for an input of integers, in its declared rank.
Result<KnownInput> Importer::numbers_input(const ::onnx::ValueInfoProto& info,
                                           const std::vector<int64_t>& numbers) const {
  if (!info.type().has_tensor_type()) return refused_error("is no tensor: it cannot be given by numbers");
  const Result<DType> dtype = to_dtype(info.type().tensor_type().elem_type());
  if (!dtype) return dtype.error();
  if (is_floating(*dtype))
    return usage_error(fmt::format("is of {}: only inputs of integers can be given by numbers", name(*dtype)));
  const bool scalar = info.type().tensor_type().has_shape() && info.type().tensor_type().shape().dim_size() == 0;
  if (scalar && numbers.size() != 1)
    return usage_error(fmt::format("is a scalar, {} numbers are given", numbers.size()));
  const Shape shape = scalar ? Shape{} : Shape{static_cast<int64_t>(numbers.size())};
  Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(*dtype, shape));
  if (!tensor) return tensor.error();
  for (size_t i = 0; i < numbers.size(); ++i) {
    convert_element(DType::int64, reinterpret_cast<const std::byte*>(&numbers[i]), *dtype,
                    tensor->data() + i * static_cast<size_t>(size_bytes(*dtype)));
    int64_t held = 0;
    convert_element(*dtype, tensor->data() + i * static_cast<size_t>(size_bytes(*dtype)), DType::int64,
                    reinterpret_cast<std::byte*>(&held));
    if (*dtype != DType::boolean && held != numbers[i])
      return usage_error(fmt::format("is of {}, which does not hold {}", name(*dtype), numbers[i]));
  }
  return KnownInput{{std::move(*tensor)}, false};
}

/// What a number could have been meant for.
std::string Importer::unused_number(const std::string& name) const {
  std::vector<std::string> open, inputs;
  for (const ::onnx::ValueInfoProto* info : real_inputs()) {
    inputs.push_back(printable(info->name()) + ".dims");
    for (const auto& dim : shape_of(*info).dim()) {
      const std::string word = printable(dim.dim_param());
      if (!word.empty() && std::ranges::find(open, word) == open.end()) open.push_back(word);
    }
  }
  open.insert(open.end(), inputs.begin(), inputs.end());
  return fmt::format("the model has no open dimension and no input named {}; --set takes {}", in_quotes(name),
                     fmt::join(open, ", "));
}

/// Every open dimension has an extent, and every number was of use.
Result<void> Importer::check_numbers() const {
  std::vector<std::string> open;
  for (const auto& [name, place] : open_dimensions_) open.push_back(fmt::format("{} ({})", in_quotes(name), place));
  if (!open.empty()) {
    return refused_error(fmt::format("these dimensions are open and must be given, as in --set {}=128: {}",
                                     printable(open_dimensions_.begin()->first), fmt::join(open, ", ")));
  }
  for (const auto& [name, numbers] : options_.numbers) {
    if (!used_numbers_.contains(name)) return usage_error(unused_number(name));
  }
  return {};
}

Result<void> Importer::add_inputs() {
  if (Result<void> there = check_given_names(); !there) return there;
  if (Result<void> named = name_extents(); !named) return named;
  for (const ::onnx::ValueInfoProto& info : model_.graph().input()) {
    const Slot* defined = find(info.name());
    if (defined != nullptr && defined->made_by == kInitializer)
      continue;  // up to IR version 3 initializers are listed as inputs
    if (info.name().empty()) return refused_error("field graph.input: an input has no name");
    const auto known = options_.known.find(info.name());
    const auto numbers = options_.numbers.find(info.name());
    const Result<void> added = [&]() -> Result<void> {
      if (info.type().has_tensor_type() && narrow_type(info.type().tensor_type().elem_type()) != nullptr)
        return to_dtype(info.type().tensor_type().elem_type()).error();
      if (known != options_.known.end()) return add_known(info.name(), known->second);
      if (numbers == options_.numbers.end()) return add_input(info);
      used_numbers_.insert(info.name());
      const Result<KnownInput> given = numbers_input(info, numbers->second);
      return given ? add_known(info.name(), *given) : given.error();
    }();
    if (!added) {
      return Error{added.error().kind, fmt::format("input {}: {}", in_quotes(info.name()), added.error().message)};
    }
  }
  return check_numbers();
}

Result<ValueId> Importer::add_output_value(const std::string& name, Slot& slot, bool exact) {
  const Result<ValueId> value = value_of(name, slot);
  if (!value) return value;
  // Only what a node makes can be an output of the graph, and each only once.
  const std::vector<ValueId>& taken = builder_.graph().outputs();
  const bool computed =
      builder_.graph().value(*value).kind == ValueKind::intermediate && std::ranges::find(taken, *value) == taken.end();
  const TensorType& type = builder_.type(*value);
  if (exact) {
    builder_.mark_output(*value);
    if (builder_.failed()) return refused_error(builder_.finish().error().message);
    return value;
  }
  bool repeats = false;
  for (size_t axis = 0; axis < type.shape.size(); ++axis)
    repeats = repeats || (type.shape[axis] > 1 && type.strides[axis] == 0);
  // A view that repeats elements gets memory of its own: what a step needs then says how large the result is.
  const ValueId output = !computed ? ops::copy(builder_, *value) : repeats ? ops::contiguous(builder_, *value) : *value;
  builder_.mark_output(output);
  if (builder_.failed()) return refused_error(builder_.finish().error().message);
  return output;
}

Result<void> Importer::add_outputs() {
  if (model_.graph().output_size() == 0) return refused_error("field graph.output: the graph has no output");
  for (const ::onnx::ValueInfoProto& info : model_.graph().output()) {
    const std::string where = fmt::format("output {}: ", in_quotes(info.name()));
    Slot* slot = find(info.name());
    if (slot == nullptr) return refused_error(where + why_missing(info.name()));
    ModelOutput output{printable(info.name()), {}, slot->is_sequence};
    const auto add = [&](Slot& each) -> Result<void> {
      const Result<ValueId> value = add_output_value(info.name(), each, is_exact(info));
      if (!value) return refused_error(where + value.error().message);
      output.values.push_back(*value);
      return {};
    };
    if (slot->is_sequence) {
      for (Slot& element : slot->elements) {
        if (Result<void> added = add(element); !added) return added;
      }
    } else if (Result<void> added = add(*slot); !added) {
      return added;
    }
    outputs_.push_back(std::move(output));
  }
  return {};
}

}  // namespace engine::onnx
