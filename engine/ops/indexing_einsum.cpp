// SPDX-License-Identifier: Apache-2.0
// einsum: an equation turned into views, sums, products and matrix products, operand by operand from left to right.
#include <algorithm>
#include <map>
#include <set>

#include "engine/ops/check.h"
#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

/// An axis' label: a letter, or -1, -2, ... for the axes "..." stands for, counted from the last.
using Label = int;
using Labels = std::vector<Label>;

struct Operand {
  ValueId value = kNoValue;
  Labels labels;
};

std::string shown(Label label) { return label > 0 ? std::string(1, static_cast<char>(label)) : "..."; }

bool contains(const Labels& labels, Label label) { return std::ranges::find(labels, label) != labels.end(); }

class Einsum {
 public:
  Einsum(GraphBuilder& builder, std::string_view equation)
      : builder_(builder), check_("einsum", {}, {}), equation_(equation) {}

  ValueId build(const std::vector<ValueId>& values) {
    if (!parse(values)) return builder_.fail(check_.error());
    for (Operand& operand : operands_) {
      if (!take_diagonals(operand)) return builder_.fail(check_.error());
    }
    if (!find_extents()) return builder_.fail(check_.error());
    for (size_t i = 0; i < operands_.size(); ++i) prepare(i);
    Operand result = operands_[0];
    for (size_t i = 1; i < operands_.size() && !builder_.failed(); ++i)
      result = contract(result, operands_[i], wanted_after(i));
    if (builder_.failed()) return kNoValue;
    std::vector<int64_t> axes;
    for (const Label label : output_) axes.push_back(std::ranges::find(result.labels, label) - result.labels.begin());
    return permute(builder_, result.value, std::move(axes));
  }

 private:
  // ---- reading the equation
  // ---------------------------------------------------------------------------------------------------

  /// "ab...c" for an operand of `rank` axes; rank -1: the output, whose "..." is the longest of the operands'.
  bool read_labels(std::string_view term, int64_t rank, Labels& labels) {
    bool dots = false;
    for (size_t i = 0; i < term.size(); ++i) {
      const char c = term[i];
      if (c == '.') {
        if (!check_.that(!dots && term.substr(i, 3) == "...", "\"{}\" in \"{}\": dots come as one \"...\"", term,
                         equation_))
          return false;
        dots = true;
        i += 2;
        const int64_t letters = static_cast<int64_t>(term.size()) - 3, count = rank < 0 ? dots_ : rank - letters;
        for (int64_t axis = count; axis > 0; --axis) labels.push_back(static_cast<Label>(-axis));
        if (rank >= 0) dots_ = std::max(dots_, count);
        continue;
      }
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!check_.that(letter, "'{}' in \"{}\" is no label: labels are letters", c, equation_)) return false;
      labels.push_back(c);
    }
    return rank < 0 ||
           check_.that(static_cast<int64_t>(labels.size()) == rank,
                       "\"{}\" in \"{}\" names {} axes, its operand has {}", term, equation_, labels.size(), rank);
  }

  bool parse(const std::vector<ValueId>& values) {
    std::string text = equation_;
    std::erase(text, ' ');
    const size_t arrow = text.find("->");
    std::string_view left = std::string_view(text).substr(0, arrow);
    std::vector<std::string_view> terms;
    while (true) {
      const size_t comma = left.find(',');
      terms.push_back(left.substr(0, comma));
      if (comma == std::string_view::npos) break;
      left.remove_prefix(comma + 1);
    }
    if (!check_.that(terms.size() == values.size(), "\"{}\" names {} operands, got {}", equation_, terms.size(),
                     values.size()))
      return false;
    for (size_t i = 0; i < values.size(); ++i) {
      operands_.push_back({values[i], {}});
      if (!read_labels(terms[i], builder_.type(values[i]).rank(), operands_[i].labels)) return false;
    }
    if (arrow == std::string::npos) return imply_output();
    return read_labels(std::string_view(text).substr(arrow + 2), -1, output_) && check_output();
  }

  /// Without "->": the axes of "...", then all labels that appear once, by alphabet.
  bool imply_output() {
    std::map<Label, int> uses;
    for (const Operand& operand : operands_) {
      for (const Label label : operand.labels) ++uses[label];
    }
    for (const auto& [label, count] : uses) {  // -2, -1, then letters in order
      if (label < 0 || count == 1) output_.push_back(label);
    }
    return true;
  }

  bool check_output() {
    for (size_t i = 0; i < output_.size(); ++i) {
      const bool known =
          std::ranges::any_of(operands_, [&](const Operand& o) { return contains(o.labels, output_[i]); });
      if (!check_.that(known, "output label '{}' of \"{}\" is in no operand", shown(output_[i]), equation_) ||
          !check_.that(std::ranges::count(output_, output_[i]) == 1, "output label '{}' of \"{}\" is named twice",
                       shown(output_[i]), equation_)) {
        return false;
      }
    }
    return true;
  }

  // ---- operands alone
  // ---------------------------------------------------------------------------------------------------------

  /// A label named twice in one operand walks its diagonal: every (n + 1)-th of n * n elements, a view.
  bool take_diagonals(Operand& operand) {
    for (size_t i = 0; i < operand.labels.size(); ++i) {
      const auto again =
          std::find(operand.labels.begin() + static_cast<int64_t>(i) + 1, operand.labels.end(), operand.labels[i]);
      if (again == operand.labels.end()) continue;
      const auto j = static_cast<size_t>(again - operand.labels.begin());
      Shape shape = builder_.type(operand.value).shape;
      const int64_t n = shape[i];
      if (!check_.that(n == shape[j], "label '{}' of \"{}\" is {} and {} long in one operand", shown(operand.labels[i]),
                       equation_, n, shape[j])) {
        return false;
      }
      if (!check_.that(element_count({n, n}).has_value(), "label '{}' of \"{}\" is {} long: its square exceeds 63 bits",
                       shown(operand.labels[i]), equation_, n)) {
        return false;
      }
      std::vector<int64_t> axes;
      Labels labels;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis == i || axis == j) continue;
        axes.push_back(static_cast<int64_t>(axis));
        labels.push_back(operand.labels[axis]);
      }
      Shape flat;
      for (const int64_t axis : axes) flat.push_back(shape[static_cast<size_t>(axis)]);
      axes.insert(axes.end(), {static_cast<int64_t>(i), static_cast<int64_t>(j)});
      flat.push_back(n * n);
      labels.push_back(operand.labels[i]);
      const ValueId square = reshape(builder_, permute(builder_, operand.value, std::move(axes)), std::move(flat));
      operand = {slice(builder_, square, -1, 0, n * n, n + 1), std::move(labels)};
      if (builder_.failed()) return true;
      i = static_cast<size_t>(-1);  // from the start: the axes have moved
    }
    return true;
  }

  /// Extents that meet are equal, or one of them is 1 and repeats.
  bool find_extents() {
    if (builder_.failed()) return true;
    for (const Operand& operand : operands_) {
      const Shape& shape = builder_.type(operand.value).shape;
      for (size_t i = 0; i < shape.size(); ++i) {
        const auto [at, fresh] = extents_.emplace(operand.labels[i], shape[i]);
        if (!check_.that(fresh || at->second == shape[i] || at->second == 1 || shape[i] == 1,
                         "label '{}' of \"{}\" is {} long in one operand and {} in another", shown(operand.labels[i]),
                         equation_, at->second, shape[i])) {
          return false;
        }
        if (at->second == 1) at->second = shape[i];
      }
    }
    return true;
  }

  /// Repeats what is 1 long here and longer elsewhere; sums over labels nobody else has.
  void prepare(size_t number) {
    if (builder_.failed()) return;
    Operand& operand = operands_[number];
    Shape shape;
    for (const Label label : operand.labels) shape.push_back(extents_[label]);
    if (shape != builder_.type(operand.value).shape) operand.value = expand(builder_, operand.value, shape);
    std::set<Label> wanted(output_.begin(), output_.end());
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (i != number) wanted.insert(operands_[i].labels.begin(), operands_[i].labels.end());
    }
    std::vector<int64_t> axes;
    Labels kept;
    for (size_t i = 0; i < operand.labels.size(); ++i) {
      if (wanted.contains(operand.labels[i])) {
        kept.push_back(operand.labels[i]);
      } else {
        axes.push_back(static_cast<int64_t>(i));
      }
    }
    if (!axes.empty()) operand = {sum(builder_, operand.value, std::move(axes)), std::move(kept)};
  }

  // ---- two operands
  // -----------------------------------------------------------------------------------------------------------

  /// Labels the output or an operand behind number `last` still needs.
  std::set<Label> wanted_after(size_t last) const {
    std::set<Label> wanted(output_.begin(), output_.end());
    for (size_t i = last + 1; i < operands_.size(); ++i)
      wanted.insert(operands_[i].labels.begin(), operands_[i].labels.end());
    return wanted;
  }

  Shape extents(const Labels& labels) {
    Shape shape;
    for (const Label label : labels) shape.push_back(extents_[label]);
    return shape;
  }

  /// The operand with its axes as [batch..., first, second], where `first` and `second` are each one axis.
  ValueId as_matrices(const Operand& operand, const Labels& batch, const Labels& first, const Labels& second) {
    std::vector<int64_t> axes;
    for (const Labels* group : {&batch, &first, &second}) {
      for (const Label label : *group)
        axes.push_back(std::ranges::find(operand.labels, label) - operand.labels.begin());
    }
    const ValueId value = permute(builder_, operand.value, std::move(axes));
    if (first.size() == 1 && second.size() == 1) return value;
    Shape shape = extents(batch);
    for (const Labels* group : {&first, &second}) {
      const auto count = element_count(extents(*group));
      if (!count)
        return builder_.fail(
            usage_error(fmt::format("[einsum] \"{}\": the axes multiply to more than 63 bits", equation_)));
      shape.push_back(*count);
    }
    return reshape(builder_, value, std::move(shape));
  }

  Operand contract(const Operand& a, const Operand& b, const std::set<Label>& wanted) {
    Labels batch, summed, only_a, only_b;
    for (const Label label : a.labels) {
      (!contains(b.labels, label) ? only_a : wanted.contains(label) ? batch : summed).push_back(label);
    }
    for (const Label label : b.labels) {
      if (!contains(a.labels, label)) only_b.push_back(label);
    }
    Labels labels = batch;
    for (const Labels* group : {&only_a, &only_b}) labels.insert(labels.end(), group->begin(), group->end());
    const ValueId left = as_matrices(a, batch, only_a, summed), right = as_matrices(b, batch, summed, only_b);
    if (builder_.failed()) return {};
    // Without a sum a product of broadcast operands needs no matrix product's second pass.
    const ValueId product = summed.empty() ? multiply(builder_, left, right) : matmul(builder_, left, right);
    return {reshape(builder_, product, extents(labels)), std::move(labels)};
  }

  GraphBuilder& builder_;
  OperandCheck check_;
  std::string equation_;
  std::vector<Operand> operands_;
  Labels output_;
  int64_t dots_ = 0;  ///< axes the longest "..." stands for
  std::map<Label, int64_t> extents_;
};

}  // namespace

ValueId einsum(GraphBuilder& builder, const std::string& equation, const std::vector<ValueId>& values) {
  if (builder.failed()) return kNoValue;
  return Einsum(builder, equation).build(values);
}

}  // namespace engine::ops
