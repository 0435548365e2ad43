// SPDX-License-Identifier: Apache-2.0
// Views against a plain model: a list of what each logical position should read.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/tensor/tensor.h"

namespace engine {
namespace {

/// What a view should read: its shape and, row by row, the numbers of the elements of the first
/// tensor.
struct Model {
  Shape shape;
  std::vector<int64_t> elements;
};

int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// Calls `visit(index)` for each logical position, in row-major order.
template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t n = count(shape); n > 0; --n) {
    visit(index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

int64_t at(const Model& model, const std::vector<int64_t>& index) {
  int64_t position = 0;
  for (size_t i = 0; i < index.size(); ++i) position = position * model.shape[i] + index[i];
  return model.elements[static_cast<size_t>(position)];
}

/// A model of `shape` whose element at `index` is that of `from` at `source(index)`.
template <class Source>
Model remap(const Model& from, Shape shape, Source source) {
  Model result{std::move(shape), {}};
  for_each_index(result.shape,
                 [&](const std::vector<int64_t>& index) { result.elements.push_back(at(from, source(index))); });
  return result;
}

class RandomViews : public testing::TestWithParam<int> {
 protected:
  std::mt19937_64 random_{static_cast<uint64_t>(GetParam())};
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  Shape random_shape() {
    Shape shape(static_cast<size_t>(below(7)));
    for (int64_t& extent : shape) extent = below(12) == 0 ? 0 : 1 + below(4);
    return shape;
  }

  void permute(Tensor& tensor, Model& model) {
    std::vector<int64_t> axes(model.shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::ranges::shuffle(axes, random_);
    Shape shape;
    for (const int64_t axis : axes) shape.push_back(model.shape[static_cast<size_t>(axis)]);
    model = remap(model, shape, [&](const std::vector<int64_t>& index) {
      std::vector<int64_t> source(index.size());
      for (size_t i = 0; i < index.size(); ++i) source[static_cast<size_t>(axes[i])] = index[i];
      return source;
    });
    tensor = *tensor.permute(axes);
  }

  void slice(Tensor& tensor, Model& model) {
    if (model.shape.empty()) return;
    const int64_t axis = below(static_cast<int64_t>(model.shape.size()));
    const auto i = static_cast<size_t>(axis);
    const int64_t extent = model.shape[i];
    const int64_t start = below(2 * extent + 5) - extent - 2, end = below(2 * extent + 5) - extent - 2;
    const int64_t step = (1 + below(3)) * (below(2) == 0 ? 1 : -1);
    std::vector<int64_t> kept;  // Python's range over held ends
    int64_t from = start < 0 ? start + extent : start, to = end < 0 ? end + extent : end;
    from = std::clamp<int64_t>(from, step > 0 ? 0 : -1, step > 0 ? extent : extent - 1);
    to = std::clamp<int64_t>(to, step > 0 ? 0 : -1, step > 0 ? extent : extent - 1);
    for (int64_t k = from; step > 0 ? k < to : k > to; k += step) kept.push_back(k);
    Shape shape = model.shape;
    shape[i] = static_cast<int64_t>(kept.size());
    model = remap(model, shape, [&](std::vector<int64_t> index) {
      index[i] = kept[static_cast<size_t>(index[i])];
      return index;
    });
    tensor = *tensor.slice(axis, start, end, step);
  }

  void expand(Tensor& tensor, Model& model) {
    Shape shape = model.shape;
    for (int64_t& extent : shape) {
      if (extent == 1 && below(2) == 0) extent = below(4);
    }
    const bool added = shape.size() < 6 && below(3) == 0;
    if (added) shape.insert(shape.begin(), 1 + below(3));
    model = remap(model, shape, [&](std::vector<int64_t> index) {
      if (added) index.erase(index.begin());
      for (size_t i = 0; i < index.size(); ++i) index[i] = std::min(index[i], model.shape[i] - 1);
      return index;
    });
    tensor = *tensor.expand(shape);
  }

  void unsqueeze_or_squeeze(Tensor& tensor, Model& model) {
    const auto one = std::ranges::find(model.shape, 1);
    if (one != model.shape.end() && below(2) == 0) {
      const auto axis = one - model.shape.begin();
      tensor = *tensor.squeeze(axis);
      model.shape.erase(one);
    } else if (model.shape.size() < 6) {
      const auto axis = below(static_cast<int64_t>(model.shape.size()) + 1);
      tensor = *tensor.unsqueeze(axis);
      model.shape.insert(model.shape.begin() + axis, 1);
    }
  }

  /// Merges or splits an axis; refused only where the strides really forbid it.
  void reshape(Tensor& tensor, Model& model) {
    Shape shape = model.shape;
    if (shape.size() >= 2 && below(2) == 0) {
      const auto i = static_cast<size_t>(below(static_cast<int64_t>(shape.size()) - 1));
      shape[i] *= shape[i + 1];
      shape.erase(shape.begin() + static_cast<int64_t>(i) + 1);
    } else if (!shape.empty() && shape.size() < 6) {
      const auto i = static_cast<size_t>(below(static_cast<int64_t>(shape.size())));
      const int64_t factor = shape[i] % 2 == 0 ? 2 : 1;
      shape[i] /= factor;
      shape.insert(shape.begin() + static_cast<int64_t>(i), factor);
    }
    const auto reshaped = tensor.reshape(shape);
    if (!reshaped) {
      EXPECT_FALSE(is_contiguous(tensor.shape(), tensor.strides()));
      EXPECT_NE(reshaped.error().message.find("without a copy"), std::string::npos) << reshaped.error().message;
      tensor = *tensor.contiguous()->reshape(shape);
      first_storage_ = tensor.storage();
    } else {
      tensor = *reshaped;
    }
    model.shape = shape;
  }

  std::shared_ptr<Storage> first_storage_;
};

TEST_P(RandomViews, ReadWhatTheModelSays) {
  for (int round = 0; round < 150; ++round) {
    Model model{random_shape(), {}};
    model.elements.resize(static_cast<size_t>(count(model.shape)));
    std::iota(model.elements.begin(), model.elements.end(), 0);
    Tensor tensor = *Tensor::from_values(model.shape, std::vector<double>(model.elements.begin(), model.elements.end()),
                                         DType::int32);
    first_storage_ = tensor.storage();
    const int64_t steps = 1 + below(6);
    for (int64_t i = 0; i < steps; ++i) {
      switch (below(5)) {
        case 0: permute(tensor, model); break;
        case 1: slice(tensor, model); break;
        case 2: expand(tensor, model); break;
        case 3: unsqueeze_or_squeeze(tensor, model); break;
        default: reshape(tensor, model); break;
      }
      ASSERT_EQ(tensor.storage(), first_storage_);
      ASSERT_EQ(tensor.shape(), model.shape);
      ASSERT_LE(tensor.type().distinct_bytes(),
                std::max<int64_t>(tensor.storage()->size_bytes(), tensor.type().elements() * 4));
      if (count(model.shape) > 5000) break;
    }
    int64_t position = 0;
    for_each_index(model.shape, [&](const std::vector<int64_t>& index) {
      const double expected = static_cast<double>(model.elements[static_cast<size_t>(position)]);
      ASSERT_EQ(tensor.get(index), expected);
      ASSERT_EQ(tensor.get_flat(position++), expected);
    });
    const Tensor copy = *tensor.contiguous();
    for (size_t i = 0; i < model.elements.size(); ++i) ASSERT_EQ(copy.data_as<int32_t>()[i], model.elements[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomViews, testing::Range(0, 12));

TEST(View, ReshapeFindsTheUnknownExtent) {
  const TensorType type = TensorType::contiguous(DType::float32, {6, 4});
  EXPECT_EQ(view_reshape(type, {-1, 3})->type.shape, (Shape{8, 3}));
  EXPECT_EQ(view_reshape(type, {24})->type.strides, (Strides{1}));
  EXPECT_EQ(view_reshape(TensorType::contiguous(DType::float32, {0, 4}), {-1, 2})->type.shape, (Shape{0, 2}));
  for (const Shape& wrong : {Shape{-1, -1}, Shape{-1, 5}, Shape{25}, Shape{-2, 12}, Shape{0, -1},
                             Shape{int64_t{1} << 40, int64_t{1} << 40}}) {
    const auto refused = view_reshape(type, wrong);
    ASSERT_FALSE(refused.ok()) << to_string(wrong);
    EXPECT_NE(refused.error().message.find("6x4"), std::string::npos) << refused.error().message;
  }
}

TEST(View, ReshapeOfATransposedMatrixNeedsACopy) {
  const Tensor matrix = *Tensor::from_values({2, 3}, std::vector<double>{0, 1, 2, 3, 4, 5});
  const auto refused = matrix.transpose(0, 1)->reshape({6});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("strides 1,3"), std::string::npos) << refused.error().message;
}

TEST(View, SliceFollowsPython) {
  const Tensor row = *Tensor::from_values({6}, std::vector<double>{0, 1, 2, 3, 4, 5});
  const auto values = [&](int64_t start, int64_t end, int64_t step) {
    const Tensor part = *row.slice(0, start, end, step);
    std::vector<double> result;
    for (int64_t i = 0; i < part.type().elements(); ++i) result.push_back(part.get_flat(i));
    return result;
  };
  EXPECT_EQ(values(1, -1, 2), (std::vector<double>{1, 3}));
  EXPECT_EQ(values(-2, INT64_MAX, 1), (std::vector<double>{4, 5}));
  EXPECT_EQ(values(-1, INT64_MIN, -1), (std::vector<double>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(values(INT64_MAX, 0, -2), (std::vector<double>{5, 3, 1}));
  EXPECT_EQ(values(0, 6, INT64_MAX), (std::vector<double>{0}));
  EXPECT_EQ(values(5, 0, INT64_MIN), (std::vector<double>{5}));
  EXPECT_TRUE(values(4, 2, 1).empty());
  EXPECT_FALSE(row.slice(0, 0, 6, 0).ok());
  EXPECT_FALSE(row.slice(1, 0, 6).ok());
}

TEST(View, WrongArgumentsAreNamed) {
  const Tensor tensor = *Tensor::empty(TensorType::contiguous(DType::float32, {2, 3}));
  EXPECT_NE(tensor.transpose(0, 2).error().message.find("axis 2"), std::string::npos);
  EXPECT_NE(tensor.squeeze(1).error().message.find("extent 3"), std::string::npos);
  EXPECT_FALSE(tensor.unsqueeze(4).ok());
  EXPECT_TRUE(tensor.unsqueeze(-1).ok());
  EXPECT_FALSE(tensor.permute(std::vector<int64_t>{0, 0}).ok());
  EXPECT_FALSE(tensor.permute(std::vector<int64_t>{0}).ok());
  EXPECT_FALSE(tensor.expand({2, 4}).ok());
  EXPECT_FALSE(tensor.expand({3}).ok());
  EXPECT_FALSE(tensor.expand({-1, 3}).ok());
}

}  // namespace
}  // namespace engine
