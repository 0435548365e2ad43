// SPDX-License-Identifier: GPL-3.0-or-later
// SystolicPanel: controls above, the array and a chart of its cycles, figures at the right.
#include "views/systolic/systolic_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/check.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {

namespace {

constexpr int kFactsWidth = 290;
constexpr int kFewestPerSecond = 1, kMostPerSecond = 60;

QColor mixed(const QColor& from, const QColor& to, double part) {
  const auto mix = [&](float a, float b) { return static_cast<float>(a + (b - a) * part); };
  return QColor::fromRgbF(mix(from.redF(), to.redF()), mix(from.greenF(), to.greenF()), mix(from.blueF(), to.blueF()));
}

QString percent(double ratio) { return quantity(ratio, profiler::Quantity::percent_of); }

}  // namespace

SystolicPanel::SystolicPanel(QWidget* parent) : QWidget(parent), facts_(new QLabel(this)), canvas_(new Canvas(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* teaches =
      new QLabel(tr("Each element keeps a weight. Inputs enter at the left and move right, sums move down. Memory is "
                    "read once per "
                    "operand. A size of 64 is an illustration: real arrays are 128 or 256 wide (TPU v2 and v1)."),
                 this);
  teaches->setObjectName(QStringLiteral("systolic.teaches"));
  teaches->setWordWrap(true);
  column->addWidget(teaches);
  auto* bar = new QWidget(this);
  add_controls(bar);
  column->addWidget(bar);
  auto* middle = new QHBoxLayout;
  canvas_->setAccessibleName(tr("The array at this cycle"));
  canvas_->setMinimumSize(260, 240);
  canvas_->paint = [this](QPainter& p, const QRectF& r) { paint(p, r); };
  canvas_->tip = [this](QPointF at) { return tip_at(at); };
  canvas_->key = [this](int key) { return on_key(key); };
  connect(canvas_, &Canvas::resized, this, &SystolicPanel::lay_out);
  const auto scrub = [this](QPointF at) {
    const QRectF& chart = layout_.chart;
    if (chart.width() <= 0 || !chart.adjusted(0, -kGrid, 0, kGrid).contains(at)) return;
    set_playing(false);
    go_to(qRound64((at.x() - chart.left()) / chart.width() * static_cast<double>(cycles())));
  };
  connect(canvas_, &Canvas::pressed, this, scrub);
  connect(canvas_, &Canvas::dragged, this, scrub);
  middle->addWidget(canvas_, 1);
  facts_->setObjectName(QStringLiteral("systolic.facts"));
  facts_->setAccessibleName(tr("Figures of this cycle"));
  facts_->setTextFormat(Qt::RichText);
  facts_->setWordWrap(true);
  facts_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  facts_->setFixedWidth(kFactsWidth);
  middle->addWidget(facts_);
  column->addLayout(middle, 1);
  connect(&player_, &QTimer::timeout, this, [this] {
    if (array_->cycle() >= cycles()) set_playing(false);
    else go_to(array_->cycle() + 1);
  });
  setFocusProxy(canvas_);
  begin();
}

void SystolicPanel::add_controls(QWidget* bar) {
  auto* row = new FlowLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid);
  const auto number = [&](const char* name, const QString& label, const QString& tip, int least, int most, int value) {
    auto* box = new QSpinBox(bar);
    box->setObjectName(QStringLiteral("systolic.") + QLatin1String(name));
    box->setRange(least, most);
    box->setValue(value);
    box->setPrefix(QStringLiteral("%1 ").arg(label));
    box->setAccessibleName(label);
    box->setToolTip(tip);
    row->add(box);
    connect(box, &QSpinBox::valueChanged, this, &SystolicPanel::begin);
    return box;
  };
  const auto button = [&](const char* name, const QString& words, const QString& tip) {
    auto* made = new QPushButton(words, bar);
    made->setObjectName(QStringLiteral("systolic.") + QLatin1String(name));
    made->setToolTip(tip);
    row->add(made);
    return made;
  };
  size_ = number("size", tr("Size"), tr("Elements a side"), 2, 64, 8);
  rows_ = number("rows", tr("Input rows"), tr("Rows of the input matrix, one after the other"), 1, 256, 8);
  back_ = button("back", tr("Back"), tr("One cycle back (Left)"));
  play_ = button("play", tr("Play"), tr("Goes on cycle by cycle (Space)"));
  step_ = button("step", tr("Step"), tr("One cycle (Right)"));
  slider_ = new QSlider(Qt::Horizontal, bar);
  slider_->setObjectName(QStringLiteral("systolic.cycle"));
  slider_->setAccessibleName(tr("Cycle"));
  slider_->setToolTip(tr("The cycle that is shown (Home, End)"));
  slider_->setMinimumWidth(140);
  row->add(slider_, 1);
  speed_ = new QSlider(Qt::Horizontal, bar);
  speed_->setObjectName(QStringLiteral("systolic.speed"));
  speed_->setAccessibleName(tr("Speed"));
  speed_->setToolTip(tr("Cycles per second, 1 to 60"));
  speed_->setRange(kFewestPerSecond, kMostPerSecond);
  speed_->setValue(4);
  speed_->setFixedWidth(90);
  auto* speed = new QLabel(tr("Speed"), bar);
  speed->setBuddy(speed_);
  row->add(speed);
  row->add(speed_);
  connect(back_, &QPushButton::clicked, this, [this] {
    set_playing(false);
    go_to(array_->cycle() - 1);
  });
  connect(step_, &QPushButton::clicked, this, [this] {
    set_playing(false);
    go_to(array_->cycle() + 1);
  });
  connect(play_, &QPushButton::clicked, this, [this] { set_playing(!playing_); });
  connect(slider_, &QSlider::valueChanged, this, [this](int cycle) {
    set_playing(false);
    go_to(cycle);
  });
  connect(speed_, &QSlider::valueChanged, this, [this](int per_second) { player_.setInterval(1000 / per_second); });
  player_.setInterval(1000 / speed_->value());
}

void SystolicPanel::begin() {
  set_playing(false);
  auto made = profiler::SystolicSteps::make(size_->value(), size_->value(), rows_->value());
  CHECK(made.ok());  // the boxes allow no other sizes
  array_.emplace(*std::move(made));
  working_ = working_per_cycle(*array_);
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, static_cast<int>(cycles()));
  slider_->setPageStep(size_->value());
  show_cycle();
}

void SystolicPanel::go_to(int64_t cycle) {
  const int64_t wanted = std::clamp<int64_t>(cycle, 0, cycles());
  if (wanted < array_->cycle())
    array_.emplace(*profiler::SystolicSteps::make(size_->value(), size_->value(), rows_->value()));
  while (array_->cycle() < wanted) array_->step();
  show_cycle();
}

/// From the end it plays again.
void SystolicPanel::set_playing(bool playing) {
  if (playing && array_->cycle() >= cycles()) go_to(0);
  playing_ = playing;
  if (play_ != nullptr) play_->setText(playing ? tr("Pause") : tr("Play"));
  if (playing && isVisible()) player_.start();
  else player_.stop();
}

void SystolicPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (playing_) player_.start();
}

void SystolicPanel::hideEvent(QHideEvent* event) {
  player_.stop();  // minimised, too
  QWidget::hideEvent(event);
}

bool SystolicPanel::on_key(int key) {
  switch (key) {
    case Qt::Key_Space: play_->click(); return true;
    case Qt::Key_Left: back_->click(); return true;
    case Qt::Key_Right: step_->click(); return true;
    case Qt::Key_Home: slider_->setValue(0); return true;
    case Qt::Key_End: slider_->setValue(slider_->maximum()); return true;
    default: return false;
  }
}

void SystolicPanel::show_cycle() {
  const QSignalBlocker quiet(slider_);
  slider_->setValue(static_cast<int>(array_->cycle()));
  back_->setEnabled(array_->cycle() > 0);
  step_->setEnabled(array_->cycle() < cycles());
  facts_->setText(facts_text());
  lay_out();
}

QString SystolicPanel::facts_text() const {
  const profiler::SystolicSteps& a = *array_;
  const int64_t elements = a.rows() * a.columns();
  const bool done = a.cycle() == cycles();
  const SystolicReads inputs = reads_of(a.input_reads()), weights = reads_of(a.weight_reads());
  const auto reads = [](const SystolicReads& r) {
    return tr("%L1 of %L2, each %3")
        .arg(r.reads)
        .arg(r.elements)
        .arg(r.most <= 1 ? tr("once") : tr("up to %1 times").arg(r.most));
  };
  QString rows;
  const auto add = [&](const QString& what, const QString& value) {
    rows += QStringLiteral("<tr><td style='padding-right:8px'>%1</td><td><b>%2</b></td></tr>").arg(what, value);
  };
  add(tr("Cycle"), tr("%L1 of %L2").arg(a.cycle()).arg(cycles()));
  add(tr("Phase"), done ? tr("all results are out") : a.loading() ? tr("loading weights") : tr("computing"));
  add(tr("At work"), tr("%L1 of %L2 elements").arg(a.loading() ? 0 : a.working()).arg(elements));
  add(tr("Multiply-adds"), tr("%L1 of %L2").arg(a.multiply_adds()).arg(a.m() * elements));
  add(tr("Input reads"), reads(inputs));
  add(tr("Weight reads"), reads(weights));
  add(tr("Without an array"), tr("%L1 reads, two per multiply-add").arg(2 * a.multiply_adds()));
  add(tr("Elements used"), a.computing_cycles() > 0 ? percent(a.used_ratio(false)) : QStringLiteral("–"));
  add(tr("with loading"), a.cycle() > 0 ? percent(a.used_ratio(true)) : QStringLiteral("–"));
  QString text = QStringLiteral("<table>%1</table>").arg(rows);
  const int64_t computing = a.m() + a.rows() + a.columns() - 2;
  text += QStringLiteral("<p>%1</p>")
              .arg(tr("%1 × %1 elements, %2 input rows: %3 cycles to load, then %2 + 2·%1 − 2 = %4. They use %5 of the "
                      "elements "
                      "after loading.")
                       .arg(a.rows())
                       .arg(a.m())
                       .arg(a.rows())
                       .arg(computing)
                       .arg(percent(static_cast<double>(a.m()) / static_cast<double>(computing))));
  if (done)
    text += QStringLiteral("<p><b>%1</b></p>")
                .arg(a.output_is_right() ? tr("The result equals the matrix multiplication in every element.")
                                         : tr("The result differs from the matrix multiplication."));
  return text + QStringLiteral("<p>%1</p>").arg(tr("Counts are simulated, cycle by cycle."));
}

void SystolicPanel::lay_out() {
  layout_ = layout_systolic(*array_, working_, QRectF(canvas_->rect()).adjusted(kGrid, kGrid, -kGrid, -kGrid),
                            scaled_font(data_font(), 0.9));
  canvas_->update();
}

void SystolicPanel::paint_cell(QPainter& p, const SystolicCell& cell) const {
  const profiler::SystolicSteps& a = *array_;
  const double gap = layout_.size >= 8 ? 1 : layout_.size >= 5 ? 0.5 : 0;
  const QRectF r = cell.rect.adjusted(0, 0, -gap, -gap);
  const QColor fill = cell.works    ? theme_->measure
                      : cell.loaded ? mixed(theme_->surface, theme_->role(engine::Role::weight), 0.35)
                                    : theme_->surface_alternate;
  p.fillRect(r, fill);
  if (layout_.lines == 0 || !cell.loaded) return;
  const QColor ink = label_on(fill);
  if (layout_.lines == 1) {
    const int64_t value = cell.works ? a.input(cell.row, cell.column) : a.weight(cell.row, cell.column);
    return void(draw_text(p, r, Qt::AlignCenter, QString::number(value), ink, Qt::ElideNone));
  }
  const double line = QFontMetricsF(p.font()).height();
  const auto write = [&](int at, const QString& words) {
    draw_text(p, QRectF(r.left() + 3, r.center().y() + (at - 1.5) * line, r.width() - 6, line),
              Qt::AlignLeft | Qt::AlignVCenter, words, ink, Qt::ElideNone);
  };
  write(0, QStringLiteral("w %1").arg(a.weight(cell.row, cell.column)));
  if (!cell.works) return;
  write(1, QStringLiteral("x %1").arg(a.input(cell.row, cell.column)));
  write(2, QStringLiteral("Σ %1").arg(a.sum(cell.row, cell.column)));
}

void SystolicPanel::paint_chart(QPainter& p) const {
  const QRectF& r = layout_.chart;
  p.fillRect(r, theme_->surface);
  QColor faint = theme_->measure;
  faint.setAlphaF(0.3f);
  p.setPen(Qt::NoPen);
  p.setBrush(faint);
  p.drawPolygon(layout_.work);
  p.save();
  p.setClipRect(QRectF(r.topLeft(), QPointF(layout_.now_x, r.bottom())));
  p.setBrush(theme_->measure);
  p.drawPolygon(layout_.work);
  p.restore();
  p.setPen(QPen(theme_->text_secondary, 1, Qt::DotLine));
  p.drawLine(QPointF(layout_.loaded_x, r.top()), QPointF(layout_.loaded_x, r.bottom()));
  p.setPen(QPen(theme_->border, 1));
  p.setBrush(Qt::NoBrush);
  p.drawRect(r);
  p.setPen(QPen(theme_->text, 1.5));
  p.drawLine(QPointF(layout_.now_x, r.top()), QPointF(layout_.now_x, r.bottom()));
  const double line = QFontMetricsF(p.font()).height();
  draw_text(
      p, QRectF(r.left(), r.top() - line, r.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
      tr("Elements at work in each cycle, of %L1; dotted: weights are loaded").arg(array_->rows() * array_->columns()),
      theme_->text_secondary);
}

void SystolicPanel::paint(QPainter& p, const QRectF& rect) const {
  p.fillRect(rect, theme_->background);
  p.setFont(scaled_font(data_font(), 0.9));
  for (const SystolicCell& cell : layout_.cells) paint_cell(p, cell);
  const double gap = layout_.size >= 8 ? 1 : 0;
  for (const SystolicToken& token : layout_.tokens) {
    const QColor& colour = theme_->role(token.kind == SystolicToken::Kind::weight  ? engine::Role::weight
                                        : token.kind == SystolicToken::Kind::input ? engine::Role::input
                                                                                   : engine::Role::activation);
    const QRectF r = token.rect.adjusted(0, 0, -gap, -gap);
    p.fillRect(r, colour);
    if (layout_.lines == 0) continue;
    const QString words = QString::number(token.value);
    if (text_width(p.font(), words) <= r.width())
      draw_text(p, r, Qt::AlignCenter, words, label_on(colour), Qt::ElideNone);
  }
  const QColor& ink = theme_->text_secondary;
  draw_text(p, layout_.weights_title, Qt::AlignLeft | Qt::AlignVCenter,
            array_->loading()   ? tr("Weights enter, a row per cycle")
            : layout_.lines > 0 ? tr("Weights stay; elements at work show their input")
                                : tr("Weights stay; elements at work stand out"),
            ink);
  if (!layout_.inputs_title.isEmpty())
    draw_text(p, layout_.inputs_title, Qt::AlignRight | Qt::AlignVCenter, tr("Inputs"), ink);
  draw_text(p, layout_.results_title, Qt::AlignLeft | Qt::AlignVCenter, tr("Results leave, once complete"), ink);
  paint_chart(p);
}

QString SystolicPanel::tip_at(QPointF at) const {
  const profiler::SystolicSteps& a = *array_;
  if (const SystolicCell* cell = layout_.cell_at(at)) {
    QStringList lines{tr("Element in row %1, column %2").arg(cell->row).arg(cell->column)};
    lines << (cell->loaded ? tr("weight %1").arg(a.weight(cell->row, cell->column)) : tr("no weight yet"));
    if (cell->works)
      lines << tr("input %1, sum %2").arg(a.input(cell->row, cell->column)).arg(a.sum(cell->row, cell->column));
    else if (cell->loaded) lines << tr("no work in this cycle");
    return lines.join(QStringLiteral("<br>"));
  }
  for (const SystolicToken& token : layout_.tokens) {
    if (!token.rect.contains(at)) continue;
    const QString what = token.kind == SystolicToken::Kind::weight  ? tr("Weight")
                         : token.kind == SystolicToken::Kind::input ? tr("Input")
                                                                    : tr("Result");
    return tr("%1 [%2, %3] = %4").arg(what).arg(token.row).arg(token.column).arg(token.value);
  }
  return {};
}

void SystolicPanel::set_theme(const Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

}  // namespace views
