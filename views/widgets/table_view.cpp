// SPDX-License-Identifier: GPL-3.0-or-later
// TableView: model over a permutation, one function that paints cells on screen and in pictures, column menu, copy.
#include "views/widgets/table_view.h"

#include <QAbstractTableModel>
#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "views/base/op_name.h"
#include "views/base/plain_text.h"
#include "views/base/view_settings.h"

namespace views {
namespace {

constexpr int kRowHeight = 24;
constexpr int kHeaderHeight = 28, kTallHeaderHeight = 42;
constexpr double kSmallestName = 150;  // px of the first column before the table scrolls
constexpr double kMostText = 340, kMostProse = 1200, kLeastProse = 160;  // px
constexpr size_t kMeasured = 400;                                        // rows looked at for a column's width

bool is_text(const profiler::Column& column) { return column.quantity == profiler::Quantity::text; }

/// Links are called "DRAM->L3" in tables that programs read; pictures and lists of the window have arrows.
QString with_arrows(QString text) { return text.replace(QLatin1String("->"), QStringLiteral("→")); }

}  // namespace

class TableModel : public QAbstractTableModel {
 public:
  profiler::Table table;
  std::vector<ColumnUnit> units;
  bool small_counts = false;
  std::vector<uint32_t> order;
  std::unique_ptr<TableOrder> sorter;
  int column = -1;
  bool descending = true;
  QString filter;
  std::vector<QString> under;  ///< second lines of headings; empty: none

  void replace(profiler::Table next) {
    beginResetModel();
    table = std::move(next);
    units.clear();
    for (size_t c = 0; c < table.columns.size(); ++c) units.push_back(column_unit(table, c, small_counts));
    sorter = std::make_unique<TableOrder>(table);
    column = -1;
    order = sorter->rows(column, descending, filter);
    endResetModel();
  }
  void reorder() {
    if (!sorter) return;
    beginResetModel();
    order = sorter->rows(column, descending, filter);
    endResetModel();
  }
  int rowCount(const QModelIndex& parent) const override {
    return parent.isValid() ? 0 : static_cast<int>(order.size());
  }
  int columnCount(const QModelIndex& parent) const override {
    return parent.isValid() ? 0 : static_cast<int>(table.columns.size());
  }

  QVariant data(const QModelIndex& index, int role) const override {
    if (!index.isValid()) return {};
    const auto c = static_cast<size_t>(index.column());
    const auto& cell = table.rows[order[static_cast<size_t>(index.row())]][c];
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) return with_arrows(format_in(cell, units[c]));
    if (role == Qt::ToolTipRole) {
      const auto& meta = table.columns[c];
      return Tip{translated(meta.title),
                 QString::fromStdString(profiler::format_cell(cell, meta.quantity)),
                 translated(meta.help),
                 {},
                 is_text(meta) ? std::optional<profiler::Origin>() : meta.origin,
                 {}}
          .html();
    }
    return {};
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation != Qt::Horizontal || static_cast<size_t>(section) >= table.columns.size()) return {};
    const auto c = static_cast<size_t>(section);
    if (role == Qt::DisplayRole)
      return with_arrows(column_title(table.columns[c], units[c])) +
             (c < under.size() && !under[c].isEmpty() ? QLatin1Char('\n') + under[c] : QString());
    if (role == Qt::TextAlignmentRole)
      return QVariant(Qt::AlignVCenter | (is_text(table.columns[c]) ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole) {
      const auto& meta = table.columns[c];
      return Tip{translated(meta.title),
                 {},
                 translated(meta.help),
                 {},
                 is_text(meta) ? std::optional<profiler::Origin>() : meta.origin,
                 QObject::tr("Click: sort. Right click: choose columns.")}
          .html();
    }
    return {};
  }
};

class TableDelegate : public QStyledItemDelegate {
 public:
  explicit TableDelegate(TableView* view) : QStyledItemDelegate(view), view_(view) {}
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    p->save();
    p->setFont(data_font());
    const Theme& theme = *view_->theme_;
    if (option.state & QStyle::State_Selected) p->fillRect(option.rect, theme.selection);
    else if (index.row() % 2 == 1) p->fillRect(option.rect, theme.surface_alternate);
    view_->draw_cell(*p, option.rect, view_->shown_rows()[static_cast<size_t>(index.row())],
                     static_cast<size_t>(index.column()), theme);
    p->restore();
  }

 private:
  TableView* view_;
};

TableView::TableView(QWidget* parent) : QTableView(parent), model_(std::make_unique<TableModel>()) {
  setModel(model_.get());
  setItemDelegate(new TableDelegate(this));
  setShowGrid(false);
  setFrameShape(QFrame::NoFrame);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(kRowHeight);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setFixedHeight(kHeaderHeight);
  // Titles stand over their columns: the same padding as the cells (Qt itself adds the right one).
  horizontalHeader()->setStyleSheet(QStringLiteral(
      "QHeaderView::section { padding: 0 0 0 8px; border: none; border-bottom: 1px solid palette(mid); background: "
      "palette(alternate-base);"
      " color: palette(placeholder-text); }"
      "QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-position: top center; width: 9px; height: 6px; }"));
  horizontalHeader()->setSectionsClickable(true);
  horizontalHeader()->setSortIndicatorShown(true);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int column) {
    // Numbers are asked for largest first, names in alphabetical order.
    const bool again = model_->column == column;
    sort(column, again ? !model_->descending : !is_text(model_->table.columns[static_cast<size_t>(column)]));
  });
  connect(horizontalHeader(), &QHeaderView::customContextMenuRequested, this, &TableView::column_menu);
  connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
    if (index.isValid()) emit opened(shown_rows()[static_cast<size_t>(index.row())]);
  });
}

TableView::~TableView() { setModel(nullptr); }

void TableView::set_table(profiler::Table table, const QString& settings_key, const QStringList& shown) {
  silent_ = true;
  const bool remembered = view_settings().contains(settings_key);
  if (!remembered || settings_key_ != settings_key) may_go_ = remembered ? QStringList() : shown;
  may_go_.removeIf([this](const QString& key) { return !spare_columns.contains(key); });
  settings_key_ = settings_key;
  model_->small_counts = small_counts;
  model_->under.clear();
  for (const profiler::Column& column : table.columns) {
    const auto under = under_titles.find(QString::fromStdString(column.key));
    model_->under.push_back(under != under_titles.end() ? under->second : QString());
  }
  model_->replace(std::move(table));
  horizontalHeader()->setFixedHeight(header_height());
  horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
  const QStringList chosen = view_settings().value(settings_key_, shown).toStringList();
  for (size_t c = 0; c < model_->table.columns.size(); ++c) {
    // The first column names the row: it always stays.
    setColumnHidden(static_cast<int>(c),
                    c > 0 && !chosen.contains(QString::fromStdString(model_->table.columns[c].key)));
  }
  place_columns();
  silent_ = false;
}

const profiler::Table& TableView::table() const { return model_->table; }
const std::vector<uint32_t>& TableView::shown_rows() const { return model_->order; }

void TableView::set_filter(const QString& filter) {
  silent_ = true;
  model_->filter = filter;
  model_->reorder();
  silent_ = false;
}

void TableView::sort(int column, bool descending) {
  silent_ = true;
  model_->column = column;
  model_->descending = descending;
  model_->reorder();
  horizontalHeader()->setSortIndicator(column, descending ? Qt::DescendingOrder : Qt::AscendingOrder);
  silent_ = false;
}

void TableView::set_selected(std::optional<uint32_t> row) {
  silent_ = true;
  const auto& order = model_->order;
  const auto found = row ? std::find(order.begin(), order.end(), *row) : order.end();
  if (found == order.end()) {
    clearSelection();
    setCurrentIndex({});
  } else {
    const int shown = static_cast<int>(found - order.begin());
    if (currentIndex().row() != shown) setCurrentIndex(model_->index(shown, 0));
    selectRow(shown);
  }
  silent_ = false;
}

void TableView::set_theme(const Theme& theme) {
  theme_ = &theme;
  viewport()->update();
}

void TableView::show_column(const QString& key, bool shown) {
  for (size_t c = 1; c < model_->table.columns.size(); ++c) {
    if (QString::fromStdString(model_->table.columns[c].key) == key) setColumnHidden(static_cast<int>(c), !shown);
  }
  may_go_.removeAll(key);
  remember_columns();
  place_columns();
}

bool TableView::column_shown(const QString& key) const {
  for (size_t c : visible_columns()) {
    if (QString::fromStdString(model_->table.columns[c].key) == key) return true;
  }
  return false;
}

void TableView::remember_columns() const {
  QStringList keys;
  for (const profiler::Column& column : model_->table.columns) {
    const QString key = QString::fromStdString(column.key);
    if (column_shown(key) || may_go_.contains(key)) keys << key;
  }
  view_settings().setValue(settings_key_, keys);
}

void TableView::column_menu(QPoint at) {
  QMenu menu(this);
  for (size_t c = 1; c < model_->table.columns.size(); ++c) {
    const auto& column = model_->table.columns[c];
    QAction* action = menu.addAction(translated(column.title));
    action->setCheckable(true);
    action->setChecked(!isColumnHidden(static_cast<int>(c)));
    action->setToolTip(plain_tip(translated(column.help)));
    connect(action, &QAction::toggled, this,
            [this, key = QString::fromStdString(column.key)](bool on) { show_column(key, on); });
  }
  menu.setToolTipsVisible(true);
  menu.exec(horizontalHeader()->mapToGlobal(at));
}

std::vector<size_t> TableView::visible_columns() const {
  std::vector<size_t> columns;
  for (size_t c = 0; c < model_->table.columns.size(); ++c) {
    if (!isColumnHidden(static_cast<int>(c))) columns.push_back(c);
  }
  return columns;
}

QStringList TableView::heading(size_t column) const {
  return model_->headerData(static_cast<int>(column), Qt::Horizontal, Qt::DisplayRole)
      .toString()
      .split(QLatin1Char('\n'));
}

int TableView::header_height() const {
  const bool tall = std::ranges::any_of(model_->under, [](const QString& line) { return !line.isEmpty(); });
  return tall ? kTallHeaderHeight : kHeaderHeight;
}

/// Whether the texts of a column are sentences.
bool TableView::is_prose(size_t column) const {
  constexpr auto kSpaces = 3;
  return prose &&
         std::ranges::any_of(std::span(model_->table.rows).first(std::min(kMeasured, model_->table.rows.size())),
                             [&](const auto& row) {
                               const auto* words = std::get_if<std::string>(&row[column]);
                               return words != nullptr && std::ranges::count(*words, ' ') > kSpaces;
                             });
}

double TableView::natural_width(size_t column) const {
  const QFont font = data_font();
  double width = 0;
  for (const QString& line : heading(column)) width = std::max(width, text_width(font, line) + 4);
  const size_t step = std::max<size_t>(1, model_->table.rows.size() / kMeasured);
  for (size_t r = 0; r < model_->table.rows.size(); r += step) {
    width = std::max(width, text_width(font, format_in(model_->table.rows[r][column], model_->units[column])));
  }
  const bool chip_here = QString::fromStdString(model_->table.columns[column].key) == chip_column;
  // whole pixels, or the last letter is elided
  return std::ceil(std::min(width + 2 * kGrid + (chip_here ? 18 : 0), is_prose(column) ? kMostProse : kMostText));
}

/// Takes from the widest texts until all columns fit side by side, or no text is wider than it has to be.
void TableView::share_room(std::vector<double>& widths, double total) const {
  const auto columns = visible_columns();
  for (double over = std::accumulate(widths.begin(), widths.end(), 0.0) - total; over > 0;) {
    size_t widest = columns.size();
    for (size_t i = 1; i < columns.size(); ++i) {
      if (is_prose(columns[i]) && (widest == columns.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == columns.size() || widths[widest] <= kLeastProse) return;
    const double taken = std::min({over, widths[widest] - kLeastProse, 8.0});
    widths[widest] -= taken;
    over -= taken;
  }
}

std::vector<double> TableView::widths_for(double total) const {
  std::vector<double> widths;
  double others = 0;
  for (size_t c : visible_columns()) {
    widths.push_back(natural_width(c));
    if (widths.size() > 1) others += widths.back();
  }
  if (widths.empty()) return widths;
  if (prose) {
    share_room(widths, total);
    return widths;
  }
  const double spare = total - others - widths.front();
  if (spare > 0 && widths.front() < kSmallestName) {  // no names: figures stand side by side, not behind a gap
    for (double& width : widths) width += std::floor(spare / static_cast<double>(widths.size()));
  } else {
    widths.front() = std::max(std::min(kSmallestName, widths.front()), total - others);
  }
  return widths;
}

void TableView::spare_room() {
  if (may_go_.isEmpty() || model_->table.columns.empty()) return;
  const auto place_of = [&](const QString& key) {
    return static_cast<int>(std::ranges::find(model_->table.columns, key.toStdString(), &profiler::Column::key) -
                            model_->table.columns.begin());
  };
  for (const QString& key : spare_columns) {
    if (may_go_.contains(key)) setColumnHidden(place_of(key), false);
  }
  for (const QString& key : spare_columns) {
    const std::vector<double> widths = widths_for(0);
    if (std::accumulate(widths.begin(), widths.end(), 0.0) <= viewport()->width()) return;
    if (may_go_.contains(key)) setColumnHidden(place_of(key), true);
  }
}

void TableView::place_columns() {
  spare_room();
  const auto columns = visible_columns();
  const auto widths = widths_for(viewport()->width());
  for (size_t i = 0; i < columns.size(); ++i) setColumnWidth(static_cast<int>(columns[i]), static_cast<int>(widths[i]));
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  place_columns();
}

QString TableView::as_text() const {
  std::vector<uint32_t> rows;
  for (const QModelIndex& index : selectionModel()->selectedRows())
    rows.push_back(model_->order[static_cast<size_t>(index.row())]);
  if (rows.empty()) rows = model_->order;
  QStringList lines, cells;
  for (size_t c : visible_columns()) cells << heading(c).join(QStringLiteral(", "));
  lines << cells.join(QLatin1Char('\t'));
  for (uint32_t row : rows) {
    cells.clear();
    for (size_t c : visible_columns()) cells << format_in(model_->table.rows[row][c], model_->units[c]);
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n'));
}

void TableView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    QApplication::clipboard()->setText(as_text());
    return;
  }
  QTableView::keyPressEvent(event);
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (silent_ || !current.isValid() || current.row() == previous.row()) return;
  emit chosen(model_->order[static_cast<size_t>(current.row())]);
}

void TableView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();  // menus and other buttons choose nothing
  const int before = currentIndex().row();
  QTableView::mousePressEvent(event);
  const QModelIndex hit = indexAt(event->pos());
  if (hit.isValid() && hit.row() == before) emit chosen(model_->order[static_cast<size_t>(hit.row())]);
}

double share_bar(double ratio, double room) {
  return ratio > 0 ? std::clamp(room * ratio, std::min(1.0, room), std::max(0.0, room)) : 0;
}

void TableView::draw_cell(QPainter& p, const QRectF& rect, uint32_t row, size_t column, const Theme& theme) const {
  const auto& meta = model_->table.columns[column];
  const auto& cell = model_->table.rows[row][column];
  const QString key = QString::fromStdString(meta.key);
  QRectF inner = rect.adjusted(kGrid, 0, -kGrid, 0);
  if (key == bar_column) {
    const double* ratio = std::get_if<double>(&cell);
    QColor tint = theme.measure;
    tint.setAlphaF(0.45f);
    if (ratio && *ratio > 0)
      p.fillRect(QRectF(rect.left() + 2, rect.top() + 3, share_bar(*ratio, rect.width() - 4), rect.height() - 6), tint);
  }
  if (chip && key == chip_column) {
    if (const auto colour = chip(row, theme)) {
      const QRectF at(inner.left(), inner.center().y() - 5, 10, 10);
      p.setRenderHint(QPainter::Antialiasing);
      if (colour->style() == Qt::SolidPattern) {
        draw_mark(p, at, colour->color(), chip_mark ? chip_mark(row) : Mark::square);
      } else {
        p.fillRect(at, theme.surface_alternate);
        p.setPen(QPen(colour->color(), 1));
        p.setBrush(*colour);
        p.drawRect(at);
      }
      inner.setLeft(inner.left() + 16);
    }
  }
  const QString text = format_in(cell, model_->units[column]);
  const bool left = is_text(meta);
  if (column == 0 && left) return draw_name(p, inner, text, theme.text);
  draw_text(p, inner, (left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, text,
            is_unknown(cell) ? theme.text_secondary : theme.text,
            left && !is_prose(column) ? Qt::ElideMiddle : Qt::ElideRight);
}

void TableView::draw(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  const auto columns = visible_columns();
  const auto widths = widths_for(rect.width());
  const QRectF header(rect.left(), rect.top(), rect.width(), header_height());
  p.fillRect(header, theme.surface_alternate);
  const int first = std::max(0, rowAt(1));
  const auto rows = static_cast<size_t>(std::max(0.0, (rect.height() - header_height()) / kRowHeight));
  const auto& order = model_->order;
  double x = rect.left();
  for (size_t i = 0; i < columns.size() && x + widths[i] <= rect.right() + 0.5; ++i) {
    const bool left = is_text(model_->table.columns[columns[i]]);
    const QStringList lines = heading(columns[i]);
    const double line = QFontMetricsF(p.font()).height(),
                 top = header.center().y() - line * static_cast<double>(lines.size()) / 2;
    for (qsizetype l = 0; l < lines.size(); ++l) {
      draw_text(p, QRectF(x + kGrid, top + line * static_cast<double>(l), widths[i] - 2 * kGrid, line),
                (left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, lines[l], theme.text_secondary);
    }
    for (size_t r = 0; r < rows && static_cast<size_t>(first) + r < order.size(); ++r) {
      const QRectF at(x, header.bottom() + static_cast<double>(r) * kRowHeight, widths[i], kRowHeight);
      if (r % 2 == 1) p.fillRect(at, theme.surface_alternate);
      draw_cell(p, at, order[static_cast<size_t>(first) + r], columns[i], theme);
    }
    x += widths[i];
  }
}

}  // namespace views
