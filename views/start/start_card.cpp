// SPDX-License-Identifier: GPL-3.0-or-later
// Cards and rows of the start page.
#include "views/start/start_card.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>
#include <algorithm>

#include "views/base/paint.h"

namespace views {
namespace {

constexpr qreal kPad = kGrid, kPicture = 40;
constexpr int kRunWidth = 64;

qreal line_height(const QFont& font) { return QFontMetricsF(font).height(); }

}  // namespace

QStringList lines_of(const QString& words, const QFont& font, qreal width, int most_lines) {
  QTextLayout layout(words, font);
  QStringList lines;
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(std::max(width, 1.0));
    const bool last = lines.size() + 1 == most_lines;
    const bool more = line.textStart() + line.textLength() < words.size();
    if (last && more) {
      lines << QFontMetricsF(font).elidedText(words.mid(line.textStart()), Qt::ElideRight, width);
      break;
    }
    lines << words.mid(line.textStart(), line.textLength()).trimmed();
    if (last) break;
  }
  layout.endLayout();
  return lines;
}

int card_height(const QFont& font, int lines) {
  const qreal texts = line_height(scaled_font(font, 1.1, true)) + lines * line_height(font);
  return static_cast<int>(std::ceil(std::max(kPicture, texts) + 1.5 * kPad));
}

CardLayout card_layout(QSize size, const QFont& font, bool has_run) {
  CardLayout layout;
  const qreal title = line_height(scaled_font(font, 1.1, true)), line = line_height(font);
  const qreal room = size.height() - kPad;
  layout.lines = std::max(1, static_cast<int>((room - title) / line));
  layout.picture = QRectF(kPad, (size.height() - kPicture) / 2, kPicture, kPicture);
  const qreal left = layout.picture.right() + 1.5 * kPad;
  const qreal right = size.width() - kPad - (has_run ? kRunWidth + kPad : 0);
  const qreal top = kPad / 2 + std::max(0.0, (room - title - layout.lines * line) / 2);
  layout.title = QRectF(left, top, std::max(0.0, right - left), title);
  layout.words = QRectF(left, top + title, std::max(0.0, right - left), layout.lines * line);
  constexpr int kRunHeight = 28;
  layout.run =
      QRect(size.width() - static_cast<int>(kPad) - kRunWidth, (size.height() - kRunHeight) / 2, kRunWidth, kRunHeight);
  return layout;
}

WorkloadCard::WorkloadCard(const QString& key, const QString& title, const QString& words, bool run, const Theme& theme,
                           QWidget* parent)
    : QPushButton(parent), title_(title), words_(words), picture_(workload_picture(key)), theme_(&theme) {
  setFlat(true);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  if (!run) return;
  run_ = new QPushButton(tr("▶ Run"), this);
  run_->setCursor(Qt::ArrowCursor);
  run_->setAccessibleName(tr("Run %1").arg(title));
  set_runnable(true);
  connect(run_, &QPushButton::clicked, this, &WorkloadCard::run_clicked);
}

void WorkloadCard::set_runnable(bool runnable) {
  if (run_ == nullptr) return;
  run_->setEnabled(runnable);
  run_->setToolTip(runnable ? tr("Runs %1 with its usual values now").arg(title_)
                            : tr("Another run is in progress. Cancel it or wait for its end."));
}

void WorkloadCard::resizeEvent(QResizeEvent* e) {
  QPushButton::resizeEvent(e);
  if (run_ != nullptr) run_->setGeometry(card_layout(size(), data_font(), true).run);
}

void WorkloadCard::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(underMouse() ? theme_->accent : theme_->border, 1));
  painter.setBrush(theme_->surface);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  if (hasFocus()) draw_focus_frame(painter, rect(), palette());
  const QFont font = data_font();
  const CardLayout layout = card_layout(size(), font, run_ != nullptr);
  draw_picture(painter, layout.picture, picture_, *theme_);
  painter.setFont(scaled_font(font, 1.1, true));
  draw_text(painter, layout.title, Qt::AlignLeft | Qt::AlignVCenter, title_, theme_->text);
  painter.setFont(font);
  const qreal line = line_height(font);
  QRectF at = layout.words;
  at.setHeight(line);
  for (const QString& words : lines_of(words_, font, layout.words.width(), layout.lines)) {
    draw_text(painter, at, Qt::AlignLeft | Qt::AlignVCenter, words, theme_->text_secondary);
    at.translate(0, line);
  }
}

FileRow::FileRow(const QString& title, const QString& detail, const Theme& theme, QWidget* parent)
    : QPushButton(parent), title_(title), detail_(detail), theme_(&theme) {
  setFlat(true);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setAccessibleName(title);
  setAccessibleDescription(detail);
}

QSize FileRow::sizeHint() const {
  const qreal lines = line_height(data_font()) + (detail_.isEmpty() ? 0 : line_height(scaled_font(data_font(), 0.9)));
  return {200, static_cast<int>(std::ceil(lines)) + kGrid / 2};
}

void FileRow::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (isEnabled() && underMouse()) painter.fillRect(rect(), theme_->selection);
  if (hasFocus()) draw_focus_frame(painter, rect(), palette());
  const QFont font = data_font(), small = scaled_font(font, 0.9);
  QRectF at = QRectF(rect()).adjusted(kGrid / 2.0, kGrid / 4.0, -kGrid / 2.0, 0);
  at.setHeight(line_height(font));
  painter.setFont(font);
  draw_text(painter, at, Qt::AlignLeft | Qt::AlignVCenter, title_,
            isEnabled() ? theme_->accent : palette().color(QPalette::Disabled, QPalette::ButtonText));
  at.translate(0, at.height());
  at.setHeight(line_height(small));
  painter.setFont(small);
  draw_text(painter, at, Qt::AlignLeft | Qt::AlignVCenter, detail_,
            isEnabled() ? theme_->text_secondary : palette().color(QPalette::Disabled, QPalette::ButtonText));
}

}  // namespace views
