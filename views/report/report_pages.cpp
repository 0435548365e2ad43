// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of a report, in order: answers, machine, charts, tables, findings, origins, command.
#include "views/report/report_pages.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPdfWriter>
#include <algorithm>

#include "views/base/paint.h"
#include "views/report/page_flow.h"

namespace views {

namespace {

using profiler::ReportFact;

constexpr int kDpi = 96;
constexpr double kSmall = 0.85;

QString words(const std::string& text) { return QString::fromStdString(text); }

class Pages {
 public:
  Pages(PageFlow& flow, const profiler::Report& report, const ReportPictures& pictures)
      : flow_(flow), report_(report), pictures_(pictures) {}
  void write();

 private:
  void first_page();
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
  const double pad = 1.5 * kGrid, x = card.left() + pad, width = card.width() - 2 * pad;
  double y = card.top() + pad;
  if (p != nullptr) {
    p->setPen(QPen(theme_.border, 1));
    p->setBrush(Qt::NoBrush);
    p->drawRect(card);
    p->fillRect(QRectF(card.left(), card.top(), card.width(), 3), theme_.accent);
  }
  y += wrapped_text(p, {x, y}, width, words(a.question), small_, theme_.text_secondary) + 2;
  const double size = a.headline.size() > 80 ? 1.05 : 1.4;
  y += wrapped_text(p, {x, y}, width, words(a.headline), scaled_font(body_, size, true), theme_.text) + 4;
  for (const std::string& sentence : a.sentences)
    y += wrapped_text(p, {x, y}, width, words(sentence), small_, theme_.text) + 4;
  y += 4;
  for (const ReportFact& f : a.facts) y += fact(p, {x, y}, width, 0.36 * width, f);
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
    flow_.skip(height + gap);
  }
}

void Pages::first_page() {
  flow_.text(words(report_.title), scaled_font(body_, 1.7, true), theme_.text);
  flow_.text(words(report_.subtitle), small_, theme_.text_secondary);
  flow_.skip(kGrid);
  for (const std::string& warning : report_.warnings) {
    flow_.text(QObject::tr("Take care: %1").arg(words(warning)), small_, theme_.warning);
    flow_.skip(4);
  }
  flow_.skip(kGrid / 2.0);
  answers();
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
  flow_.table(words(b.title), b.table);
  if (!b.rest.empty()) flow_.text(words(b.rest), small_, theme_.text_secondary);
}

void Pages::block(const profiler::ReportFindings& b) {
  int number = 0;
  for (const profiler::ReportFinding& finding : b.findings) {
    flow_.need(4 * QFontMetricsF(body_).height());
    flow_.text(QStringLiteral("%1.  %2").arg(++number).arg(words(finding.claim)), bold_, theme_.text);
    for (const std::string& line : finding.evidence)
      flow_.text(QStringLiteral("•  ") + words(line), small_, theme_.text, 2 * kGrid);
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
    flow_.text(picture.title, bold_, theme_.text);
    flow_.text(picture.help, small_, theme_.text_secondary);
    flow_.skip(kGrid / 2.0);
    flow_.picture(picture.size, [&](QPainter& p, const QRectF& rect) {
      p.setFont(data_font());
      picture.view->render_picture(p, rect, theme_);
    });
    flow_.skip(kGrid);
  }
}

void Pages::block(const profiler::ReportOrigins&) {
  flow_.text(QObject::tr("The mark of a number is its origin:"), small_, theme_.text);
  flow_.skip(4);
  for (const auto origin : profiler::kOrigins) {
    const QString line = QStringLiteral("%1: %2").arg(QString::fromUtf8(profiler::name(origin).data()),
                                                      words(profiler::origin_meaning(origin)));
    flow_.need(QFontMetricsF(small_).height() + 2);
    origin_mark(flow_.painter(), QRectF(flow_.x() + 2, flow_.y() + 3, 8, 8), origin, theme_.text);
    flow_.text(line, small_, theme_.text, 2 * kGrid);
    flow_.skip(2);
  }
  flow_.text(QObject::tr("An en dash (–) means unknown, never 0."), small_, theme_.text);
}

void Pages::section(const profiler::ReportSection& s) {
  flow_.skip(2 * kGrid);
  flow_.need(12 * QFontMetricsF(body_).height());
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
    if (s.id == "machine" || charts || s.id == "ops") flow_.new_page();
    section(s);
  }
}

}  // namespace

QByteArray report_pdf(const profiler::Report& report, const ReportPictures& pictures) {
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
  {
    PageFlow flow(writer, words(report.title));
    Pages(flow, report, pictures).write();
  }
  return bytes;
}

}  // namespace views
