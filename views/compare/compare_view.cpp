// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the compare view. It compares when it is first shown after a change, and follows the window's selection.
#include "views/compare/compare_view.h"

#include <QFileInfo>
#include <QPushButton>
#include <QThread>
#include <algorithm>
#include <cmath>

#include "profiler/compare/repeats.h"
#include "profiler/compare/words.h"
#include "views/base/file_name.h"
#include "views/base/paint.h"
#include "views/compare/compare_paint.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

using profiler::ChangeClass;
using profiler::CompareRow;
using profiler::CompareSide;
using profiler::Comparison;
using profiler::Quantity;

constexpr int kToolbarHeight = 40;
/// Of the unfolded words some lines, which scroll; of the table its header and a dozen rows: it is what one came for.
constexpr double kSmallestTable = 150, kWantedTable = 320, kSmallestPicture = 120;
constexpr int kFewestLines = 3;
constexpr double kRow = 24, kHeaderAndBar = 58;

struct Panes {
  QRectF words, picture, table;
};
/// Where words, the whole picture and a dozen rows do not fit, the picture's two halves stand side by side; then the
/// words get what is left, which `words_within` makes a height of; then the table has fewer rows.
Panes split_panes(const QRectF& area, double words_height, const std::function<double(double room)>& words_within,
                  const Comparison* c, const PaneDivider& divider) {
  Panes panes;
  const double rows = c != nullptr ? static_cast<double>(c->rows.size() + 1) : 0,
               wanted_table = std::clamp(kHeaderAndBar + kRow * rows, kSmallestTable, kWantedTable);
  double picture_height = c != nullptr ? compare_height(*c) : 0;
  if (c != nullptr && area.width() >= kCompareBesideWidth &&
      area.height() < words_height + picture_height + wanted_table)
    picture_height = compare_height_beside(*c);
  if (const double room = area.height() - picture_height - wanted_table; words_height > room)
    words_height = words_within(std::max(0.0, room));
  panes.words = QRectF(area.left(), area.top(), area.width(), words_height);
  const double rest = std::max(0.0, area.height() - words_height);
  const double usual = rest - std::min(picture_height, std::max(kSmallestPicture, rest - kSmallestTable));
  // The table has what the picture does not fill.
  const double least = std::min(kSmallestPicture, picture_height),
               table = std::max(divider.table_height(rest, usual, least, kHeaderAndBar + kRow), rest - picture_height),
               picture = rest - table;
  panes.picture = QRectF(area.left(), panes.words.bottom(), area.width(), std::min(rest, picture));
  panes.table = QRectF(area.left(), panes.picture.bottom(), area.width(), std::max(0.0, rest - panes.picture.height()));
  return panes;
}

QStringList default_columns() {
  return {QStringLiteral("verdict"),       QStringLiteral("change"),      QStringLiteral("ratio_low"),
          QStringLiteral("ratio_high"),    QStringLiteral("before_ns"),   QStringLiteral("after_ns"),
          QStringLiteral("difference_ns"), QStringLiteral("share_ratio"), QStringLiteral("after_limit")};
}

std::optional<ChangeClass> class_of(const profiler::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  for (const ChangeClass c : {ChangeClass::same, ChangeClass::faster, ChangeClass::slower, ChangeClass::unsure}) {
    if (text != nullptr && *text == name(c)) return c;
  }
  return {};
}

CompareSide side(const std::shared_ptr<const profiler::Analyzed>& run, const QString& path, QString& refused) {
  CompareSide made = profiler::side_of(QFileInfo(path).completeBaseName().toStdString(), run);
  const auto added = profiler::add_repeats(made, name_bytes(path));
  if (!added)
    refused += (refused.isEmpty() ? QString() : QStringLiteral("; ")) + QString::fromStdString(added.error().message);
  return made;
}

}  // namespace

CompareView::CompareView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      title_(new QLabel),
      words_(new FoldedText(tr("Results of the comparison"), this)),
      choose_(new QPushButton(tr("Compare with…"))),
      picture_(new Canvas(this)),
      message_(new Canvas(this)),
      table_(new TableView(this)),
      divider_(new PaneDivider(QStringLiteral("compare_table"), this)) {
  setWindowTitle(tr("Compare"));
  setAccessibleName(tr("Compare: two runs op by op"));
  setFocusProxy(table_);  // arrows work as soon as the view is in front
  auto* row = new FlowLayout(toolbar_);
  watch_bar(toolbar_, kToolbarHeight, [this] { place_panes(); });
  row->setContentsMargins(2 * kGrid, 4, 2 * kGrid, 4);
  row->setSpacing(kGrid);
  row->add(title_, 1);
  row->add(choose_);
  title_->setTextFormat(Qt::PlainText);
  choose_->setToolTip(tr("Chooses the capture that the one on the table is compared with"));
  message_->setFocusPolicy(Qt::NoFocus);
  message_->paint = [this](QPainter& p, const QRectF& r) { paint_message(p, r, *theme_); };
  picture_->setAccessibleName(tr("Both steps op by op, and their bytes"));
  picture_->paint = [this](QPainter& p, const QRectF& r) { paint_picture(p, r, *theme_); };
  picture_->tip = [this](QPointF at) {
    const auto hit = layout_on_screen().row_at(at);
    return hit ? row_tip(*hit) : QString();
  };
  picture_->clickable = [this](QPointF at) { return layout_on_screen().row_at(at).has_value(); };
  table_->setAccessibleName(tr("Ops of both runs"));
  table_->chip_column = QStringLiteral("verdict");
  table_->bar_column = QStringLiteral("share_ratio");
  table_->under_titles = {{QStringLiteral("before_ns"), tr("lower quartile")},
                          {QStringLiteral("after_ns"), tr("lower quartile")}};
  table_->spare_columns = {QStringLiteral("share_ratio"), QStringLiteral("after_limit")};
  table_->chip = [this](uint32_t r, const Theme& theme) -> std::optional<QBrush> {
    const auto verdict = class_of(table_->table().rows[r][3]);
    return verdict ? std::optional(change_brush(theme, *verdict)) : std::nullopt;
  };
  connect(words_, &FoldedText::toggled, this, &CompareView::place_panes);
  connect(divider_, &PaneDivider::moved, this, &CompareView::place_panes);
  connect(choose_, &QPushButton::clicked, this, [this] { this->document().request_reference(); });
  connect(picture_, &Canvas::pressed, this, [this](QPointF at) {
    if (const auto hit = layout_on_screen().row_at(at)) select_row(*hit);
  });
  connect(table_, &TableView::chosen, this, [this](uint32_t r) {
    const auto& ops = table_->table().row_ops;
    if (r < ops.size() && ops[r] != profiler::kNoOp) this->document().selection().select_op(ops[r]);
  });
  connect(&document, &Document::replaced, this, &CompareView::on_document);
  connect(&document, &Document::reference_changed, this, &CompareView::on_document);
  connect(&document.selection(), &Selection::changed, this, &CompareView::follow);
  on_document();
}

CompareView::~CompareView() {
  for (QThread* thread : workers_) {
    thread->wait();
    delete thread;
  }
}

void CompareView::set_theme(const Theme& theme) {
  theme_ = &theme;
  table_->set_theme(theme);
  for (Canvas* canvas : {picture_, message_}) canvas->update();
}

void CompareView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  place_panes();
}

void CompareView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  start();
}

void CompareView::on_document() {
  stale_ = true;
  filled_ = false;
  ++generation_;
  if (isVisible() || !document().loaded() || document().reference() == nullptr) start();
}

/// Holds all it needs, so that a thread may run it.
std::function<CompareView::Made()> CompareView::task() const {
  const auto reference = document().shared_reference(), shown = document().shared();
  if (reference == nullptr || shown == nullptr) return [] { return Made(); };
  return [reference, shown, from = document().reference_path(), to = document().path(),
          unsaid = document().unsaid_settings()] {
    Made made;
    const CompareSide before = side(reference, from, made.refused), after = side(shown, to, made.refused);
    made.comparison = profiler::compare(before, after, {}, unsaid);
    return made;
  };
}

/// Shows the comparison: now, or once a thread has read the repeats.
void CompareView::start() {
  const auto has_repeats = [](const QString& path) { return !profiler::repeats_of(name_bytes(path)).empty(); };
  const bool both = document().loaded() && document().reference() != nullptr;
  if (working_on_ == generation_) return;
  if (!stale_ || !both || (!has_repeats(document().path()) && !has_repeats(document().reference_path()))) return fill();
  working_on_ = generation_;
  made_ = {};
  place_panes();
  message_->update();
  auto made = std::make_shared<Made>();
  QThread* thread = QThread::create([made, task = task()] { *made = task(); });
  workers_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, made, generation = generation_] {
    std::erase(workers_, thread);
    thread->deleteLater();
    if (generation != generation_) return;
    if (stale_) made_ = std::move(*made);
    stale_ = false;
    fill();
  });
  thread->start();
}

const Comparison* CompareView::comparison() const {
  if (stale_) made_ = task()();
  stale_ = false;
  return made_.comparison ? &*made_.comparison : nullptr;
}

void CompareView::fill() {
  if (filled_) return;
  filled_ = true;
  const Comparison* c = comparison();
  profiler::Table table = data();
  for (profiler::Column& column : table.columns) {  // the second line of the heading says which figure it is
    if (column.key == "before_ns") column.title = "Before";
    if (column.key == "after_ns") column.title = "After";
  }
  table_->set_table(std::move(table), QStringLiteral("compare/columns"), default_columns());
  title_->setText(
      c != nullptr
          ? tr("%1 (before) → %2 (after)").arg(QString::fromStdString(c->before), QString::fromStdString(c->after))
          : QString());
  words_->set_text(c != nullptr ? QString::fromStdString(profiler::comparison_headline(*c)) : QString(), details());
  words_->setToolTip(c != nullptr ? Tip{tr("How decided"), {}, QString::fromStdString(c->how), {}, {}, {}}.html()
                                  : QString());
  follow();
  place_panes();
}

/// What its pictures need; with less the window scrolls it.
QSize CompareView::minimumSizeHint() const {
  const int line = QFontMetrics(data_font()).height();
  return made_.comparison ? QSize(34 * line, toolbar_->height() + 19 * line) : QSize();
}

void CompareView::place_panes() {
  updateGeometry();
  const int bar = bar_height(*toolbar_, width(), kToolbarHeight);
  toolbar_->setGeometry(0, 0, width(), bar);
  const QRectF area(0, bar, width(), std::max(0, height() - bar));
  const Panes panes = split_panes(
      area, words_->height_for(width()),
      [&](double room) { return words_->height_within(width(), room, kFewestLines); },
      made_.comparison ? &*made_.comparison : nullptr, *divider_);
  divider_->place(QRectF(panes.picture.topLeft(), panes.table.bottomRight()), panes.table.height());
  words_->setGeometry(panes.words.toRect());
  picture_->setGeometry(panes.picture.toRect());
  table_->setGeometry(panes.table.toRect());
  message_->setGeometry(0, made_.comparison || !document().loaded() ? 0 : bar, width(), height());
  toolbar_->setVisible(document().loaded());
  message_->setVisible(!made_.comparison);
  for (QWidget* widget : std::initializer_list<QWidget*>{words_, picture_, table_, divider_})
    widget->setVisible(made_.comparison.has_value());
}

std::optional<size_t> CompareView::selected_row() const {
  const auto op = document().selection().state().op;
  if (!op || !filled_ || !made_.comparison) return {};
  for (size_t i = 0; i < made_.comparison->rows.size(); ++i) {
    if (std::ranges::find(made_.comparison->rows[i].match.after, *op) != made_.comparison->rows[i].match.after.end())
      return i;
  }
  return {};
}

void CompareView::follow() {
  std::optional<uint32_t> row;
  if (const auto selected = selected_row()) {
    const auto& ops = table_->table().row_ops;
    const auto found = std::ranges::find(ops, made_.comparison->rows[*selected].match.after.front());
    if (found != ops.end()) row = static_cast<uint32_t>(found - ops.begin());
  }
  table_->set_selected(row);
  picture_->update();
}

void CompareView::select_row(size_t row) {
  const auto& ops = made_.comparison->rows[row].match.after;
  if (!ops.empty()) document().selection().select_op(ops.front());
}

CompareLayout CompareView::layout_on_screen() const {
  return made_.comparison ? layout_compare(*made_.comparison, QRectF(picture_->rect()), data_font()) : CompareLayout{};
}

QString CompareView::details() const {
  if (!made_.comparison) return {};
  QStringList lines{QString::fromStdString(made_.comparison->sentence)};
  lines << QString::fromStdString(profiler::results_words(made_.comparison->results));
  for (const std::string& note : made_.comparison->notes) lines << QString::fromStdString(note);
  if (!made_.refused.isEmpty()) lines << tr("Repeats left out: %1").arg(made_.refused);
  const auto& total = made_.comparison->total.change;
  lines << tr("Judged from %1 (%2).")
               .arg(QString::fromStdString(profiler::processes_words(total)),
                    QString::fromStdString(profiler::interval_words(total)));
  return lines.join(QLatin1Char('\n'));
}

QString CompareView::row_tip(size_t index) const {
  const CompareRow& row = made_.comparison->rows[index];
  const auto time = [](double ns) { return quantity(ns, Quantity::duration_ns); };
  QString value = tr("%1 before, %2 after (lower quartiles of the steps)").arg(time(row.before_ns), time(row.after_ns));
  if (!std::isnan(row.change.ratio)) {
    value += tr("\n%1: %2 (95 %: %3 to %4)")
                 .arg(QString::fromStdString(profiler::verdict_words(row)),
                      QString::fromStdString(profiler::change_words(row.change.ratio)),
                      QString::fromStdString(profiler::change_words(row.change.low)),
                      QString::fromStdString(profiler::change_words(row.change.high)));
  }
  if (row.verdict_changed)
    value += tr("\nlimited by %1, before by %2")
                 .arg(QString::fromStdString(row.after_verdict), QString::fromStdString(row.before_verdict));
  QStringList notes;
  for (const std::string& note : row.notes) notes << QString::fromStdString(note);
  return Tip{QString::fromStdString(row.name),
             value,
             QString::fromStdString(row.type) + QStringLiteral(", ") + QString::fromUtf8(name(row.match.kind).data()),
             {},
             profiler::Origin::measured,
             notes.join(QStringLiteral("; "))}
      .html();
}

void CompareView::paint_picture(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  p.setFont(data_font());
  if (!made_.comparison) return;
  p.save();
  p.setClipRect(rect);
  paint_compare(p, layout_compare(*made_.comparison, rect, p.font()), *made_.comparison, selected_row(), theme);
  p.restore();
}

void CompareView::paint_message(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  p.setFont(data_font());
  if (!document().loaded()) {
    draw_message(p, rect, theme, tr("No capture on the table"),
                 tr("Open two captures at once, or open one and choose another in the menu Compare."));
    return;
  }
  if (stale_ && document().reference() != nullptr)
    return draw_message(p, rect, theme, tr("Comparing"), tr("The repeats beside both captures are being read."));
  draw_message(p, rect, theme, tr("Nothing to compare with"),
               tr("Choose a capture with the button above or in the menu Compare. Each op is then "
                  "shown with its "
                  "partner: what got slower, how sure that is, and why."));
}

void CompareView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  fill();
  p.setFont(data_font());
  if (!made_.comparison) return paint_message(p, rect, theme);
  p.fillRect(rect, theme.surface);
  const QRectF text_area = rect.adjusted(2 * kGrid, kGrid, -2 * kGrid, 0);
  const QRectF needed = p.boundingRect(text_area, Qt::TextWordWrap, words_->shown());
  const double words_height = needed.height() + 2 * kGrid;  // a picture does not scroll
  const Panes panes = split_panes(
      rect, words_height, [&](double) { return std::min(words_height, rect.height() / 2); }, &*made_.comparison,
      *divider_);
  p.setPen(theme.text);
  p.drawText(text_area, Qt::TextWordWrap, words_->shown());
  paint_picture(p, panes.picture, theme);
  p.setFont(data_font());
  table_->draw(p, panes.table, theme);
}

profiler::Table CompareView::data() const {
  const Comparison* c = comparison();
  return c != nullptr ? profiler::compare_table(*c) : profiler::Table{};
}

}  // namespace views
