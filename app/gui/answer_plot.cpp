// SPDX-License-Identifier: GPL-3.0-or-later
// AnswerPlot.
#include "app/gui/answer_plot.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace app::gui {
namespace {

constexpr double kStep = 0.02, kSmallStep = 0.005, kDot = 5;

QString from(const std::string& text) { return views::displayed(QString::fromStdString(text)); }
QString short_number(double value) {
  constexpr double kLong = 1e6;
  const bool plain = std::abs(value) >= 1000 && std::abs(value) < kLong;
  return QLocale(QLocale::English).toString(value, plain ? 'f' : 'g', plain ? 0 : 3);
}

}  // namespace

AnswerPlot::AnswerPlot(const profiler::LessonQuestion& question, const profiler::GivenAnswer* given, QWidget* parent)
    : QWidget(parent), question_(question), across_(question.across()), up_(question.axis()) {
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(220, 160);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setCursor(Qt::CrossCursor);
  setAccessibleName(is_point() ? tr("Your dot on the roofline. Arrow keys move it.")
                               : tr("Your curve. Left and right choose a place, up and down move it."));
  setToolTip(is_point()
                 ? tr("Click, or move the dot with the arrow keys. Shift makes small steps.")
                 : tr("Draw with the mouse. Or choose a place with left and right, and move it with up and down."));
  if (given != nullptr) {
    if (is_point()) shares_ = {across_.place(given->numbers.at(0)), up_.place(given->numbers.at(1))};
    else
      for (const double value : given->numbers) shares_.push_back(up_.place(value));
  }
  setAccessibleDescription(words());
}

void AnswerPlot::set_roofs(double flop_per_s, double bytes_per_s) {
  flop_per_s_ = flop_per_s;
  bytes_per_s_ = bytes_per_s;
  update();
}

std::optional<profiler::GivenAnswer> AnswerPlot::answer() const {
  if (shares_.empty()) return std::nullopt;
  profiler::GivenAnswer answer;
  if (is_point()) answer.numbers = {across_.value_at(shares_[0]), up_.value_at(shares_[1])};
  else
    for (const double share : shares_) answer.numbers.push_back(up_.value_at(share));
  return answer;
}

QString AnswerPlot::words() const {
  if (shares_.empty()) return tr("nothing is placed yet");
  if (is_point())
    return QStringLiteral("%1, %2").arg(views::quantity(across_.value_at(shares_[0]), profiler::Quantity::intensity),
                                        views::quantity(up_.value_at(shares_[1]), profiler::Quantity::flop_per_s));
  return QStringLiteral("%1 %2: %3 %4")
      .arg(short_number(question_.at[current_]), from(question_.at_unit), short_number(up_.value_at(shares_[current_])),
           from(question_.unit));
}

QSize AnswerPlot::sizeHint() const {
  const int line = fontMetrics().height();
  return {24 * line, 15 * line};
}

QRectF AnswerPlot::axes() const {
  const QFontMetricsF metrics(font());
  double beside = 0;
  for (const double tick : up_.ticks())
    beside =
        std::max(beside, metrics.horizontalAdvance(is_point() ? views::quantity(tick, profiler::Quantity::flop_per_s)
                                                              : short_number(tick)));
  return QRectF(rect()).adjusted(beside + 12, metrics.height() + 6, -12, -2 * metrics.height() - 8);
}

QPointF AnswerPlot::at(double across, double up) const {
  const QRectF box = axes();
  return {box.left() + box.width() * across, box.bottom() - box.height() * up};
}

QPointF AnswerPlot::shares_at(QPointF pixel) const {
  const QRectF box = axes();
  return {std::clamp((pixel.x() - box.left()) / box.width(), 0.0, 1.0),
          std::clamp((box.bottom() - pixel.y()) / box.height(), 0.0, 1.0)};
}

void AnswerPlot::begin() {
  constexpr double kMiddle = 0.5;
  if (shares_.empty()) shares_.assign(is_point() ? 2 : question_.at.size(), kMiddle);
}

void AnswerPlot::place(QPointF shares) {
  if (is_point()) {
    shares_ = {shares.x(), shares.y()};
    return tell();
  }
  const bool first = shares_.empty();
  begin();
  if (first) std::ranges::fill(shares_, shares.y());
  size_t nearest = 0;
  for (size_t i = 1; i < question_.at.size(); ++i)
    if (std::abs(across_.place(question_.at[i]) - shares.x()) <
        std::abs(across_.place(question_.at[nearest]) - shares.x()))
      nearest = i;
  // A quick mouse passes places that it never reports: they lie on the line from the last one.
  const size_t from = last_.value_or(nearest);
  const double begin_share = shares_[from];
  for (size_t i = std::min(from, nearest); i <= std::max(from, nearest); ++i) {
    const double part = from == nearest ? 1
                                        : (static_cast<double>(i) - static_cast<double>(from)) /
                                              (static_cast<double>(nearest) - static_cast<double>(from));
    shares_[i] = begin_share + (shares.y() - begin_share) * part;
  }
  last_ = current_ = nearest;
  tell();
}

void AnswerPlot::tell() {
  setAccessibleDescription(words());
  update();
  emit changed();
}

void AnswerPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  setFocus(Qt::MouseFocusReason);
  last_.reset();
  place(shares_at(event->position()));
}

void AnswerPlot::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) place(shares_at(event->position()));
}

void AnswerPlot::keyPressEvent(QKeyEvent* event) {
  const int right = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int up = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
  if (right == 0 && up == 0) return QWidget::keyPressEvent(event);
  const double step = (event->modifiers() & Qt::ShiftModifier) != 0 ? kSmallStep : kStep;
  begin();
  if (is_point()) {
    shares_[0] = std::clamp(shares_[0] + right * step, 0.0, 1.0);
  } else {
    const auto last = static_cast<std::ptrdiff_t>(shares_.size()) - 1;
    current_ = static_cast<size_t>(std::clamp(static_cast<std::ptrdiff_t>(current_) + right, std::ptrdiff_t{0}, last));
  }
  double& moved = is_point() ? shares_[1] : shares_[current_];
  moved = std::clamp(moved + up * step, 0.0, 1.0);
  tell();
}

void AnswerPlot::focusInEvent(QFocusEvent*) { update(); }
void AnswerPlot::focusOutEvent(QFocusEvent*) { update(); }

void AnswerPlot::paint_axes(QPainter& p) const {
  const QRectF box = axes();
  const double line = QFontMetricsF(font()).height();
  const QColor text = palette().color(QPalette::WindowText);
  p.setPen(palette().color(QPalette::Mid));
  p.drawRect(box);
  const auto across = is_point() ? across_.ticks() : question_.at;
  double free_from = -1e9;
  for (const double tick : across) {
    const double x = at(across_.place(tick), 0).x();
    p.setPen(palette().color(QPalette::Mid));
    p.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
    const double width = views::text_width(font(), short_number(tick)) + 2;
    if (x - width / 2 < free_from) continue;
    const double left = std::min(x - width / 2, this->width() - width);
    views::draw_text(p, QRectF(left, box.bottom() + 3, width, line), Qt::AlignCenter, short_number(tick), text);
    free_from = x + width / 2 + 6;
  }
  for (const double tick : up_.ticks()) {
    const double y = at(0, up_.place(tick)).y();
    p.setPen(palette().color(QPalette::Mid));
    p.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
    const QString words = is_point() ? views::quantity(tick, profiler::Quantity::flop_per_s) : short_number(tick);
    views::draw_text(p, QRectF(0, y - line / 2, box.left() - 6, line), Qt::AlignRight | Qt::AlignVCenter, words, text);
  }
  const QString title = is_point() ? tr("Arithmetic intensity [FLOP/B]") : from(question_.at_unit);
  views::draw_text(p, QRectF(box.left(), box.bottom() + line + 5, box.width(), line), Qt::AlignCenter, title, text);
  if (!is_point())
    views::draw_text(p, QRectF(0, 0, width(), line + 4), Qt::AlignLeft | Qt::AlignVCenter, from(question_.unit), text);
}

void AnswerPlot::paint_roofs(QPainter& p) const {
  if (!is_point() || !(flop_per_s_ > 0) || !(bytes_per_s_ > 0)) return;
  QPolygonF roof;
  constexpr int kParts = 60;
  for (int i = 0; i <= kParts; ++i) {
    const double share = static_cast<double>(i) / kParts;
    const double rate = std::min(flop_per_s_, across_.value_at(share) * bytes_per_s_);
    roof << at(share, up_.place(rate));
  }
  p.setPen(QPen(palette().color(QPalette::WindowText), 2));
  p.drawPolyline(roof);
}

void AnswerPlot::paint_answer(QPainter& p) const {
  const QColor colour = palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::Highlight);
  p.setPen(QPen(colour, 2));
  p.setBrush(colour);
  if (shares_.empty()) {
    views::draw_text(p, axes(), Qt::AlignCenter,
                     is_point() ? tr("Click where the dot will be") : tr("Draw the curve here"),
                     palette().color(QPalette::WindowText));
    return;
  }
  if (is_point()) {
    p.drawEllipse(at(shares_[0], shares_[1]), kDot + 1, kDot + 1);
    return;
  }
  QPolygonF curve;
  for (size_t i = 0; i < shares_.size(); ++i) curve << at(across_.place(question_.at[i]), shares_[i]);
  p.drawPolyline(curve);
  for (qsizetype i = 0; i < curve.size(); ++i) {
    const bool chosen = hasFocus() && static_cast<size_t>(i) == current_;
    p.setBrush(chosen ? palette().color(QPalette::Base) : colour);
    p.drawEllipse(curve[i], kDot, kDot);
  }
}

void AnswerPlot::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  p.fillRect(axes(), palette().color(QPalette::Base));
  paint_axes(p);
  paint_roofs(p);
  paint_answer(p);
  if (hasFocus()) views::draw_focus_frame(p, axes().adjusted(-2, -2, 2, 2).toRect(), palette());
}

}  // namespace app::gui
