// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of a report: the answers and the picture, then the sections in their order.
#include "views/report/report_pages.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPdfWriter>
#include <algorithm>

#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/report/bars_paint.h"
#include "views/report/page_flow.h"

namespace views {

namespace {

using profiler::ReportFact;

constexpr int kDpi = 96;
constexpr double kSmall = 0.85;

QString words(const std::string& text) { return QString::fromStdString(text); }

/// Titles are files' names, which may be long.
QString shortened(const std::string& text, const QFont& font, double width) {
  return QFontMetricsF(font).elidedText(words(text), Qt::ElideMiddle, width);
}

class Pages {
 public:
  /// Without drawing its charts, a pass counts the pages.
  Pages(PageFlow& flow, const profiler::Report& report, const ReportPictures& pictures, bool draws)
      : flow_(flow), report_(report), pictures_(pictures), draws_(draws) {}
  void write();

 private:
  void first_page();
  void badge(const QString&);
  void lead(const profiler::ReportBars&);
  void answers();
  double answer(QPainter*, const QRectF&, const profiler::ReportAnswer&) const;
  double fact(QPainter*, const QPointF&, double width, double label_width, const ReportFact&) const;
  void section(const profiler::ReportSection&);
  void block(const profiler::ReportText&);
  void block(const profiler::ReportFacts&);
  void block(const profiler::ReportTable&);
  void block(const profiler::ReportFindings&);
  void block(const profiler::ReportCharts&);
  void block(const profiler::ReportOrigins&);

  PageFlow& flow_;
  const profiler::Report& report_;
  const ReportPictures& pictures_;
  const bool draws_;
  const Theme& theme_ = Theme::light();
  const QFont body_ = data_font(), small_ = scaled_font(data_font(), kSmall),
              bold_ = scaled_font(data_font(), 1.0, true);
};

/// Label at the left, mark, value and note at the right. The height.
double Pages::fact(QPainter* p, const QPointF& at, double width, double label_width, const ReportFact& f) const {
  const bool marked = f.quantity != profiler::Quantity::text;
  const double left = wrapped_text(p, at, label_width - kGrid, words(f.label), small_, theme_.text_secondary);
  const double x = at.x() + label_width;
  if (marked && p != nullptr) origin_mark(*p, QRectF(x, at.y() + 3, 8, 8), f.origin, theme_.text);
  const double from = x + (marked ? 14 : 0), room = at.x() + width - from;
  QString text = words(profiler::shown(f));
  if (!f.note.empty()) text += QStringLiteral("   (%1)").arg(words(f.note));
  return std::max(left, wrapped_text(p, {from, at.y()}, room, text, small_, theme_.text)) + 3;
}

double Pages::answer(QPainter* p, const QRectF& card, const profiler::ReportAnswer& a) const {
  const double pad = kGrid, x = card.left() + pad, width = card.width() - 2 * pad;
  double y = card.top() + pad;
  if (p != nullptr) {
    p->setPen(QPen(theme_.border, 1));
    p->setBrush(Qt::NoBrush);
    p->drawRect(card);
    p->fillRect(QRectF(card.left(), card.top(), card.width(), 3), theme_.accent);
  }
  y += wrapped_text(p, {x, y}, width, words(a.question), small_, theme_.text_secondary) + 2;
  const double size = a.headline.size() > 60 ? 1.05 : 1.3;
  y += wrapped_text(p, {x, y}, width, words(a.headline), scaled_font(body_, size, true), theme_.text) + 4;
  for (const std::string& sentence : a.sentences)
    y += wrapped_text(p, {x, y}, width, words(sentence), small_, theme_.text) + 4;
  y += 4;
  for (const ReportFact& f : a.facts) y += fact(p, {x, y}, width, (a.wide_labels ? 0.6 : 0.33) * width, f);
  return y + pad - card.top();
}

void Pages::answers() {
  const double gap = 2 * kGrid, width = (flow_.width() - gap) / 2;
  for (size_t i = 0; i < report_.answers.size(); i += 2) {
    double height = 0;
    for (size_t k = i; k < std::min(i + 2, report_.answers.size()); ++k)
      height = std::max(height, answer(nullptr, QRectF(0, 0, width, 0), report_.answers[k]));
    height = std::min(height, flow_.page_height());
    flow_.need(height);
    for (size_t k = i; k < std::min(i + 2, report_.answers.size()); ++k) {
      const QRectF card(flow_.x() + static_cast<double>(k - i) * (width + gap), flow_.y(), width, height);
      flow_.painter().save();
      flow_.painter().setClipRect(card.adjusted(-1, -1, 1, 1));
      answer(&flow_.painter(), card, report_.answers[k]);
      flow_.painter().restore();
    }
    flow_.skip(height + kGrid);
  }
}

void Pages::badge(const QString& text) {
  const QFontMetricsF metrics(small_);
  const double width = std::min(flow_.width(), metrics.horizontalAdvance(text) + 3 * kGrid);
  const QRectF rect(flow_.x(), flow_.y() + 2, width, metrics.height() + 6);
  QPainter& p = flow_.painter();
  p.setPen(QPen(theme_.warning, 1));
  p.setBrush(Qt::NoBrush);
  p.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
  p.setFont(small_);
  draw_text(p, rect.adjusted(kGrid, 0, -kGrid, 0), Qt::AlignCenter, text, theme_.warning);
  flow_.skip(rect.height() + 4);
}

/// What the page has left; a page of its own where that is too little.
void Pages::lead(const profiler::ReportBars& bars) {
  constexpr double kLeast = 120;
  if (bars.bars.empty() && bars.steps.size() < 2) return;
  flow_.need(kLeast);
  const BarsLayout layout = layout_bars(bars, {flow_.width(), flow_.left_over() - 2}, small_);
  paint_bars(flow_.painter(), {flow_.x(), flow_.y()}, layout, small_);
  flow_.skip(layout.height);
}

void Pages::first_page() {
  flow_.bookmark(words(report_.title));
  const QFont title = scaled_font(body_, 1.6, true);
  flow_.text(shortened(report_.title, title, 2 * flow_.width()), title, theme_.text);
  flow_.text(words(report_.subtitle), small_, theme_.text_secondary);
  if (const std::string doubt = profiler::badge_words(report_); !doubt.empty()) badge(words(doubt));
  flow_.skip(kGrid / 2.0);
  answers();
  if (report_.lead) lead(*report_.lead);
}

void Pages::block(const profiler::ReportText& text) {
  if (text.kind != profiler::ReportText::Kind::code) {
    flow_.text(words(text.text), small_,
               text.kind == profiler::ReportText::Kind::warning ? theme_.warning : theme_.text);
    return;
  }
  QFont code = small_;
  code.setFamily(QStringLiteral("DejaVu Sans Mono"));
  flow_.text(words(text.text), code, theme_.text, 2 * kGrid);
}

/// In two columns, filled row by row.
void Pages::block(const profiler::ReportFacts& b) {
  const double gap = 3 * kGrid, width = (flow_.width() - gap) / 2;
  for (size_t i = 0; i < b.facts.size(); i += 2) {
    const size_t end = std::min(i + 2, b.facts.size());
    double height = 0;
    for (size_t k = i; k < end; ++k) height = std::max(height, fact(nullptr, {}, width, 0.34 * width, b.facts[k]));
    flow_.need(height);
    for (size_t k = i; k < end; ++k) {
      fact(&flow_.painter(), {flow_.x() + static_cast<double>(k - i) * (width + gap), flow_.y()}, width, 0.34 * width,
           b.facts[k]);
    }
    flow_.skip(height);
  }
}

void Pages::block(const profiler::ReportTable& b) {
  flow_.table(b);
  if (!b.rest.empty()) flow_.text(words(b.rest), small_, theme_.text_secondary);
}

void Pages::block(const profiler::ReportFindings& b) {
  int number = 0;
  for (const profiler::ReportFinding& finding : b.findings) {
    flow_.need(4 * QFontMetricsF(body_).height());
    flow_.text(QStringLiteral("%1.  %2").arg(++number).arg(words(finding.claim)), bold_, theme_.text);
    // Short pieces of evidence share a line: paper is scarce.
    QString line;
    const auto put = [&] {
      if (!line.isEmpty()) flow_.text(QStringLiteral("•  ") + line, small_, theme_.text, 2 * kGrid);
      line.clear();
    };
    const double room = flow_.width() - 5 * kGrid;
    for (const std::string& piece : finding.evidence) {
      const QString next = words(piece);
      if (!line.isEmpty() && QFontMetricsF(small_).horizontalAdvance(line + next) > room) put();
      if (!line.isEmpty()) line += line.back() == QLatin1Char('.') ? QStringLiteral(" ") : QStringLiteral("  ·  ");
      line += next;
    }
    put();
    if (!finding.advice.empty())
      flow_.text(QStringLiteral("→  ") + words(finding.advice), small_, theme_.accent, 2 * kGrid);
    flow_.skip(kGrid);
  }
}

void Pages::block(const profiler::ReportCharts&) {
  bool first = true;
  for (const ReportPictures::Picture& picture : pictures_.pictures()) {
    if (!first) flow_.new_page();
    first = false;
    flow_.bookmark(picture.title, true);
    flow_.text(picture.title, bold_, theme_.text);
    flow_.text((picture.why + QLatin1Char(' ') + picture.help).trimmed(), small_, theme_.text_secondary);
    flow_.skip(kGrid / 2.0);
    flow_.picture(picture.size, [&](QPainter& p, const QRectF& rect) {
      if (!draws_) return;
      p.setFont(data_font());
      picture.view->render_picture(p, rect, theme_);
    });
    flow_.skip(kGrid);
  }
}

void Pages::block(const profiler::ReportOrigins&) {
  flow_.text(QObject::tr("The mark of a number is its origin. An en dash (–) means unknown, never 0."), small_,
             theme_.text);
  flow_.skip(4);
  const double half = flow_.width() / 2;
  for (size_t first = 0; first < std::size(profiler::kOrigins); first += 2) {  // two in a row
    flow_.need(3 * QFontMetricsF(small_).height());
    double height = 0;
    for (size_t i = first; i < std::min(first + 2, std::size(profiler::kOrigins)); ++i) {
      const profiler::Origin origin = profiler::kOrigins[i];
      const QString line = QStringLiteral("%1: %2").arg(origin_text(origin), words(profiler::origin_meaning(origin)));
      const double x = flow_.x() + half * static_cast<double>(i - first);
      origin_mark(flow_.painter(), QRectF(x + 2, flow_.y() + 3, 8, 8), origin, theme_.text);
      height = std::max(height, wrapped_text(&flow_.painter(), {x + 2 * kGrid, flow_.y()}, half - 3 * kGrid, line,
                                             small_, theme_.text));
    }
    flow_.skip(height);
  }
}

void Pages::section(const profiler::ReportSection& s) {
  flow_.skip(2 * kGrid);
  flow_.need(4 * QFontMetricsF(body_).height());
  flow_.bookmark(words(s.title));
  flow_.text(words(s.title), scaled_font(body_, 1.4, true), theme_.text);
  flow_.painter().setPen(QPen(theme_.border, 1));
  flow_.painter().drawLine(QPointF(flow_.x(), flow_.y() + 2), QPointF(flow_.x() + flow_.width(), flow_.y() + 2));
  flow_.skip(kGrid);
  for (const profiler::ReportBlock& b : s.blocks) {
    std::visit([this](const auto& each) { block(each); }, b);
    flow_.skip(kGrid);
  }
}

void Pages::write() {
  first_page();
  for (const profiler::ReportSection& s : report_.sections) {
    const bool charts =
        std::ranges::any_of(s.blocks, [](const auto& b) { return std::holds_alternative<profiler::ReportCharts>(b); });
    if (charts || s.id == "ops" || (&s == &report_.sections.front() && !report_.answers.empty())) {
      flow_.new_page();
    }
    section(s);
  }
}

}  // namespace

namespace {

/// Bytes of the document, and how many pages it has; `pages`: that, where it is known.
QByteArray written(const profiler::Report& report, const ReportPictures& pictures, bool draws, int& pages) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kDpi);
  writer.setPageLayout(QPageLayout(QPageSize(QPageSize::A4), QPageLayout::Landscape, QMarginsF()));
  writer.setTitle(words(report.title));
  writer.setCreator(QStringLiteral("Tensortide " TENSORTIDE_VERSION));
  writer.addFileAttachment(QStringLiteral("tensortide-record.json"),
                           QByteArray::fromStdString(profiler::to_json(report.record)),
                           QStringLiteral("application/json"));
  const double height_pt = writer.pageLayout().fullRectPoints().height();
  std::vector<Bookmark> bookmarks;
  {
    PageFlow flow(writer, words(report.title), pages);
    Pages(flow, report, pictures, draws).write();
    pages = flow.page();
    bookmarks = flow.bookmarks();
  }
  buffer.close();
  return draws ? with_outline(bytes, bookmarks, height_pt) : QByteArray();
}

}  // namespace

QByteArray report_pdf(const profiler::Report& report, const ReportPictures& pictures) {
  int pages = 0;
  static_cast<void>(written(report, pictures, false, pages));
  return written(report, pictures, true, pages);
}

}  // namespace views
