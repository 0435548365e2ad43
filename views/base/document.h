// SPDX-License-Identifier: GPL-3.0-or-later
// Document: the capture on the table with its analyses, and the selection all views share.
#pragma once

#include <QObject>
#include <memory>

#include "profiler/analysis/analysis.h"
#include "views/base/selection.h"

namespace views {

class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(QObject* parent = nullptr) : QObject(parent), selection_(this) {}
  /// Replaces what is on the table (null: nothing) and resets the selection.
  void set(std::shared_ptr<const profiler::Analyzed> analyzed, const QString& path);
  bool loaded() const { return analyzed_ != nullptr; }
  const profiler::Analyzed& analyzed() const { return *analyzed_; }
  const profiler::Capture& capture() const { return *analyzed_->capture; }
  const QString& path() const { return path_; }
  Selection& selection() { return selection_; }

 signals:
  void replaced();

 private:
  std::shared_ptr<const profiler::Analyzed> analyzed_;
  QString path_;
  Selection selection_;
};

}  // namespace views
