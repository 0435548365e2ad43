// SPDX-License-Identifier: GPL-3.0-or-later
// The cache view's pictures as numbers: bars carry their misses, curves fall, sets and accesses stand where they
// should, nothing overlaps.
#include "views/cache/cache_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/sample_document.h"
#include "views/base/paint.h"
#include "views/base/theme.h"
#include "views/cache/cache_controls.h"
#include "views/cache/cache_worker.h"

namespace {

using profiler::CacheSimulator;

/// Three levels and three tensors: a row walk, a column walk over a power-of-two stride, and stores.
profiler::AccessDescription column_walk() {
  profiler::AccessDescription out;
  out.title = "walk";
  out.tensors = {{0, "rows", engine::Role::input, 1 << 20, 64 << 10},
                 {1, "a tensor with a long name.weight", engine::Role::weight, 2 << 20, 1 << 20},
                 {2, "out", engine::Role::activation, 4 << 20, 4096}};
  out.describe = [](engine::AccessSink& sink) {
    for (uint64_t row = 0; row < 16; ++row) {
      sink.group(64, {{(1 << 20) + row * 256, 4, 0, 4, engine::AccessKind::load},
                      {(2 << 20) + row * 4, 4096, 1, 4, engine::AccessKind::load},
                      {(4 << 20) + row * 64, 0, 2, 4, engine::AccessKind::store}});
    }
    return engine::access::Fidelity::loops;
  };
  return out;
}

profiler::CacheConfig caches() {
  profiler::CacheConfig config;
  config.levels.push_back({.name = "L1", .size_bytes = 8 << 10, .ways = 4});
  config.levels.push_back({.name = "L2", .size_bytes = 64 << 10, .ways = 8});
  config.levels.push_back({.name = "L3", .size_bytes = 1 << 20, .ways = 16});
  return config;
}

class CacheLayoutTest : public testing::Test {
 protected:
  CacheLayoutTest() {
    profiler::OpSimulationRequest request{.config = caches()};
    request.causes = request.curve = true;
    request.first_accesses = 4096;
    request.sample = 1;
    auto done = profiler::simulate_accesses(column_walk(), request);
    CHECK(done.ok());
    simulation = *std::move(done);
    figure = views::make_cache_figure(simulation, 0, *analyzed->capture, {});
  }
  views::CacheLayout layout(QSize size, size_t level = 0, size_t shown = SIZE_MAX) const {
    return views::layout_cache(simulation, figure, QRectF(QPointF(0, 0), QSizeF(size)), views::data_font(),
                               {.level = level,
                                .shown_accesses = shown,
                                .heading = QStringLiteral("walk"),
                                .state = QStringLiteral("simulated, every line")});
  }
  std::shared_ptr<const profiler::Analyzed> analyzed = tests::sample_analyzed();
  profiler::OpSimulation simulation;
  views::CacheFigure figure;
};

TEST_F(CacheLayoutTest, FiguresAreTheSimulatorsCounts) {
  ASSERT_EQ(figure.levels.size(), 3u);
  for (size_t l = 0; l < 3; ++l) {
    const auto& level = figure.levels[l];
    const auto counts = simulation.epochs[0].total(l);
    EXPECT_EQ(level.misses, static_cast<double>(counts.misses()));
    EXPECT_EQ(level.compulsory + level.capacity + level.conflict, level.misses);
    double sum = 0, before = 1e300;
    for (const auto& tensor : figure.tensors[l]) {
      EXPECT_LE(tensor.misses, before);
      before = tensor.misses;
      sum += tensor.misses;
    }
    EXPECT_EQ(sum, level.misses) << "every miss has its tensor";
    EXPECT_EQ(std::accumulate(figure.set_misses[l].begin(), figure.set_misses[l].end(), uint64_t{0}), counts.misses());
    EXPECT_TRUE(std::isnan(level.measured_bytes) && std::isnan(level.error())) << "nothing measured is not nothing";
  }
  EXPECT_EQ(figure.tensors[0].front().name, QStringLiteral("a tensor with a long name.weight"))
      << "the column walk misses most";
  EXPECT_GT(figure.levels[0].conflict, 0) << "a stride of 4096 falls into one set";
}

TEST_F(CacheLayoutTest, BarsCarryTheirMisses) {
  const auto at = layout({800, 420});
  ASSERT_EQ(at.bars.size(), 3u);
  for (const auto& bar : at.bars) {
    const auto& level = figure.levels[bar.level];
    double width = 0;
    for (const QRectF& part : bar.parts) width += part.width();
    EXPECT_NEAR(width, bar.whole.width(), 1e-9);
    EXPECT_NEAR(width / at.bars[0].whole.width(), level.misses / figure.levels[0].misses, 1e-9);
    EXPECT_EQ(at.bar_at(bar.track.center())->level, bar.level);
  }
  EXPECT_NEAR(at.bars[0].whole.width(), at.bars[0].track.width(), 1e-9) << "the most misses fill the track";
}

TEST_F(CacheLayoutTest, NotesBesideTitlesAreAsLongAsThereIsRoom) {
  for (const int width : {560, 600, 800, 1200}) {
    size_t notes = 0;
    for (const views::CacheText& text : layout({width, 420}).texts) {
      if (text.whole.isEmpty()) continue;
      ++notes;
      EXPECT_LE(views::text_width(views::scaled_font(views::data_font(), 0.92), text.text), text.rect.width())
          << width << ": " << text.text.toStdString();
      if (width == 1200) {
        EXPECT_EQ(text.text, text.whole) << "all of it where it fits";
      }
    }
    EXPECT_EQ(notes, 3u) << width;
  }
}

TEST_F(CacheLayoutTest, TheStateTakesTheLinesItNeedsUnlessTheCausesNeedThem) {
  const QString state = QStringLiteral(
      "simulated, every line  ·  L1 8 KiB 4-way lru, L2 64 KiB 8-way lru, L3 1 MiB 16-way lru  ·  "
      "accesses modelled: tiles as libraries make them, sizes assumed (it ran oneDNN brg:avx512_core), as one thread "
      "would");
  const QFont small = views::scaled_font(views::data_font(), 0.92);
  const auto plain = [](QString text) {
    return text.remove(QChar(0xb7)).simplified();
  };  // where a line ends, its separator is left out
  for (const int width : {420, 560, 620, 800, 1600}) {
    for (int height = 340; height < 700; height += 4) {
      const views::CacheLayout at =
          views::layout_cache(simulation, figure, QRectF(0, 0, width, height), views::data_font(),
                              {.heading = QStringLiteral("walk"), .state = state});
      QStringList lines;
      bool whole_in_tip = false;
      for (const views::CacheText& text : at.texts) {
        if (text.role != views::CacheTextRole::secondary || text.rect.width() < width - 100 ||
            text.rect.bottom() > at.bars[0].name.top())
          continue;
        lines << text.text;
        whole_in_tip = whole_in_tip || text.whole == state;
        EXPECT_LE(views::text_width(small, text.text), text.rect.width())
            << width << " x " << height << ": " << text.text.toStdString();
      }
      const QString shown = lines.join(QLatin1Char(' '));
      ASSERT_FALSE(shown.isEmpty());
      if (height == 696) {
        EXPECT_FALSE(shown.contains(QStringLiteral("…"))) << width << ": room for all of it: " << shown.toStdString();
      }
      if (!shown.contains(QStringLiteral("…"))) {
        EXPECT_TRUE(shown.endsWith(QStringLiteral("as one thread would"))) << shown.toStdString();
        continue;
      }
      EXPECT_TRUE(whole_in_tip) << shown.toStdString();
      EXPECT_FALSE(at.bars[0].measured.isEmpty())
          << "only the causes' lines take the state's: " << width << " x " << height;
      for (const QString& piece : shown.split(QStringLiteral("… ")))
        EXPECT_TRUE(plain(state).contains(plain(piece))) << piece.toStdString();
    }
  }
}

TEST_F(CacheLayoutTest, BarsOfCausesUseTheRoomOfALargeWindow) {
  const auto tall_of = [&](QSize size) {
    const views::CacheLayout at =
        views::layout_cache(simulation, figure, QRectF(QPointF(0, 0), QSizeF(size)), views::data_font(),
                            {.heading = QStringLiteral("walk"), .state = QStringLiteral("state")});
    const auto below = std::ranges::find_if(
        at.texts, [](const auto& text) { return text.text.startsWith(QStringLiteral("Accesses in order")); });
    EXPECT_NE(below, at.texts.end());
    for (size_t i = 0; i < at.bars.size(); ++i) {
      const double bottom = at.bars[i].measured.isEmpty() ? at.bars[i].track.bottom() : at.bars[i].measured.bottom();
      EXPECT_LE(bottom, i + 1 < at.bars.size() ? at.bars[i + 1].name.top() : below->rect.top()) << size.height();
    }
    return at.bars.front().track.height();
  };
  const double small = tall_of({800, 420}), large = tall_of({1300, 880});
  EXPECT_LT(small, 24);
  EXPECT_GE(large, 30) << "half of the panel was empty";
}

TEST_F(CacheLayoutTest, TheCurveFallsAndLevelsStandAtTheirSizes) {
  const auto at = layout({800, 420});
  ASSERT_GT(at.curve.size(), 4);
  for (qsizetype i = 1; i < at.curve.size(); ++i) {
    EXPECT_GE(at.curve[i].x(), at.curve[i - 1].x());
    EXPECT_GE(at.curve[i].y(), at.curve[i - 1].y()) << "a larger fully associative LRU cache misses no more";
  }
  ASSERT_GE(at.marks.size(), 3u);
  // L1 8 KiB, L2 64 KiB: 8x; L3 1 MiB: 16x. Equal ratios are equal distances.
  EXPECT_NEAR((at.marks[2].x - at.marks[1].x) / (at.marks[1].x - at.marks[0].x), std::log(16.0) / std::log(8.0), 1e-9);
  const QRectF axes = at.curve_axes.adjusted(-0.01, -0.01, 0.01, 0.01);
  for (const auto& mark : at.marks) EXPECT_TRUE(mark.x >= axes.left() && mark.x <= axes.right());
  for (const QPointF& p : at.curve) EXPECT_TRUE(axes.contains(p));
  EXPECT_NEAR(views::curve_ratio(simulation.curve.points, static_cast<double>(simulation.curve.points[2].cache_bytes)),
              simulation.curve.points[2].miss_ratio, 1e-12);
  EXPECT_TRUE(std::isnan(views::curve_ratio({}, 1024)));
}

TEST_F(CacheLayoutTest, EverySetHasACellAndTheBusiestIsDarkest) {
  for (size_t level = 0; level < 3; ++level) {
    for (const QSize size : {QSize(420, 300), QSize(800, 420), QSize(1500, 900)}) {
      const auto at = layout(size, level);
      size_t next = 0;
      double misses = 0, darkest = 0;
      for (const auto& cell : at.cells) {
        EXPECT_EQ(cell.first, next);
        next = cell.last;
        misses += cell.misses * static_cast<double>(cell.last - cell.first);
        darkest = std::max(darkest, cell.shade);
        EXPECT_TRUE(at.sets.adjusted(-0.01, -0.01, 0.01, 0.01).contains(cell.rect));
        EXPECT_EQ(at.set_at(cell.rect.center()), &cell);
      }
      EXPECT_EQ(next, figure.set_misses[level].size());
      EXPECT_NEAR(misses, figure.levels[level].misses, 1e-6 * misses);
      EXPECT_TRUE(darkest >= 0.5 && darkest <= 1) << darkest;
      if (level == 0) {
        EXPECT_EQ(darkest, 1) << "the sets of the column walk take more than their part";
      }
    }
  }
  std::vector<uint64_t> even(64, 5), one(64, 0);
  one[3] = 7;
  EXPECT_NEAR(views::busiest_eighth(even), 0.125, 1e-12);
  EXPECT_EQ(views::busiest_eighth(one), 1);
  EXPECT_TRUE(std::isnan(views::busiest_eighth({1, 2})));
}

TEST_F(CacheLayoutTest, AccessesStandInTheirTensorsBandInOrder) {
  const auto at = layout({800, 420});
  ASSERT_EQ(at.bands.size(), 3u);
  ASSERT_EQ(at.dots.size(), simulation.first_accesses.size());
  for (size_t i = 0; i < at.dots.size(); ++i) {
    EXPECT_EQ(at.dots[i].access, i);
    if (i > 0) {
      EXPECT_GT(at.dots[i].at.x(), at.dots[i - 1].at.x());
    }
    const auto& band = at.bands[at.dots[i].band];
    EXPECT_EQ(band.tensor, simulation.first_accesses[i].tensor);
    EXPECT_TRUE(band.rect.contains(at.dots[i].at));
  }
  const auto half = layout({800, 420}, 0, 10);
  ASSERT_EQ(half.dots.size(), 10u);
  EXPECT_EQ(half.dots.back().at, at.dots[9].at) << "playing moves nothing that stands";
  EXPECT_GT(half.cursor_x, half.dots.back().at.x());
}

TEST_F(CacheLayoutTest, NoTextOverlapsAtAnySizeInUse) {
  for (const QSize size : {QSize(560, 400), QSize(592, 480), QSize(900, 560), QSize(1500, 940)}) {
    for (size_t level = 0; level < 3; ++level) {
      const auto at = layout(size, level, 100);
      std::vector<QRectF> rects;
      for (const auto& text : at.texts) rects.push_back(text.rect);
      for (const auto& bar : at.bars) rects.insert(rects.end(), {bar.name, bar.value, bar.track, bar.measured});
      for (const auto& mark : at.marks) rects.push_back(mark.label);
      for (const auto& band : at.bands) rects.push_back(band.label);
      for (const QRectF& swatch : at.cause_swatches) rects.push_back(swatch);
      rects.push_back(at.sets);
      rects.push_back(at.order);
      const QRectF whole(QPointF(0, 0), QSizeF(size));
      for (const QRectF& rect : rects)
        EXPECT_TRUE(rect.isEmpty() || whole.contains(rect))
            << size.width() << ": " << rect.x() << ' ' << rect.y() << ' ' << rect.width();
      const auto [a, b] = tests::first_overlap(rects);
      EXPECT_EQ(a, -1) << size.width() << "x" << size.height() << ": " << a << " and " << b;
    }
  }
}

TEST_F(CacheLayoutTest, WithoutCurveAndCausesThePlaceSaysSo) {
  profiler::OpSimulationRequest request{.config = caches()};
  request.sample = 2;
  auto done = profiler::simulate_accesses(column_walk(), request);
  ASSERT_TRUE(done.ok()) << done.error().message;
  simulation = *std::move(done);
  figure = views::make_cache_figure(simulation, 0, *analyzed->capture, {});
  const auto said_by = [&](const char* words) {
    int count = 0;
    for (const auto& text : layout({800, 420}).texts) count += text.text.contains(QLatin1String(words)) ? 1 : 0;
    return count;
  };
  // Nothing more is under way: no promise, and each reason where it holds alone.
  struct Case {
    uint64_t accesses;
    const char* words;
  };
  for (const Case& c : {Case{0, "there are no accesses"}, Case{simulation.accesses, "was not made"},
                        Case{views::kMostExactAccesses + 1, "too many"}}) {
    simulation.accesses = c.accesses;
    for (const char* words : {"there are no accesses", "was not made", "too many"}) {
      EXPECT_EQ(said_by(words), std::string_view(words) == c.words ? 2 : 0) << c.accesses << ": " << words;
    }
    EXPECT_EQ(said_by("follow"), 0);
  }
  figure.more_follows = true;
  const auto at = layout({800, 420});
  EXPECT_TRUE(at.curve.isEmpty());
  EXPECT_FALSE(figure.classified);
  EXPECT_TRUE(std::isnan(figure.levels[0].compulsory)) << "unknown, not none";
  EXPECT_EQ(said_by("follow"), 1) << "a sampled curve; the causes of so many never do";
  EXPECT_EQ(said_by("from a sample"), 1);
  simulation.accesses = 1000;
  EXPECT_EQ(said_by("follow"), 2);
}

TEST_F(CacheLayoutTest, ASampledCurveSaysSoWithItsError) {
  profiler::OpSimulationRequest request{.config = caches()};
  request.curve = true;
  request.seconds = 1e-6;
  auto done = profiler::simulate_accesses(column_walk(), request);
  ASSERT_TRUE(done.ok()) << done.error().message;
  simulation = *std::move(done);
  ASSERT_TRUE(simulation.curve.sampled());
  figure = views::make_cache_figure(simulation, 0, *analyzed->capture, {});
  const auto at = layout({1100, 700});
  EXPECT_GT(at.curve.size(), 4);
  int said = 0;
  for (const auto& text : at.texts) said += text.text.contains(QStringLiteral("sampled 1/16 ± "));
  EXPECT_EQ(said, 1);
  for (const auto& bar : at.bars) EXPECT_GT(bar.whole.width(), 0);
}

TEST_F(CacheLayoutTest, ASampleThatMetNoAccessIsUnknownAndRatiosAreOfItsSets) {
  int met = 0, unmet = 0;
  for (uint64_t offset = 0; offset < 2048; offset += 64) {
    profiler::AccessDescription stride;
    stride.title = "stride";
    stride.tensors = {{0, "column", engine::Role::input, 1 << 20, 4 << 20}};
    stride.describe = [&](engine::AccessSink& sink) {
      return sink.group(2000, {{(1 << 20) + offset, 2048, 0, 4, engine::AccessKind::load}}),
             engine::access::Fidelity::loops;
    };
    profiler::OpSimulationRequest request{.config = caches()};
    request.sample = 8;
    auto done = profiler::simulate_accesses(stride, request);
    ASSERT_TRUE(done.ok()) << done.error().message;
    simulation = *std::move(done);
    figure = views::make_cache_figure(simulation, 0, *analyzed->capture, {});
    EXPECT_EQ(figure.levels[0].accesses, 2000);
    ASSERT_EQ(figure.tensors[0].size(), 1u);
    EXPECT_EQ(figure.tensors[0][0].accesses, 2000);
    const auto at = layout({1100, 700});
    if (simulation.epochs[0].known()) {
      ++met;
      for (const auto& level : figure.levels) EXPECT_EQ(level.global_ratio, 1) << level.name.toStdString();
      EXPECT_EQ(figure.levels[0].local_ratio, 1);
      EXPECT_EQ(figure.tensors[0][0].ratio, 1);
    } else {
      ++unmet;
      for (const auto& level : figure.levels) {
        EXPECT_TRUE(std::isnan(level.misses) && std::isnan(level.local_ratio) && std::isnan(level.global_ratio) &&
                    std::isnan(level.fetched_bytes) && std::isnan(level.write_backs));
      }
      EXPECT_TRUE(std::isnan(figure.levels[1].accesses));
      EXPECT_TRUE(std::isnan(figure.tensors[0][0].misses) && std::isnan(figure.tensors[0][0].ratio));
      EXPECT_TRUE(figure.set_misses.empty());
      EXPECT_TRUE(at.cells.empty());
      for (const auto& bar : at.bars) EXPECT_EQ(bar.whole.width(), 0);
      EXPECT_TRUE(at.bars[0].value_text.startsWith(QStringLiteral("– misses, – of")))
          << at.bars[0].value_text.toStdString();
    }
  }
  EXPECT_EQ(met, 4) << "one of eight places";
  EXPECT_EQ(unmet, 28);
}

TEST(CacheSizes, RoundedToAPowerOfTwoOfSets) {
  const profiler::CacheLevelConfig level{.name = "L1", .size_bytes = 48 << 10, .ways = 12};
  EXPECT_EQ(views::resized(level, 48 << 10, 12, 64).size_bytes, 48 << 10);
  EXPECT_EQ(views::resized(level, 48 << 10, 8, 64).size_bytes, 32 << 10);
  EXPECT_EQ(views::resized(level, 1, 8, 64).size_bytes, 512) << "one set at least";
}

TEST(MachineCaches, OfTheCaptureElseAssumedAndSaid) {
  QString assumed;
  const auto known = views::machine_caches(tests::sample_analyzed()->capture->machine(), &assumed);
  EXPECT_FALSE(known.levels.empty());
  EXPECT_TRUE(profiler::check(known).ok());
  const auto none = views::machine_caches(profiler::Machine(), &assumed);
  EXPECT_EQ(none.levels.size(), 3u);
  EXPECT_TRUE(assumed.contains(QStringLiteral("does not hold")));
}

}  // namespace
