// SPDX-License-Identifier: GPL-3.0-or-later
// Ops: roll-up switch, filter box, table; follows and sets the selection.
#include "views/ops/ops_view.h"

#include <QHBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/base/paint.h"

namespace views {
namespace {

constexpr int kToolbarHeight = 40;

/// Columns shown until the user chooses others: as many as fit beside a readable name in a window of 1280 px.
QStringList default_columns() {
  return {QStringLiteral("calls_count"), QStringLiteral("time_ns"), QStringLiteral("share_ratio"), QStringLiteral("dram_bytes"),
          QStringLiteral("roof_ratio"), QStringLiteral("verdict")};
}

/// The class a verdict's headline speaks of: "memory-bound at DRAM (likely)" -> memory.
std::optional<profiler::Bound> bound_in(const std::string& headline) {
  using profiler::Bound;
  static constexpr std::array kAll = {Bound::inconsistent, Bound::too_short, Bound::dispatch, Bound::compute,
                                      Bound::memory, Bound::balanced, Bound::latency, Bound::overhead, Bound::transfer, Bound::launch, Bound::unknown};
  for (Bound bound : kAll) {
    if (headline.starts_with(profiler::name(bound))) return bound;
  }
  return {};
}

std::optional<size_t> column_of(const profiler::Table& table, std::string_view key) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(), [&](const auto& c) { return c.key == key; });
  return found == table.columns.end() ? std::nullopt : std::optional<size_t>(static_cast<size_t>(found - table.columns.begin()));
}

}  // namespace

QString ops_total(const profiler::Table& table, const std::vector<uint32_t>& shown) {
  double time = 0;
  // Layers contain each other: only rows that nothing shown contains may be added, which a filter can spoil; so no sum there.
  const auto column = column_of(table, "depth_count") ? std::nullopt : column_of(table, "time_ns");
  for (uint32_t row : shown) {
    const double* value = column ? std::get_if<double>(&table.rows[row][*column]) : nullptr;
    if (value && std::isfinite(*value)) time += *value;
  }
  const QString rows = shown.size() == table.rows.size() ? QStringLiteral("%1 rows").arg(shown.size())
                                                         : QStringLiteral("%1 of %2 rows").arg(shown.size()).arg(table.rows.size());
  return column ? rows + QStringLiteral(", %1").arg(quantity(time, profiler::Quantity::duration_ns)) : rows;
}

OpsView::OpsView(Document& document, QWidget* parent)
    : View(document, parent), toolbar_(new QWidget(this)), filter_(new QLineEdit), total_(new QLabel), table_(new TableView(this)),
      message_(new Canvas(this)) {
  setWindowTitle(QStringLiteral("Ops"));
  setAccessibleName(QStringLiteral("Ops: table of all ops"));
  auto* row = new QHBoxLayout(toolbar_);
  row->setContentsMargins(2 * kGrid, 4, 2 * kGrid, 4);
  row->setSpacing(kGrid);
  // The order is that of profiler::OpsBy.
  by_ = new Switch(QStringLiteral("Rows"), {QStringLiteral("Op"), QStringLiteral("Layer"), QStringLiteral("Type"),
                                            QStringLiteral("Kernel"), QStringLiteral("Phase")});
  filter_->setPlaceholderText(QStringLiteral("Filter: words of name, type, kernel or verdict"));
  filter_->setAccessibleName(QStringLiteral("Filter"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(420);
  row->addWidget(new QLabel(QStringLiteral("Rows")));
  row->addWidget(by_);
  row->addWidget(filter_, 1);
  row->addStretch();
  row->addWidget(total_);
  table_->setAccessibleName(QStringLiteral("Ops table"));
  table_->chip_column = QStringLiteral("verdict");
  table_->bar_column = QStringLiteral("share_ratio");
  table_->chip = [this](uint32_t r, const Theme& theme) -> std::optional<QColor> {
    const auto column = column_of(table_->table(), "verdict");
    const auto* headline = column ? std::get_if<std::string>(&table_->table().rows[r][*column]) : nullptr;
    const auto bound = headline ? bound_in(*headline) : std::nullopt;
    return bound ? std::optional(theme.bound(*bound)) : std::nullopt;
  };
  message_->setFocusPolicy(Qt::NoFocus);
  message_->paint = [this](QPainter& p, const QRectF& r) { paint_message(p, r, *theme_); };
  connect(by_, &Switch::chosen, this, [this](int) { fill(); });
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    table_->set_filter(text);
    total_->setText(ops_total(table_->table(), table_->shown_rows()));
    follow();
  });
  connect(table_, &TableView::chosen, this, &OpsView::on_chosen);
  connect(table_, &TableView::opened, this, &OpsView::on_opened);
  connect(&document, &Document::replaced, this, &OpsView::fill);
  connect(&document.selection(), &Selection::changed, this, &OpsView::follow);
  fill();
}

void OpsView::set_theme(const Theme& theme) {
  theme_ = &theme;
  table_->set_theme(theme);
  message_->update();
}

void OpsView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  toolbar_->setGeometry(0, 0, width(), kToolbarHeight);
  table_->setGeometry(0, kToolbarHeight, width(), std::max(0, height() - kToolbarHeight));
  message_->setGeometry(rect());
}

void OpsView::fill() {
  const bool loaded = document().loaded();
  message_->setVisible(!loaded);
  if (!loaded) message_->raise();
  static constexpr const char* kNames[] = {"op", "layer", "type", "kernel", "phase"};
  table_->set_table(data(), QStringLiteral("ops/columns_%1").arg(QLatin1String(kNames[by_->current()])), default_columns());
  table_->set_filter(filter_->text());
  const auto time = column_of(table_->table(), "time_ns");
  // Layers stand in the order of the network, everything else by time.
  if (time && by() != profiler::OpsBy::layer) table_->sort(static_cast<int>(*time), true);
  total_->setText(loaded ? ops_total(table_->table(), table_->shown_rows()) : QString());
  follow();
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
    if (by() == profiler::OpsBy::op && state.op && r < table.row_ops.size() && table.row_ops[r] == *state.op) row = r;
    if (by() == profiler::OpsBy::layer && state.layer && key_of(r) == state.layer->toStdString()) row = r;
  }
  table_->set_selected(row);
}

void OpsView::on_chosen(uint32_t row) {
  const profiler::Table& table = table_->table();
  if (by() == profiler::OpsBy::op && row < table.row_ops.size()) document().selection().select_op(table.row_ops[row]);
  if (by() == profiler::OpsBy::layer) document().selection().select_layer(QString::fromStdString(key_of(row)));
}

void OpsView::on_opened(uint32_t row) {
  if (by() == profiler::OpsBy::op) return;
  const QString key = QString::fromStdString(key_of(row));
  by_->set_current(static_cast<int>(profiler::OpsBy::op));
  fill();
  filter_->setText(key);
}

void OpsView::paint_message(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  draw_message(p, rect, theme, QStringLiteral("No capture on the table"),
               QStringLiteral("Run a workload or open a .tide file: then each op is a row with its time, work, bytes and verdict."));
}

void OpsView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  if (!document().loaded()) {
    paint_message(p, rect, theme);
    return;
  }
  p.setFont(data_font());
  table_->draw(p, rect, theme);
}

profiler::Table OpsView::data() const {
  if (!document().loaded()) return {};
  return profiler::ops_table(document().analyzed(), by());
}

}  // namespace views
