// SPDX-License-Identifier: GPL-3.0-or-later
// Inspector: everything about what is selected; ops and tensors in it can be clicked.
#pragma once

#include <QScrollArea>
#include <set>

#include "views/base/document.h"
#include "views/base/theme.h"
#include "views/inspector/inspector_content.h"

class QLabel;

namespace views {

class Inspector : public QScrollArea {
  Q_OBJECT

 public:
  Inspector(Document&, QWidget* parent);
  void set_theme(const Theme&);
  /// What is shown now.
  const InspectorContent& content() const { return content_; }
  QSize sizeHint() const override;

 private:
  void rebuild();
  QWidget* section_widget(const InspectorSection&, QWidget* parent);
  QWidget* title_widget(const InspectorSection&, QWidget* parent);
  QLabel* sentence_label(const QString&, QWidget* parent);
  QWidget* fold_widget(const InspectorSection&, QWidget* parent);
  QWidget* legend_widget(QWidget* parent);
  QWidget* row_label(const InspectorRow&, QWidget* parent);

  Document& document_;
  const Theme* theme_;
  InspectorContent content_;
  std::set<QString> open_;  // titles of folds that are open
};

}  // namespace views
