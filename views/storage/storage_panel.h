// SPDX-License-Identifier: GPL-3.0-or-later
// StoragePanel: a buffer as a map of bytes, all tensors over it, and the ops that make further ones by clicking.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QWidget>
#include <optional>

#include "profiler/capture/capture.h"
#include "views/base/theme.h"
#include "views/storage/storage_layout.h"
#include "views/widgets/canvas.h"

namespace views {

class StoragePanel : public QWidget {
  Q_OBJECT

 public:
  explicit StoragePanel(QWidget* parent = nullptr);
  void set_theme(const Theme&);
  /// A tensor of a capture, in front of the built-in examples.
  void offer(const QString& name, const profiler::TensorRecord&);

  // What tests click on.
  QComboBox& examples() { return *examples_; }
  QTableWidget& list() { return *list_; }
  QPushButton& button(const char* op) {
    return *findChild<QPushButton*>(QStringLiteral("storage.") + QLatin1String(op));
  }
  QLineEdit& shape_box() { return *shape_; }
  QSpinBox& number(const char* name) { return *findChild<QSpinBox*>(QStringLiteral("storage.") + QLatin1String(name)); }
  const QLabel& result() const { return *result_; }
  Canvas& canvas() { return *canvas_; }
  const StorageModel& model() const { return *model_; }
  size_t selected() const { return selected_; }
  const StorageLayout& layout_on_screen() const { return layout_; }

 private:
  void add_ops(QWidget* bar);
  QSpinBox* add_number(QWidget* bar, const char* name, const QString& label, int value);
  QPushButton* add_button(QWidget* bar, const char* name, const QString& text, const QString& tip);
  /// With what the example makes of its first tensor, or with that alone.
  void begin(int example, bool all = true);
  void run(const engine::Result<size_t>&);
  void select(size_t tensor);
  void fill_list();
  void lay_out();
  void paint(QPainter&, const QRectF&) const;
  QString tip_at(QPointF) const;
  QString title_of_map() const;

  const Theme* theme_ = &Theme::light();
  QComboBox* examples_;
  QLabel *teaches_, *result_;
  QLineEdit* shape_;
  QSpinBox *axis_a_, *axis_b_, *axis_, *from_, *to_, *step_;
  QTableWidget* list_;
  Canvas* canvas_;
  std::vector<engine::TensorExample> offered_;
  std::optional<StorageModel> model_;
  size_t selected_ = 0;
  engine::Result<StorageUse> use_;
  StorageLayout layout_;
};

}  // namespace views
