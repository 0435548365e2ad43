// SPDX-License-Identifier: GPL-3.0-or-later
// Walking down pages.
#include "views/report/page_flow.h"

#include <QFontMetricsF>
#include <QTextLayout>
#include <algorithm>
#include <numeric>

#include "views/base/paint.h"

namespace views {

namespace {

constexpr double kMargin = 44;  // px: 12 mm
constexpr double kFoot = 18, kCellPad = 5, kRowPad = 3;
constexpr double kLeastColumn = 56, kTableFont = 0.75;
constexpr size_t kMeasuredRows = 300;

/// The lines of a paragraph; drawn later, wherever each lands.
class Lines {
 public:
  Lines(const QString& text, const QFont& font, double width, Qt::Alignment align) : layout_(text, font) {
    QTextOption option(align);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout_.setTextOption(option);
    layout_.beginLayout();
    for (QTextLine line = layout_.createLine(); line.isValid(); line = layout_.createLine()) {
      line.setLineWidth(std::max(width, 8.0));
      line.setPosition({0, 0});
    }
    layout_.endLayout();
  }
  int count() const { return layout_.lineCount(); }
  double height(int i) const { return layout_.lineAt(i).height(); }
  double height() const {
    double sum = 0;
    for (int i = 0; i < count(); ++i) sum += height(i);
    return sum;
  }
  void draw(QPainter& painter, int i, const QPointF& at) const { layout_.lineAt(i).draw(&painter, at); }

 private:
  QTextLayout layout_;
};

QFont table_font(bool bold = false) { return scaled_font(data_font(), kTableFont, bold); }

QString cell_text(const profiler::ReportTable& table, size_t row, size_t column) {
  return QString::fromStdString(profiler::shown_cell(table, row, column).text);
}

size_t rows_on_paper(const profiler::ReportTable& table) {
  return table.paper_rows == 0 ? table.table.rows.size() : std::min(table.paper_rows, table.table.rows.size());
}

bool numeric(const profiler::Column& c) { return c.quantity != profiler::Quantity::text; }

}  // namespace

double wrapped_text(QPainter* painter, const QPointF& at, double width, const QString& text, const QFont& font,
                    const QColor& color, Qt::Alignment align) {
  const Lines lines(text, font, width, align);
  if (painter != nullptr) {
    painter->setPen(color);
    double y = at.y();
    for (int i = 0; i < lines.count(); ++i) {
      lines.draw(*painter, i, {at.x(), y});
      y += lines.height(i);
    }
  }
  return lines.height();
}

void origin_mark(QPainter& p, const QRectF& rect, profiler::Origin origin, const QColor& color) {
  p.save();
  p.setRenderHint(QPainter::Antialiasing);
  const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
  p.setPen(QPen(color, 1,
                origin == profiler::Origin::specified  ? Qt::DashLine
                : origin == profiler::Origin::emulated ? Qt::DotLine
                                                       : Qt::SolidLine));
  const bool filled = origin == profiler::Origin::exact || origin == profiler::Origin::measured;
  p.setBrush(filled ? QBrush(color) : Qt::NoBrush);
  if (origin == profiler::Origin::exact) p.drawEllipse(inner);
  else p.drawRect(inner);
  if (origin == profiler::Origin::simulated) {
    for (double x = 3; x < rect.width() + rect.height(); x += 3) {
      const double low = std::min(x, rect.height()), right = std::min(x, rect.width());
      p.drawLine(QPointF(rect.left() + x - low, rect.top() + low),
                 QPointF(rect.left() + right, rect.top() + x - right));
    }
  }
  p.restore();
}

PageFlow::PageFlow(QPdfWriter& writer, const QString& foot, int pages)
    : writer_(writer), painter_(&writer), foot_(foot), pages_(pages) {
  const QRectF page(0, 0, writer.width(), writer.height());
  area_ = page.adjusted(kMargin, kMargin, -kMargin, -kMargin - kFoot);
  y_ = area_.top();
  draw_foot();
}

void PageFlow::draw_foot() {
  const QFont font = scaled_font(data_font(), kTableFont);
  painter_.setFont(font);
  const QRectF line(area_.left(), area_.bottom() + kFoot / 2, area_.width(), kFoot);
  const QString number = pages_ > 0 ? QObject::tr("page %1 of %2").arg(page_).arg(pages_) : QString();
  draw_text(painter_, line.adjusted(0, 0, -100, 0), Qt::AlignLeft | Qt::AlignVCenter, foot_,
            Theme::light().text_secondary);
  draw_text(painter_, line, Qt::AlignRight | Qt::AlignVCenter, number, Theme::light().text_secondary);
}

void PageFlow::new_page() {
  writer_.newPage();
  ++page_;
  y_ = area_.top();
  draw_foot();
}

void PageFlow::need(double height) {
  if (y_ + height > area_.bottom() + 0.5 && y_ > area_.top()) new_page();
}

void PageFlow::bookmark(const QString& title, bool child) {
  constexpr double kPointsPerPx = 72.0 / 96;
  bookmarks_.push_back({title, page_, (y_ - 4) * kPointsPerPx, child});
}

void PageFlow::text(const QString& text, const QFont& font, const QColor& color, double indent) {
  const Lines lines(text, font, area_.width() - indent, Qt::AlignLeft);
  for (int i = 0; i < lines.count(); ++i) {
    need(lines.height(i));
    painter_.setPen(color);
    lines.draw(painter_, i, {area_.left() + indent, y_});
    y_ += lines.height(i);
  }
}

void PageFlow::picture(const QSizeF& size, const std::function<void(QPainter&, const QRectF&)>& paint) {
  const double whole = std::min(1.0, area_.width() / size.width());
  // a picture that nearly fits is made a little smaller rather than leaving most of a page empty
  const double left = area_.bottom() - y_, here = std::min(whole, left / size.height());
  double scale = here;
  const double at_best = std::min(whole, area_.height() / size.height());
  if (here < 0.75 * at_best) {
    need(area_.height());
    scale = std::min(whole, (area_.bottom() - y_) / size.height());
  }
  painter_.save();
  painter_.translate(area_.left(), y_);
  painter_.scale(scale, scale);
  paint(painter_, QRectF(QPointF(0, 0), size));
  painter_.restore();
  y_ += size.height() * scale;
}

/// Numbers get the room they need, texts share what is left.
std::vector<double> PageFlow::column_widths(const profiler::ReportTable& block) const {
  const profiler::Table& table = block.table;
  const QFontMetricsF metrics(table_font()), head(table_font(true));
  std::vector<double> natural;
  double numbers = 0, texts = 0;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool number = numeric(table.columns[c]);
    double width = head.horizontalAdvance(QString::fromStdString(table.columns[c].title)) + (number ? 12 : 0);
    for (size_t r = 0; r < std::min(rows_on_paper(block), kMeasuredRows); ++r)
      width = std::max(width, metrics.horizontalAdvance(cell_text(block, r, c)));
    natural.push_back(std::ceil(width) + 2 * kCellPad + 1);
    (number ? numbers : texts) += natural.back();
  }
  const double room = std::max(area_.width() - numbers, 0.2 * area_.width());
  if (texts > room) {
    // the widest give way first: each text column gets at most `limit`
    double limit = room;
    for (int round = 0; round < 40; ++round) {
      double used = 0;
      for (size_t c = 0; c < natural.size(); ++c) used += numeric(table.columns[c]) ? 0 : std::min(natural[c], limit);
      if (used <= room) break;
      limit *= 0.93;
    }
    for (size_t c = 0; c < natural.size(); ++c) {
      if (!numeric(table.columns[c]))
        natural[c] = std::max(std::min(natural[c], limit), std::min(natural[c], kLeastColumn));
    }
  }
  const double sum = std::accumulate(natural.begin(), natural.end(), 0.0);
  if (sum > area_.width()) {
    for (double& width : natural) width *= area_.width() / sum;
  }
  return natural;
}

void PageFlow::table_head(const profiler::Table& table, const std::vector<double>& widths) {
  const QFont font = table_font(true);
  const Theme& theme = Theme::light();
  double x = area_.left(), height = 0;
  for (size_t c = 0; c < widths.size(); ++c) {
    const profiler::Column& column = table.columns[c];
    const bool number = numeric(column);
    const double mark = number ? 11 : 0;
    const QString title = QString::fromStdString(column.title);
    const double room = widths[c] - 2 * kCellPad - mark;
    const double used = wrapped_text(&painter_, {x + kCellPad + mark, y_}, room, title, font, theme.text,
                                     number ? Qt::AlignRight : Qt::AlignLeft);
    if (number) {
      const double text = std::min(room, QFontMetricsF(font).horizontalAdvance(title));
      origin_mark(painter_, QRectF(x + widths[c] - kCellPad - text - mark, y_ + 2, 8, 8), column.origin,
                  theme.text_secondary);
    }
    height = std::max(height, used);
    x += widths[c];
  }
  y_ += height + kRowPad;
  painter_.setPen(QPen(theme.text_secondary, 1));
  painter_.drawLine(QPointF(area_.left(), y_), QPointF(x, y_));
  y_ += kRowPad;
}

double PageFlow::cell(QPainter* painter, const QPointF& at, double width, const profiler::ReportTable& block,
                      size_t row, size_t column) const {
  const QFont font = table_font();
  const QString text = cell_text(block, row, column);
  const QColor& color = Theme::light().text;
  const bool number = numeric(block.table.columns[column]);
  if (block.text_limit == 0)
    return wrapped_text(painter, at, width, text, font, color, number ? Qt::AlignRight : Qt::AlignLeft);
  const QFontMetricsF metrics(font);
  const QString fits = metrics.elidedText(text, Qt::ElideMiddle, width + 1);
  return wrapped_text(painter, at, width + 2, fits, font, color, number ? Qt::AlignRight : Qt::AlignLeft);
}

void PageFlow::table(const profiler::ReportTable& block) {
  const profiler::Table& table = block.table;
  if (table.rows.empty() || table.columns.empty()) return;
  const Theme& theme = Theme::light();
  const QFont font = table_font();
  const std::vector<double> widths = column_widths(block);
  need(6 * QFontMetricsF(font).height());
  if (!block.title.empty()) text(QString::fromStdString(block.title), scaled_font(data_font(), 1.0, true), theme.text);
  skip(kRowPad);
  table_head(table, widths);
  for (size_t r = 0; r < rows_on_paper(block); ++r) {
    double height = 0;
    for (size_t c = 0; c < widths.size(); ++c)
      height = std::max(height, cell(nullptr, {}, widths[c] - 2 * kCellPad, block, r, c));
    const int before = page_;
    need(height + 2 * kRowPad);
    if (page_ != before) table_head(table, widths);
    double x = area_.left();
    for (size_t c = 0; c < widths.size(); ++c) {
      cell(&painter_, {x + kCellPad, y_}, widths[c] - 2 * kCellPad, block, r, c);
      x += widths[c];
    }
    y_ += height + kRowPad / 2;
    painter_.setPen(QPen(theme.grid, 0.5));
    painter_.drawLine(QPointF(area_.left(), y_), QPointF(x, y_));
    y_ += kRowPad / 2;
  }
  if (const size_t left = table.rows.size() - rows_on_paper(block); left > 0) {
    skip(kRowPad);
    text(QObject::tr("%n more in the HTML report.", nullptr, static_cast<int>(left)), font, theme.text_secondary);
  }
}

}  // namespace views
