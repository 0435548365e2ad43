// SPDX-License-Identifier: GPL-3.0-or-later
// Views and copies of the byte map against strides and addresses by hand.
#include "views/storage/storage_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "views/storage/storage_layout.h"

namespace {

using engine::Shape;
using engine::Strides;
using views::StorageModel;

const engine::TensorExample& example(const std::string& key) { return engine::tensor_example(key); }

StorageModel model(const std::string& key) { return {example(key).title, example(key).type}; }

TEST(StorageModel, FiftyImagesHaveTheStridesOfTheBook) {
  const StorageModel images = model("images");
  EXPECT_EQ(images.tensors()[0].type.strides, (Strides{2304, 768, 32, 1}));
  EXPECT_EQ(images.buffers()[0].elements, 115200);
  EXPECT_EQ(images.buffers()[0].size_bytes(), 460800);
}

TEST(StorageModel, TransposedSeriesAreTheSameBytes) {
  StorageModel series = model("series_td");
  const auto turned = series.transpose(0, 0, 1);
  ASSERT_TRUE(turned);
  const auto& t = series.tensors()[*turned];
  EXPECT_EQ(t.type.shape, (Shape{3, 8}));
  EXPECT_EQ(t.type.strides, (Strides{1, 3})) << "the stride of a time step stays 3";
  EXPECT_EQ(t.buffer, 0U);
  EXPECT_EQ(t.copied_bytes, 0);
  EXPECT_EQ(series.buffers().size(), 1U);
  EXPECT_EQ(model("series_dt").tensors()[0].type.strides, (Strides{8, 1}));
}

TEST(StorageModel, OnlyAReshapeThatNoStridesDescribeCopies) {
  StorageModel m = model("matrix");
  const auto flat = m.reshape(0, {-1});
  ASSERT_TRUE(flat);
  EXPECT_EQ(m.tensors()[*flat].copied_bytes, 0);
  const auto turned = m.transpose(0, 0, 1);
  ASSERT_TRUE(turned);
  const auto copy = m.reshape(*turned, {24});
  ASSERT_TRUE(copy);
  EXPECT_EQ(m.tensors()[*copy].copied_bytes, 24 * 4);
  EXPECT_EQ(m.tensors()[*copy].buffer, 1U);
  EXPECT_EQ(m.buffers()[1].name, "B");
  // Column by column of the 4 x 6 matrix that counts up.
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(m.value(1, i), static_cast<double>(i % 4 * 6 + i / 4));
}

TEST(StorageModel, WritingThroughAViewShowsInTheBaseAndNotInACopy) {
  StorageModel m = model("matrix");
  const auto row = m.slice(0, 0, 1, 2, 1);
  const auto turned = m.transpose(0, 0, 1);
  ASSERT_TRUE(row && turned);
  const auto copy = m.contiguous(*turned);
  ASSERT_TRUE(copy);
  EXPECT_EQ(m.tensors()[*row].offset, 6);
  ASSERT_TRUE(m.write_first(*row, -1));
  EXPECT_EQ(m.value(0, 6), -1);
  EXPECT_EQ(m.value(m.tensors()[*copy].buffer, 1), 6);
}

TEST(StorageModel, ExpandReadsTheSameBytesSeveralTimes) {
  StorageModel m = model("series_td");
  const auto step = m.slice(0, 0, 2, 3, 1);
  ASSERT_TRUE(step);
  const auto all = m.expand(*step, {5, 3});
  ASSERT_TRUE(all);
  EXPECT_EQ(m.tensors()[*all].type.strides, (Strides{0, 1}));
  const auto use = views::use_of(m, *all);
  ASSERT_TRUE(use);
  for (size_t e = 0; e < 24; ++e) {
    EXPECT_EQ(use->readers[e], e >= 6 && e < 9 ? 5U : 0U) << e;
    EXPECT_EQ(use->position[e], e >= 6 && e < 9 ? static_cast<int64_t>(e - 6) : -1) << e;
  }
  EXPECT_EQ(m.tensors()[*m.contiguous(*all)].copied_bytes, 5 * 3 * 4);
}

TEST(StorageModel, ScalarsAndEmptyAxesWork) {
  StorageModel scalar = model("scalar");
  EXPECT_EQ(scalar.buffers()[0].size_bytes(), 4);
  EXPECT_TRUE(scalar.reshape(0, {1, 1}));
  EXPECT_FALSE(scalar.transpose(0, 0, 1));
  StorageModel empty = model("empty");
  EXPECT_EQ(empty.buffers()[0].elements, 0);
  EXPECT_TRUE(empty.transpose(0, 0, 2));
  EXPECT_TRUE(empty.reshape(0, {0, 7}));
  EXPECT_FALSE(empty.write_first(0, 1));
  ASSERT_TRUE(views::use_of(empty, 0));
  EXPECT_TRUE(views::layout_storage({0, 0, 400, 200}, *views::use_of(empty, 0), 3).cells.empty());
}

TEST(StorageModel, RefusalsChangeNothing) {
  StorageModel m = model("matrix");
  EXPECT_FALSE(m.reshape(0, {5, 5}));
  EXPECT_FALSE(m.transpose(0, 0, 2));
  EXPECT_FALSE(m.slice(0, 0, 0, 1, 0));
  EXPECT_FALSE(m.expand(0, {9, 9}));
  EXPECT_EQ(m.tensors().size(), 1U);
  EXPECT_EQ(m.buffers().size(), 1U);
}

TEST(StorageModel, AHugeExpansionTakesNoMemory) {
  StorageModel m = model("scalar");
  const auto huge = m.expand(0, {int64_t{1} << 40});
  ASSERT_TRUE(huge);
  EXPECT_FALSE(views::use_of(m, *huge)) << "no map of 2^40 positions";
  const auto copy = m.contiguous(*huge);
  ASSERT_TRUE(copy);
  EXPECT_EQ(m.tensors()[*copy].copied_bytes, int64_t{4} << 40);
  EXPECT_EQ(m.buffers()[1].data, nullptr);
  EXPECT_FALSE(m.contiguous(*m.expand(0, {int64_t{1} << 60}))) << "not in 63 bits of bytes";
}

TEST(StorageShape, IsParsed) {
  EXPECT_EQ(*views::parse_shape("50x2304"), (Shape{50, 2304}));
  EXPECT_EQ(*views::parse_shape(" 4, -1 "), (Shape{4, -1}));
  EXPECT_EQ(*views::parse_shape("scalar"), Shape{});
  EXPECT_FALSE(views::parse_shape("4xfour"));
}

TEST(StorageLayout, CellsCoverTheBufferOnceAndStayInside) {
  for (const char* key : {"matrix", "images", "ranks", "scalar"}) {
    const StorageModel m = model(key);
    const auto use = views::use_of(m, 0);
    ASSERT_TRUE(use);
    for (const QRectF room : {QRectF(0, 0, 900, 200), QRectF(10, 20, 300, 120), QRectF(0, 0, 1800, 700)}) {
      const auto layout =
          views::layout_storage(room, *use, m.tensors()[0].type.shape.empty() ? 1 : m.tensors()[0].type.shape.back());
      ASSERT_FALSE(layout.cells.empty()) << key;
      int64_t next = 0;
      for (const auto& cell : layout.cells) {
        EXPECT_EQ(cell.first, next);
        next += cell.count;
        EXPECT_TRUE(room.adjusted(-0.01, -0.01, 0.01, 0.01).contains(cell.rect)) << key;
        EXPECT_EQ(cell.used, cell.count);
      }
      EXPECT_EQ(next, m.buffers()[0].elements);
    }
  }
}

TEST(StorageLayout, AMatrixKeepsItsRows) {
  const StorageModel m = model("matrix");
  const auto layout = views::layout_storage({0, 0, 900, 200}, *views::use_of(m, 0), 6);
  EXPECT_EQ(layout.columns, 6);
  EXPECT_EQ(layout.per_cell, 1);
}

}  // namespace
