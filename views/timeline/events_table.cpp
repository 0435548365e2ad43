// SPDX-License-Identifier: GPL-3.0-or-later
// Lists events when it is seen; a hidden table costs nothing.
#include "views/timeline/events_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include "views/base/paint.h"
#include "views/timeline/events_model.h"

namespace views {

namespace {

constexpr size_t kMostEvents = 1'000'000;  // a view keeps a few bytes of each row
constexpr int kRowHeight = 22;

}  // namespace

EventsTable::EventsTable(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new EventsModel(this)),
      table_(new QTableView(this)),
      line_(new QLabel(this)) {
  table_->setModel(model_);
  table_->setAccessibleName(tr("Events"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setAlternatingRowColors(true);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(kRowHeight);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSortIndicator(EventsModel::start, Qt::AscendingOrder);
  table_->setSortingEnabled(true);
  const int width = QFontMetrics(data_font()).averageCharWidth();
  for (const auto& [column, letters] : {std::pair{EventsModel::start, 11},
                                        {EventsModel::duration, 11},
                                        {EventsModel::name, 46},
                                        {EventsModel::kind, 14},
                                        {EventsModel::where, 26},
                                        {EventsModel::step, 7}})
    table_->setColumnWidth(column, letters * width + 2 * kGrid);
  line_->setContentsMargins(kGrid, kGrid / 2, kGrid, kGrid / 2);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addWidget(line_);
  all->addWidget(table_, 1);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) { choose(current.row()); });
  connect(model_, &QAbstractItemModel::modelReset, this, &EventsTable::show_chosen);
  connect(&document_.selection(), &Selection::changed, this, &EventsTable::follow_selection);
  connect(&document_, &Document::replaced, this, [this] {
    range_.reset();
    wanted_.clear();
    refresh();
  });
}

void EventsTable::set_theme(const Theme&) { table_->setFont(data_font()); }

void EventsTable::set_wanted(std::vector<bool> wanted) {
  if (wanted == wanted_) return;
  wanted_ = std::move(wanted);
  refresh();
}

void EventsTable::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) refresh();
}

void EventsTable::refresh() {
  stale_ = !isVisible();
  if (!document_.loaded()) {
    model_->set_events(nullptr, {});
    line_->clear();
  } else if (isVisible()) {
    size_t count = 0;
    auto rows = events_in(document_.capture(), range_, wanted_, kMostEvents, count);
    const size_t shown = rows.size();
    model_->set_events(document_.shared()->capture, std::move(rows));
    QString text = wanted_.empty() ? (count == 1 ? tr("1 event") : tr("%L1 events").arg(count))
                                   : (count == 1 ? tr("1 matching event") : tr("%L1 matching events").arg(count));
    if (range_) text += tr(" in the selected range");
    if (shown < count) text += tr(". The first %L1 are listed: select a range to see others").arg(shown);
    line_->setText(text);
  }
}

void EventsTable::follow_selection() {
  const auto& state = document_.selection().state();
  if (state.range != range_) {
    range_ = state.range;
    refresh();
  } else {
    show_chosen();
  }
}

void EventsTable::choose(int row) {
  if (choosing_ || row < 0) return;
  const uint32_t event = model_->event(row);
  const auto& a = document_.capture().activities();
  const profiler::OpId op = a.op[event];
  choosing_ = true;
  document_.selection().select_activity(event,
                                        op < document_.capture().ops().size() ? std::optional(op) : std::nullopt);
  choosing_ = false;
}

/// The row of the event that is selected, in sight.
void EventsTable::show_chosen() {
  if (choosing_ || !isVisible()) return;
  const auto& event = document_.selection().state().activity;
  const auto place = event ? model_->place_of(*event) : std::nullopt;
  choosing_ = true;
  if (place) {
    table_->selectRow(*place);
    table_->scrollTo(model_->index(*place, 0));
  } else {
    table_->clearSelection();
  }
  choosing_ = false;
}

}  // namespace views
