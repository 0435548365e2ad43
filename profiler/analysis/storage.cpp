// SPDX-License-Identifier: Apache-2.0
// Follows views back to the bytes that they name.
#include "profiler/analysis/storage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/tensor/tensor.h"
#include "profiler/base/say.h"
#include "profiler/base/words.h"
#include "profiler/capture/attribute.h"

namespace profiler {
namespace {

/// A whole number of an op, as a file may claim it: the usual value where it has none, nothing where it has another.
std::optional<int64_t> claimed_whole(const Capture& c, OpId op, std::string_view key, int64_t usual) {
  if (!c.attributes(op).has(key)) return usual;
  const auto* value = attribute<int64_t>(c, op, key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

/// Elements from the first of `from` to the first of a view of it; -1: unknown. Only slices begin elsewhere.
int64_t offset_of(const Capture& c, const OpRecord& op, const TensorRecord& from) {
  if (c.name(op.type) != "slice") return 0;
  const auto axis = claimed_whole(c, op.id, "axis", 0), start = claimed_whole(c, op.id, "start", 0),
             step = claimed_whole(c, op.id, "step", 1);
  if (!axis || !start || !step || *axis < 0 || static_cast<size_t>(*axis) >= from.shape.size()) return -1;
  const int64_t extent = from.shape[static_cast<size_t>(*axis)], stride = from.strides[static_cast<size_t>(*axis)];
  int64_t first = *start;
  if (first < 0 && __builtin_add_overflow(first, extent, &first)) return -1;
  first = std::clamp<int64_t>(first, 0, std::max<int64_t>(0, *step < 0 ? extent - 1 : extent));
  int64_t offset = 0;
  return __builtin_mul_overflow(first, stride, &offset) ? -1 : offset;
}

std::string extents(const std::vector<int64_t>& numbers, std::string_view none, std::string_view between) {
  return numbers.empty() ? std::string(none) : fmt::format("{}", fmt::join(numbers, between));
}

}  // namespace

std::string no_storage_words(const Capture& c) {
  if (!c.tensors().empty()) return {};
  return c.run().source.empty() ? say("The run ended before its plan was recorded.")
                                : say("An imported trace does not hold how its tensors are stored.");
}

std::vector<StoredTensor> stored_tensors(const Capture& c) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<StoredTensor> all(c.tensors().size()), ordered;
  std::vector<TensorId> made;
  for (const TensorRecord& t : c.tensors())
    all[t.id] = {t.id, t.alias_of == kNoTensor ? t.id : t.alias_of, kNoOp, false, 0, kUnknown};
  for (const OpRecord& op : c.ops()) {
    double moved = 0;
    TensorId from = kNoTensor;
    for (const OperandRecord& o : c.operands(op)) {
      moved += static_cast<double>(o.read_bytes) + static_cast<double>(o.written_bytes);
      if (!o.output && from == kNoTensor) from = o.tensor;
    }
    for (const OperandRecord& o : c.operands(op)) {
      if (!o.output || all[o.tensor].made_by != kNoOp) continue;
      StoredTensor& t = all[o.tensor];
      t.made_by = op.id;
      t.view = op.view;
      t.moved_bytes = std::isnan(op.flops) ? kUnknown : moved;
      made.push_back(o.tensor);
      if (!op.view || from == kNoTensor) continue;
      const int64_t own = offset_of(c, op, c.tensors()[from]), before = all[from].offset_elements;
      if (own < 0 || before < 0 || __builtin_add_overflow(own, before, &t.offset_elements)) t.offset_elements = -1;
    }
  }
  for (const StoredTensor& t : all)
    if (t.made_by == kNoOp) ordered.push_back(t);
  for (const TensorId id : made) ordered.push_back(all[id]);
  return ordered;
}

std::vector<std::string> storage_sentences(const Capture& c) {
  size_t views = 0, copies = 0, apart = 0;
  double bytes = 0;
  for (const StoredTensor& t : stored_tensors(c)) {
    const TensorRecord& tensor = c.tensors()[t.tensor];
    views += t.view ? 1 : 0;
    if (t.made_by != kNoOp && c.name(c.ops()[t.made_by].type) == "contiguous") ++copies, bytes += t.moved_bytes;
    if (!t.view && t.storage == t.tensor && !engine::is_contiguous(tensor.shape, tensor.strides)) ++apart;
  }
  std::vector<std::string> sentences;
  if (views > 0)
    sentences.push_back(
        say("{}: {} no byte.", counted(views, "view"), views == 1 ? say("it moves") : say("they move")));
  if (copies > 0)
    sentences.push_back(say("{} into row-major order: {:.0f} B read and written.",
                            copies == 1 ? say("1 copy") : say("{} copies", copies), bytes));
  if (apart > 0)
    sentences.push_back(say("{} not stored in row-major order, such as images with channels last.",
                            apart == 1 ? say("1 tensor is") : say("{} tensors are", apart)));
  return sentences;
}

Table storage_table(const Capture& c) {
  Table table;
  table.name = "storage";
  table.columns = {
      {"tensor", "Tensor", Quantity::text, Origin::exact, "Name"},
      {"made_by", "Made by", Quantity::text, Origin::exact,
       "Type of the op that made it; none: it is there before the step"},
      {"kind", "Kind", Quantity::text, Origin::exact,
       "view: names bytes of another tensor; in place: overwrites another tensor's bytes; copy: row-major copy; own: "
       "has "
       "bytes of its own"},
      {"role", "Role", Quantity::text, Origin::exact, "Whose bytes they are; a view has that of its storage"},
      {"dtype", "Data type", Quantity::text, Origin::exact, "Of its elements"},
      {"shape", "Shape", Quantity::text, Origin::exact, "Extents"},
      {"strides", "Strides", Quantity::text, Origin::exact, "Elements to the next index along each axis"},
      {"offset_count", "Offset", Quantity::count, Origin::exact,
       "Elements from the first of the storage to its own first one"},
      {"storage", "Storage", Quantity::text, Origin::exact, "The tensor that owns the bytes"},
      {"elements_count", "Elements", Quantity::count, Origin::exact, "Product of the extents"},
      {"size_bytes", "Size", Quantity::bytes, Origin::exact, "Elements times bytes of one"},
      {"moved_bytes", "Moved", Quantity::bytes, Origin::exact, "Read and written by the op that made it; 0 of a view"}};
  for (const StoredTensor& t : stored_tensors(c)) {
    const TensorRecord& tensor = c.tensors()[t.tensor];
    const bool leaf = t.made_by == kNoOp;
    const std::string_view made_by = leaf ? "" : c.name(c.ops()[t.made_by].type);
    const auto count = engine::element_count(tensor.shape);
    const double elements = count ? static_cast<double>(*count) : std::numeric_limits<double>::quiet_NaN();
    table.rows.push_back({std::string(c.name(tensor.name)), leaf ? Cell() : Cell(std::string(made_by)),
                          std::string(t.view                    ? "view"
                                      : t.storage != t.tensor   ? say("in place")
                                      : made_by == "contiguous" ? say("copy")
                                                                : say("own")),
                          std::string(engine::name(tensor.role)), std::string(engine::name(tensor.dtype)),
                          extents(tensor.shape, "scalar", "x"), extents(tensor.strides, "none", ", "),
                          t.offset_elements < 0 ? Cell() : Cell(static_cast<double>(t.offset_elements)),
                          std::string(c.name(c.tensors()[t.storage].name)), elements,
                          elements * static_cast<double>(engine::size_bytes(tensor.dtype)), t.moved_bytes});
  }
  return table;
}

}  // namespace profiler
