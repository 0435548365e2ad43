// SPDX-License-Identifier: GPL-3.0-or-later
// The page of what runs.
#include "views/start/run_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/canvas.h"

namespace views {
namespace {

using profiler::Quantity;

constexpr int kBarSteps = 1000;
constexpr double kAxisRoom = 72;

QLabel* plain_label(QWidget* parent, const QFont& font = data_font()) {
  auto* l = new QLabel(parent);
  l->setTextFormat(Qt::PlainText);
  l->setFont(font);
  return l;
}

QProgressBar* make_bar(QWidget* parent) {
  auto* bar = new QProgressBar(parent);
  bar->setRange(0, kBarSteps);
  bar->setTextVisible(false);
  bar->setFixedHeight(kGrid + 2);
  return bar;
}

QString loss_text(double loss) { return std::isnan(loss) ? QStringLiteral("–") : QString::number(loss, 'g', 4); }

}  // namespace

RunPage::RunPage(QWidget* parent) : QWidget(parent), theme_(&Theme::light()) {
  setAccessibleName(tr("Run in progress"));
  setObjectName(QStringLiteral("run_page"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* head = new QHBoxLayout;
  title_ = plain_label(this, scaled_font(data_font(), 1.5, true));
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  cancel_ = new QPushButton(tr("Cancel"), this);
  cancel_->setObjectName(QStringLiteral("run_page.cancel"));
  cancel_->setToolTip(tr("Ends it after the current step. What was recorded is kept (Ctrl+.)."));
  connect(cancel_, &QPushButton::clicked, this, &RunPage::cancel_requested);
  head->addWidget(title_, 1);
  head->addWidget(cancel_);
  column->addLayout(head);
  auto* progress = new QHBoxLayout;
  stage_ = plain_label(this);
  stage_->setObjectName(QStringLiteral("run_page.stage"));
  stage_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  left_ = plain_label(this);
  progress->addWidget(stage_, 1);
  progress->addWidget(left_);
  column->addLayout(progress);
  bar_ = make_bar(this);
  bar_->setAccessibleName(tr("Progress"));
  column->addWidget(bar_);
  figures_box_ = new QWidget(this);
  auto* figures = new QHBoxLayout(figures_box_);
  figures->setContentsMargins(0, 0, 0, 0);
  figures->setSpacing(3 * kGrid);
  time_ = add_figure(tr("Step time"), tr("Wall time of the step that ended last (measured)"), "time");
  measured_ = add_figure(tr("Measured steps"), tr("Steps of the recording so far, without warm-up"), "measured");
  rate_ = add_figure(tr("Arithmetic"), tr("FLOPs of a step (exact) per time of the last step (measured)"), "rate");
  bytes_ =
      add_figure(tr("Operand bytes"),
                 tr("Bytes that the ops of a step read and write, each operand once (exact), and their rate"), "bytes");
  memory_ = add_figure(tr("Memory"), tr("Values, weights and workspace that the run holds (planned)"), "memory");
  loss_ = add_figure(tr("Loss"), tr("After the last step. Of a GPU it is read at the end of the run."), "loss");
  figures->addStretch(1);
  column->addWidget(figures_box_);
  times_ = new Canvas(this);
  times_->setAccessibleName(tr("Step times so far"));
  losses_ = new Canvas(this);
  losses_->setAccessibleName(tr("Loss so far"));
  for (Canvas* canvas : {times_, losses_}) {
    canvas->setFocusPolicy(Qt::NoFocus);
    canvas->setMinimumHeight(80);
  }
  times_->paint = [this](QPainter& p, const QRectF& r) { paint_chart(p, r, StepFigure::time); };
  losses_->paint = [this](QPainter& p, const QRectF& r) { paint_chart(p, r, StepFigure::loss); };
  column->addWidget(times_, 3);
  column->addWidget(losses_, 2);
  column->addStretch(0);
  begin({});
}

RunPage::Figure RunPage::add_figure(const QString& title, const QString& what, const char* name) {
  Figure figure{plain_label(figures_box_, scaled_font(data_font(), 0.9)),
                plain_label(figures_box_, scaled_font(data_font(), 1.3, true))};
  figure.title->setText(title);
  figure.value->setObjectName(QStringLiteral("run_page.") + QLatin1String(name));
  for (QLabel* l : {figure.title, figure.value}) l->setToolTip(what);
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  column->addWidget(figure.title);
  column->addWidget(figure.value);
  static_cast<QHBoxLayout*>(figures_box_->layout())->addLayout(column);
  return figure;
}

void RunPage::show_figure(const Figure& figure, const QString& value) {
  figure.value->setText(value);
  figure.value->setAccessibleName(QStringLiteral("%1: %2").arg(figure.title->text(), value));
  for (QLabel* l : {figure.title, figure.value}) l->setVisible(!value.isEmpty());
}

void RunPage::begin(const QString& title) {
  history_.clear();
  needs_.reset();
  loss_failed_ = false;
  title_->setText(displayed(title));
  title_->setToolTip(plain_tip(title));
  stage_->setText(tr("Starting…"));
  left_->clear();
  bar_->setValue(0);
  cancel_->setEnabled(true);
  update_figures({});
}

void RunPage::show_news(const RunNews& news) {
  if (cancel_->isEnabled()) stage_->setText(displayed(news.stage));
  left_->setText(news.left);
  bar_->setValue(static_cast<int>(news.fraction * kBarSteps));
  if (news.needs) needs_ = news.needs;
  loss_failed_ = loss_failed_ || news.loss_failed;
  history_.add(news.steps);
  update_figures(news);
  times_->update();
  losses_->update();
}

void RunPage::show_cancelling() {
  cancel_->setEnabled(false);
  stage_->setText(tr("Cancelling: the step that runs now is finished first"));
}

void RunPage::update_figures(const RunNews& news) {
  const StepNews* last = history_.entries().empty() ? nullptr : &history_.entries().back().news;
  const double step_ns = last == nullptr ? StepNews::kUnknown : last->last_ns;
  show_figure(time_, last == nullptr ? QString() : quantity(step_ns, Quantity::duration_ns));
  show_figure(measured_, last == nullptr ? QString() : news.measured);
  const bool steps = needs_ && !std::isnan(step_ns) && step_ns > 0;
  show_figure(rate_,
              steps && needs_->flops > 0 ? quantity(needs_->flops / step_ns * 1e9, Quantity::flop_per_s) : QString());
  const QString bytes = needs_ ? quantity(needs_->operand_bytes, Quantity::bytes) : QString();
  show_figure(
      bytes_,
      steps ? tr("%1 · %2").arg(bytes, quantity(needs_->operand_bytes / step_ns * 1e9, Quantity::bytes_per_s)) : bytes);
  show_figure(memory_, needs_ ? quantity(needs_->memory_bytes, Quantity::bytes) : QString());
  const bool loss = history_.has_loss();
  show_figure(loss_, loss_failed_ ? tr("not a number") : loss ? loss_text(last->loss) : QString());
  times_->setVisible(last != nullptr);
  losses_->setVisible(loss);
}

QString RunPage::figures() const {
  QStringList lines;
  for (const Figure& f : {time_, measured_, rate_, bytes_, memory_, loss_})
    if (!f.value->text().isEmpty()) lines << f.title->text() + QLatin1Char(' ') + f.value->text();
  return lines.join(QLatin1Char('\n'));
}

void RunPage::paint_chart(QPainter& painter, const QRectF& rect, StepFigure figure) const {
  const StepChart chart = step_chart(history_, figure, rect.size(), kAxisRoom);
  const bool time = figure == StepFigure::time;
  painter.fillRect(rect, theme_->surface);
  painter.setFont(scaled_font(data_font(), 0.9));
  const double line = QFontMetricsF(painter.font()).height();
  for (const StepChart::Tick& tick : chart.ticks) {
    painter.setPen(QPen(theme_->grid, 1));
    painter.drawLine(QPointF(chart.plot.left(), tick.y), QPointF(chart.plot.right(), tick.y));
    draw_text(painter, QRectF(0, tick.y - line / 2, kAxisRoom - kGrid, line), Qt::AlignRight | Qt::AlignVCenter,
              time ? quantity(tick.value, Quantity::duration_ns) : loss_text(tick.value), theme_->text_secondary);
  }
  for (const StepChart::Part& part : chart.parts) {
    painter.setPen(QPen(theme_->border, 1, Qt::DashLine));
    if (part.begin > chart.plot.left() + 1)
      painter.drawLine(QPointF(part.begin, 0), QPointF(part.begin, chart.plot.bottom()));
    constexpr double kNarrowest = 40;
    if (part.end - part.begin > kNarrowest)
      draw_text(painter, QRectF(part.begin + 4, 0, part.end - part.begin - 8, chart.plot.top()),
                Qt::AlignLeft | Qt::AlignVCenter, displayed(part.title), theme_->text_secondary);
  }
  draw_text(painter, QRectF(0, 0, kAxisRoom - kGrid, chart.plot.top()), Qt::AlignRight | Qt::AlignVCenter,
            time ? tr("Step time") : tr("Loss"), theme_->text);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor band = theme_->measure;
  band.setAlphaF(0.2F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(band);
  for (const QPolygonF& polygon : chart.bands) painter.drawPolygon(polygon);
  painter.setBrush(theme_->measure);
  for (const QPolygonF& points : chart.lines)
    if (points.size() == 1) painter.drawEllipse(points.front(), 2.5, 2.5);
  for (const QPointF& at : chart.above) painter.drawPolygon(QPolygonF({at, at + QPointF(-4, 6), at + QPointF(4, 6)}));
  painter.setPen(QPen(theme_->measure, 1.5));
  painter.setBrush(Qt::NoBrush);
  for (const QPolygonF& points : chart.lines) painter.drawPolyline(points);
}

void RunPage::set_theme(const Theme& theme) {
  theme_ = &theme;
  const auto set = [](QLabel* l, const QColor& color) {
    QPalette p = l->palette();
    p.setColor(QPalette::WindowText, color);
    l->setPalette(p);
  };
  set(title_, theme.text);
  set(stage_, theme.text);
  for (QLabel* l : {left_, time_.title, measured_.title, rate_.title, bytes_.title, memory_.title, loss_.title})
    set(l, theme.text_secondary);
  times_->update();
  losses_->update();
}

}  // namespace views
