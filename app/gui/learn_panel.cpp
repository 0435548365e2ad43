// SPDX-License-Identifier: GPL-3.0-or-later
// LearnPanel.
#include "app/gui/learn_panel.h"

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "app/base/lesson_catalog.h"
#include "app/gui/answer_box.h"
#include "app/gui/learn_presenter.h"
#include "app/gui/recorder_process.h"
#include "app/gui/settings.h"
#include "app/gui/translation.h"
#include "engine/base/display_text.h"
#include "views/base/file_name.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace app::gui {

using profiler::LessonQuestion;
using profiler::LessonText;

namespace {

constexpr int kLessonRole = Qt::UserRole;
constexpr double kPresenterPoints = 20;

QString from(const std::string& text) { return views::displayed(QString::fromStdString(text)); }

/// Titles of chapters, for those who translate: app/base has them.
[[maybe_unused]] constexpr const char* kChapterWords[] = {
    QT_TRANSLATE_NOOP("LearnPanel", "Where time goes"),  QT_TRANSLATE_NOOP("LearnPanel", "Batches"),
    QT_TRANSLATE_NOOP("LearnPanel", "Memory"),           QT_TRANSLATE_NOOP("LearnPanel", "Numbers"),
    QT_TRANSLATE_NOOP("LearnPanel", "Tensors"),          QT_TRANSLATE_NOOP("LearnPanel", "Loops"),
    QT_TRANSLATE_NOOP("LearnPanel", "Other chips"),      QT_TRANSLATE_NOOP("LearnPanel", "Frameworks"),
    QT_TRANSLATE_NOOP("LearnPanel", "Fusion"),           QT_TRANSLATE_NOOP("LearnPanel", "Devices"),
    QT_TRANSLATE_NOOP("LearnPanel", "A published table")};

QString level_words(const std::string& level) {
  return level == "beginner"       ? LearnPanel::tr("beginner")
         : level == "intermediate" ? LearnPanel::tr("intermediate")
         : level == "advanced"     ? LearnPanel::tr("advanced")
                                   : from(level);
}

}  // namespace

LearnPanel::LearnPanel(QWidget* parent) : QWidget(parent), clock_(new LessonClock(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  stack_ = new QStackedWidget(this);
  layout->addWidget(stack_);
  build_list();
  build_lesson();
  connect(&process_, &QProcess::finished, this, &LearnPanel::on_ended);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) on_ended(-1, QProcess::CrashExit);
  });
  const auto key = [this](const QKeySequence& keys, void (LearnPanel::*what)()) {
    connect(new QShortcut(keys, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut), &QShortcut::activated, this,
            what);
  };
  key(QKeySequence(Qt::Key_PageDown), &LearnPanel::go_on);
  key(QKeySequence(Qt::Key_PageUp), &LearnPanel::go_back);
  black_key_ = new QShortcut(QKeySequence(Qt::Key_B), this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
  black_key_->setEnabled(false);  // else lists are not searched by that letter
  connect(black_key_, &QShortcut::activated, this, &LearnPanel::go_black);
  connect(clock_, &LessonClock::ticked, this, &LearnPanel::show_place);
}

LearnPanel::~LearnPanel() {
  process_.disconnect(this);
  if (!running()) return;
  process_.kill();
  process_.waitForFinished(2000);
}

void LearnPanel::build_list() {
  auto* page = new QWidget(stack_);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  search_ = new QLineEdit(page);
  search_->setPlaceholderText(tr("Search lessons"));
  search_->setAccessibleName(tr("Search lessons"));
  search_->setClearButtonEnabled(true);
  list_ = new QTreeWidget(page);
  list_->setObjectName(QStringLiteral("learn.list"));
  list_->setAccessibleName(tr("Lessons by chapter"));
  list_->setColumnCount(4);
  list_->setHeaderLabels({tr("Lesson"), tr("Level"), tr("Time"), tr("Points")});
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  for (const int column : {1, 2, 3}) list_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  list_->setRootIsDecorated(false);
  problem_ = new QLabel(page);
  problem_->setObjectName(QStringLiteral("learn.problem"));
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  auto* open = new QPushButton(tr("&Start the lesson"), page);
  open->setObjectName(QStringLiteral("learn.start"));
  for (QWidget* widget : std::initializer_list<QWidget*>{search_, list_, problem_, open}) column->addWidget(widget);
  connect(search_, &QLineEdit::textChanged, this, &LearnPanel::fill_list);
  connect(list_, &QTreeWidget::itemActivated, this, &LearnPanel::start_chosen);
  connect(open, &QPushButton::clicked, this, &LearnPanel::start_chosen);
  connect(list_, &QTreeWidget::currentItemChanged, this, [open](const QTreeWidgetItem* item) {
    open->setEnabled(item != nullptr && item->data(0, kLessonRole).isValid());
  });
  open->setEnabled(false);
  stack_->addWidget(page);
}

void LearnPanel::build_lesson() {
  auto* page = new QWidget(stack_);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  auto* head = new QHBoxLayout;
  auto* all = new QPushButton(tr("&All lessons"), page);
  all->setObjectName(QStringLiteral("learn.all"));
  present_ = new QPushButton(tr("&Presenter"), page);
  present_->setObjectName(QStringLiteral("learn.present"));
  present_->setCheckable(true);
  present_->setToolTip(tr("Large type on the whole screen, with notes and a clock. B makes the screen black."));
  present_->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F5));
  place_ = new QLabel(page);
  head->addWidget(all);
  head->addWidget(present_);
  head->addStretch();
  head->addWidget(place_);
  title_ = new QLabel(page);
  title_->setTextFormat(Qt::PlainText);
  title_->setWordWrap(true);
  text_ = new QTextBrowser(page);
  text_->setObjectName(QStringLiteral("learn.text"));
  text_->setAccessibleName(tr("Text of the lesson"));
  text_->setOpenLinks(false);
  text_->setFrameShape(QFrame::NoFrame);
  QPalette clear = text_->palette();
  clear.setColor(QPalette::Base, Qt::transparent);
  text_->setPalette(clear);
  // As high as its words: the question stands below them, not at the end of the page.
  connect(text_->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          [this](const QSizeF& size) {
            text_->setMaximumHeight(static_cast<int>(std::ceil(size.height())) + 2 * text_->frameWidth());
          });
  answer_ = new AnswerBox(page);
  answer_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  votes_box_ = new QWidget(page);
  auto* votes_line = new QHBoxLayout(votes_box_);
  votes_line->setContentsMargins(0, 0, 0, 0);
  votes_ = new QLineEdit(votes_box_);
  votes_->setObjectName(QStringLiteral("learn.votes"));
  votes_->setAccessibleName(tr("Votes of the audience"));
  votes_->setPlaceholderText(tr("Votes: A 12, B 31"));
  votes_->setToolTip(tr("How the audience voted. The answer shows it again."));
  votes_line->addWidget(votes_);
  vary_box_ = new QWidget(page);
  vary_box_->setObjectName(QStringLiteral("learn.vary"));
  new views::FlowLayout(vary_box_);
  work_box_ = new QWidget(page);
  auto* work_line = new QHBoxLayout(work_box_);
  work_line->setContentsMargins(0, 0, 0, 0);
  work_ = new QLineEdit(work_box_);
  work_->setObjectName(QStringLiteral("learn.work"));
  work_->setAccessibleName(tr("Your work"));
  choose_ = new QPushButton(tr("C&hoose..."), work_box_);
  choose_->setObjectName(QStringLiteral("learn.choose"));
  work_line->addWidget(work_);
  work_line->addWidget(choose_);
  state_ = new QLabel(page);
  state_->setTextFormat(Qt::PlainText);
  state_->setWordWrap(true);
  auto* foot = new QHBoxLayout;
  back_ = new QPushButton(tr("&Back"), page);
  act_ = new QPushButton(page);
  next_ = new QPushButton(tr("&Next"), page);
  back_->setObjectName(QStringLiteral("learn.back"));
  act_->setObjectName(QStringLiteral("learn.act"));
  next_->setObjectName(QStringLiteral("learn.next"));
  foot->addWidget(back_);
  foot->addStretch();
  foot->addWidget(act_);
  foot->addWidget(next_);
  column->addLayout(head);
  column->addWidget(title_);
  column->addWidget(text_, 1);
  column->addWidget(answer_);
  column->addWidget(votes_box_);
  column->addWidget(vary_box_);
  column->addWidget(work_box_);
  column->addWidget(state_);
  column->addStretch();
  column->addLayout(foot);
  connect(all, &QPushButton::clicked, this, &LearnPanel::show_list);
  connect(present_, &QPushButton::toggled, this, &LearnPanel::set_presenting);
  connect(back_, &QPushButton::clicked, this, &LearnPanel::go_back);
  connect(next_, &QPushButton::clicked, this, &LearnPanel::go_on);
  connect(act_, &QPushButton::clicked, this, [this] {
    if (question() != nullptr) commit();
    else if (exercise() != nullptr) check();
    else run();
  });
  connect(choose_, &QPushButton::clicked, this, &LearnPanel::choose_work);
  connect(work_, &QLineEdit::returnPressed, this, &LearnPanel::check);
  connect(work_, &QLineEdit::textChanged, this, [this](const QString& work) {
    if (const profiler::LessonExercise* task = exercise(); task != nullptr) works_[task->check.id] = work;
  });
  connect(votes_, &QLineEdit::textChanged, this, [this](const QString& votes) {
    if (const LessonQuestion* asked = question(); asked != nullptr) audience_[asked->id] = votes;
  });
  connect(answer_, &AnswerBox::committed, this, &LearnPanel::commit);
  connect(answer_, &AnswerBox::changed, this, [this] { act_->setEnabled(answer_->answer().has_value()); });
  stack_->addWidget(page);
}

void LearnPanel::open(const QString& lesson_or_folder) {
  const engine::Result<profiler::Lesson> lesson = find_lesson(views::name_bytes(lesson_or_folder));
  const bool folder = lesson_or_folder.isEmpty() || (!lesson && QFileInfo(lesson_or_folder).isDir());
  lessons_folder_ = folder ? lesson_or_folder : QString();
  show_list();
  if (folder) return;
  if (lesson) return start(*lesson);
  problem_->setText(from(lesson.error().message));
  problem_->show();
}

void LearnPanel::show_list() {
  if (running()) process_.terminate();
  engine::Result<std::vector<profiler::Lesson>> lessons = lessons_in(views::name_bytes(lessons_folder_));
  problem_->setText(lessons ? QString() : from(lessons.error().message));
  problem_->setVisible(!lessons);
  lessons_ = lessons ? *std::move(lessons) : std::vector<profiler::Lesson>();
  fill_list(search_->text());
  stack_->setCurrentIndex(0);
  list_->setFocus();
}

void LearnPanel::fill_list(const QString& search) {
  list_->clear();
  QTreeWidgetItem* chapter = nullptr;
  int number = 0;
  for (size_t i = 0; i < lessons_.size(); ++i) {
    const profiler::Lesson& lesson = lessons_[i];
    const QString title = from(in_language(lesson, language_in_use().toStdString()).title);
    QStringList words{title, from(lesson.title), from(lesson.level)};
    for (const std::string& row : lesson.rows) words << from(row);
    if (!search.isEmpty() && !words.join(QLatin1Char(' ')).contains(search, Qt::CaseInsensitive)) continue;
    if (chapter == nullptr || number != lesson.chapter) {
      number = lesson.chapter;
      const QByteArray name = QByteArray::fromStdString(std::string(chapter_title(number)));
      const QString words = name.isEmpty() ? QString() : tr(name.constData());
      chapter = new QTreeWidgetItem(list_, {QStringLiteral("%1. %2").arg(number).arg(words)});
      chapter->setFlags(Qt::ItemIsEnabled);
      chapter->setExpanded(true);
    }
    auto* item = new QTreeWidgetItem(chapter, {title, level_words(lesson.level), tr("%1 min").arg(lesson.minutes),
                                               Settings().lesson_points(QString::fromStdString(lesson.name))});
    item->setData(0, kLessonRole, static_cast<int>(i));
    item->setToolTip(0, views::plain_tip(item->text(0)));
    if (list_->currentItem() == nullptr) list_->setCurrentItem(item);
  }
}

void LearnPanel::start_chosen() {
  const QTreeWidgetItem* item = list_->currentItem();
  if (item == nullptr || !item->data(0, kLessonRole).isValid()) return;
  const profiler::Lesson lesson = lessons_[static_cast<size_t>(item->data(0, kLessonRole).toInt())];
  start(in_language(lesson, language_in_use().toStdString()));
}

void LearnPanel::start(const profiler::Lesson& lesson) {
  lesson_ = lesson;
  pages_ = profiler::lesson_pages(lesson_);
  page_ = 0;
  answers_.clear();
  works_.clear();
  audience_.clear();
  exercises_.clear();
  results_.reset();
  judged_.clear();
  varied_.clear();
  folder_ = std::make_unique<QTemporaryDir>();
  emit prediction_shown({});
  read_roofs();
  title_->setText(from(lesson_.title));
  stack_->setCurrentIndex(1);
  show_page();
  next_->setFocus();
}

const LessonQuestion* LearnPanel::question() const {
  if (page_ >= pages_.size()) return nullptr;
  for (const size_t at : pages_[page_].blocks)
    if (const auto* p = std::get_if<LessonQuestion>(&lesson_.blocks[at].is)) return p;
  return nullptr;
}

const profiler::LessonExercise* LearnPanel::exercise() const {
  if (page_ >= pages_.size()) return nullptr;
  for (const size_t at : pages_[page_].blocks)
    if (const auto* task = std::get_if<profiler::LessonExercise>(&lesson_.blocks[at].is)) return task;
  return nullptr;
}

bool LearnPanel::page_runs() const {
  return page_ < pages_.size() && std::ranges::any_of(pages_[page_].blocks, [this](size_t at) {
           return std::holds_alternative<profiler::LessonRun>(lesson_.blocks[at].is);
         });
}

/// What a learner predicted beside what this machine gave.
QString LearnPanel::verdict_on(const std::string& prediction) const {
  const auto found = std::ranges::find(judged_, prediction, &profiler::Judged::predict);
  const LessonQuestion* p = lesson_.prediction(prediction);
  if (found == judged_.end() || p == nullptr) return {};
  QString words = tr("**%1**").arg(from(p->question)) + QStringLiteral("\n\n");
  words += tr("On this machine: **%1**").arg(from(found->truth)) + QStringLiteral("\n\n") + votes_on(*p);
  if (!found->given) return words + tr("You made no prediction.") + QStringLiteral("\n\n");
  words += tr("Your prediction: %1").arg(from(found->answer));
  if (found->known) words += found->right ? tr(" – right") : tr(" – not right");
  if (!found->difference.empty()) words += QStringLiteral(" (%1)").arg(from(found->difference));
  return words + QStringLiteral("\n\n");
}

QString LearnPanel::votes_on(const LessonQuestion& p) const {
  const auto votes = audience_.find(p.id);
  if (votes == audience_.end()) return {};
  const auto counted = profiler::count_votes(votes->second.toStdString(), p.items.size());
  int all = 0;
  for (const profiler::Votes& one : counted) all += one.count;
  if (all == 0) return {};
  QString text = tr("The audience:") + QStringLiteral("\n\n");
  for (const profiler::Votes& one : counted) {
    const QString what = one.item < p.items.size() ? from(p.items[one.item]) : from(one.answer);
    text += QStringLiteral("- %1: %2 (%3 %)\n").arg(what).arg(one.count).arg(100 * one.count / all);
  }
  return text + QStringLiteral("\n");
}

QString LearnPanel::text_of_exercise(const profiler::LessonExercise& task) const {
  QStringList command{QStringLiteral("tensortide")};
  for (const std::string& word : task.check.words) command << from(word);
  QString text = tr("## Exercise (%1 points)").arg(task.points) + QStringLiteral("\n\n") +
                 QString::fromStdString(engine::display_text(task.task)) +
                 QStringLiteral("\n\n```\n%1\n```\n\n").arg(command.join(QLatin1Char(' ')));
  if (!task.starter.empty()) {
    const std::filesystem::path file = std::filesystem::path(lesson_.file).parent_path() / task.starter;
    text += tr("Begin with a copy of this file:") + QStringLiteral("\n\n```\n%1\n```\n\n").arg(from(file.string()));
  }
  const auto found = std::ranges::find(exercises_, task.check.id, &profiler::JudgedExercise::id);
  if (found == exercises_.end() || !found->done || !results_) return text;
  if (const std::string fault = fault_of_work(results_->values, task.check.id); !fault.empty())
    text += QStringLiteral("```\n%1\n```\n\n").arg(from(fault));
  for (const std::string& one : found->passed) text += tr("- passed: `%1`").arg(from(one)) + QStringLiteral("\n");
  for (const std::string& one : found->failed) text += tr("- failed: `%1`").arg(from(one)) + QStringLiteral("\n");
  return text + QStringLiteral("\n") + tr("**%1 of %2 points**").arg(found->points).arg(found->most_points) +
         QStringLiteral("\n\n");
}

/// What no reveal of the lesson shows: it stands before the explanation.
QString LearnPanel::other_verdicts() const {
  QString text;
  for (const LessonQuestion* p : lesson_.predictions()) {
    const bool shown = std::ranges::any_of(lesson_.blocks, [p](const profiler::LessonBlock& block) {
      const auto* reveal = std::get_if<profiler::LessonReveal>(&block.is);
      return reveal != nullptr && reveal->predict == p->id;
    });
    if (!shown) text += verdict_on(p->id);
  }
  return text;
}

QString LearnPanel::text_of_page() const {
  QString text;
  bool explained = false;
  for (const size_t at : pages_[page_].blocks) {
    const auto& is = lesson_.blocks[at].is;
    if (const auto* words = std::get_if<LessonText>(&is)) {
      if (words->kind == LessonText::Kind::note && !presenting_) continue;
      if (words->kind == LessonText::Kind::explain && !std::exchange(explained, true)) text += other_verdicts();
      const std::string shown =
          profiler::with_values(words->markdown, results_ ? results_->values : profiler::QueryResults());
      if (words->kind == LessonText::Kind::note) text += tr("*Note for the presenter:*") + QStringLiteral("\n\n");
      text += QString::fromStdString(engine::display_text(shown)) + QStringLiteral("\n\n");
    } else if (const auto* run = std::get_if<profiler::LessonRun>(&is)) {
      QStringList command{QStringLiteral("tensortide")};
      for (const std::string& word : run->words) command << from(word);
      text += QStringLiteral("```\n%1\n```\n\n").arg(command.join(QLatin1Char(' ')));
    } else if (const auto* reveal = std::get_if<profiler::LessonReveal>(&is)) {
      text += verdict_on(reveal->predict);
    } else if (const auto* task = std::get_if<profiler::LessonExercise>(&is)) {
      text += text_of_exercise(*task);
    } else if (const auto* vary = std::get_if<profiler::LessonVary>(&is)) {
      text += tr("## Try more") + QStringLiteral("\n\n") + from(vary->question) + QStringLiteral("\n\n") +
              tr("The buttons below run the command of *%1* again with another value.").arg(from(vary->run)) +
              QStringLiteral("\n\n");
    }
  }
  return text;
}

void LearnPanel::show_place() {
  if (pages_.empty()) return;
  const QString step = tr("Step %1 of %2").arg(page_ + 1).arg(pages_.size());
  place_->setText(presenting_ ? QStringLiteral("%1 · %2").arg(step, clock_->words()) : step);
}

void LearnPanel::go_black() {
  if (presenting_) new BlackScreen(*window());
}

void LearnPanel::show_page() {
  QFont font = this->font();
  if (presenting_) font.setPointSizeF(std::max(kPresenterPoints, QFontInfo(font).pointSizeF()));
  text_->document()->setDefaultFont(font);
  title_->setFont(font);
  answer_->setFont(font);
  text_->document()->setMarkdown(text_of_page(), QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) |
                                                     QTextDocument::MarkdownNoHTML);
  text_->setVisible(!text_->document()->isEmpty());
  show_place();
  const LessonQuestion* asked = question();
  ask(asked);
  const profiler::LessonExercise* task = exercise();
  show_votes_box(asked);
  show_work_box(asked == nullptr ? task : nullptr);
  show_vary_box();
  act_->setVisible(asked != nullptr || task != nullptr || page_runs());
  if (asked == nullptr && task != nullptr) {
    const bool ready = results_ || lesson_.runs().empty();
    act_->setText(running() ? tr("&Stop") : tr("&Check"));
    act_->setEnabled(ready);
    state_->setText(ready ? QString() : tr("Run the lesson first: the check compares with it."));
  } else if (asked == nullptr) {
    act_->setText(running() ? tr("&Stop") : results_ ? tr("&Run again") : tr("&Run"));
    act_->setEnabled(true);
    state_->setText(page_runs() && results_ ? tr("The runs are done.") : QString());
  }
  back_->setEnabled(page_ > 0);
  next_->setEnabled(page_ + 1 < pages_.size() && !(page_runs() && !results_));
  reveal_page();
}

void LearnPanel::show_work_box(const profiler::LessonExercise* task) {
  work_box_->setVisible(task != nullptr);
  if (task == nullptr) return;
  const QSignalBlocker quiet(work_);
  const auto work = works_.find(task->check.id);
  work_->setText(work != works_.end() ? work->second : QString());
  work_->setPlaceholderText(task->takes_file() ? tr("Your file") : tr("Your value"));
  work_->setAccessibleDescription(from(task->task));
  choose_->setVisible(task->takes_file());
}

void LearnPanel::show_votes_box(const LessonQuestion* asked) {
  votes_box_->setVisible(asked != nullptr && presenting_);
  if (asked == nullptr) return;
  const QSignalBlocker quiet(votes_);
  const auto votes = audience_.find(asked->id);
  votes_->setText(votes != audience_.end() ? votes->second : QString());
}

void LearnPanel::choose_work() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Your work"));
  if (!file.isEmpty()) work_->setText(file);
}

void LearnPanel::ask(const LessonQuestion* asked) {
  if (asked == nullptr) {
    answer_->ask(nullptr, nullptr, false);
    return;
  }
  const auto given = answers_.find(asked->id);
  const bool answered = given != answers_.end();
  answer_->ask(asked, answered ? &given->second : nullptr, !answered && !results_);
  act_->setText(tr("&Commit"));
  act_->setEnabled(!answered && !results_ && answer_->answer().has_value());
  state_->setText(answered   ? tr("Committed. A prediction cannot be changed.")
                  : results_ ? tr("The runs are done: this question can no longer be answered.")
                             : tr("Commit your prediction, or go on without one."));
}

void LearnPanel::commit() {
  const LessonQuestion* asked = question();
  const std::optional<profiler::GivenAnswer> given = answer_->answer();
  if (asked == nullptr || !given || results_ || answers_.contains(asked->id)) return;
  answers_[asked->id] = *given;
  go_on();
}

void LearnPanel::go_on() {
  if (stack_->currentIndex() != 1 || !next_->isEnabled()) return;
  ++page_;
  // A lesson of arithmetic alone has nothing to run: its answers are there once all questions have passed.
  const auto explains = [this](size_t at) {
    const auto* words = std::get_if<LessonText>(&lesson_.blocks[at].is);
    return words != nullptr && words->kind == LessonText::Kind::explain;
  };
  if (!results_ && lesson_.runs().empty() && std::ranges::any_of(pages_[page_].blocks, explains)) read_results();
  show_page();
  QWidget* const to = act_->isVisible() && page_runs() ? static_cast<QWidget*>(act_)
                      : next_->isEnabled()             ? static_cast<QWidget*>(next_)
                                                       : static_cast<QWidget*>(text_);
  to->setFocus();
}

void LearnPanel::go_back() {
  if (stack_->currentIndex() != 1 || page_ == 0) return;
  --page_;
  show_page();
}

void LearnPanel::run() {
  if (running()) {
    process_.terminate();
    return;
  }
  results_.reset();
  judged_.clear();
  exercises_.clear();
  checks_ = false;
  start_process({});
  state_->setText(tr("Running. This takes some seconds."));
}

void LearnPanel::start_process(const QStringList& more, const QString& folder) {
  const QString file = views::name_text(lesson_.file), to = folder.isEmpty() ? folder_->path() : folder;
  const Call call = byte_call(
      RecorderProcess::program(),
      QStringList{QStringLiteral("lesson"), QStringLiteral("run"), file, QStringLiteral("--keep"), to} + more);
  process_.setStandardOutputFile(QProcess::nullDevice());
  process_.start(call.program, call.words);
  show_page();
}

void LearnPanel::check() {
  if (running()) {
    process_.terminate();
    return;
  }
  const profiler::LessonExercise* task = exercise();
  const QString work = work_->text().trimmed();
  if (task == nullptr || !act_->isEnabled()) return;
  if (work.isEmpty()) {
    state_->setText(task->takes_file() ? tr("Choose your file first.") : tr("Type your value first."));
    return;
  }
  checks_ = true;
  const QString id = QString::fromStdString(task->check.id);
  start_process({QStringLiteral("--only"), id, QStringLiteral("--work"), id + QLatin1Char('=') + work});
  state_->setText(tr("Checking. This takes some seconds."));
}

void LearnPanel::keep_points() const {
  double points = 0, most = 0;
  for (const profiler::Judged& one : judged_) points += one.points, most += one.most_points;
  for (const profiler::JudgedExercise& one : exercises_) points += one.points, most += one.most_points;
  if (answers_.empty() && works_.empty()) return;  // nobody tried
  Settings().keep_lesson_points(QString::fromStdString(lesson_.name), tr("%1 / %2").arg(points, 0, 'g', 3).arg(most));
}

QString LearnPanel::read_results() {
  engine::Result<LessonResults> results =
      lesson_results(lesson_, std::filesystem::path(views::name_bytes(folder_->path())));
  if (!results) return from(results.error().message);
  results_ = *std::move(results);
  auto judged = judge_all(lesson_, results_->values, answers_);
  if (!judged) return from(judged.error().message);
  judged_ = *std::move(judged);
  auto exercises = judge_exercises(lesson_, results_->values);
  if (!exercises) return from(exercises.error().message);
  exercises_ = *std::move(exercises);
  keep_points();
  return {};
}

void LearnPanel::on_ended(int code, QProcess::ExitStatus status) {
  const QString told = QString::fromUtf8(process_.readAllStandardError()).trimmed().section(QLatin1Char('\n'), -1);
  const bool well = status == QProcess::NormalExit && code == 0;
  const QString problem = well ? varied_.isEmpty() ? read_results() : QString()
                               : tr("The runs did not end well. %1").arg(views::displayed(told));
  if (stack_->currentIndex() != 1 || pages_.empty()) return;
  const QString varied = std::exchange(varied_, {});
  show_page();
  if (!varied.isEmpty() && problem.isEmpty()) {
    varied_ = varied;
    show_varied();
    varied_.clear();
    return;
  }
  if (!problem.isEmpty()) state_->setText(problem);
  else if (!checks_) go_on();
}

void LearnPanel::set_presenting(bool on) {
  if (presenting_ == on) return;
  presenting_ = on;
  present_->setChecked(on);
  on ? clock_->start() : clock_->stop();
  black_key_->setEnabled(on);
  if (stack_->currentIndex() == 1) show_page();
  emit presenting_changed(on);
}

}  // namespace app::gui
