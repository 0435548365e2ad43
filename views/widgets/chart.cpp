// SPDX-License-Identifier: GPL-3.0-or-later
// Chart: theme, log axes, marks as a layer of their own, pictures as vectors.
#include "views/widgets/chart.h"

#include <QHelpEvent>
#include <QPicture>
#include <QToolTip>
#include <cmath>

namespace views {

/// The layer that paints Chart::marks above the grid and below nothing.
class ChartMarks : public QCPLayerable {
 public:
  explicit ChartMarks(Chart* chart) : QCPLayerable(chart, QStringLiteral("main")), chart_(chart) {}

 protected:
  void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
  void draw(QCPPainter* painter) override {
    painter->setFont(data_font());
    if (chart_->marks) chart_->marks(*painter, QRectF(chart_->axisRect()->rect()), *chart_->drawn_);
  }

 private:
  Chart* chart_;
};

namespace {

/// Powers of ten from 10 000 on, and below a hundredth; between them plain numbers: "5", not "5 x 10^0". Short axes
/// also have ticks at twice and five times each power.
class PlainLogTicker : public QCPAxisTickerLog {
 public:
  void set_own(std::vector<double> own) { own_ = std::move(own); }

 protected:
  QVector<double> createTickVector(double step, const QCPRange& range) override {
    if (const QVector<double> own = own_ticks(range); own.size() > 1) {
      dense_ = true;
      return own;
    }
    constexpr double kShort = 300;  // two and a half decades
    dense_ = range.lower > 0 && range.upper / range.lower < kShort;
    if (!dense_) return QCPAxisTickerLog::createTickVector(step, range);
    QVector<double> ticks;
    for (double power = std::pow(10, std::floor(std::log10(range.lower))); power <= range.upper; power *= 10) {
      for (const double times : {1.0, 2.0, 5.0}) {
        if (times * power >= range.lower && times * power <= range.upper) ticks << times * power;
      }
    }
    if (ticks.size() > 1) return ticks;
    dense_ = false;
    return QCPAxisTickerLog::createTickVector(step, range);
  }
  int getSubTickCount(double step) override { return dense_ ? 0 : QCPAxisTickerLog::getSubTickCount(step); }
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
    if (tick > 0.0099 && tick < 9999.5) return locale.toString(tick, 'g', 4);
    return QCPAxisTickerLog::getTickLabel(tick, locale, format, precision);
  }

 private:
  /// Those of the own values that are in sight and not too close to the one before.
  QVector<double> own_ticks(const QCPRange& range) const {
    constexpr double kClosest = 0.06;  // of the axis
    QVector<double> ticks;
    if (!(range.lower > 0)) return ticks;
    const double whole = std::log(range.upper / range.lower);
    for (const double value : own_)
      if (value >= range.lower && value <= range.upper &&
          (ticks.isEmpty() || std::log(value / ticks.back()) >= kClosest * whole))
        ticks << value;
    return ticks;
  }
  std::vector<double> own_;
  bool dense_ = false;
};

}  // namespace

Chart::Chart(QWidget* parent) : QCustomPlot(parent) {
  new ChartMarks(this);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  setNoAntialiasingOnDrag(true);
  setFocusPolicy(Qt::StrongFocus);
  axisRect()->setupFullAxesBox();
  for (QCPAxis* axis : {xAxis2, yAxis2}) {
    axis->setTicks(false);
    axis->setTickLabels(false);
  }
  apply(*theme_);
}

void Chart::use_log_axes() {
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    const auto ticker = QSharedPointer<PlainLogTicker>::create();
    ticker->setLogBase(10);
    axis->setTicker(ticker);
    axis->setNumberFormat(QStringLiteral("eb"));
    axis->setNumberPrecision(0);
    axis->grid()->setSubGridVisible(true);
  }
  for (QCPAxis* axis : {xAxis2, yAxis2}) axis->setScaleType(QCPAxis::stLogarithmic);
}

void Chart::set_x_ticks(std::vector<double> values) {
  if (const auto ticker = xAxis->ticker().dynamicCast<PlainLogTicker>()) ticker->set_own(std::move(values));
}

void Chart::set_titles(const QString& x, const QString& y) {
  xAxis->setLabel(x);
  yAxis->setLabel(y);
}

void Chart::set_home(const ChartRange& range) {
  home_ = range;
  xAxis->setRange(range.x_low, range.x_high);
  yAxis->setRange(range.y_low, range.y_high);
  replot(rpQueuedReplot);
}

ChartRange Chart::range() const {
  return {xAxis->range().lower, xAxis->range().upper, yAxis->range().lower, yAxis->range().upper};
}

void Chart::apply(const Theme& theme) {
  drawn_ = &theme;
  setBackground(theme.surface);
  const QFont font = data_font();
  for (QCPAxis* axis : axisRect()->axes()) {
    axis->setBasePen(QPen(theme.border));
    axis->setTickPen(QPen(theme.border));
    axis->setSubTickPen(QPen(theme.border));
    axis->setTickLabelColor(theme.text_secondary);
    axis->setLabelColor(theme.text);
    axis->setTickLabelFont(font);
    axis->setLabelFont(font);
    axis->grid()->setPen(QPen(theme.grid));
    QColor faint = theme.grid;
    faint.setAlphaF(0.5f);
    axis->grid()->setSubGridPen(QPen(faint));
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
}

void Chart::set_theme(const Theme& theme) {
  theme_ = &theme;
  apply(theme);
  replot(rpQueuedReplot);
}

void Chart::draw(QPainter& p, const QRectF& rect, const Theme& theme) {
  // QCustomPlot wants a painter of its own kind; a QPicture carries its strokes over to any other as vectors.
  QPicture picture;
  apply(theme);
  {
    QCPPainter recorder;
    recorder.begin(&picture);
    recorder.setMode(QCPPainter::pmVectorized);
    recorder.setMode(QCPPainter::pmNoCaching);
    toPainter(&recorder, static_cast<int>(rect.width()), static_cast<int>(rect.height()));
    recorder.end();
  }
  apply(*theme_);
  p.drawPicture(rect.topLeft(), picture);
  replot(rpQueuedReplot);
}

bool Chart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !tip) return QCustomPlot::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = tip(help->pos());
  if (text.isEmpty()) QToolTip::hideText();
  else QToolTip::showText(help->globalPos(), text, this);
  return true;
}

void Chart::leaveEvent(QEvent* event) {
  QCustomPlot::leaveEvent(event);
  emit left();
}

void Chart::resizeEvent(QResizeEvent* event) {
  // QCustomPlot would paint into buffers without pixels and complain about each.
  if (!event->size().isEmpty()) QCustomPlot::resizeEvent(event);
}

void Chart::mousePressEvent(QMouseEvent* event) {
  press_ = event->position();
  QCustomPlot::mousePressEvent(event);
}

void Chart::mouseReleaseEvent(QMouseEvent* event) {
  QCustomPlot::mouseReleaseEvent(event);
  const bool still = (event->position() - press_).manhattanLength() <= QApplication::startDragDistance() / 2.0;
  if (event->button() == Qt::LeftButton && still) emit clicked(event->position());
}

void Chart::mouseMoveEvent(QMouseEvent* event) {
  QCustomPlot::mouseMoveEvent(event);
  if (event->buttons() == Qt::NoButton) emit hovered(event->position());
}

void Chart::mouseDoubleClickEvent(QMouseEvent* event) {
  QCustomPlot::mouseDoubleClickEvent(event);
  set_home(home_);
}

}  // namespace views
