// SPDX-License-Identifier: GPL-3.0-or-later
// Roofline: level switch, legend of verdicts, chart, list of winnable time; follows and sets the selection.
#include "views/roofline/roofline_view.h"

#include <QBoxLayout>
#include <QSet>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/capture/only_planned.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/base/prediction.h"
#include "views/roofline/roofline_paint.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

/// A picture in a file, where each dot is text: 100,000 of them were 20 MB.
constexpr size_t kMostDotsOfAFile = 5000;

using profiler::Quantity;

constexpr int kToolbarHeight = 40;
constexpr int kLegendHeight = 24, kLegendRows = 2;
constexpr int kHeadingHeight = 42;

constexpr double kNoteIndent = 2 * kGrid;

/// Height of what is written below the chart, on as many lines as it takes.
double note_height(const QString& note, double width) {
  const QRectF room(0, 0, std::max(1.0, width - 2 * kNoteIndent), 1e4);
  const double lines = QFontMetricsF(data_font()).boundingRect(room, Qt::TextWordWrap, note).height();
  return std::max<double>(kLegendHeight, std::ceil(lines) + kGrid);
}

}  // namespace

RooflineView::RooflineView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      types_(new QComboBox),
      layers_(new QComboBox),
      legend_(new Canvas(this)),
      chart_(new Chart(this)),
      message_(new Canvas(this)),
      heading_(new QLabel(this)),
      note_(new QLabel(this)),
      list_(new RankedList(this)),
      edits_(new ControlEdits(this)) {
  setWindowTitle(tr("Roofline"));
  setAccessibleName(tr("Roofline: FLOP/s against arithmetic intensity"));
  setFocusProxy(list_);  // arrows work as soon as the view is in front
  auto* row = new FlowLayout(toolbar_);
  toolbar_->setMinimumHeight(kToolbarHeight);
  row->setContentsMargins(2 * kGrid, 4, kGrid, 4);
  row->setSpacing(kGrid);
  row->add(new QLabel(tr("Bytes from")));
  row->add_stretch();
  types_->setAccessibleName(tr("Types shown"));
  types_->setToolTip(tr("Shows the ops of one type only"));
  layers_->setAccessibleName(tr("Layers shown"));
  layers_->setToolTip(tr("Shows the ops of one layer, and of what is inside it, only"));
  for (QComboBox* box : {types_, layers_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    row->add(box);
    connect(box, &QComboBox::activated, this, &RooflineView::filter);
  }
  edits_->watch(*types_, tr("choose a type"), [this] { filter(); });
  edits_->watch(*layers_, tr("choose a layer"), [this] { filter(); });
  legend_->setFocusPolicy(Qt::NoFocus);
  message_->setFocusPolicy(Qt::NoFocus);
  legend_->paint = [this](QPainter& p, const QRectF& r) { paint_legend(p, r, *theme_); };
  message_->paint = [this](QPainter& p, const QRectF& r) { paint_message(p, r, *theme_); };
  chart_->use_log_axes();
  chart_->setAccessibleName(tr("Roofline chart"));
  chart_->marks = [this](QPainter& p, const QRectF& r, const Theme& theme) { paint_marks(p, r, theme); };
  chart_->tip = [this](QPointF at) { return tip_at(at); };
  list_->setAccessibleName(tr("Ops by potential savings"));
  heading_->setTextFormat(Qt::RichText);
  heading_->setWordWrap(true);
  note_->setIndent(static_cast<int>(kNoteIndent));
  note_->setFont(data_font());
  note_->setWordWrap(true);
  note_->setBackgroundRole(QPalette::Base);
  note_->setAutoFillBackground(true);
  auto* left = new QWidget(this);
  legend_->setFixedHeight(kLegendHeight * kLegendRows);
  note_->setMinimumHeight(kLegendHeight);
  stack_rows(left, {legend_}, chart_);
  left->layout()->addWidget(note_);
  panes_ = new SidePanes(
      QStringLiteral("roofline"), left, heading_, kHeadingHeight, list_,
      [](const QSizeF& room) { return std::clamp(room.width() * 0.33, 230.0, 400.0); }, this);
  left->setMinimumWidth(24 * QFontMetrics(data_font()).height());
  stack_rows(this, {toolbar_, message_}, panes_);
  static_cast<QBoxLayout*>(layout())->setStretch(1, 1);  // without ops the message has all the room
  connect(chart_, &Chart::clicked, this, [this](QPointF at) {
    if (const auto layout = layout_on_screen(); const RooflineDot* dot = layout.dot_at(at))
      this->document().selection().select_op(dot->op);
  });
  connect(chart_, &Chart::hovered, this, [this](QPointF at) {
    const auto layout = layout_on_screen();
    const RooflineDot* dot = layout.dot_at(at);
    const auto next = dot ? std::optional(dot->op) : std::nullopt;
    if (next == hover_) return;
    hover_ = next;
    chart_->setCursor(dot ? Qt::PointingHandCursor : Qt::ArrowCursor);
    chart_->replot(QCustomPlot::rpQueuedReplot);
  });
  connect(chart_, &Chart::left, this, [this] {
    hover_.reset();
    chart_->replot(QCustomPlot::rpQueuedReplot);
  });
  connect(list_, &RankedList::chosen, this, [this](uint32_t id) { this->document().selection().select_op(id); });
  connect(&document, &Document::replaced, this, &RooflineView::on_replaced);
  connect(&Prediction::of(document), &Prediction::changed, chart_,
          [this] { chart_->replot(QCustomPlot::rpQueuedReplot); });
  connect(&document.selection(), &Selection::changed, this, [this] {
    list_->set_selected(this->document().selection().state().op);
    chart_->replot(QCustomPlot::rpQueuedReplot);
  });
  set_theme(Theme::light());
  on_replaced();
}

QUndoStack* RooflineView::edits() { return edits_->history(); }

void RooflineView::set_theme(const Theme& theme) {
  theme_ = &theme;
  chart_->set_theme(theme);
  list_->set_theme(theme);
  legend_->update();
  message_->update();
}

/// What its pictures need; with less the window scrolls it.
QSize RooflineView::minimumSizeHint() const {
  const int line = QFontMetrics(data_font()).height();
  return usable() ? QSize(38 * line, toolbar_->height() + kLegendHeight * kLegendRows + note_->height() + 16 * line)
                  : QSize();
}

void RooflineView::show_parts() {
  const bool show = usable();
  toolbar_->setVisible(show);
  panes_->setVisible(show);
  message_->setVisible(!show);
  updateGeometry();
}

void RooflineView::on_replaced() {
  hover_.reset();
  whole_ = {};
  level_names_.clear();
  if (document().loaded()) whole_ = profiler::roofline(document().capture(), document().analyzed().model);
  roofline_ = whole_;
  level_names_ = roofline_levels(whole_);
  if (level_names_.size() > 1) level_names_.insert(level_names_.begin(), kAllLevels);
  build_level_switch();
  fill_filters();
  edits_->reset();
  chart_->set_home(roofline_range(whole_));
  choose_level(level_names_.empty() ? std::string() : level_names_.front());
  show_parts();
}

/// Types by their time, longest first; layers as the model nests them, two deep.
void RooflineView::fill_filters() {
  constexpr qsizetype kDeepest = 2;
  types_->clear();
  layers_->clear();
  types_->addItem(tr("All types"));
  layers_->addItem(tr("All layers"));
  if (!document().loaded()) return;
  const profiler::Capture& capture = document().capture();
  std::map<QString, double> time;
  QStringList layers;
  QSet<QString> seen;
  profiler::OpId last = profiler::kNoOp;
  for (const profiler::RooflinePoint& point : whole_.points) {
    if (point.op == std::exchange(last, point.op)) continue;
    time[text(capture.name(capture.ops()[point.op].type))] += point.time_ns;
    const QStringList parts = text(capture.name(capture.ops()[point.op].layer)).split(QLatin1Char('.'));
    for (qsizetype depth = 1; depth <= std::min(kDeepest, parts.size()); ++depth) {
      const QString layer = parts.mid(0, depth).join(QLatin1Char('.'));
      if (layer.isEmpty() || seen.contains(layer)) continue;
      seen.insert(layer);
      layers << layer;
    }
  }
  QStringList types;
  for (const auto& [type, ns] : time) types << type;
  std::ranges::stable_sort(types, std::ranges::greater{}, [&](const QString& type) { return time[type]; });
  types_->addItems(types);
  layers_->addItems(layers);
  types_->setEnabled(types.size() > 1);
  layers_->setEnabled(layers.size() > 1);
}

void RooflineView::filter() {
  const profiler::Capture& capture = document().capture();
  const std::string type = types_->currentIndex() > 0 ? types_->currentText().toStdString() : std::string(),
                    layer = layers_->currentIndex() > 0 ? layers_->currentText().toStdString() : std::string();
  roofline_ = whole_;
  std::erase_if(roofline_.points, [&](const profiler::RooflinePoint& point) {
    const profiler::OpRecord& op = capture.ops()[point.op];
    return (!type.empty() && capture.name(op.type) != type) ||
           (!layer.empty() && !profiler::in_layer(capture.name(op.layer), layer));
  });
  hover_.reset();
  choose_level(level_);
}

void RooflineView::build_level_switch() {
  delete levels_;
  QStringList names;
  for (const auto& name : level_names_) names << (name.empty() ? tr("All levels") : QString::fromStdString(name));
  levels_ = new Switch(tr("Bytes from level"), names);
  for (int i = 0; i < names.size(); ++i) {
    levels_->button(i)->setToolTip(
        level_names_[static_cast<size_t>(i)].empty()
            ? tr("A dot per op and level, each at its own intensity; a dot joins with its op's others "
                 "under the cursor")
            : plain_tip(tr("Intensity = FLOPs / bytes that come from or go to %1").arg(names[i])));
  }
  static_cast<FlowLayout*>(toolbar_->layout())->insert(1, levels_);
  connect(levels_, &Switch::chosen, this,
          [this](int index) { choose_level(level_names_[static_cast<size_t>(index)]); });
}

void RooflineView::choose_level(const std::string& level) {
  level_ = level;
  const auto found = std::find(level_names_.begin(), level_names_.end(), level);
  if (found != level_names_.end()) levels_->set_current(static_cast<int>(found - level_names_.begin()));
  chart_->set_titles(level.empty()
                         ? tr("Arithmetic intensity: FLOP per byte of the level's traffic")
                         : tr("Arithmetic intensity: FLOP per byte of %1 traffic").arg(QString::fromStdString(level)),
                     tr("Performance [GFLOP/s]"));
  fill_list();
  heading_->setText(list_title());
  note_->setText(note());
  show_parts();
  legend_->update();
  chart_->replot(QCustomPlot::rpQueuedReplot);
}

std::vector<const profiler::RooflinePoint*> RooflineView::spoken_points() const {
  std::vector<const profiler::RooflinePoint*> points;
  for (const auto& point : roofline_.points) {
    if (!level_.empty() && point.level != level_) continue;
    // The points of one op follow each other. Where several levels are looked at, the one whose roof is nearest speaks.
    if (points.empty() || points.back()->op != point.op) points.push_back(&point);
    else if (point.winnable_ns < points.back()->winnable_ns) points.back() = &point;
  }
  // Unknown counts as nothing to win.
  std::ranges::stable_sort(points, std::ranges::greater{},
                           [](auto* point) { return point->winnable_ns > 0 ? point->winnable_ns : 0.0; });
  return points;
}

QString RooflineView::of_roof(const profiler::RooflinePoint& point) const {
  const double share = point.flop_per_s / point.attainable;
  return profiler::above_roof(share) ? tr("above the roof: no bound")
                                     : tr("%1 of the roof").arg(quantity(share, Quantity::percent_of));
}

QString RooflineView::level_words() const { return level_.empty() ? tr("nearest") : QString::fromStdString(level_); }

void RooflineView::fill_list() {
  std::vector<RankedRow> rows;
  if (document().loaded()) {
    const auto& analyzed = document().analyzed();
    auto points = spoken_points();
    std::erase_if(points, [](auto* point) { return !(point->winnable_ns > 0); });
    for (const auto* point : points) {
      RankedRow row;
      row.id = point->op;
      row.text = text(document().capture().name(document().capture().ops()[point->op].name));
      const double share = point->flop_per_s / point->attainable;
      row.detail = profiler::above_roof(share) ? tr("above") : quantity(share, Quantity::percent_of);
      row.value = quantity(point->winnable_ns, Quantity::duration_ns);
      row.ratio = point->winnable_ns / points.front()->winnable_ns;
      row.colour = bound_colour;
      row.key = static_cast<int>(analyzed.verdicts[point->op].bound);
      row.tip = dot_tip(*point);
      rows.push_back(std::move(row));
    }
  }
  list_->set_empty_text(roofs_known() ? tr("No op is above its roof's time by a measurable amount.")
                        : foreign()   ? tr("The trace does not hold the roofs of its machine.")
                                      : unknown_words());
  list_->set_rows(std::move(rows));
  list_->set_selected(document().selection().state().op);
}

QString RooflineView::list_title() const {
  const QString title = QStringLiteral("<b>%1</b><br>").arg(tr("Potential savings"));
  if (!roofs_known())
    return title +
           (foreign() ? tr("unknown: roofs are not in the trace")
            : document().loaded() && document().capture().machine().probed() && document().capture().rates_known()
                ? tr("unknown: not all roofs were measured")
            : document().loaded() && !document().capture().rates_known() ? tr("unknown: there are no roofs")
                                                                         : tr("unknown: roofs not measured"));
  double winnable = 0, time = 0;
  for (const auto* point : spoken_points()) {
    time += point->time_ns;
    if (point->winnable_ns > 0) winnable += point->winnable_ns;
  }
  return title +
         tr("%1 of %2, %3 roof")
             .arg(quantity(winnable, Quantity::duration_ns), quantity(time, Quantity::duration_ns), level_words());
}

QString RooflineView::unknown_words() const {
  const QString why =
      document().loaded() ? quoted_commands(profiler::unbounded_words(document().analyzed())) : QString();
  return why.isEmpty() ? tr("No op has a roof at this level.") : why;
}

bool RooflineView::foreign() const { return document().loaded() && !document().capture().run().source.empty(); }

bool RooflineView::roofs_known() const {
  return std::any_of(roofline_.points.begin(), roofline_.points.end(), [this](const auto& point) {
    return (level_.empty() || point.level == level_) && std::isfinite(point.attainable);
  });
}

int RooflineView::above_roofs() const {
  return static_cast<int>(std::ranges::count_if(spoken_points(), [](auto* point) {
    return point->attainable > 0 && profiler::above_roof(point->flop_per_s / point->attainable);
  }));
}

QString RooflineView::note(bool alone) const {
  QStringList parts;
  if (roofline_.ops_without_flops > 0) {
    parts << (roofline_.ops_without_flops == 1
                  ? tr("1 op without FLOPs is not shown")
                  : tr("%1 ops without FLOPs are not shown").arg(roofline_.ops_without_flops));
  }
  const auto beyond = std::count_if(roofline_.points.begin(), roofline_.points.end(), [this](const auto& point) {
    return (level_.empty() || point.level == level_) && !std::isfinite(point.intensity);
  });
  if (beyond > 0) {
    parts << tr("%1 dotted at the right edge: no bytes at %2")
                 .arg(beyond)
                 .arg(level_.empty() ? tr("their level") : QString::fromStdString(level_));
  }
  if (level_.empty() && is_crowd(roofline_))
    parts << tr("many ops: each has one dot, at %1; point at it to see its other levels")
                 .arg(roofs_known() ? tr("its nearest roof") : tr("the farthest level"));
  if (const size_t dots = alone ? layout_on_screen().dots.size() : 0; dots > kMostDotsOfAFile)
    parts << tr("the %1 largest of %2 dots are drawn").arg(kMostDotsOfAFile).arg(dots);
  if (const auto above = above_roofs(); above > 0) {
    const bool weak = !profiler::roofs_weakness(document().capture().machine()).empty();
    parts << (above == 1 ? tr("1 op above its roof (arrow head): ")
                         : tr("%1 ops above their roofs (arrow heads): ").arg(above)) +
                 (weak ? tr("these roofs have low confidence")
                       : tr("faster than the roof was measured, or fewer bytes crossed than counted here"));
  }
  if (document().loaded() && roofline_.roofs.empty()) {
    parts << (foreign() ? tr("roofs unknown: they are not in the trace") : unknown_words());
  }
  if (alone && document().loaded() && !profiler::roofs_weakness(document().capture().machine()).empty())
    parts << tr("low-confidence roofs: measured on a busy machine, or not all");
  const profiler::BesideState beside =
      document().loaded() ? profiler::roofs_beside(document().capture().machine()) : profiler::BesideState::unmeasured;
  if (beside == profiler::BesideState::moved) parts << tr("DRAM’s roof: as measured beside the run");
  if (beside == profiler::BesideState::unsteady) parts << tr("DRAM’s roof is unsteady");
  return parts.join(QStringLiteral("  ·  "));
}

RooflineLayout RooflineView::layout_on_screen() const {
  return layout_roofline(roofline_, level_, chart_->range(), QRectF(chart_->axisRect()->rect()), data_font());
}

QString RooflineView::dot_tip(const profiler::RooflinePoint& point) const {
  const auto& analyzed = document().analyzed();
  const auto& capture = document().capture();
  const profiler::Verdict& verdict = analyzed.verdicts[point.op];
  const bool roof_known = std::isfinite(point.attainable) && point.attainable > 0;
  QString value = QStringLiteral("%1 %2\n%3\n")
                      .arg(origin_text(capture.time_origin()), quantity(point.time_ns, Quantity::duration_ns),
                           quantity(point.flop_per_s, Quantity::flop_per_s));
  value +=
      std::isfinite(point.intensity)
          ? tr("%1 at %2\n").arg(quantity(point.intensity, Quantity::intensity), QString::fromStdString(point.level))
          : tr("no bytes at %1\n").arg(QString::fromStdString(point.level));
  value += roof_known
               ? tr("%1, potential savings %2").arg(of_roof(point), quantity(point.winnable_ns, Quantity::duration_ns))
               : tr("roof unknown: %1").arg(unknown_words());
  return Tip{text(capture.name(capture.ops()[point.op].name)),
             value,
             tr("Verdict: %1").arg(QString::fromStdString(profiler::headline(verdict))),
             tr("savings = time - FLOPs / min(peak, intensity x bandwidth)"),
             capture.time_origin(),
             std::isfinite(point.intensity)
                 ? tr("FLOPs are exact, time is measured (median), bytes are %1.").arg(origin_text(point.origin))
                 : tr("FLOPs are exact, time is measured (median). Without bytes at "
                      "this level there is no intensity: only arithmetic is its roof.")}
      .html();
}

QString RooflineView::tip_at(QPointF at) const {
  const RooflineLayout layout = layout_on_screen();
  if (const RooflineDot* dot = layout.dot_at(at)) return dot_tip(roofline_.points[dot->point]);
  for (const RidgePoint& ridge : layout.ridges) {
    if (std::hypot(ridge.at.x() - at.x(), ridge.at.y() - at.y()) > 8 && !ridge.label.contains(at)) continue;
    return Tip{ridge.text,
               quantity(ridge.intensity, Quantity::intensity),
               tr("Ridge point: ops left of it are limited by this level, ops right of it by arithmetic."),
               tr("ridge = peak FLOP/s / bandwidth"),
               profiler::Origin::measured,
               {}}
        .html();
  }
  for (const RoofShape& shape : layout.roofs) {
    const QPointF along = shape.to - shape.from, to_point = at - shape.from;
    const double length = std::hypot(along.x(), along.y());
    const double t = (along.x() * to_point.x() + along.y() * to_point.y()) / (length * length);
    const double distance = std::abs(along.x() * to_point.y() - along.y() * to_point.x()) / length;
    if (t < 0 || t > 1 || distance > 6) continue;
    const profiler::Roof& roof = roofline_.roofs[shape.roof];
    const Quantity unit = roof.level.empty() ? Quantity::flop_per_s : Quantity::bytes_per_s;
    return Tip{QString::fromStdString(roof.name),
               tr("%1, lowest %2, highest %3 of the probe's repeats")
                   .arg(quantity(roof.value, unit), quantity(roof.low, unit), quantity(roof.high, unit)),
               roof.threads == 1 ? tr("Measured on this machine with 1 thread.")
                                 : tr("Measured on this machine with %1 threads.").arg(roof.threads),
               {},
               roof.origin,
               roof.origin == profiler::Origin::measured
                   ? QString::fromStdString(profiler::roofs_weakness(document().capture().machine()))
                   : QString()}
        .html();
  }
  return {};
}

void RooflineView::paint_marks(QPainter& p, const QRectF& rect, const Theme& theme) const {
  if (!usable()) return;
  const RooflineLayout layout = layout_roofline(roofline_, level_, chart_->range(), rect, data_font());
  RooflineMarks marks;
  marks.selected = document().selection().state().op;
  marks.hover = hover_;
  if (in_a_file_) marks.most_dots = kMostDotsOfAFile;
  if (marks.selected)
    marks.selected_name = text(document().capture().name(document().capture().ops()[*marks.selected].name));
  if (marks.hover) marks.hover_name = text(document().capture().name(document().capture().ops()[*marks.hover].name));
  if (const auto op = hover_ ? hover_ : marks.selected)
    marks.spots = level_spots(roofline_, *op, chart_->range(), rect);
  paint_roofline(p, roofline_, layout, document().analyzed().verdicts, marks, theme);
  if (const auto& point = Prediction::of(document()).said().point; point && point->x() > 0 && point->y() > 0) {
    const QPointF at = RooflineScale{chart_->range(), rect}.at(point->x(), point->y());
    draw_prediction_mark(p,
                         {std::clamp(at.x(), rect.left(), rect.right()), std::clamp(at.y(), rect.top(), rect.bottom())},
                         tr("your prediction"), rect, theme);
  }
}

void RooflineView::paint_level_legend(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(scaled_font(data_font(), 0.92));
  p.setRenderHint(QPainter::Antialiasing);
  double x = rect.left() + 2 * kGrid;
  const auto place = [&](const QString& label, std::optional<size_t> mark, bool filled) {
    const double width = text_width(p.font(), label) + (mark ? 16 : 0);
    if (x + width > rect.right()) return;
    if (mark) {
      QColor fill = theme.text_secondary;
      fill.setAlphaF(filled ? 0.5f : 0.0f);
      p.setBrush(fill);
      p.setPen(QPen(theme.text_secondary, 1));
      draw_level_mark(p, QPointF(x + 5, rect.center().y()), 5, *mark);
    }
    draw_text(p, QRectF(x + (mark ? 16 : 0), rect.top(), width, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, label,
              theme.text_secondary);
    x += width + 1.5 * kGrid;
  };
  const auto place_above = [&] {
    if (above_roofs() == 0) return;
    p.setPen(QPen(theme.warning, 1.75));
    draw_above_mark(p, QPointF(x + 5, rect.center().y() + 6), 2);
    x += 16;
    place(tr("above its roof"), {}, false);
  };
  const std::vector<std::string> levels = roofline_levels(roofline_);
  if (!level_.empty() || levels.size() < 2) {
    place(tr("one dot per op; area = time"), {}, false);
    place_above();
    return;
  }
  for (size_t i = 0; i < levels.size(); ++i) place(QString::fromStdString(levels[i]), i, false);
  place(tr("filled: the nearest roof"), size_t{0}, true);
  place(tr("area = time"), {}, false);
  place_above();
}

void RooflineView::paint_legend(QPainter& p, const QRectF& whole, const Theme& theme) const {
  p.fillRect(whole, theme.surface);
  paint_level_legend(p, whole.adjusted(0, kLegendHeight, 0, 0), theme);
  const QRectF rect = whole.adjusted(0, 0, 0, -kLegendHeight);
  std::array<int, profiler::kBoundCount> counts{};
  for (const auto* point : spoken_points())
    ++counts[static_cast<size_t>(document().analyzed().verdicts[point->op].bound)];
  // The classes in view, most ops first; type and gaps shrink until all of them fit.
  std::vector<int> shown;
  for (int b = 0; b < profiler::kBoundCount; ++b) {
    if (counts[static_cast<size_t>(b)] > 0) shown.push_back(b);
  }
  std::ranges::stable_sort(shown, std::ranges::greater{}, [&](int b) { return counts[static_cast<size_t>(b)]; });
  const auto label_of = [&](int b) {
    return QStringLiteral("%1 (%2)")
        .arg(bound_title(static_cast<profiler::Bound>(b)))
        .arg(counts[static_cast<size_t>(b)]);
  };
  double scale = 0.92, gap = 2 * kGrid;
  const auto needed = [&] {
    double width = 0;
    for (const int b : shown) width += 16 + gap + text_width(scaled_font(data_font(), scale), label_of(b));
    return width;
  };
  while (needed() > rect.width() - 2 * kGrid && scale > 0.72) {
    scale -= 0.05;
    gap = kGrid;
  }
  p.setFont(scaled_font(data_font(), scale));
  double x = rect.left() + (gap < 2 * kGrid ? kGrid : 2 * kGrid);
  for (const int b : shown) {
    const QString label = label_of(b);
    const double width = text_width(p.font(), label) + 16;
    if (x + width > rect.right()) break;
    p.setRenderHint(QPainter::Antialiasing);
    const bool overhead = b == static_cast<int>(profiler::Bound::overhead);
    p.setBrush(overhead ? QBrush(Qt::NoBrush) : QBrush(theme.bound(static_cast<profiler::Bound>(b))));
    p.setPen(overhead ? QPen(theme.bound(profiler::Bound::overhead), 1.25) : QPen(Qt::NoPen));
    p.drawEllipse(QPointF(x + 5, rect.center().y()), 5, 5);
    if (overhead) draw_overhead_mark(p, QPointF(x + 5, rect.center().y()), 5);
    draw_text(p, QRectF(x + 16, rect.top(), width - 16, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, label,
              theme.text_secondary);
    x += width + gap;
  }
}

void RooflineView::paint_message(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  if (!document().loaded()) {
    draw_message(p, rect, theme, tr("No capture on the table"),
                 tr("Run a workload or open a .tide file to see each op as a dot under the measured roofs "
                    "of this machine."));
  } else {
    draw_message(p, rect, theme, tr("No op with FLOPs was timed"),
                 foreign() ? tr("The roofline needs ops with known FLOPs, bytes and times. The trace names "
                                "none; the Timeline shows what it recorded.")
                           : tr("The roofline needs ops that compute and a measured time for each. This "
                                "run has none; Traffic and Ops show what it did."));
  }
}

void RooflineView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  p.setFont(data_font());
  if (!usable()) {
    paint_message(p, rect, theme);
    return;
  }
  p.fillRect(rect, theme.surface);
  const SidePanes::Parts panes = panes_->split(rect);
  const QRectF& left = panes.picture;
  const double below = note_height(note(true), left.width());
  const QRectF legend(left.left(), left.top(), left.width(), kLegendHeight * kLegendRows),
      written(left.left(), left.bottom() - below, left.width(), below);
  paint_legend(p, legend, theme);
  p.setFont(data_font());
  in_a_file_ = true;
  chart_->draw(p, QRectF(legend.bottomLeft(), written.topRight()), theme);
  in_a_file_ = false;
  p.setPen(theme.text_secondary);
  p.drawText(written.adjusted(kNoteIndent, 0, -kGrid, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
             note(true));
  p.fillRect(panes.heading, theme.background);
  const QRectF upper = panes.heading.adjusted(kGrid, 2, -kGrid, -kHeadingHeight / 2.0),
               lower = panes.heading.adjusted(kGrid, kHeadingHeight / 2.0, -kGrid, -2);
  const QStringList title =
      list_title().remove(QStringLiteral("<b>")).remove(QStringLiteral("</b>")).split(QStringLiteral("<br>"));
  draw_bold(p, upper, Qt::AlignLeft | Qt::AlignVCenter, title.value(0), theme.text);
  draw_text(p, lower, Qt::AlignLeft | Qt::AlignVCenter, title.value(1), theme.text);
  list_->draw(p, panes.list, theme);
}

profiler::Table RooflineView::data() const {
  if (!document().loaded()) return {};
  return profiler::roofline_table(document().analyzed());
}

QString RooflineView::nothing() const {
  if (document().loaded() && profiler::only_planned(document().capture())) return tr("Nothing has run yet.");
  return document().loaded() && !usable() ? tr("No op with known FLOPs was timed.") : QString();
}

}  // namespace views
