// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic picture as numbers: widths follow bytes, bytes are conserved, nothing overlaps.
#include "views/traffic/traffic_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiler/analysis/tables/summary.h"
#include "tests/support/sample_document.h"
#include "tests/support/sample_gpu_capture.h"
#include "tests/support/sample_sweep.h"
#include "views/base/paint.h"
#include "views/base/theme.h"
#include "views/traffic/traffic_batch.h"

namespace {

using tests::SampleOps;
using views::WidthScale;

/// The sample with a simulation of every op but `left_out`: over DRAM - L3 each reads 1000 bytes of its first operand
/// and 24 of panels.
std::shared_ptr<const profiler::Analyzed> simulated_sample(profiler::OpId left_out) {
  const auto plain = tests::sample_analyzed();
  profiler::TrafficSource source;
  source.origin = profiler::Origin::simulated;
  source.method = "by hand";
  source.links = {{plain->model.links[0], plain->model.inner[0], 4e6}};
  source.op_notes.assign(SampleOps::count, "");
  for (const auto& op : plain->capture->ops()) {
    if (op.view || op.id == left_out) continue;
    profiler::TrafficRecord whole;
    whole.op = op.id;
    whole.read_bytes = 1024, whole.written_bytes = 0, whole.write_allocate_bytes = 0, whole.hits = 3, whole.misses = 1;
    profiler::TrafficRecord part = whole;
    part.tensor = plain->capture->operands(op).front().tensor;
    part.read_bytes = 1000;
    source.records.push_back(whole);
    source.records.push_back(part);
  }
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.add_traffic(source);
  auto capture = builder.finish();
  CHECK(capture.ok());
  return profiler::analyze(*capture);
}

TEST(TrafficLayout, WidthGrowsWithBytesOnBothScales) {
  for (WidthScale scale : {WidthScale::logarithmic, WidthScale::linear}) {
    EXPECT_EQ(views::ribbon_width(0, 1e9, 100, scale), 0);
    EXPECT_EQ(views::ribbon_width(std::nan(""), 1e9, 100, scale), 0);
    double before = 0;
    for (double bytes = 1; bytes <= 1e9; bytes *= 1.7) {
      const double width = views::ribbon_width(bytes, 1e9, 100, scale);
      EXPECT_GE(width, before);
      EXPECT_GE(width, scale == WidthScale::linear ? views::kThinnestRibbon : views::kThinnestLogRibbon);
      before = width;
    }
    EXPECT_NEAR(views::ribbon_width(1e9, 1e9, 100, scale), 100, 1e-9);
    EXPECT_NEAR(views::ribbon_width(1e12, 1e9, 100, scale), 100, 1e-9);
  }
  EXPECT_NEAR(views::ribbon_width(5e8, 1e9, 103, WidthScale::linear), 51.5, 1e-9) << "in proportion";
  // A tenth of the bytes is a quarter less of four decades.
  EXPECT_NEAR(views::ribbon_width(1e8, 1e9, 103, WidthScale::logarithmic), 78, 1e-9);
}

TEST(TrafficFigure, OfAnEmulatedGpuHasNoRateAndItsReason) {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().device = "emu:0";
  const auto analyzed = profiler::analyze(*builder.finish());
  const views::TrafficFigure figure = views::make_traffic_figure(*analyzed, {});
  EXPECT_EQ(figure.time_origin, profiler::Origin::emulated);
  EXPECT_TRUE(figure.no_rates.contains(QStringLiteral("emulated")));
  EXPECT_TRUE(std::isnan(figure.roof_ratio));
  EXPECT_FALSE(figure.model_known);
  EXPECT_FALSE(figure.model_unknown.contains(QStringLiteral("probe"))) << figure.model_unknown.toStdString();
  for (const auto& link : figure.links) EXPECT_TRUE(std::isnan(link.busy_ratio));
  for (const auto& level : figure.levels) EXPECT_TRUE(std::isnan(level.busy_bytes_per_s));
  const auto layout = views::layout_traffic(figure, views::scrubber_ops(*analyzed), QRectF(0, 0, 1280, 720),
                                            views::data_font(), {WidthScale::linear, views::largest_flow(figure)});
  for (const auto& text : layout.texts)
    EXPECT_FALSE(text.text.contains(QStringLiteral("FLOP/s"))) << text.text.toStdString();
}

TEST(TrafficFigure, NamesTheBytesTouchedApartFromThoseAlive) {
  const auto analyzed = tests::sample_analyzed();
  const views::TrafficFigure figure = views::make_traffic_figure(*analyzed, {});
  const auto layout = views::layout_traffic(figure, views::scrubber_ops(*analyzed), QRectF(0, 0, 1280, 720),
                                            views::data_font(), {WidthScale::linear, views::largest_flow(figure)});
  const QString words =
      QStringLiteral("touches %1 of tensors").arg(views::quantity(figure.working_set_bytes, profiler::Quantity::bytes));
  EXPECT_TRUE(std::ranges::any_of(layout.texts, [&](const auto& text) { return text.text.contains(words); }))
      << words.toStdString();
}

class TrafficLayoutTest : public testing::Test {
 protected:
  std::shared_ptr<const profiler::Analyzed> analyzed = tests::sample_analyzed();
  std::vector<views::ScrubberOp> ops = views::scrubber_ops(*analyzed);

  views::TrafficLayout layout(const views::TrafficFigure& figure, QSize size, WidthScale scale = WidthScale::linear) {
    return views::layout_traffic(figure, ops, QRectF(QPointF(0, 0), QSizeF(size)), views::data_font(),
                                 {scale, views::largest_flow(figure)});
  }
  std::vector<profiler::Scope> scopes() const {
    profiler::Scope layer, op;
    layer.layer = "features.conv1";
    op.op = SampleOps::relu;
    return {{}, layer, op};
  }
};

TEST_F(TrafficLayoutTest, BytesThatAreFarApartAreToldOfInLinesThatFit) {
  views::TrafficFigure figure = views::make_traffic_figure(*analyzed, {});
  EXPECT_TRUE(figure.apart.isEmpty()) << "modelled alone";
  const auto plain = layout(figure, {800, 460});
  figure.apart = QStringLiteral(
      "Simulated and modelled bytes are more than 2x apart at DRAM for 2 of 23 ops (most for fc2/matmul: 5.53 MB and "
      "430 kB), at L3 for 1 "
      "(fc1/linear: 9.99 MB and 3.89 MB) and at L2 for 3 (most for fc2/linear: 28.9 MB and 5.37 MB). The simulated "
      "ones count: they follow each "
      "access through the caches, though how a library tiles its loops is assumed.");
  for (const QSize size : {QSize(800, 460), QSize(1280, 720)}) {
    const auto at = layout(figure, size);
    QStringList lines;
    for (const auto& text : at.texts) {
      if (text.rect.width() < size.width() - 100 || !figure.apart.contains(text.text)) continue;
      lines << text.text;
      EXPECT_LE(views::text_width(views::scaled_font(views::data_font(), 0.92), text.text), text.rect.width())
          << text.text.toStdString();
      EXPECT_LE(text.rect.bottom(), at.boxes.front().rect.top());
    }
    EXPECT_EQ(lines.join(QLatin1Char(' ')), figure.apart) << size.width();
  }
  const double least = views::traffic_least_height(figure, 800, views::data_font());
  for (const double height : {least, least + 60})
    EXPECT_LE(layout(figure, QSize(800, static_cast<int>(std::ceil(height)))).phases.back().rect.bottom(),
              std::ceil(height));
  EXPECT_GT(layout(figure, QSize(800, static_cast<int>(least) - 20)).phases.back().rect.bottom(), least - 20);
  EXPECT_GT(layout(figure, {800, 460}).boxes.front().rect.top(), plain.boxes.front().rect.top());
}

TEST_F(TrafficLayoutTest, RibbonsCarryExactlyTheBytesOfTheAnalysis) {
  for (const auto& scope : scopes()) {
    const auto figure = views::make_traffic_figure(*analyzed, scope);
    const auto traffic = profiler::traffic(*analyzed->capture, analyzed->model, scope);
    const auto at = layout(figure, {1000, 600});
    ASSERT_EQ(at.ribbons.size(), traffic.links.size() * 2);
    for (size_t i = 0; i < traffic.links.size(); ++i) {
      double bands = 0, heights = 0;
      for (size_t d = 0; d < 2; ++d) {
        const auto& ribbon = at.ribbons[i * 2 + d];
        for (const auto& band : ribbon.bands) {
          bands += band.bytes;
          heights += band.polygon.boundingRect().height();
        }
      }
      EXPECT_NEAR(bands, traffic.links[i].modelled_total(), 1e-6 * bands);
      EXPECT_NEAR(heights, at.ribbons[i * 2].width + at.ribbons[i * 2 + 1].width, 1e-6);
    }
  }
}

TEST_F(TrafficLayoutTest, TheWholeStepIsTimedAsTheFiguresAboveTheViewsAre) {
  const auto step = views::make_traffic_figure(*analyzed, {});
  const profiler::Summary summary = profiler::summary(*analyzed);
  EXPECT_TRUE(step.time_of_step);
  EXPECT_DOUBLE_EQ(step.time_ns, summary.step_ns.median);
  EXPECT_NEAR(step.flops / step.time_ns * 1e9, summary.flop_per_s, 1e-6 * summary.flop_per_s) << "one figure, not two";
  const auto op = views::make_traffic_figure(*analyzed, {.op = tests::SampleOps::conv, .layer = {}});
  EXPECT_FALSE(op.time_of_step);
  EXPECT_DOUBLE_EQ(op.time_ns, analyzed->times[tests::SampleOps::conv].ns.median);
  const auto says = [&](const views::TrafficFigure& figure, const char* words) {
    return std::ranges::any_of(layout(figure, {1000, 600}).texts,
                               [&](const auto& text) { return text.text.contains(QLatin1String(words)); });
  };
  EXPECT_TRUE(says(step, "median step"));
  EXPECT_TRUE(says(op, "median time"));
  EXPECT_FALSE(says(op, "summed")) << "it is one op";
}

TEST_F(TrafficLayoutTest, OpsOfTheStepAddUpToTheStep) {
  const auto step = views::make_traffic_figure(*analyzed, {});
  double sum = 0;
  for (const auto& op : ops) sum += op.bytes;
  const auto& outer = step.links.front();
  EXPECT_NEAR(sum, views::total(outer.read) + views::total(outer.written), 1e-6 * sum);
}

TEST_F(TrafficLayoutTest, RibbonsStayInTheirGapAndKeepApart) {
  for (WidthScale scale : {WidthScale::logarithmic, WidthScale::linear}) {
    const auto figure = views::make_traffic_figure(*analyzed, {});
    const auto at = layout(figure, {980, 680}, scale);
    std::vector<QRectF> rects;
    for (const auto& box : at.boxes) rects.push_back(box.rect);
    for (const auto& ribbon : at.ribbons) {
      QRectF around;
      for (const auto& band : ribbon.bands) around = around.united(band.polygon.boundingRect());
      EXPECT_TRUE(ribbon.slot.adjusted(-0.01, -0.01, 0.01, 0.01).contains(around));
      rects.push_back(around);
      rects.push_back(ribbon.label);
    }
    EXPECT_EQ(tests::first_overlap(rects), std::pair(-1, -1));
  }
}

TEST_F(TrafficLayoutTest, NoTextOverlapsAtAnySizeInUse) {
  for (const auto& scope : scopes()) {
    auto figure = views::make_traffic_figure(*analyzed, scope);
    if (scope.all()) views::compare_with(figure, *analyzed->capture, *analyzed);
    for (const QSize size : {QSize(640, 400), QSize(840, 400), QSize(973, 680), QSize(1520, 1040)}) {
      const auto at = layout(figure, size);
      std::vector<QRectF> rects{at.current};
      for (const auto& text : at.texts) rects.push_back(text.rect);
      for (const auto& cell : at.cells) rects.push_back(cell.rect);
      for (const auto& ribbon : at.ribbons) rects.push_back(ribbon.label);
      for (const auto& item : at.legend) rects.push_back(item.rect);
      const QRectF whole(QPointF(0, 0), QSizeF(size));
      for (const QRectF& rect : rects)
        EXPECT_TRUE(whole.contains(rect)) << size.width() << " x " << rect.x() << ' ' << rect.y();
      const auto [a, b] = tests::first_overlap(rects);
      EXPECT_EQ(a, -1) << size.width() << "x" << size.height() << ": " << a << " and " << b;
    }
  }
}

TEST_F(TrafficLayoutTest, LevelsSayWhatTheyAnswerAndWhomTheyEvict) {
  const auto figure = views::make_traffic_figure(*analyzed, {});
  EXPECT_TRUE(std::isnan(figure.levels.front().hit_ratio)) << "memory is no cache";
  for (size_t i = 1; i + 1 < figure.levels.size(); ++i) {
    const auto& level = figure.levels[i];
    const bool innermost = i + 2 == figure.levels.size();
    const double asked = views::total(figure.links[i].read) + (innermost ? views::total(figure.links[i].written) : 0);
    EXPECT_NEAR(level.hit_ratio, 1 - views::total(figure.links[i - 1].read) / asked, 1e-12) << i;
    double most = 0;
    EXPECT_EQ(level.hit_origin, profiler::Origin::modelled);
    for (const auto& part : figure.traffic.tensors[i - 1]) most = std::max(most, part.modelled_read);
    EXPECT_EQ(level.most_evicted_bytes, most);
    EXPECT_FALSE(level.most_evicted.isEmpty());
  }
  EXPECT_TRUE(std::isnan(views::make_traffic_figure(*tests::unprobed_analyzed(), {}).levels[1].hit_ratio));
}

TEST_F(TrafficLayoutTest, WhatIsAboveItsRoofHasNoShareOfIt) {
  auto figure = views::make_traffic_figure(*analyzed, {});
  const auto says = [&](const char* text) {
    const views::TrafficLayout at = layout(figure, {1200, 600});
    return std::ranges::any_of(at.texts, [&](const auto& t) { return t.text.contains(QString::fromUtf8(text)); });
  };
  figure.roof_ratio = 0.5;
  EXPECT_TRUE(says("50 % of roof"));
  figure.roof_ratio = 2.06;
  EXPECT_TRUE(says("above its roof"));
  EXPECT_FALSE(says("206 %"));
}

TEST_F(TrafficLayoutTest, ALinkIsNotBusyForMoreThanAllOfTheTime) {
  auto figure = views::make_traffic_figure(*analyzed, {});
  const auto cell = [&] {
    const views::TrafficLayout at = layout(figure, {1200, 600});
    const auto found =
        std::ranges::find_if(at.cells, [](const auto& c) { return c.row == views::FigureRow::busy && c.link == 0; });
    return found == at.cells.end() ? QString() : found->text;
  };
  figure.links[0].busy_ratio = 0.44;
  EXPECT_EQ(cell(), QStringLiteral("44 %"));
  figure.links[0].busy_ratio = 1.44;
  EXPECT_EQ(cell(), QStringLiteral("above its roof"));
}

TEST_F(TrafficLayoutTest, AgainstItselfNothingDiffersAndFramesFitTheRibbons) {
  for (const auto& scope : scopes()) {
    auto figure = views::make_traffic_figure(*analyzed, scope);
    const size_t rows = figure.rows.size();
    views::compare_with(figure, *analyzed->capture, *analyzed);
    ASSERT_EQ(figure.rows.size(), rows + 1);
    for (const auto& link : figure.links) EXPECT_NEAR(link.difference(), 0, 1e-6);
    const auto at = layout(figure, {840, 400});
    for (const auto& ribbon : at.ribbons) EXPECT_NEAR(ribbon.other_width, ribbon.width, 1e-9);
    for (const auto& cell : at.cells) {
      if (cell.row == views::FigureRow::difference) {
        EXPECT_EQ(cell.text, QStringLiteral("none"));
      }
    }
  }
}

TEST_F(TrafficLayoutTest, TwoRunsAreDrawnInOneScale) {
  // A run of which each link moves 2.5 times the bytes: its frames are 2.5 times as wide as the ribbons.
  auto figure = views::make_traffic_figure(*analyzed, {});
  views::compare_with(figure, *analyzed->capture, *analyzed);
  for (auto& link : figure.links) link.other_read *= 2.5, link.other_written *= 2.5;
  const auto at = layout(figure, {1000, 700}, WidthScale::linear);
  int compared = 0;
  for (const auto& ribbon : at.ribbons) {
    if (!(ribbon.width > views::kThinnestRibbon)) continue;
    EXPECT_NEAR(ribbon.other_width / ribbon.width, 2.5, 1e-6);
    EXPECT_LE(ribbon.other_width, ribbon.slot.height());
    EXPECT_NEAR(ribbon.other_bar.height(), ribbon.other_width, 1e-9);
    EXPECT_TRUE(ribbon.slot.adjusted(-0.01, -0.01, 0.01, 0.01).contains(ribbon.other_bar));
    for (const auto& band : ribbon.bands) EXPECT_FALSE(band.polygon.boundingRect().intersects(ribbon.other_bar));
    EXPECT_TRUE(ribbon.text.contains(QStringLiteral("−60 %"))) << ribbon.text.toStdString();
    EXPECT_TRUE(ribbon.break_mark.isEmpty());
    ++compared;
  }
  EXPECT_GE(compared, 2);
  // The larger run is larger on the log scale as well, and that scale says that it is none of proportions.
  const auto log = layout(figure, {1000, 700}, WidthScale::logarithmic);
  for (const auto& ribbon : log.ribbons) {
    if (!(ribbon.width > 0)) continue;
    EXPECT_GT(ribbon.other_width, ribbon.width);
    EXPECT_FALSE(ribbon.break_mark.isEmpty());
  }
  const auto says_broken = [](const views::TrafficLayout& l) {
    return std::ranges::any_of(l.legend, &views::LegendItem::broken);
  };
  EXPECT_TRUE(says_broken(log));
  EXPECT_FALSE(says_broken(at));
}

/// A run that moves 52 % less is drawn 52 % smaller, whatever the other one moves.
TEST_F(TrafficLayoutTest, FiftyTwoPercentLessLooksFiftyTwoPercentLess) {
  for (const double factor : {0.48, 1 / 0.48}) {
    auto figure = views::make_traffic_figure(*analyzed, {});
    views::compare_with(figure, *analyzed->capture, *analyzed);
    for (auto& link : figure.links) link.other_read *= factor, link.other_written *= factor;
    const auto at = layout(figure, {1280, 720});
    int compared = 0;
    for (const auto& ribbon : at.ribbons) {
      if (std::min(ribbon.width, ribbon.other_width) <= views::kThinnestRibbon) continue;
      double height = 0;
      for (const auto& band : ribbon.bands) height += band.polygon.boundingRect().height();
      EXPECT_NEAR(ribbon.other_bar.height() / height, factor, 1e-6);
      ++compared;
    }
    EXPECT_GE(compared, 2);
  }
}

TEST_F(TrafficLayoutTest, RibbonsTouchTheBoxesTheyConnect) {
  const auto figure = views::make_traffic_figure(*analyzed, {});
  const auto at = layout(figure, {1280, 720});
  for (const auto& ribbon : at.ribbons) {
    for (const auto& band : ribbon.bands) {
      EXPECT_NEAR(band.polygon.boundingRect().left(), at.boxes[ribbon.link].rect.right(), 0.5);
      EXPECT_NEAR(band.polygon.boundingRect().right(), at.boxes[ribbon.link + 1].rect.left(), 0.5);
    }
  }
  ASSERT_FALSE(at.joins.empty());
  for (const auto& join : at.joins) {
    const QRectF around = join.polygon.boundingRect(), box = at.boxes[join.level].rect;
    EXPECT_NEAR(around.left(), box.left(), 0.01);
    EXPECT_NEAR(around.right(), box.right(), 0.01);
  }
}

TEST_F(TrafficLayoutTest, AGaugeHasAPartForEachInstance) {
  auto figure = views::make_traffic_figure(*analyzed, {});
  for (size_t i = 0; i + 1 < figure.levels.size(); ++i) figure.levels[i].instances = static_cast<int>(i + 1);
  figure.levels[1].share = QStringLiteral("private");
  const auto at = layout(figure, {1280, 720});
  for (size_t i = 0; i + 1 < at.boxes.size(); ++i) {
    EXPECT_EQ(at.boxes[i].instances.size(), i + 1);
    EXPECT_EQ(tests::first_overlap(at.boxes[i].instances), std::pair(-1, -1));
    for (const QRectF& part : at.boxes[i].instances)
      EXPECT_TRUE(at.boxes[i].gauge.adjusted(-0.01, 0, 0.01, 0).contains(part));
  }
  EXPECT_TRUE(std::ranges::any_of(at.texts, [](const auto& text) { return text.text == QStringLiteral("private"); }));
}

TEST_F(TrafficLayoutTest, ARowThatNothingFillsHasAButtonInsteadOfDashes) {
  auto figure = views::make_traffic_figure(*analyzed, {});
  figure.offers = views::collect_offers(figure, *analyzed);
  ASSERT_EQ(figure.offers.size(), 2u);
  EXPECT_EQ(figure.offers[0].collector, QStringLiteral("simulate"));
  EXPECT_EQ(figure.offers[1].collector, QStringLiteral("perf"));
  figure.offers[1].refusal = QStringLiteral("The counters are closed.");
  for (const QSize size : {QSize(640, 460), QSize(973, 680), QSize(1520, 1040)}) {
    const auto at = layout(figure, size);
    ASSERT_EQ(at.fills.size(), 2u);
    std::vector<QRectF> rects;
    for (const auto& text : at.texts) rects.push_back(text.rect);
    for (const auto& cell : at.cells) {
      rects.push_back(cell.rect);
      EXPECT_TRUE(cell.row != views::FigureRow::simulated && cell.row != views::FigureRow::measured);
    }
    for (const auto& fill : at.fills) rects.push_back(fill.button), rects.push_back(fill.beside);
    EXPECT_EQ(tests::first_overlap(rects), std::pair(-1, -1)) << size.width();
    EXPECT_GE(at.fills[0].button.height(), 18);
    EXPECT_LE(at.phases.back().rect.bottom(), size.height());
  }
  const auto simulated = simulated_sample(profiler::kNoOp);
  EXPECT_EQ(views::collect_offers(views::make_traffic_figure(*simulated, {}), *simulated).size(), 1u)
      << "what is simulated needs no button";
}

TEST_F(TrafficLayoutTest, AnotherRunsBytesAreFoundByNameOrUnknown) {
  // The other run: the same net at a capture whose conv1 writes twice the bytes across every link.
  auto twice = std::make_shared<profiler::Analyzed>(*analyzed);
  for (auto& levels : twice->model.operand_levels) {
    for (auto& level : levels) level.read *= 2, level.written *= 2;
  }
  auto figure = views::make_traffic_figure(*analyzed, scopes()[2]);
  views::compare_with(figure, *analyzed->capture, *twice);
  for (const auto& link : figure.links)
    EXPECT_NEAR(link.difference(), -(views::total(link.read) + views::total(link.written)), 1e-6);
  const auto unprobed = tests::unprobed_analyzed();
  auto other = views::make_traffic_figure(*analyzed, {});
  views::compare_with(other, *analyzed->capture, *unprobed);
  for (const auto& link : other.links) EXPECT_TRUE(std::isnan(link.difference()));
  EXPECT_FALSE(other.other_reason.isEmpty());
  profiler::Scope absent;
  absent.layer = "no such layer";
  EXPECT_FALSE(views::same_scope(*analyzed->capture, absent, *analyzed->capture).has_value());
}

TEST(TrafficFigure, SimulatedBytesAreDrawnWhereEveryOpHasThem) {
  const auto analyzed = simulated_sample(profiler::kNoOp);
  const auto figure = views::make_traffic_figure(*analyzed, {});
  const auto& link = figure.links.front();
  EXPECT_EQ(link.origin, profiler::Origin::simulated);
  EXPECT_EQ(link.simulated_bytes, 15 * 1024.0);
  EXPECT_EQ(views::total(link.read), 15 * 1024.0);
  EXPECT_EQ(link.read[static_cast<size_t>(engine::Role::workspace)], 15 * 24.0)
      << "bytes of no tensor are the kernels' panels";
  EXPECT_EQ(figure.links[1].origin, profiler::Origin::modelled) << "this link was not simulated";
  EXPECT_EQ(figure.levels[1].hit_ratio, 0.75);
  EXPECT_EQ(figure.levels[1].hit_origin, profiler::Origin::simulated);
  double listed = 0;
  for (const auto& tensor : figure.tensors.front()) listed += tensor.read;
  EXPECT_EQ(listed, 15 * 1000.0);
  EXPECT_TRUE(std::isnan(link.measured_bytes));
}

TEST(TrafficFigure, ASimulationWithoutSomeOpIsALowerBoundAndNotDrawn) {
  const auto analyzed = simulated_sample(SampleOps::relu);
  const views::TrafficLinkFigure link = views::make_traffic_figure(*analyzed, {}).links.front();
  EXPECT_EQ(link.origin, profiler::Origin::modelled);
  EXPECT_EQ(link.simulated_missing, 1);
  EXPECT_EQ(link.simulated_bytes, 14 * 1024.0);
  profiler::Scope op;
  op.op = SampleOps::conv;
  EXPECT_EQ(views::make_traffic_figure(*analyzed, op).links.front().origin, profiler::Origin::simulated);
  op.op = SampleOps::relu;
  EXPECT_TRUE(std::isnan(views::make_traffic_figure(*analyzed, op).links.front().simulated_bytes))
      << "unknown, not none";
}

/// The sample, as if a loader had read 5000 bytes per batch.
std::shared_ptr<const profiler::Analyzed> loading_sample() {
  profiler::CaptureBuilder builder = tests::sample_builder();
  builder.run().read_bytes_per_batch = 5000;
  auto capture = builder.finish();
  CHECK(capture.ok());
  return profiler::analyze(*capture);
}

TEST_F(TrafficLayoutTest, FilesStandBeforeTheLevelsThatOpsWorkIn) {
  const auto plain = views::make_traffic_figure(*analyzed, {});
  analyzed = loading_sample();
  const auto figure = views::make_traffic_figure(*analyzed, {});
  ASSERT_EQ(figure.beyond, 1u);
  ASSERT_EQ(figure.levels.size(), plain.levels.size() + 1);
  EXPECT_EQ(figure.levels[0].name, QStringLiteral("files"));
  EXPECT_EQ(figure.levels[1].name, plain.levels[0].name);
  EXPECT_EQ(views::ops_link(figure).bytes.outer, plain.links[0].bytes.outer);
  EXPECT_EQ(figure.links[0].origin, profiler::Origin::measured);
  EXPECT_TRUE(std::isnan(figure.levels[1].hit_ratio)) << "memory is no cache";
  for (size_t i = 0; i < plain.levels.size(); ++i) {
    EXPECT_TRUE(figure.levels[i + 1].hit_ratio == plain.levels[i].hit_ratio || std::isnan(plain.levels[i].hit_ratio));
    EXPECT_EQ(figure.levels[i + 1].most_evicted, plain.levels[i].most_evicted);
  }
  for (const QSize size : {QSize(640, 400), QSize(771, 480), QSize(1520, 1040)}) {
    const auto at = layout(figure, size);
    std::vector<QRectF> rects{at.current};
    for (const auto& text : at.texts) rects.push_back(text.rect);
    for (const auto& cell : at.cells) rects.push_back(cell.rect);
    for (const auto& ribbon : at.ribbons) rects.push_back(ribbon.label);
    const auto [a, b] = tests::first_overlap(rects);
    EXPECT_EQ(a, -1) << size.width() << "x" << size.height() << ": " << a << " and " << b;
    EXPECT_TRUE(at.boxes[0].gauge.isEmpty()) << "nobody knows how large the files are";
  }
}

TEST(TrafficFigure, HostMemoryStandsBeforeADevicesWhereCopiesWereRecorded) {
  profiler::CaptureBuilder builder = tests::sample_gpu_builder();
  builder.machine().levels = tests::sample_analyzed()->capture->machine().levels;
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  const auto figure = views::make_traffic_figure(*profiler::analyze(*capture), {});
  ASSERT_EQ(figure.beyond, 1u);
  EXPECT_EQ(figure.levels[0].name, QStringLiteral("host"));
  EXPECT_DOUBLE_EQ(figure.links[0].measured_bytes, (1 << 20) + (1 << 18) + 4);
  EXPECT_NEAR(figure.levels[0].busy_bytes_per_s, figure.links[0].measured_bytes / 27e-6, 1);
  EXPECT_GT(figure.links[0].amplification, 1) << "the weights need not have crossed again";
  ASSERT_EQ(figure.tensors[0].size(), 3u);
}

TEST(TrafficFigure, AGpusLevelsAreThoseOfTheGpu) {
  profiler::CaptureBuilder builder = tests::sample_gpu_builder();
  builder.machine().levels = tests::sample_analyzed()->capture->machine().levels;
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  const auto analyzed = profiler::analyze(*capture);
  const auto figure = views::make_traffic_figure(*analyzed, {});
  QStringList names;
  for (const auto& level : figure.levels) names << level.name;
  EXPECT_EQ(names.join(QLatin1Char('|')), QStringLiteral("host|GPU DRAM|L2|L1, shared|registers"));
  EXPECT_FALSE(figure.model_known) << "no model of the computer's caches";
  EXPECT_GT(figure.levels.back().instances, 1) << "multiprocessors";
  EXPECT_TRUE(std::ranges::find(figure.rows, views::FigureRow::simulated) == figure.rows.end());
  const auto offers = views::collect_offers(figure, *analyzed);
  ASSERT_EQ(offers.size(), 1u);
  EXPECT_EQ(offers.front().collector, QStringLiteral("counters"));
}

TEST(TrafficFigure, ATraceWithoutShapesSaysWhatWouldFillIt) {
  profiler::CaptureBuilder builder = tests::sample_gpu_builder();
  builder.run().source = "PyTorch (Kineto) trace";
  const auto capture = builder.finish();
  ASSERT_TRUE(capture.ok());
  const auto figure = views::make_traffic_figure(*profiler::analyze(*capture), {});
  EXPECT_TRUE(figure.no_bytes.contains(QStringLiteral("record_shapes"))) << figure.no_bytes.toStdString();
  EXPECT_EQ(figure.apart, figure.no_bytes) << "a line above the picture";
  EXPECT_TRUE(views::make_traffic_figure(*tests::sample_analyzed(), {}).no_bytes.isEmpty());
}

/// Bytes of which no tensor is known are named so where copies of none cross, and nowhere else.
TEST(TrafficFigure, OnlyCopiesOfNoTensorAreOfTensorsUnknown) {
  const auto words = [](profiler::TensorId tensor, bool imported, engine::Role role) {
    profiler::CaptureBuilder builder = tests::sample_gpu_builder();
    builder.machine().levels = tests::sample_analyzed()->capture->machine().levels;
    if (imported) builder.run().source = "Chrome JSON of Tensortide";
    builder.add_copy({.start_ns = builder.so_far().steps().back().start_ns + 1,
                      .duration_ns = 10,
                      .step = builder.so_far().steps().back().index},
                     {.kind = profiler::CopyKind::host_to_device, .bytes = 4096, .tensor = tensor});
    const auto capture = builder.finish();
    CHECK(capture.ok());
    const auto figure = views::make_traffic_figure(*profiler::analyze(*capture), {});
    return views::role_words(figure.links, role);
  };
  for (const bool imported : {false, true}) {
    EXPECT_EQ(words(profiler::kNoTensor, imported, engine::Role::workspace), QStringLiteral("tensors unknown"));
    EXPECT_EQ(words(0, imported, engine::Role::workspace), views::role_title(engine::Role::workspace));
    EXPECT_EQ(words(profiler::kNoTensor, imported, engine::Role::weight), views::role_title(engine::Role::weight));
  }
}

TEST(BatchCurve, WeightBytesPerSampleFallAsOneOverB) {
  const auto sweep = tests::sample_sweep(true);
  const auto points = views::batch_points(*sweep, 6);  // bf16, batch 1
  ASSERT_EQ(points.size(), 5u) << "the batch that did not fit has no figures";
  EXPECT_EQ(points.front().point, 6u);
  for (const auto& p : points) EXPECT_NEAR(p.per_sample() * p.batch, 1e6, 1e-6);
  const QRectF rect(10, 20, 300, 60);
  const auto curve = views::layout_batch_curve(points, rect);
  ASSERT_EQ(curve.dots.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(curve.dots[i].x(), 10 + 75.0 * static_cast<double>(i), 1e-9) << "a doubling is a quarter of the way";
    EXPECT_NEAR(curve.dots[i].y(), 20 + 15.0 * static_cast<double>(i), 1e-9);
  }
  EXPECT_NEAR(curve.ideal_to.y(), curve.dots.back().y(), 1e-9) << "on the line 1/B";
  EXPECT_TRUE(views::batch_points(profiler::Sweep(), 0).empty());
}

TEST_F(TrafficLayoutTest, ScrubberFindsTheOpUnderEachPoint) {
  const auto at = layout(views::make_traffic_figure(*analyzed, {}), {1000, 600});
  for (size_t i = 0; i < ops.size(); ++i) {
    const double x =
        at.scrubber.left() + at.scrubber.width() * (static_cast<double>(i) + 0.5) / static_cast<double>(ops.size());
    EXPECT_EQ(at.scrubber_index_at({x, at.scrubber.center().y()}, ops.size()), i);
  }
  EXPECT_FALSE(at.scrubber_index_at({at.scrubber.left() - 1, at.scrubber.center().y()}, ops.size()).has_value());
  EXPECT_EQ(at.phases.size(), 3u);
  for (const auto& op : ops) EXPECT_NE(op.op, SampleOps::flatten) << "views move nothing";
}

TEST_F(TrafficLayoutTest, MoreOpsThanPixelsShareColumns) {
  std::vector<views::ScrubberOp> many;
  for (size_t i = 0; i < 50000; ++i) many.push_back(ops[i % ops.size()]);
  ops = many;
  const auto at = layout(views::make_traffic_figure(*analyzed, {}), {1000, 600});
  EXPECT_LE(at.bars.size(), 1000u);
  size_t next = 0;
  for (const auto& bar : at.bars) {
    EXPECT_EQ(bar.first, next);
    next = bar.last;
  }
  EXPECT_EQ(next, many.size());
}

TEST_F(TrafficLayoutTest, UnprobedMachineShowsCompulsoryBytesAndSaysSo) {
  analyzed = tests::unprobed_analyzed();
  const auto figure = views::make_traffic_figure(*analyzed, {});
  for (const auto& link : figure.links) {
    EXPECT_EQ(link.origin, profiler::Origin::exact);
    EXPECT_TRUE(std::isnan(link.busy_ratio));
    EXPECT_NEAR(views::total(link.read) + views::total(link.written), link.bytes.compulsory_total(), 1);
  }
  const auto at = layout(figure, {1000, 600});
  for (const auto& cell : at.cells) {
    if (cell.row == views::FigureRow::compulsory) continue;
    EXPECT_EQ(cell.text, QStringLiteral("–"));
  }
}

TEST(BinaryBytes, CacheSizesInPowersOfTwo) {
  EXPECT_EQ(views::binary_bytes(32 << 10), QStringLiteral("32 KiB"));
  EXPECT_EQ(views::binary_bytes(1.25 * (1 << 20)), QStringLiteral("1.25 MiB"));
  EXPECT_EQ(views::binary_bytes(480.0 * (1 << 20)), QStringLiteral("480 MiB"));
  EXPECT_EQ(views::binary_bytes(std::nan("")), QStringLiteral("–"));
}

TEST_F(TrafficLayoutTest, WhatALevelEvictsIsReadableInANarrowBox) {
  views::TrafficFigure figure = views::make_traffic_figure(*analyzed, {});
  const QFont small = views::scaled_font(views::data_font(), 0.92);
  figure.levels[1].most_evicted = QStringLiteral("layer4.0.conv2.weight");
  const auto in_box = [&](QSize size) {
    const auto at = layout(figure, size);
    const QRectF box = at.boxes[1].rect;
    QStringList lines;
    bool after = false;
    for (const auto& text : at.texts) {
      if (!box.contains(text.rect)) continue;
      after = after || text.text.startsWith(QStringLiteral("evicts"));
      if (!after) continue;
      EXPECT_LE(views::text_width(small, text.text), text.rect.width() + 0.5) << text.text.toStdString();
      lines << text.text;
    }
    return lines;
  };
  const QStringList roomy = in_box({800, 640});
  ASSERT_GE(roomy.size(), 2);
  EXPECT_EQ(roomy.join(QString()), QStringLiteral("evictslayer4.0.conv2.weight"))
      << "in as many lines as it takes, no letter lost";
  for (int height = 330; height < 640; height += 10) {  // with less room the end stays, which tells tensors apart
    const QStringList lines = in_box({800, height});
    if (!lines.isEmpty()) {
      EXPECT_TRUE(lines.last().endsWith(QStringLiteral("ght"))) << lines.join(QLatin1Char('|')).toStdString();
    }
  }
}

TEST_F(TrafficLayoutTest, OpsOfAStepThatStaysInTheCachesAreDrawnOverTheLinkItUses) {
  profiler::Analyzed held = *analyzed;
  for (auto& levels : held.model.op_levels) levels[0] = levels[1] = {};
  ASSERT_GT(held.model.links.size(), 3u);
  const views::TrafficFigure figure = views::make_traffic_figure(held, {});
  EXPECT_EQ(figure.links[figure.ops_over].bytes.outer, held.model.links[2]);
  double sum = 0, tallest = 0;
  const auto scrubber = views::scrubber_ops(held);
  for (const auto& op : scrubber) sum += op.bytes;
  EXPECT_GT(sum, 0);
  const auto at = views::layout_traffic(figure, scrubber, QRectF(0, 0, 900, 600), views::data_font(),
                                        {WidthScale::logarithmic, views::largest_flow(figure)});
  for (const auto& bar : at.bars) tallest = std::max(tallest, bar.rect.height());
  EXPECT_GT(tallest, 10) << "no empty strip";
  const QString caption = QStringLiteral("bytes over %1 ").arg(QString::fromStdString(held.model.links[2]));
  EXPECT_TRUE(std::ranges::any_of(at.texts, [&](const auto& text) { return text.text.contains(caption); }))
      << caption.toStdString();
  EXPECT_EQ(views::make_traffic_figure(*analyzed, {}).ops_over, 0u) << "where DRAM is used, it is that";
}

}  // namespace
