// SPDX-License-Identifier: GPL-3.0-or-later
// BesidePanel: a choice above, the picture below.
#include "views/beside/beside_panel.h"

#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {

namespace {

/// What is known of a figure, in words for a tooltip.
QString words_of(const profiler::DeviceFigures& device, profiler::DeviceTrait trait) {
  const profiler::DeviceFigure& figure = device.of(trait);
  const QString value = text(profiler::shown(trait, figure.value));
  const QString origin = std::isnan(figure.value) ? BesidePanel::tr("unknown") : origin_text(figure.origin);
  return figure.note.empty()
             ? BesidePanel::tr("%1: %2 (%3)").arg(text(device.name), value, origin)
             : BesidePanel::tr("%1: %2 (%3, %4)").arg(text(device.name), value, origin, quoted_commands(figure.note));
}

}  // namespace

BesidePanel::BesidePanel(QWidget* parent)
    : QWidget(parent), choice_(new QComboBox(this)), sentence_(new QLabel(this)), canvas_(new Canvas(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* top = new QHBoxLayout;
  auto* label = new QLabel(tr("Beside this processor"), this);
  choice_->setObjectName(QStringLiteral("beside.choice"));
  choice_->setAccessibleName(tr("Device beside this processor"));
  label->setBuddy(choice_);
  top->addWidget(label);
  top->addWidget(choice_);
  top->addStretch();
  column->addLayout(top);
  sentence_->setObjectName(QStringLiteral("beside.sentence"));
  sentence_->setWordWrap(true);
  sentence_->setTextFormat(Qt::PlainText);
  column->addWidget(sentence_);
  canvas_->setAccessibleName(tr("Both devices: units with lanes, then a pair of bars per figure"));
  canvas_->setMinimumHeight(380);
  canvas_->paint = [this](QPainter& p, const QRectF& r) { paint(p, r); };
  canvas_->tip = [this](QPointF at) { return tip_at(at); };
  connect(canvas_, &Canvas::resized, this, &BesidePanel::lay_out);
  column->addWidget(canvas_, 1);
  connect(choice_, &QComboBox::currentIndexChanged, this, &BesidePanel::lay_out);
}

void BesidePanel::set_theme(const Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

void BesidePanel::offer(profiler::DeviceFigures left, std::vector<profiler::DeviceFigures> others, size_t chosen) {
  left_ = std::move(left);
  others_ = std::move(others);
  choice_->clear();
  for (const profiler::DeviceFigures& device : others_)
    choice_->addItem(tr("%1: %2").arg(text(device.name), text(device.what)));
  if (chosen < others_.size()) choice_->setCurrentIndex(static_cast<int>(chosen));
  lay_out();
}

const profiler::DeviceFigures* BesidePanel::right() const {
  const int index = choice_->currentIndex();
  return index >= 0 && static_cast<size_t>(index) < others_.size() ? &others_[static_cast<size_t>(index)] : nullptr;
}

void BesidePanel::lay_out() {
  const profiler::DeviceFigures* other = right();
  if (other == nullptr) return;
  const QFontMetricsF metrics(scaled_font(data_font(), 0.9));
  layout_ = layout_beside(QRectF(canvas_->rect()), left_, *other, metrics.height() + 1);
  QStringList sentences;
  for (const std::string& sentence : profiler::beside_sentences({left_, *other})) sentences << text(sentence);
  sentence_->setText(sentences.value(0, tr("Not all figures are known; point at a row to see why.")));
  sentence_->setToolTip(plain_tip(sentences.join(QLatin1Char('\n'))));
  canvas_->update();
}

QString BesidePanel::tip_at(QPointF at) const {
  const profiler::DeviceFigures* other = right();
  const int row = layout_.row_at(at);
  if (other == nullptr || row < 0) return {};
  const profiler::DeviceTrait trait = layout_.rows[static_cast<size_t>(row)].trait;
  Tip tip;
  tip.title = text(profiler::title_of(trait));
  tip.definition = words_of(left_, trait);
  tip.note = words_of(*other, trait);
  return tip.html();
}

void BesidePanel::paint(QPainter& p, const QRectF& area) const {
  p.fillRect(area, theme_->background);
  const profiler::DeviceFigures* other = right();
  if (other == nullptr) {
    draw_message(p, area, *theme_, tr("No device to hold beside"), tr("No GPU is known."));
    return;
  }
  const std::array<const profiler::DeviceFigures*, 2> both{&left_, other};
  const std::array<QColor, 2> colors{theme_->level(0), theme_->level(2)};
  p.setFont(scaled_font(data_font(), 0.9));
  for (size_t d = 0; d < both.size(); ++d) {
    const BesideLayout::Device& device = layout_.devices[d];
    draw_bold(p, device.title, Qt::AlignLeft | Qt::AlignVCenter,
              tr("%1: %2").arg(text(both[d]->name), text(both[d]->what)), theme_->text);
    for (const QRectF& unit : device.units) {
      if (device.lane_columns == 0 || layout_.lane < 2) {
        p.fillRect(unit, colors[d]);
        continue;
      }
      for (int lane = 0; lane < device.lanes; ++lane) {
        const double x = unit.left() + (lane % device.lane_columns) * layout_.lane,
                     y = unit.top() + std::floor(lane / device.lane_columns) * layout_.lane;
        p.fillRect(QRectF(x, y, layout_.lane - 0.5, layout_.lane - 0.5), colors[d]);
      }
    }
  }
  for (const BesideLayout::Row& row : layout_.rows) {
    draw_text(p, row.label, Qt::AlignLeft | Qt::AlignVCenter, text(profiler::title_of(row.trait)), theme_->text);
    for (size_t d = 0; d < row.bars.size(); ++d) {
      const BesideLayout::Bar& bar = row.bars[d];
      const profiler::DeviceFigure& figure = both[d]->of(row.trait);
      p.setPen(theme_->border);
      p.setBrush(Qt::NoBrush);
      p.drawRect(bar.track);
      if (bar.ratio > 0) {
        QRectF filled = bar.track;
        filled.setWidth(std::max(1.0, bar.track.width() * std::min(1.0, bar.ratio)));
        p.setPen(origin_pen(figure.origin, colors[d]));
        p.setBrush(origin_brush(figure.origin, colors[d]));
        p.drawRect(filled);
      }
      const QString value = text(profiler::shown(row.trait, figure.value));
      draw_text(p, bar.value, Qt::AlignLeft | Qt::AlignVCenter,
                std::isnan(figure.value) ? tr("– (%1)").arg(quoted_commands(figure.note))
                                         : tr("%1 (%2)").arg(value, origin_text(figure.origin)),
                std::isnan(figure.value) ? theme_->text_secondary : theme_->text);
    }
  }
}

}  // namespace views
