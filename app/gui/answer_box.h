// SPDX-License-Identifier: GPL-3.0-or-later
// AnswerBox: one question of a lesson: choices, a number, items to put in order, a place on an axis, a dot on the
// roofline, a curve, or roles of tensors.
#pragma once

#include <QWidget>
#include <limits>
#include <optional>
#include <vector>

#include "profiler/lessons/answer.h"
#include "profiler/lessons/lesson.h"

class QButtonGroup;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QSlider;
class QVBoxLayout;

namespace app::gui {

class AnswerPlot;

class AnswerBox : public QWidget {
  Q_OBJECT

 public:
  explicit AnswerBox(QWidget* parent = nullptr);
  /// Null: no question. `given`: what was answered before; `open`: it can still be answered.
  void ask(const profiler::LessonQuestion*, const profiler::GivenAnswer* given, bool open);
  /// What is chosen; nothing: no choice, or no number.
  std::optional<profiler::GivenAnswer> answer() const;
  /// The roofs of this machine, under a dot on the roofline. NaN: unknown.
  void set_roofs(double flop_per_s, double bytes_per_s);

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
  void add_plot(const profiler::GivenAnswer*);
  void add_roles(const profiler::GivenAnswer*);
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
  AnswerPlot* plot_ = nullptr;
  std::vector<QComboBox*> roles_;
  double flop_per_s_ = std::numeric_limits<double>::quiet_NaN();
  double bytes_per_s_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace app::gui
