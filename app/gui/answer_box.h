// SPDX-License-Identifier: GPL-3.0-or-later
// AnswerBox: one question of a lesson: choices, a number, items to put in order, or a place on an axis.
#pragma once

#include <QWidget>
#include <optional>

#include "profiler/lessons/answer.h"
#include "profiler/lessons/lesson.h"

class QButtonGroup;
class QLabel;
class QLineEdit;
class QListWidget;
class QSlider;
class QVBoxLayout;

namespace app::gui {

class AnswerBox : public QWidget {
  Q_OBJECT

 public:
  explicit AnswerBox(QWidget* parent = nullptr);
  /// Null: no question. `given`: what was answered before; `open`: it can still be answered.
  void ask(const profiler::LessonQuestion*, const profiler::GivenAnswer* given, bool open);
  /// What is chosen; nothing: no choice, or no number.
  std::optional<profiler::GivenAnswer> answer() const;

 signals:
  void changed();
  /// Enter was pressed.
  void committed();

 private:
  void clear();
  void add_choices(const profiler::GivenAnswer*);
  void add_number(const profiler::GivenAnswer*);
  void add_order(const profiler::GivenAnswer*);
  void add_mark(const profiler::GivenAnswer*);
  void move(int by);
  double mark_value() const;

  const profiler::LessonQuestion* question_ = nullptr;
  QVBoxLayout* layout_;
  QWidget* inner_ = nullptr;
  QButtonGroup* choices_ = nullptr;
  QLineEdit* number_ = nullptr;
  QListWidget* order_ = nullptr;
  QSlider* mark_ = nullptr;
  QLabel* mark_text_ = nullptr;
};

}  // namespace app::gui
