// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's frame: tool row, area, statistics.
#include "views/timeline/timeline_view.h"

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QSettings>
#include <QSplitter>
#include <QThread>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>
#include <array>
#include <utility>

#include "profiler/capture/only_planned.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/timeline/events_table.h"
#include "views/timeline/queue_depth.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_finder.h"
#include "views/timeline/timeline_menu.h"
#include "views/widgets/action_keys.h"
#include "views/widgets/find_box.h"
#include "views/widgets/flow_layout.h"

namespace views {

namespace {

/// Fewer activities are laid out in less than a frame or two, without a thread.
constexpr size_t kBuiltAtOnce = 200000;

/// "Take over 3 marks of the recording of 2026-03-01T12:30:00+01:00 (same file name)"
QString take_over_text(const OtherNotes& other) {
  const auto count = static_cast<int>(other.notes.marks.size());
  const QString marks = count == 1 ? QObject::tr("1 mark") : QObject::tr("%1 marks").arg(count);
  return other.recording.isEmpty()
             ? QObject::tr("Take over %1 of an earlier recording of this name").arg(marks)
             : QObject::tr("Take over %1 of the recording of %2")
                   .arg(marks, displayed(other.recording.left(40)).replace(QLatin1Char('&'), QLatin1String("&&")));
}

/// Where marks and saved views are, for the menu.
QString notes_place(const QString& file, const QString& capture_path) {
  return file == notes_beside(capture_path)
             ? QObject::tr("Marks and saved views: beside the capture, in %1").arg(QFileInfo(file).fileName())
             : QObject::tr("Marks and rows: in this user's settings (the capture itself never changes)");
}

}  // namespace

TimelineView::TimelineView(Document& document, QWidget* parent)
    : View(document, parent),
      area_(new TimelineArea(document, this)),
      find_(new FindBox(this)),
      found_(new QLabel(this)),
      colors_(new QComboBox(this)),
      legend_(new QLabel(this)),
      statistics_(new QLabel(this)),
      frame_time_(new QLabel(this)),
      panel_(new RangePanel(document, this)),
      events_(new EventsTable(document, this)),
      finder_(new TimelineFinder(this)),
      theme_(&Theme::light()) {
  setAccessibleName(tr("Timeline: steps, layers and ops over time"));
  find_->setPlaceholderText(tr("Find by name  ( / )"));
  find_->setAccessibleName(tr("Find events by name"));
  find_->setToolTip(
      tr("Events whose name holds this text; in quotation marks: whose name it is. "
         "Enter: next match, Shift+Enter: previous, Esc: back to the timeline"));
  for (int i = 0; i < kTimelineColorsCount; ++i) {
    const auto colors = static_cast<TimelineColors>(i);
    colors_->addItem(colors_title(colors));
    colors_->setItemData(i, colors_help(colors), Qt::ToolTipRole);
  }
  colors_->setAccessibleName(tr("What the colour of a bar means"));
  legend_->setTextFormat(Qt::RichText);
  legend_->setWordWrap(true);
  statistics_->setTextFormat(Qt::RichText);
  statistics_->setWordWrap(true);
  statistics_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long name does not widen the view
  statistics_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  statistics_->setContentsMargins(kGrid, kGrid / 2, kGrid, kGrid / 2);
  auto* tools = new FlowLayout;
  tools->setContentsMargins(kGrid, kGrid / 2, kGrid, kGrid / 2);
  tools->setSpacing(kGrid);
  for (QWidget* part : std::initializer_list<QWidget*>{find_, found_, colors_}) tools->add(part);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(tools);
  auto* halves = new QSplitter(Qt::Vertical, this);
  halves->addWidget(area_);
  halves->addWidget(events_);
  halves->addWidget(panel_);
  halves->setStretchFactor(0, 3);
  halves->setStretchFactor(1, 2);
  halves->setStretchFactor(2, 2);
  halves->setSizes({600, 220, 260});
  halves->setChildrenCollapsible(false);
  panel_->setMinimumHeight(10 * fontMetrics().height());  // its tabs and some rows, in a low window too
  panel_->hide();
  events_->hide();
  all->addWidget(halves, 1);
  all->addWidget(statistics_);
  frame_time_->setContentsMargins(kGrid, 0, kGrid, kGrid / 2);
  frame_time_->hide();
  all->addWidget(frame_time_);
  add_actions();
  add_panel();
  for (const char* name : {"timeline.fit_all", "timeline.fit_selection", "timeline.events", "timeline.details"}) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(findChild<QAction*>(QString::fromLatin1(name)));
    button->setAutoRaise(true);
    tools->add(button);
  }
  tools->add(legend_);
  connect(find_, &FindBox::textChanged, this, &TimelineView::count_matches);
  connect(find_, &FindBox::stepped, this, &TimelineView::find);
  connect(find_, &FindBox::left, area_, qOverload<>(&QWidget::setFocus));
  connect(colors_, &QComboBox::currentIndexChanged, this, [this](int i) {
    area_->set_colors(static_cast<TimelineColors>(i));
    colors_->setToolTip(colors_help(static_cast<TimelineColors>(i)));
    update_legend();
  });
  connect(colors_, &QComboBox::activated, this, [this] { colors_chosen_ = true; });
  connect(finder_, &TimelineFinder::changed, this, &TimelineView::show_matches);
  connect(&document, &Document::replaced, this, &TimelineView::rebuild);
  connect(&document.selection(), &Selection::changed, this, &TimelineView::update_statistics);
  setFocusProxy(area_);
  rebuild();
}

TimelineView::~TimelineView() {
  for (QThread* thread : builders_) {
    thread->wait();
    delete thread;
  }
}

QUndoStack* TimelineView::edits() { return area_->edits()->history(); }

void TimelineView::add_actions() {
  const auto add = [this](const char* name, const QString& text, const QList<QKeySequence>& keys,
                          std::function<void()> run,
                          QWidget* owner) { add_command(*this, *owner, name, text, keys, std::move(run)); };
  add(
      "timeline.zoom_in", tr("Zoom in"), {Qt::Key_W, Qt::Key_Plus}, [this] { area_->zoom(0.8); }, area_);
  add(
      "timeline.zoom_out", tr("Zoom out"), {Qt::Key_S, Qt::Key_Minus}, [this] { area_->zoom(1.25); }, area_);
  add(
      "timeline.pan_left", tr("Pan left"), {Qt::Key_A}, [this] { area_->pan(-0.15); }, area_);
  add(
      "timeline.pan_right", tr("Pan right"), {Qt::Key_D}, [this] { area_->pan(0.15); }, area_);
  add(
      "timeline.next", tr("Next event"), {Qt::Key_Right}, [this] { area_->go_sideways(1); }, area_);
  add(
      "timeline.previous", tr("Previous event"), {Qt::Key_Left}, [this] { area_->go_sideways(-1); }, area_);
  add(
      "timeline.up", tr("Event above"), {Qt::Key_Up}, [this] { area_->go_up_down(-1); }, area_);
  add(
      "timeline.down", tr("Event below"), {Qt::Key_Down}, [this] { area_->go_up_down(1); }, area_);
  add(
      "timeline.next_row", tr("Next row"), {QKeySequence(Qt::ALT | Qt::Key_Down)}, [this] { area_->go_to_row(1); },
      area_);
  add(
      "timeline.previous_row", tr("Previous row"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
      [this] { area_->go_to_row(-1); }, area_);
  add(
      "timeline.range_right", tr("Range to the next event"), {QKeySequence(Qt::SHIFT | Qt::Key_Right)},
      [this] { area_->extend_range(1); }, area_);
  add(
      "timeline.range_left", tr("Range to the previous event"), {QKeySequence(Qt::SHIFT | Qt::Key_Left)},
      [this] { area_->extend_range(-1); }, area_);
  add(
      "timeline.fit_all", tr("Fit all"), {Qt::Key_Home}, [this] { area_->fit_all(); }, area_);
  add(
      "timeline.fit_selection", tr("Fit selection"), {Qt::Key_F}, [this] { area_->fit_selection(); }, area_);
  add(
      "timeline.find", tr("Find in the timeline"), {Qt::Key_Slash, QKeySequence::Find}, [this] { find_->open(); },
      this);
  add(
      "timeline.find_next", tr("Next match"), {Qt::Key_F3}, [this] { find(1); }, this);
  add(
      "timeline.find_previous", tr("Previous match"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)}, [this] { find(-1); },
      this);
  add_note_actions();
}

void TimelineView::add_panel() {
  QAction* details = add_command(*this, *area_, "timeline.details", tr("Details"), {Qt::Key_I}, [] {});
  details->setCheckable(true);
  details->setToolTip(
      tr("Busy and idle time, durations of one name and the flame graph of the selected range, or of everything (I)"));
  connect(details, &QAction::toggled, this, &TimelineView::show_panel);
  QAction* events = add_command(*this, *area_, "timeline.events", tr("Events"), {Qt::Key_E}, [] {});
  events->setCheckable(true);
  events->setToolTip(tr("Lists the events of the selected range, or all of them; while you search, only matches (E)"));
  connect(events, &QAction::toggled, events_, &QWidget::setVisible);
  connect(events, &QAction::toggled, events_, [this] { bring_into_sight(events_); });
  connect(panel_, &RangePanel::measured, this, &TimelineView::update_statistics);
  connect(panel_, &RangePanel::name_opened, this, [this](quint32 name) {
    if (model_ == nullptr) return;
    std::vector<bool> wanted(model_->labels.size(), false);
    if (name < wanted.size()) wanted[name] = true;
    const TimelineMatches of_name = find_matches(*model_, std::move(wanted), area_->notes().rows);
    if (const auto hit = next_match(*model_, of_name, area_->current(), area_->window_ns(), 1))
      area_->go_to_found(*hit);
  });
  connect(area_, &TimelineArea::current_changed, this, &TimelineView::update_subject);
  connect(area_, &TimelineArea::current_changed, this, &TimelineView::say_matches);
  connect(area_, &TimelineArea::range_dragged, this, &TimelineView::open_panel);
}

void TimelineView::add_note_actions() {
  const auto add = [this](const char* name, const QString& text, const QList<QKeySequence>& keys,
                          std::function<void()> run) {
    return add_command(*this, *area_, name, text, keys, std::move(run));
  };
  add("timeline.pin", tr("Pin or unpin the row"), {Qt::Key_P},
      [this] { area_->edits()->toggle_pin(area_->row_of_interest()); });
  add("timeline.hide", tr("Hide the row"), {Qt::Key_H}, [this] { area_->edits()->hide_row(area_->row_of_interest()); });
  add("timeline.row_up", tr("Move the row up"), {QKeySequence(Qt::CTRL | Qt::Key_Up)},
      [this] { area_->edits()->move_row(area_->row_of_interest(), -1); });
  add("timeline.row_down", tr("Move the row down"), {QKeySequence(Qt::CTRL | Qt::Key_Down)},
      [this] { area_->edits()->move_row(area_->row_of_interest(), 1); });
  add("timeline.fold", tr("Fold or unfold the group"), {Qt::Key_C},
      [this] { area_->edits()->toggle_fold(area_->row_of_interest()); });
  add("timeline.show_all", tr("Show all rows"), {QKeySequence(Qt::SHIFT | Qt::Key_H)},
      [this] { area_->edits()->show_all_rows(); });
  add("timeline.fit_names", tr("Fit the width of the row names"), {}, [this] { area_->fit_names(); });
  add("timeline.mark", tr("Mark with a note"), {Qt::Key_M}, [this] { ask_mark(); });
  add("timeline.next_mark", tr("Next mark"), {Qt::Key_N}, [this] { area_->go_to_mark(1); });
  add("timeline.previous_mark", tr("Previous mark"), {QKeySequence(Qt::SHIFT | Qt::Key_N)},
      [this] { area_->go_to_mark(-1); });
  for (int i = 0; i < 10; ++i) {
    const auto slot = static_cast<size_t>(i);
    const auto digit = static_cast<Qt::Key>(Qt::Key_0 + i);
    add(qPrintable(QStringLiteral("timeline.recall_view_%1").arg(i)), tr("Show saved view %1").arg(i), {digit},
        [this, slot] {
          if (const auto view = area_->edits()->saved_view(slot)) area_->set_window(*view);
        });
    add(qPrintable(QStringLiteral("timeline.save_view_%1").arg(i)), tr("Save view %1").arg(i),
        {QKeySequence(Qt::CTRL | digit)}, [this, slot] { area_->edits()->save_view(slot, area_->window_ns()); });
  }
  add("timeline.event_menu", tr("Menu of the event"), {QKeySequence(Qt::SHIFT | Qt::Key_F10)}, [this] {
    const auto& current = area_->current();
    if (model_ == nullptr || !current) return;
    const auto& g = area_->scene().geometry;
    const QRectF seen = area_->span_rect(*current) & QRectF(g.header_width + 1, 0, g.plot_width(), g.height);
    if (!seen.isEmpty()) show_menu(seen.center().toPoint());
  });
  QAction* frames =
      add("timeline.frame_time", tr("Show frame times"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F)}, [] {});
  frames->setCheckable(true);
  connect(frames, &QAction::toggled, frame_time_, &QLabel::setVisible);
  add("timeline.keys", tr("Keys and mouse…"), {}, [this] { show_keys(); });
  apply_saved_keys(area_->actions());
  area_->set_preset(saved_preset());
  area_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(area_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    // Right drags pan in the Tracy-like preset: there the mouse opens the menu over the rows' names alone.
    if (saved_preset() != TimelinePreset::tracy || at.x() <= area_->scene().geometry.header_width) show_menu(at);
  });
  connect(area_->edits(), &TimelineEdits::changed, this, &TimelineView::save_notes_now);
  connect(area_->edits(), &TimelineEdits::changed, this, &TimelineView::count_matches);  // rows were hidden or shown
  connect(area_, &TimelineArea::painted, this, [this] {
    const auto& s = area_->statistics();
    if (frame_time_->isVisible())
      frame_time_->setText(tr("frame %1 · %L2 bars, %L3 columns")
                               .arg(quantity(static_cast<double>(s.paint_ns), profiler::Quantity::duration_ns))
                               .arg(s.bars)
                               .arg(s.columns));
  });
}

/// Commands on the event, row or mark at a place.
void TimelineView::show_menu(const QPoint& at) {
  if (model_ == nullptr) return;
  auto* menu = new TimelineMenu(document(), *area_, at, this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  // Its entries point at events of this capture.
  connect(&document(), &Document::replaced, menu, &QWidget::close);
  connect(menu, &TimelineMenu::find_requested, this, [this](const QString& term) {
    find_->setText(term);
    find(1);
  });
  connect(menu, &TimelineMenu::durations_requested, this, [this] {
    findChild<QAction*>(QStringLiteral("timeline.details"))->setChecked(true);
    panel_->setCurrentIndex(RangePanel::durations_page);
  });
  for (const char* name : {"timeline.mark", "timeline.show_all", "timeline.fit_names", "timeline.events",
                           "timeline.details", "timeline.frame_time", "timeline.keys"})
    menu->addAction(findChild<QAction*>(QString::fromLatin1(name)));
  menu->addSeparator();
  menu->addAction(notes_place(notes_file_, document().path()))->setEnabled(false);
  for (const OtherNotes& other : other_notes(notes_beside(document().path()), capture_id(*model_->capture))) {
    QAction* take = menu->addAction(take_over_text(other), this, [this, marks = other.notes.marks] {
      area_->edits()->edit(with_marks(area_->notes(), marks), tr("take over marks"));
    });
    take->setObjectName(QStringLiteral("timeline.take_over"));
  }
  menu->popup(area_->viewport()->mapToGlobal(at));
}

void TimelineView::ask_mark() {
  if (model_ == nullptr) return;
  const TimeRange place = area_->mark_place();
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Mark"));
  dialog->setLabelText(
      place.end_ns > place.begin_ns
          ? tr("Note on these %1:")
                .arg(quantity(static_cast<double>(place.end_ns - place.begin_ns), profiler::Quantity::duration_ns))
          : tr("Note on this moment:"));
  connect(&document(), &Document::replaced, dialog, &QDialog::reject);
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, place](const QString& text) { area_->edits()->add_mark(place, text); });
  dialog->open();
}

void TimelineView::show_keys() {
  auto* dialog = new TimelineKeysDialog(area_->actions(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    area_->set_preset(dialog->preset());
    update_statistics();
  });
  dialog->open();
}

void TimelineView::save_notes_now() {
  if (notes_file_.isEmpty()) return;
  const auto saved = keep_notes(area_->notes(), *model_->capture, document().path(), notes_file_);
  if (!saved) {
    statistics_->setText(tr("Not saved, and lost when this window closes: %1")
                             .arg(QString::fromStdString(saved.error().message))
                             .toHtmlEscaped());
    return;
  }
  const bool moved = saved->file != notes_file_;
  notes_file_ = saved->file;
  if (!saved->why_not_beside.isEmpty()) {
    statistics_->setText(
        tr("%1. They are in this user's settings instead: %2").arg(saved->why_not_beside, notes_file_).toHtmlEscaped());
  } else if (moved) {
    statistics_->setText(notes_place(notes_file_, document().path()).toHtmlEscaped());
  }
}

/// Lanes of a big capture are built on a thread of their own; the window stays awake meanwhile.
void TimelineView::rebuild() {
  ++generation_;
  area_->set_model(nullptr);
  finder_->set_model(nullptr);
  model_.reset();
  find_->clear();  // it was asked of another capture
  const auto analyzed = document().shared();
  if (analyzed == nullptr || analyzed->capture->activities().size() < kBuiltAtOnce) {
    show_model(analyzed == nullptr ? nullptr : std::make_shared<TimelineModel>(build_timeline(*analyzed)));
    return;
  }
  show_model(nullptr);
  area_->set_message(tr("Laying out %L1 events…").arg(analyzed->capture->activities().size()));
  auto built = std::make_shared<std::shared_ptr<TimelineModel>>();
  QThread* thread =
      QThread::create([analyzed, built] { *built = std::make_shared<TimelineModel>(build_timeline(*analyzed)); });
  builders_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, built, generation = generation_] {
    std::erase(builders_, thread);
    thread->deleteLater();
    if (generation != generation_) return;
    show_model(std::move(*built));
    add_queues();
  });
  thread->start();
}

/// The charts that a big capture gets after its first frame.
void TimelineView::add_queues() {
  auto charts = std::make_shared<std::vector<TimelineCounter>>();
  QThread* thread = QThread::create([charts, capture = model_->capture] { *charts = queue_depths(*capture); });
  builders_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, charts, generation = generation_] {
    std::erase(builders_, thread);
    thread->deleteLater();
    if (generation != generation_) return;
    for (TimelineCounter& chart : *charts) model_->counters.push_back(std::move(chart));
    area_->relayout();
  });
  thread->start();
}

void TimelineView::show_model(std::shared_ptr<TimelineModel> model) {
  model_ = std::move(model);
  area_->set_message({});
  notes_file_ = model_ != nullptr ? notes_file_for(*model_->capture, document().path()) : QString();
  area_->edits()->reset(model_ != nullptr ? load_notes(notes_file_, capture_id(*model_->capture)) : TimelineNotes());
  area_->set_model(model_.get());
  finder_->set_model(model_);
  find_->setEnabled(model_ != nullptr);
  if (model_ != nullptr && !colors_chosen_) colors_->setCurrentIndex(static_cast<int>(first_colors(*model_->capture)));
  count_matches();
  update_legend();
  update_statistics();
}

void TimelineView::set_theme(const Theme& theme) {
  theme_ = &theme;
  area_->set_theme(theme);
  panel_->set_theme(theme);
  events_->set_theme(theme);
  update_legend();
  update_statistics();
}

void TimelineView::render_picture(QPainter& painter, const QRectF& rect, const Theme& theme) {
  if (model_ == nullptr) {
    draw_message(painter, rect, theme, tr("No capture"), tr("Open a capture or run a workload to see its timeline."));
    return;
  }
  area_->render(painter, rect, theme);
}

int TimelineView::full_height(int width) const { return model_ != nullptr ? area_->full_height(width) : 0; }

void TimelineView::update_legend() {
  QString text;
  const auto entry = [&](const QColor& color, const QString& name) {
    text += QStringLiteral("<span style='color:%1'>■</span>&nbsp;%2&nbsp;&nbsp; ")
                .arg(color.name(), name.toHtmlEscaped().replace(QLatin1Char(' '), QStringLiteral("&nbsp;")));
  };
  if (model_ != nullptr)
    for (const auto& [color, name] : area_->scene().palette.legend()) entry(color, displayed(name));
  legend_->setText(text);
  legend_->setVisible(!text.isEmpty());  // an empty one would keep a row of its own
}

void TimelineView::count_matches() { finder_->find(find_->text(), area_->notes().rows); }

void TimelineView::show_matches() {
  const TimelineMatches& matches = finder_->matches();
  area_->set_matches(matches.active() ? &matches : nullptr);
  if (!finder_->searching()) events_->set_wanted(matches.wanted);
  say_matches();
  if (!finder_->searching() && find_next_ != 0) find(std::exchange(find_next_, 0));
}

/// "3 of 83,206": which of the matches is the current bar.
void TimelineView::say_matches() {
  const TimelineMatches& matches = finder_->matches();
  if (finder_->searching()) return found_->setText(tr("searching…"));
  if (model_ == nullptr || !matches.active()) return found_->clear();
  const auto& current = area_->current();
  const size_t at = current ? ordinal(*model_, matches, *current) : 0;
  QString text = matches.count == 0 ? tr("no match")
                 : at == 0          ? tr("%L1 found").arg(matches.count)
                                    : tr("%L1 of %L2").arg(at).arg(matches.count);
  if (matches.hidden > 0) text += tr(", %L1 in hidden rows").arg(matches.hidden);
  found_->setText(text);
}

/// While a search goes on, it goes to its first match when it ends.
void TimelineView::find(int direction) {
  find_next_ = finder_->searching() ? direction : 0;
  if (model_ == nullptr || finder_->matches().count == 0) return;
  if (const auto hit = next_match(*model_, finder_->matches(), area_->current(), area_->window_ns(), direction))
    area_->go_to_found(*hit);
}

QString TimelineView::nothing() const {
  return document().loaded() && profiler::only_planned(document().capture()) ? tr("Nothing has run yet.") : QString();
}

}  // namespace views
