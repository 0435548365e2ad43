// SPDX-License-Identifier: GPL-3.0-or-later
// A published table as rectangles and points.
#include "views/sweep/published_layout.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

using profiler::CellQuality;
using profiler::PublishedColumn;
using profiler::ReferenceCell;

constexpr double kGap = 8;  // px between platforms
constexpr double kTallest = 34, kLeastTextHeight = 12, kHit = 9;

QString tr(const char* words) { return QCoreApplication::translate("views", words); }

std::vector<std::string> tools_of(std::string_view network) {
  std::vector<std::string> tools;
  for (const ReferenceCell* c : profiler::published_cells(network))
    if (std::ranges::find(tools, c->tool) == tools.end()) tools.push_back(c->tool);
  return tools;
}

/// Left edges of the columns, with a gap before each platform.
std::vector<double> column_edges(const std::vector<PublishedColumn>& columns, double left, double right) {
  size_t platforms = 0;
  for (size_t i = 1; i < columns.size(); ++i) platforms += columns[i].platform != columns[i - 1].platform ? 1 : 0;
  const double width =
      (right - left - kGap * static_cast<double>(platforms)) / static_cast<double>(std::max<size_t>(1, columns.size()));
  std::vector<double> edges;
  double x = left;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0 && columns[i].platform != columns[i - 1].platform) x += kGap;
    edges.push_back(x);
    x += width;
  }
  edges.push_back(width);  // the last is the width
  return edges;
}

void add_column_labels(PublishedGrid& out, const std::vector<PublishedColumn>& columns,
                       const std::vector<double>& edges, double top, double line) {
  const double width = edges.back();
  for (size_t i = 0; i < columns.size(); ++i) {
    const PublishedColumn& c = columns[i];
    if (i == 0 || columns[i - 1].platform != c.platform) {
      size_t last = i;
      while (last + 1 < columns.size() && columns[last + 1].platform == c.platform) ++last;
      // A platform of one column may need the gaps around it.
      const QRectF over(edges[i], top, edges[last] + width - edges[i], line);
      out.labels.push_back({over.adjusted(-kGap / 2, 0, kGap / 2, 0), text(c.platform->short_title), true});
    }
    if (c.threads > 0)
      out.labels.push_back({QRectF(edges[i], top + line, width, line), QString::number(c.threads), false});
  }
}

double log2_of(double value) { return std::log2(std::max(value, 1e-9)); }

}  // namespace

QString published_text(const ReferenceCell& cell) {
  if (cell.quality == CellQuality::dash) return QStringLiteral("–");
  if (cell.quality == CellQuality::lost) return tr("lost");
  constexpr std::array kSigns{"", "?", "×", "!", "", ""};
  return QString::number(cell.seconds, 'f', 3) + (cell.repaired ? QStringLiteral("~") : QString()) +
         QString::fromUtf8(kSigns[static_cast<size_t>(cell.quality)]);
}

int PublishedGrid::box_at(QPointF at) const {
  const auto found = std::ranges::find_if(boxes, [&](const PublishedBox& box) { return box.rect.contains(at); });
  return found == boxes.end() ? -1 : static_cast<int>(found - boxes.begin());
}

PublishedGrid layout_published_grid(std::string_view network, const QRectF& rect, const QFont& font) {
  PublishedGrid out;
  const std::vector<PublishedColumn> columns = profiler::published_columns();
  const std::vector<const ReferenceCell*> cells = profiler::published_cells(network);
  out.columns = columns.size();
  const size_t rows = cells.size() / std::max<size_t>(1, columns.size());
  if (rows == 0) return out;
  const QFontMetricsF metrics(font);
  const double line = metrics.height() + 2;
  double names = 0, tools = 0;
  for (const ReferenceCell* c : cells) {
    names = std::max(names, metrics.horizontalAdvance(text(c->network)));
    tools = std::max(tools, metrics.horizontalAdvance(text(c->tool)));
  }
  const double labels = names * 1.1 + tools + 4 * kGrid;
  size_t networks = 1;
  for (size_t r = 1; r < rows; ++r)
    networks += cells[r * columns.size()]->network != cells[(r - 1) * columns.size()]->network;
  constexpr double kRowGap = 4;
  const double head = 2 * line + 2, room = rect.height() - head - kRowGap * static_cast<double>(networks - 1);
  const double height = std::clamp(room / static_cast<double>(rows), 1.0, kTallest);
  const std::vector<double> edges = column_edges(columns, rect.left() + labels, rect.right());
  const double width = edges.back();
  const double wide = metrics.horizontalAdvance(QStringLiteral("15.444~×")) + 4;
  const bool written = height >= std::min(kLeastTextHeight, metrics.height()) && width >= wide * 0.8;
  add_column_labels(out, columns, edges, rect.top(), line);
  double y = rect.top() + head;
  for (size_t r = 0; r < rows; ++r) {
    const ReferenceCell& first = *cells[r * columns.size()];
    const bool begins = r == 0 || cells[(r - 1) * columns.size()]->network != first.network;
    if (begins && r > 0) y += kRowGap;
    if (begins)
      out.labels.push_back(
          {QRectF(rect.left(), y, names * 1.1 + kGrid, std::max(height, metrics.height())), text(first.network), true});
    // In low rows tools would run into each other; tooltips name them.
    if (height >= 0.85 * metrics.height())
      out.labels.push_back(
          {QRectF(rect.left() + names * 1.1 + 2 * kGrid, y, tools + kGrid, height), text(first.tool), false});
    for (size_t c = 0; c < columns.size(); ++c) {
      const ReferenceCell* cell = cells[r * columns.size() + c];
      out.boxes.push_back({QRectF(edges[c], y, width, height).adjusted(0.5, 0.5, -0.5, -0.5), cell,
                           written ? published_text(*cell) : QString()});
    }
    y += height;
  }
  for (size_t c = 0; c < columns.size(); ++c)
    if (columns[c].hyper_threads()) out.hyper_threads.push_back(QRectF(edges[c], rect.top() + line, width, line));
  return out;
}

namespace {

/// Both axes double from tick to tick.
struct ThreadScale {
  QRectF rect;
  double most_threads = 1, low = 1, high = 1;
  double x(double threads) const {
    const double air = 0.35;  // of a doubling, at both ends
    return rect.left() + rect.width() * (log2_of(threads) + air) / (log2_of(most_threads) + 2 * air);
  }
  double y(double gain) const {
    return rect.bottom() - rect.height() * (log2_of(gain) - log2_of(low)) / (log2_of(high) - log2_of(low));
  }
};

void add_ticks(ThreadPlot& plot, const ThreadScale& scale) {
  for (double n = 1; n <= scale.most_threads; n *= 2) plot.x_ticks.push_back({scale.x(n), QString::number(n)});
  for (double gain = 1; gain <= scale.high; gain *= 2)
    plot.y_ticks.push_back({scale.y(gain), QStringLiteral("%1x").arg(gain)});
  for (double gain = 0.5; gain >= scale.low; gain /= 2)
    plot.y_ticks.push_back({scale.y(gain), QStringLiteral("%1x").arg(gain)});
}

/// Names at the right ends of lines, apart from each other.
void place_names(ThreadPlot& plot, double line) {
  std::vector<ThreadLine*> ends;
  for (ThreadLine& l : plot.lines)
    if (!l.dots.empty()) ends.push_back(&l);
  std::ranges::sort(ends, {}, [](const ThreadLine* l) { return l->dots.back().at.y(); });
  double free_from = plot.rect.top();
  for (size_t i = 0; i < ends.size(); ++i) {
    const double left = static_cast<double>(ends.size() - 1 - i);
    const double highest = plot.rect.bottom() - (left + 1) * line;
    const double top = std::max(free_from, std::min(ends[i]->dots.back().at.y() - line / 2, highest));
    ends[i]->label = QRectF(plot.rect.right() + 4, top, 80, line);
    free_from = top + line;
  }
}

}  // namespace

PublishedThreads layout_published_threads(std::string_view network, std::span<const profiler::OwnTime> own,
                                          const QRectF& rect, const QFont& font) {
  PublishedThreads out;
  const QFontMetricsF metrics(font);
  const double line = metrics.height() + 2, names = 84,
               axis = metrics.horizontalAdvance(QStringLiteral("0.25x")) + kGrid;
  const std::vector<profiler::PublishedCurve> curves = profiler::published_curves(network);
  const std::vector<std::string> tools = tools_of(network);
  std::vector<const profiler::PublishedPlatform*> platforms;
  for (const profiler::PublishedCurve& c : curves)
    if (std::ranges::find(platforms, c.platform) == platforms.end()) platforms.push_back(c.platform);
  double low = 1, high = 2;
  const auto take = [&](double gain) {
    if (gain > 0) low = std::min(low, gain), high = std::max(high, gain);
  };
  for (const profiler::PublishedCurve& c : curves)
    for (size_t i = 0; i < c.cells.size(); ++i) take(c.speed_up(i));
  const auto own_gain = [&](const profiler::OwnTime& t) {
    return t.network != network ? profiler::kUnknown : profiler::own_speed_up(own, t);
  };
  for (const profiler::OwnTime& t : own) take(own_gain(t));
  const double width = rect.width() / static_cast<double>(std::max<size_t>(1, platforms.size()));
  for (size_t p = 0; p < platforms.size(); ++p) {
    ThreadPlot plot;
    plot.title = text(platforms[p]->title);
    const double left = rect.left() + width * static_cast<double>(p);
    plot.rect = QRectF(left + axis, rect.top() + line, width - axis - names, rect.height() - 2.8 * line);
    if (plot.rect.width() < 40 || plot.rect.height() < 40) continue;
    double most = platforms[p]->threads;
    for (const profiler::OwnTime& t : own)
      if (!std::isnan(own_gain(t))) most = std::max(most, static_cast<double>(t.threads));
    const ThreadScale scale{plot.rect, most, low / 1.15, high * 1.15};
    const double zone = (scale.x(platforms[p]->cores) + scale.x(2.0 * platforms[p]->cores)) / 2;
    plot.hyper_threads = QRectF(QPointF(zone, plot.rect.top()), plot.rect.bottomRight());
    plot.ideal_x = scale.x(std::min(most, scale.high));
    plot.ideal_y = scale.y(std::min(most, scale.high));
    add_ticks(plot, scale);
    for (const profiler::PublishedCurve& c : curves) {
      if (c.platform != platforms[p]) continue;
      ThreadLine l{.tool = static_cast<int>(std::ranges::find(tools, c.tool) - tools.begin()),
                   .name = text(c.tool),
                   .doubtful = profiler::shi2016_facts().mismatch(c.network, c.tool) != nullptr,
                   .dots = {},
                   .joined = {},
                   .label = {}};
      bool before = false;
      for (size_t i = 0; i < c.cells.size(); ++i) {
        const double gain = c.speed_up(i), x = scale.x(c.cells[i]->threads);
        if (std::isnan(gain)) {
          const double foot = plot.rect.bottom() - 5 - 9 * static_cast<double>(l.tool);
          plot.gaps.push_back({{x, foot}, c.cells[i], gain});
          before = false;
          continue;
        }
        l.dots.push_back({{x, scale.y(gain)}, c.cells[i], gain});
        l.joined.push_back(before);
        before = true;
      }
      plot.lines.push_back(std::move(l));
    }
    ThreadLine ours{.tool = -1, .name = tr("here"), .doubtful = false, .dots = {}, .joined = {}, .label = {}};
    for (const profiler::OwnTime& t : own) {
      const double gain = own_gain(t);
      if (!std::isnan(gain)) ours.dots.push_back({{scale.x(t.threads), scale.y(gain)}, nullptr, gain});
    }
    std::ranges::sort(ours.dots, {}, [](const ThreadDot& d) { return d.at.x(); });
    ours.joined.assign(ours.dots.size(), true);
    if (!ours.dots.empty()) ours.joined.front() = false, plot.lines.push_back(std::move(ours));
    place_names(plot, line);
    out.plots.push_back(std::move(plot));
  }
  return out;
}

const ThreadDot* PublishedThreads::dot_at(QPointF at) const {
  const ThreadDot* nearest = nullptr;
  double best = kHit;
  const auto look = [&](const ThreadDot& dot) {
    const double distance = std::hypot(dot.at.x() - at.x(), dot.at.y() - at.y());
    if (distance < best) best = distance, nearest = &dot;
  };
  for (const ThreadPlot& plot : plots) {
    for (const ThreadLine& l : plot.lines) std::ranges::for_each(l.dots, look);
    std::ranges::for_each(plot.gaps, look);
  }
  return nearest;
}

std::vector<RankedBar> layout_published_ranking(std::string_view network, const PublishedColumn& column,
                                                const QRectF& rect, const QFont& font) {
  std::vector<RankedBar> bars;
  const QFontMetricsF metrics(font);
  const std::vector<profiler::RankedCell> ranked = profiler::published_ranking(network, column);
  double longest = 0, names = 0;
  for (const profiler::RankedCell& r : ranked) {
    if (r.cell->has_time()) longest = std::max(longest, r.cell->seconds);
    names = std::max(names, metrics.horizontalAdvance(text(r.cell->tool)));
  }
  const double height = std::min(64.0, rect.height() / static_cast<double>(std::max<size_t>(1, ranked.size())));
  const double place = 3 * kGrid, times = metrics.horizontalAdvance(QStringLiteral("15.444 s (99.9x)")) + kGrid;
  const double begin = rect.left() + place + names + 2 * kGrid;
  const double most = std::max(20.0, (rect.right() - begin) * 0.3);
  for (size_t i = 0; i < ranked.size(); ++i) {
    const double top = rect.top() + height * static_cast<double>(i);
    RankedBar b{.lane = QRectF(rect.left(), top, rect.width(), height),
                .place = QRectF(rect.left(), top, place, height),
                .name = QRectF(rect.left() + place, top, names + kGrid, height),
                .bar = {},
                .time = QRectF(begin + most + kGrid, top, times, height),
                .words = QRectF(begin + most + times + 2 * kGrid, top, 0, height),
                .ranked = ranked[i]};
    b.words.setRight(rect.right());
    if (ranked[i].cell->has_time())
      b.bar = QRectF(begin, top + height * 0.25, std::max(1.0, most * ranked[i].cell->seconds / longest), height * 0.5);
    bars.push_back(b);
  }
  return bars;
}

}  // namespace views
