// SPDX-License-Identifier: GPL-3.0-or-later
// Channels of tensors as pictures, pixel by pixel; the view on a capture with values, and what a planted NaN shows.
#include "views/values/values_view.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QTest>
#include <cmath>
#include <limits>

#include "profiler/capture/results.h"
#include "tests/support/sample_document.h"

namespace {

using profiler::ResultRecord;

ResultRecord record_of(profiler::TensorId tensor, uint32_t step, const std::vector<int64_t>& shape, engine::DType dtype,
                       double (*value)(int64_t)) {
  auto made = engine::Tensor::empty(engine::TensorType::contiguous(dtype, shape));
  CHECK(made.ok());
  for (int64_t i = 0; i < made->type().elements(); ++i) made->set_flat(i, value(i));
  profiler::ResultSummary summary(dtype, made->type().elements(), true);
  CHECK(summary.add(*made).ok());
  ResultRecord record = std::move(summary).finish();
  record.tensor = tensor;
  record.step = step;
  return record;
}

double place(int64_t i) { return static_cast<double>(i); }

/// The sample with its first tensors' values; the output of the op has a NaN, its operands have none.
std::shared_ptr<const profiler::Analyzed> with_values(profiler::OpId bad) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  const profiler::Capture& c = builder.so_far();
  profiler::TensorId made = profiler::kNoTensor;
  for (const profiler::OperandRecord& o : c.operands())
    if (o.op == bad && o.output) made = o.tensor;
  for (const profiler::TensorRecord& t : std::vector(c.tensors())) {
    const auto one_nan = [](int64_t i) { return i == 1 ? std::numeric_limits<double>::quiet_NaN() : place(i); };
    builder.add_result(record_of(t.id, 1000, t.shape, t.dtype, t.id == made ? +one_nan : place));
  }
  auto capture = builder.finish();
  CHECK(capture.ok());
  return profiler::analyze(*capture);
}

TEST(ValuePlanes, TheLastTwoAxesAreRowsAndColumns) {
  const views::ValuePlanes images = views::planes_of({50, 3, 24, 32});
  EXPECT_EQ(images.count, 150);
  EXPECT_EQ(images.height, 24);
  EXPECT_EQ(images.width, 32);
  EXPECT_TRUE(images.colours());
  EXPECT_EQ(images.label(22), QStringLiteral("image 8 of 50, channel 2 of 3"));
  EXPECT_EQ(views::planes_of({7, 9}).count, 1);
  EXPECT_EQ(views::planes_of({}).count, 1);
  EXPECT_EQ(views::planes_of({2, 0, 3}).count, 0);
  EXPECT_EQ(views::planes_of({130}).height, 3) << "one axis in rows of 64";
  EXPECT_EQ(views::planes_of({int64_t{1} << 40, int64_t{1} << 40}).count, 0);
}

TEST(ValuePlanes, ShadesFollowTheValuesOfTheirChannel) {
  const ResultRecord r = record_of(0, 0, {2, 3, 4, 5}, engine::DType::float32, place);
  const views::ValuePlanes planes = views::planes_of({2, 3, 4, 5});
  for (int64_t plane = 0; plane < 6; ++plane) {
    const QImage image = views::value_picture(r, planes, plane, false);
    ASSERT_EQ(image.size(), QSize(5, 4));
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x)
        EXPECT_EQ(qRed(image.pixel(x, y)), std::lround(static_cast<double>(plane * 20 + y * 5 + x) / 119 * 255));
  }
  const QImage colours = views::value_picture(r, planes, 4, true);
  EXPECT_EQ(qBlue(colours.pixel(0, 0)), std::lround(100.0 / 119 * 255)) << "channel 3 of image 2";
  EXPECT_TRUE(views::value_picture(r, planes, 6, false).isNull());
}

TEST(ValuePlanes, APictureOfBytesKeepsItsColours) {
  const ResultRecord r =
      record_of(0, 0, {4, 5, 3}, engine::DType::uint8, [](int64_t i) { return static_cast<double>(i * 4); });
  const QImage image = views::value_picture(r, views::planes_of({4, 5, 3}), 0, true);
  EXPECT_EQ(image.pixel(1, 2), qRgb(33 * 4, 34 * 4, 35 * 4));
}

TEST(ValuePlanes, NanIsRed) {
  const ResultRecord r = record_of(0, 0, {2, 2}, engine::DType::float32,
                                   [](int64_t i) { return i == 3 ? std::numeric_limits<double>::quiet_NaN() : 1.0; });
  const QImage image = views::value_picture(r, views::planes_of({2, 2}), 0, false);
  EXPECT_GT(qRed(image.pixel(1, 1)), 200);
  EXPECT_LT(qGreen(image.pixel(1, 1)), 60);
  EXPECT_EQ(image.pixel(0, 0), qRgb(128, 128, 128)) << "one value alone is grey";
}

class ValuesViewTest : public testing::Test {
 protected:
  ValuesViewTest() {
    document.set(with_values(tests::SampleOps::conv), QStringLiteral("sample.tide"));
    view.resize(1100, 640);
    view.show();
    QApplication::processEvents();
  }
  views::Document document;
  views::ValuesView view{document, nullptr};
};

TEST_F(ValuesViewTest, BeginsWithTheTensorThatHasTheFirstNan) {
  ASSERT_NE(view.shown(), nullptr);
  EXPECT_EQ(view.shown()->not_finite, 1);
  EXPECT_EQ(profiler::makers(document.capture())[view.shown()->tensor], tests::SampleOps::conv);
  EXPECT_TRUE(view.nothing().isEmpty());
  EXPECT_EQ(view.list().rows().size(), document.capture().tensors().size());
  EXPECT_EQ(view.data().name, "values");
}

TEST_F(ValuesViewTest, TheSelectionChoosesTheTensorAndArrowsTheChannel) {
  document.selection().select_op(tests::SampleOps::relu);
  ASSERT_NE(view.shown(), nullptr);
  EXPECT_EQ(profiler::makers(document.capture())[view.shown()->tensor], tests::SampleOps::relu);
  ASSERT_GT(view.channel().maximum(), 0) << "an activation of several channels";
  const QString before = view.channel_words();
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  EXPECT_EQ(view.channel().value(), 1);
  EXPECT_NE(view.channel_words(), before);
  QTest::keyClick(&view.canvas(), Qt::Key_Left);
  EXPECT_EQ(view.channel().value(), 0);
}

TEST_F(ValuesViewTest, IsPaintedAtEverySizeAndEmptyWithoutValues) {
  for (const QSize size : {QSize(640, 420), QSize(960, 540), QSize(1920, 1080)}) {
    view.resize(size);
    QApplication::processEvents();
    EXPECT_FALSE(view.grab().isNull());
  }
  document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
  EXPECT_TRUE(view.nothing().isEmpty()) << "it offers to keep values";
  EXPECT_EQ(view.shown(), nullptr);
  EXPECT_FALSE(view.grab().isNull());
}

/// A tensor that is too large for a picture still has a histogram.
TEST_F(ValuesViewTest, BarsHaveTooltipsWithoutAPicture) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  const profiler::TensorRecord t = builder.so_far().tensors().front();
  auto made = engine::Tensor::empty(engine::TensorType::contiguous(t.dtype, t.shape));
  ASSERT_TRUE(made.ok());
  for (int64_t i = 0; i < made->type().elements(); ++i) made->set_flat(i, place(i));
  profiler::ResultSummary summary(t.dtype, made->type().elements(), false);
  ASSERT_TRUE(summary.add(*made).ok());
  ResultRecord record = std::move(summary).finish();
  record.tensor = t.id, record.step = 1000;
  builder.add_result(record);
  document.set(profiler::analyze(*builder.finish()), QStringLiteral("large.tide"));
  QApplication::processEvents();
  ASSERT_NE(view.shown(), nullptr);
  ASSERT_FALSE(profiler::is_whole(*view.shown())) << "it is kept whole";
  int tips = 0;
  for (int x = 0; x < view.canvas().width(); x += 4)
    for (int y = 0; y < view.canvas().height(); y += 4)
      tips += view.canvas().tip(QPointF(x, y)).contains(QStringLiteral("values from")) ? 1 : 0;
  EXPECT_GT(tips, 0);
}

TEST(ValuesLayout, PartsKeepApartAndInside) {
  profiler::ValueHistogram counts;
  counts.counts.fill(3);
  for (const QSizeF size : {QSizeF(400, 300), QSizeF(900, 400), QSizeF(1600, 900), QSizeF(300, 800)}) {
    const QRectF rect(QPointF(0, 0), size);
    const views::ValuesLayout layout = views::layout_values(rect, 16, 3, counts, QSize(32, 24));
    EXPECT_EQ(
        tests::first_overlap({layout.figures, layout.histogram, layout.axis, layout.picture_title, layout.picture}),
        (std::pair{-1, -1}))
        << size.width();
    for (const QRectF& part : {layout.figures, layout.histogram, layout.axis, layout.picture})
      EXPECT_TRUE(part.isEmpty() || rect.contains(part)) << size.width();
    EXPECT_EQ(layout.bars.size(), profiler::kHistogramBins);
  }
}

}  // namespace
