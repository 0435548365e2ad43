// SPDX-License-Identifier: GPL-3.0-or-later
// Learn: the list of lessons, and one lesson page by page: predict, run, reveal in the views of the window.
#pragma once

#include <QProcess>
#include <QTemporaryDir>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/base/lesson_run.h"
#include "profiler/lessons/lesson.h"
#include "views/base/prediction.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QShortcut;
class QStackedWidget;
class QTextBrowser;
class QTreeWidget;

namespace app::gui {

class AnswerBox;
class LessonClock;
class MainWindow;

class LearnPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LearnPanel(QWidget* parent = nullptr);
  ~LearnPanel() override;

  /// The list of lessons, read again.
  void show_list();
  /// A lesson by its name or file, or a folder of lessons: its list; empty: those that ship. What is wrong is said
  /// above the list.
  void open(const QString& lesson_or_folder);
  /// Its first page; what was answered of another lesson is forgotten.
  void start(const profiler::Lesson&);
  int page() const { return static_cast<int>(page_); }  ///< from 0
  int pages() const { return static_cast<int>(pages_.size()); }
  bool running() const { return process_.state() != QProcess::NotRunning; }
  bool has_results() const { return results_.has_value(); }
  /// The file that the last reveal showed.
  const QString& revealed() const { return revealed_; }
  /// Larger type, and the notes.
  void set_presenting(bool);

 public slots:
  void go_on();
  void go_back();
  /// While somebody presents: nothing to see, until a key or a click.
  void go_black();

 signals:
  /// The result of a run, in a view; op: the one to select; empty: none.
  /// `anew`: it is opened again, even where it is on the table.
  void reveal_wanted(const QString& file, const QString& view, const QString& op, bool anew);
  /// What was predicted of what a view shows; empty: nothing that a view can draw.
  void prediction_shown(const views::Prediction::Said&);
  void presenting_changed(bool);

 private:
  void build_list();
  void build_lesson();
  void fill_list(const QString& search);
  void start_chosen();
  void show_page();
  void show_place();
  void ask(const profiler::LessonQuestion*);
  void show_work_box(const profiler::LessonExercise*);
  void show_votes_box(const profiler::LessonQuestion*);
  void run();
  /// Runs one command again with another value, beside what the lesson measured.
  void vary(const profiler::LessonVary&, const std::string& value);
  void show_vary_box();
  /// What a variation gave, in its view.
  void show_varied();
  /// Checks the work on the exercise of this page.
  void check();
  /// `folder`: gets the results; empty: that of the lesson.
  void start_process(const QStringList& more, const QString& folder = {});
  void choose_work();
  void on_ended(int code, QProcess::ExitStatus);
  /// Reads what the runs left, and judges the answers; why that failed, or nothing.
  QString read_results();
  /// For the list, where it is shown from now on.
  void keep_points() const;
  void commit();
  /// What the learner said of a reveal, as views draw it.
  views::Prediction::Said said_of(const profiler::LessonReveal&) const;
  void add_said(const std::string& prediction, views::Prediction::Said&) const;
  void reveal_page();
  void read_roofs();
  /// The first question, or the runs, of the page that is shown.
  const profiler::LessonQuestion* question() const;
  const profiler::LessonExercise* exercise() const;
  bool page_runs() const;
  QString text_of_page() const;
  QString verdict_on(const std::string& prediction) const;
  QString other_verdicts() const;
  QString text_of_exercise(const profiler::LessonExercise&) const;
  /// How an audience voted; empty: it was not asked.
  QString votes_on(const profiler::LessonQuestion&) const;

  QStackedWidget* stack_ = nullptr;
  QLineEdit* search_ = nullptr;
  QTreeWidget* list_ = nullptr;
  QLabel *problem_ = nullptr, *title_ = nullptr, *place_ = nullptr, *state_ = nullptr;
  QTextBrowser* text_ = nullptr;
  AnswerBox* answer_ = nullptr;
  QWidget *work_box_ = nullptr, *votes_box_ = nullptr, *vary_box_ = nullptr;
  QLineEdit *work_ = nullptr, *votes_ = nullptr;
  QPushButton* choose_ = nullptr;
  QPushButton *back_ = nullptr, *next_ = nullptr, *act_ = nullptr, *present_ = nullptr;

  QString lessons_folder_;  ///< of the list; empty: those that ship
  std::vector<profiler::Lesson> lessons_;
  profiler::Lesson lesson_;
  std::vector<profiler::LessonPage> pages_;
  size_t page_ = 0;
  profiler::GivenAnswers answers_;
  std::optional<LessonResults> results_;
  std::vector<profiler::Judged> judged_;
  std::vector<profiler::JudgedExercise> exercises_;
  std::map<std::string, QString> works_, audience_;  ///< by exercise: its work; by question: "A 12, B 31"
  bool checks_ = false;                              ///< the process checks an exercise
  QString varied_;                                   ///< what the process varies: "--batch 8"; empty: nothing
  std::string varies_;                               ///< the run that it repeats
  std::unique_ptr<QTemporaryDir> folder_;
  QProcess process_;
  bool presenting_ = false;
  LessonClock* clock_;
  QShortcut* black_key_ = nullptr;
  QString revealed_;
};

/// Shows the lessons beside the views of a window.
LearnPanel& show_learn(MainWindow&);

}  // namespace app::gui
