// SPDX-License-Identifier: GPL-3.0-or-later
// Views by the engine's arithmetic; copies only where it refuses a view.
#include "views/storage/storage_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "engine/base/check.h"

namespace views {

using engine::DType;
using engine::Result;
using engine::Shape;
using engine::Tensor;
using engine::TensorType;
using engine::usage_error;

namespace {

constexpr int64_t kMostKeptBytes = int64_t{16} << 20;

std::string list(const std::vector<int64_t>& numbers) { return fmt::format("{}", fmt::join(numbers, ", ")); }

/// Elements from the first of the buffer to one past the last that the type names.
int64_t span_elements(const TensorType& type) {
  return type.elements() == 0 ? 0 : type.span_bytes() / static_cast<int64_t>(engine::size_bytes(type.dtype));
}

}  // namespace

int64_t StorageBuffer::size_bytes() const { return elements * static_cast<int64_t>(engine::size_bytes(dtype)); }

StorageModel::StorageModel(const std::string& title, const TensorType& type, const std::string& name) {
  StorageBuffer buffer{"A", span_elements(type), type.dtype, nullptr};
  if (buffer.size_bytes() <= kMostKeptBytes) {
    if (auto made = Tensor::empty(TensorType::contiguous(type.dtype, {buffer.elements}))) {
      for (int64_t i = 0; i < buffer.elements; ++i) made->set_flat(i, static_cast<double>(i));
      buffer.data = made->storage();
    }
  }
  buffers_.push_back(std::move(buffer));
  tensors_.push_back({name, title, type, 0, 0, 0});
}

void StorageModel::follow(const engine::TensorExample& example) {
  using Kind = engine::ViewStep::Kind;
  std::vector<size_t> made{0};
  for (const engine::ViewStep& step : example.steps) {
    CHECK(step.of < made.size());
    const size_t of = made[step.of];
    Result<size_t> next = step.kind == Kind::reshape     ? reshape(of, step.shape)
                          : step.kind == Kind::transpose ? transpose(of, step.axis, step.axis_b)
                          : step.kind == Kind::slice     ? slice(of, step.axis, step.start, step.end, step.step)
                          : step.kind == Kind::expand    ? expand(of, step.shape)
                                                         : contiguous(of);
    CHECK(next.ok());  // the examples are ours
    tensors_[*next].name = step.name;
    made.push_back(*next);
  }
  named_ = tensors_.size() - 1;
}

std::string StorageModel::next_name() const {
  const size_t n = tensors_.size() - 1 - named_;
  std::string name(1, static_cast<char>('a' + n % 23));
  return n < 23 ? name : name + std::to_string(n / 23);
}

Tensor StorageModel::tensor(size_t index) const {
  const StorageTensor& t = tensors_[index];
  return {buffers_[t.buffer].data, t.type, t.offset};
}

Result<size_t> StorageModel::add(size_t of, std::string made_by, Result<engine::View> view) {
  if (!view) return view.error();
  const StorageTensor& from = tensors_[of];
  tensors_.push_back(
      {next_name(), std::move(made_by), view->type, from.offset + view->offset_elements, from.buffer, 0});
  return tensors_.size() - 1;
}

Result<size_t> StorageModel::add_copy(size_t of, std::string made_by) {
  constexpr int64_t kMostCopied = int64_t{1} << 50;
  const TensorType type = TensorType::contiguous(tensors_[of].type.dtype, tensors_[of].type.shape);
  if (type.elements() > kMostCopied)
    return usage_error(fmt::format("a copy of {} would have {} elements: at most {} are shown", tensors_[of].name,
                                   type.elements(), kMostCopied));
  StorageBuffer buffer{{}, type.elements(), type.dtype, nullptr};
  const size_t n = buffers_.size();
  buffer.name = std::string(1, static_cast<char>('A' + n % 26)) + (n < 26 ? "" : std::to_string(n / 26));
  if (buffers_[tensors_[of].buffer].data != nullptr && buffer.size_bytes() <= kMostKeptBytes) {
    if (auto copy = Tensor::empty(type)) {
      engine::copy_elements(tensor(of), *copy);
      buffer.data = copy->storage();
    }
  }
  const int64_t bytes = buffer.size_bytes();
  buffers_.push_back(std::move(buffer));
  tensors_.push_back({next_name(), std::move(made_by), type, 0, n, bytes});
  return tensors_.size() - 1;
}

Result<size_t> StorageModel::reshape(size_t of, const Shape& shape) {
  std::string made_by = fmt::format("{}.reshape({})", tensors_[of].name, list(shape));
  const TensorType& type = tensors_[of].type;
  Result<engine::View> view = engine::view_reshape(type, shape);
  if (view) return add(of, std::move(made_by), std::move(view));
  Result<engine::View> of_copy = engine::view_reshape(TensorType::contiguous(type.dtype, type.shape), shape);
  if (!of_copy) return view.error();  // no copy helps
  Result<size_t> made = add_copy(of, std::move(made_by));
  if (made) tensors_[*made].type = of_copy->type;
  return made;
}

Result<size_t> StorageModel::transpose(size_t of, int64_t axis_a, int64_t axis_b) {
  const TensorType& type = tensors_[of].type;
  std::vector<int64_t> axes(type.shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  const int64_t rank = type.rank();
  for (int64_t* axis : {&axis_a, &axis_b}) {
    if (*axis < -rank || *axis >= rank)
      return usage_error(rank == 0 ? fmt::format("[transpose] a scalar has no axis {}", *axis)
                                   : fmt::format("[transpose] axis {} is out of range for shape {}: valid are {} to {}",
                                                 *axis, engine::to_string(type.shape), -rank, rank - 1));
    if (*axis < 0) *axis += rank;
  }
  std::swap(axes[static_cast<size_t>(axis_a)], axes[static_cast<size_t>(axis_b)]);
  return add(of, fmt::format("{}.transpose({}, {})", tensors_[of].name, axis_a, axis_b),
             engine::view_permute(type, axes));
}

Result<size_t> StorageModel::slice(size_t of, int64_t axis, int64_t start, int64_t end, int64_t step) {
  const std::string to = end == std::numeric_limits<int64_t>::max() ? std::string("end") : std::to_string(end);
  return add(of,
             fmt::format("{}.slice(axis {}, {} to {}{})", tensors_[of].name, axis, start, to,
                         step == 1 ? "" : fmt::format(", step {}", step)),
             engine::view_slice(tensors_[of].type, axis, start, end, step));
}

Result<size_t> StorageModel::expand(size_t of, const Shape& shape) {
  return add(of, fmt::format("{}.expand({})", tensors_[of].name, list(shape)),
             engine::view_expand(tensors_[of].type, shape));
}

Result<size_t> StorageModel::contiguous(size_t of) {
  std::string made_by = tensors_[of].name + ".contiguous()";
  const TensorType& type = tensors_[of].type;
  if (engine::is_contiguous(type.shape, type.strides)) return add(of, std::move(made_by), engine::View{type});
  return add_copy(of, std::move(made_by));
}

Result<void> StorageModel::write_first(size_t of, double value) {
  const StorageTensor& t = tensors_[of];
  if (t.type.elements() == 0) return usage_error(fmt::format("{} has no element to write", t.name));
  if (buffers_[t.buffer].data == nullptr)
    return usage_error(
        fmt::format("buffer {} is too large to be kept here: only its addresses are known", buffers_[t.buffer].name));
  tensor(of).set_flat(0, value);
  return {};
}

double StorageModel::value(size_t buffer, int64_t element) const {
  const StorageBuffer& b = buffers_[buffer];
  if (b.data == nullptr || element < 0 || element >= b.elements) return std::numeric_limits<double>::quiet_NaN();
  return Tensor(b.data, TensorType::contiguous(b.dtype, {b.elements})).get_flat(element);
}

Result<Shape> parse_shape(const std::string& text) {
  Shape shape;
  if (text == "scalar") return shape;
  size_t begin = 0;
  while (begin < text.size()) {
    begin = text.find_first_not_of(" ,xX*", begin);
    if (begin == std::string::npos) break;
    const size_t end = std::min(text.find_first_of(" ,xX*", begin), text.size());
    int64_t extent = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, extent);
    if (error != std::errc() || stop != text.data() + end)
      return usage_error(fmt::format("\"{}\" is no whole number: a shape is written as 4x6, one extent may be -1",
                                     text.substr(begin, end - begin)));
    shape.push_back(extent);
    begin = end;
  }
  return shape;
}

Result<StorageUse> use_of(const StorageModel& model, size_t index) {
  const StorageTensor& t = model.tensors()[index];
  const StorageBuffer& buffer = model.buffers()[t.buffer];
  const int64_t count = t.type.elements();
  if (count > kMostStorageElements || buffer.elements > kMostStorageElements)
    return usage_error(fmt::format("{} elements are more than the map shows ({})", std::max(count, buffer.elements),
                                   kMostStorageElements));
  StorageUse use{std::vector<int64_t>(static_cast<size_t>(buffer.elements), -1),
                 std::vector<uint32_t>(static_cast<size_t>(buffer.elements), 0)};
  std::vector<int64_t> at(t.type.shape.size(), 0);
  int64_t element = t.offset;
  for (int64_t position = 0; position < count; ++position) {
    const auto e = static_cast<size_t>(element);
    if (use.position[e] < 0) use.position[e] = position;
    ++use.readers[e];
    for (size_t axis = at.size(); axis-- > 0;) {
      element += t.type.strides[axis];
      if (++at[axis] < t.type.shape[axis]) break;
      element -= at[axis] * t.type.strides[axis];
      at[axis] = 0;
    }
  }
  return use;
}

std::string index_text(const StorageTensor& t, int64_t position) {
  std::vector<int64_t> at(t.type.shape.size());
  for (size_t axis = at.size(); axis-- > 0;) {
    at[axis] = position % t.type.shape[axis];
    position /= t.type.shape[axis];
  }
  return at.empty() ? t.name : fmt::format("{}[{}]", t.name, fmt::join(at, ", "));
}

}  // namespace views
