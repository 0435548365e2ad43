// SPDX-License-Identifier: GPL-3.0-or-later
// Ops: roll-up switch, filter box, table; follows and sets the selection.
#include "views/ops/ops_view.h"

#include <QShortcut>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "profiler/analysis/fusion_ledger.h"
#include "profiler/analysis/tables/ops_bounds.h"
#include "profiler/capture/op_devices.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

constexpr int kToolbarHeight = 40;
constexpr double kWhole = 1.0005;  // what is shown as more than 100 %

/// Columns shown until the user chooses others: as many as fit beside a readable name in a window of 1280 px.
QStringList default_columns() {
  return {QStringLiteral("calls_count"), QStringLiteral("time_ns"),    QStringLiteral("share_ratio"),
          QStringLiteral("dram_bytes"),  QStringLiteral("roof_ratio"), QStringLiteral("verdict")};
}

QStringList fused_columns() {
  return {QStringLiteral("members"),    QStringLiteral("spared_bytes"), QStringLiteral("time_ns"),
          QStringLiteral("unfused_ns"), QStringLiteral("predicted_ns"), QStringLiteral("obtained_ns")};
}
QStringList pair_columns() {
  return {QStringLiteral("consumer"), QStringLiteral("written_bytes"), QStringLiteral("read_bytes"),
          QStringLiteral("outcome"),  QStringLiteral("why"),           QStringLiteral("predicted_ns")};
}

std::optional<size_t> column_of(const profiler::Table& table, std::string_view key) {
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const auto& c) { return c.key == key; });
  return found == table.columns.end() ? std::nullopt
                                      : std::optional<size_t>(static_cast<size_t>(found - table.columns.begin()));
}

QString rows_words(size_t count) { return count == 1 ? QObject::tr("1 row") : QObject::tr("%1 rows").arg(count); }

}  // namespace

QString ops_total(const profiler::Table& table, const std::vector<uint32_t>& shown) {
  double time = 0;
  // Layers contain each other: only rows that nothing shown contains may be added, which a filter can spoil; so no sum
  // there.
  const auto column = column_of(table, "depth_count") ? std::nullopt : column_of(table, "time_ns");
  for (uint32_t row : shown) {
    const double* value = column ? std::get_if<double>(&table.rows[row][*column]) : nullptr;
    if (value && std::isfinite(*value)) time += *value;
  }
  const QString rows = shown.size() == table.rows.size()
                           ? rows_words(shown.size())
                           : QObject::tr("%1 of %2").arg(shown.size()).arg(rows_words(table.rows.size()));
  QString words =
      column ? QObject::tr("%1, %2 summed").arg(rows, quantity(time, profiler::Quantity::duration_ns)) : rows;
  const auto share = column_of(table, "share_ratio");
  const bool beside = share && std::ranges::any_of(shown, [&](uint32_t row) {
                        const double* value = std::get_if<double>(&table.rows[row][*share]);
                        return value != nullptr && *value > kWhole;
                      });
  return beside ? words + QObject::tr("; over 100 %: ops run beside each other") : words;
}

OpsView::OpsView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      filter_(new QLineEdit),
      total_(new QLabel),
      table_(new TableView(this)),
      message_(new Canvas(this)),
      edits_(new ControlEdits(this)) {
  setWindowTitle(tr("Ops"));
  setAccessibleName(tr("Ops: table of all ops"));
  setFocusProxy(table_);  // arrows work as soon as the view is in front
  auto* row = new FlowLayout(toolbar_);
  watch_bar(toolbar_, kToolbarHeight, [this] { place(); });
  row->setContentsMargins(2 * kGrid, 4, 2 * kGrid, 4);
  row->setSpacing(kGrid);
  by_ = new Switch(tr("Rows"), {tr("Op"), tr("Layer"), tr("Type"), tr("Kernel"), tr("Phase"), tr("Device"), tr("Fused"),
                                tr("Fusion")});
  by_->set_current(static_cast<int>(Rows::type));  // a handful of rows that answer at once what takes the time
  by_->button(static_cast<int>(Rows::fused_ops))
      ->setToolTip(tr("Ops computed as one: their members, the bytes spared, and the gain predicted. With the same run "
                      "without fusion in Compare: the gain obtained"));
  by_->button(static_cast<int>(Rows::pairs))
      ->setToolTip(tr("The fusion ledger: each value that one op writes and another reads, whether the two are fused, "
                      "and if not why"));
  filter_->setPlaceholderText(tr("Filter (Ctrl+F)"));
  filter_->setToolTip(tr("Rows that have all these words in their name, type, kernel or verdict"));
  auto* find = new QShortcut(QKeySequence::Find, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
  connect(find, &QShortcut::activated, filter_, [this] {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
  });
  filter_->setAccessibleName(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(420);
  row->add(new QLabel(tr("Rows")));
  row->add(by_);
  row->add(filter_, 1);
  row->add_stretch();
  row->add(total_);
  table_->setAccessibleName(tr("Ops table"));
  table_->chip_column = QStringLiteral("verdict");
  table_->bar_column = QStringLiteral("share_ratio");
  table_->chip = [this](uint32_t r, const Theme& theme) -> std::optional<QColor> {
    const auto bound = r < bounds_.size() ? bounds_[r] : std::nullopt;
    return bound ? std::optional(theme.bound(*bound)) : std::nullopt;
  };
  table_->chip_mark = [this](uint32_t r) {
    return r < bounds_.size() && bounds_[r] ? mark_of(*bounds_[r]) : Mark::square;
  };
  message_->setFocusPolicy(Qt::NoFocus);
  message_->paint = [this](QPainter& p, const QRectF& r) { paint_message(p, r, *theme_); };
  connect(by_, &Switch::chosen, this, [this](int) { fill(); });
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    table_->set_filter(text);
    if (!of_fusion()) total_->setText(ops_total(table_->table(), table_->shown_rows()));
    follow();
  });
  edits_->watch(*filter_, tr("filter"));
  edits_->watch(*by_, tr("choose rows"), [this] { fill(); });
  connect(table_, &TableView::chosen, this, &OpsView::on_chosen);
  connect(table_, &TableView::opened, this, &OpsView::on_opened);
  connect(&document, &Document::replaced, this, [this] {
    {
      const QSignalBlocker quiet(filter_);  // it was asked of another capture
      filter_->clear();
    }
    edits_->reset();
    fill();
  });
  connect(&document, &Document::reference_changed, this, [this] {
    if (of_fusion()) fill();
  });
  connect(&document.selection(), &Selection::changed, this, &OpsView::follow);
  fill();
}

QUndoStack* OpsView::edits() { return edits_->history(); }

void OpsView::set_theme(const Theme& theme) {
  theme_ = &theme;
  table_->set_theme(theme);
  message_->update();
}

void OpsView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  place();
}

void OpsView::place() {
  const int bar = bar_height(*toolbar_, width(), kToolbarHeight);
  toolbar_->setGeometry(0, 0, width(), bar);
  table_->setGeometry(0, bar, width(), std::max(0, height() - bar));
  message_->setGeometry(rect());
}

void OpsView::fill() {
  const bool loaded = document().loaded(), any = loaded && !document().capture().ops().empty();
  message_->setVisible(!any);
  if (!any) message_->raise();
  const std::string mixed = loaded ? profiler::several_devices_words(document().capture()) : std::string();
  by_->button(static_cast<int>(Rows::device))->setVisible(!mixed.empty());
  if (mixed.empty() && rows() == Rows::device) by_->set_current(static_cast<int>(Rows::type));
  bounds_ = any && !of_fusion()
                ? profiler::ops_bounds(document().analyzed(), static_cast<profiler::OpsBy>(by_->current()))
                : std::vector<std::optional<profiler::Bound>>();
  table_->spare_columns =
      rows() == Rows::pairs
          ? QStringList{QStringLiteral("read_bytes"), QStringLiteral("written_bytes"), QStringLiteral("outcome")}
      : rows() == Rows::fused_ops
          ? QStringList{QStringLiteral("unfused_ns"), QStringLiteral("obtained_ns"), QStringLiteral("members")}
          : QStringList{QStringLiteral("calls_count"), QStringLiteral("roof_ratio")};
  static constexpr const char* kNames[] = {"op", "layer", "type", "kernel", "phase", "device", "fused_ops", "pairs"};
  table_->set_table(data(), QStringLiteral("ops/columns_%1").arg(QLatin1String(kNames[by_->current()])),
                    rows() == Rows::fused_ops ? fused_columns()
                    : rows() == Rows::pairs   ? pair_columns()
                                              : default_columns());
  table_->set_filter(filter_->text());
  const auto time = column_of(table_->table(), "time_ns");
  if (time && !of_fusion()) table_->sort(static_cast<int>(*time), true);
  total_->setText(!any ? QString() : of_fusion() ? fusion_words() : ops_total(table_->table(), table_->shown_rows()));
  total_->setToolTip(loaded && of_fusion() ? plain_tip(fusion_sentences())
                                           : tr("The medians of the ops shown, summed. The median step above also "
                                                "holds what passes between ops, and medians need not add up to it."));
  follow();
}

QString OpsView::fusion_words() const {
  const auto ledger = profiler::fusion_ledger(document().analyzed());
  const auto fused = std::ranges::count_if(
      ledger.rows, [](const auto& row) { return row.pair.outcome == engine::FusionOutcome::fused; });
  if (ledger.rows.empty()) return tr("nothing to fuse is known");
  if (fused > 0)
    return tr("%1 of %2 pairs fused, %3 spared")
        .arg(fused)
        .arg(ledger.rows.size())
        .arg(quantity(static_cast<double>(ledger.spared_bytes), profiler::Quantity::bytes));
  return tr("nothing is fused; %1 could be spared")
      .arg(quantity(static_cast<double>(ledger.possible_bytes), profiler::Quantity::bytes));
}

QString OpsView::fusion_sentences() const {
  QStringList lines;
  for (const std::string& sentence : profiler::fusion_ledger(document().analyzed()).findings)
    lines << QString::fromStdString(sentence);
  return lines.join(QLatin1Char('\n'));
}

std::string OpsView::key_of(uint32_t row) const {
  const auto* key = std::get_if<std::string>(&table_->table().rows[row].front());
  return key ? *key : std::string();
}

void OpsView::follow() {
  const SelectionState& state = document().selection().state();
  const profiler::Table& table = table_->table();
  std::optional<uint32_t> row;
  for (uint32_t r = 0; r < table.rows.size() && !row; ++r) {
    if ((rows() == Rows::op || of_fusion()) && state.op && r < table.row_ops.size() && table.row_ops[r] == *state.op)
      row = r;
    if (rows() == Rows::type && state.op && *state.op < document().capture().ops().size() &&
        key_of(r) == document().capture().name(document().capture().ops()[*state.op].type))
      row = r;
    if (rows() == Rows::layer && state.layer && key_of(r) == state.layer->toStdString()) row = r;
  }
  table_->set_selected(row);
}

void OpsView::on_chosen(uint32_t row) {
  const profiler::Table& table = table_->table();
  if ((rows() == Rows::op || of_fusion()) && row < table.row_ops.size())
    document().selection().select_op(table.row_ops[row]);
  if (rows() == Rows::layer) document().selection().select_layer(QString::fromStdString(key_of(row)));
}

void OpsView::on_opened(uint32_t row) {
  if (rows() == Rows::op || of_fusion()) return;
  const QString key = QString::fromStdString(key_of(row));
  by_->set_current(static_cast<int>(Rows::op));
  fill();
  filter_->setText(key);
}

void OpsView::paint_message(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  if (document().loaded()) {
    draw_message(p, rect, theme, tr("No ops in this capture"),
                 document().capture().run().source.empty()
                     ? tr("The run ended before its plan was recorded.")
                     : tr("The trace names no ops. The Timeline shows what it recorded."));
    return;
  }
  draw_message(
      p, rect, theme, tr("No capture on the table"),
      tr("Run a workload or open a .tide file: then each op is a row with its time, work, bytes and verdict."));
}

void OpsView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  if (!document().loaded() || document().capture().ops().empty()) {
    paint_message(p, rect, theme);
    return;
  }
  p.setFont(data_font());
  table_->draw(p, rect, theme);
}

profiler::Table OpsView::data() const {
  if (!document().loaded()) return {};
  if (rows() == Rows::pairs) return profiler::fusion_table(document().analyzed());
  if (rows() == Rows::fused_ops) {
    const profiler::Analyzed* other = document().reference();
    const bool partner =
        other != nullptr && profiler::check_fusion_partner(*document().analyzed().capture, *other->capture);
    return profiler::fused_ops_table(document().analyzed(), partner ? other : nullptr);
  }
  return profiler::ops_table(document().analyzed(), static_cast<profiler::OpsBy>(by_->current()));
}

QString OpsView::nothing() const {
  if (!document().loaded() || !document().capture().ops().empty()) return {};
  return document().capture().run().source.empty() ? tr("The run ended before its plan was recorded.")
                                                   : tr("The trace names no ops.");
}

}  // namespace views
