// SPDX-License-Identifier: GPL-3.0-or-later
// Inspector: everything about what is selected; ops and tensors in it can be clicked.
#pragma once

#include <QScrollArea>

#include "views/base/document.h"
#include "views/base/theme.h"
#include "views/inspector/inspector_content.h"

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
  QWidget* legend_widget(QWidget* parent);
  QWidget* row_label(const InspectorRow&, QWidget* parent);

  Document& document_;
  const Theme* theme_;
  InspectorContent content_;
};

}  // namespace views
