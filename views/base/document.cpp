// SPDX-License-Identifier: GPL-3.0-or-later
// Document: replacing the capture is seen by all views before the cleared selection is.
#include "views/base/document.h"

#include <QSignalBlocker>

namespace views {

void Document::set(std::shared_ptr<const profiler::Analyzed> analyzed, const QString& path) {
  const bool another = analyzed == nullptr || path != path_;
  const bool compared = another && reference_ != nullptr;
  if (compared) {
    reference_.reset();
    reference_path_.clear();
  }
  analyzed_ = std::move(analyzed);
  path_ = path;
  {
    // An op of the old capture must not be looked up in the new one: views hear of the new document first.
    const QSignalBlocker quiet(selection_);
    selection_.reset();
  }
  emit replaced();
  if (compared) emit reference_changed();
  emit selection_.changed();
}

void Document::set_sweep(std::shared_ptr<const profiler::Sweep> sweep, const QString& path) {
  sweep_ = std::move(sweep);
  sweep_path_ = path;
  emit sweep_changed();
}

void Document::take(const Document& other) {
  set(other.analyzed_, other.path_);
  set_sweep(other.sweep_, other.sweep_path_);
  set_reference(other.reference_, other.reference_path_);
  set_unsaid_settings(other.unsaid_settings_);
}

void Document::set_reference(std::shared_ptr<const profiler::Analyzed> reference, const QString& path) {
  reference_ = std::move(reference);
  reference_path_ = path;
  emit reference_changed();
}

}  // namespace views
