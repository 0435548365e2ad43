// SPDX-License-Identifier: GPL-3.0-or-later
// View: one window onto the document; how one is listed, made, drawn into a picture, and turned into data.
#pragma once

#include <QPainter>
#include <QString>
#include <QWidget>
#include <cstdint>
#include <span>

#include "profiler/base/table.h"
#include "views/base/document.h"
#include "views/base/theme.h"

class QUndoStack;

namespace views {

class View : public QWidget {
  Q_OBJECT

 public:
  View(Document& document, QWidget* parent) : QWidget(parent), document_(document) {}
  /// Colours changed.
  virtual void set_theme(const Theme&) = 0;
  /// Draws exactly what the screen shows into `rect` of a painter (image, SVG, PDF, print).
  virtual void render_picture(QPainter&, const QRectF& rect, const Theme&) = 0;
  /// Height of a picture of `width` that shows every row; 0: any height shows all.
  virtual int full_height(int /*width*/) const { return 0; }
  /// The data behind the picture: what *Show data* lists and CSV export writes.
  virtual profiler::Table data() const = 0;
  /// Work on a thread of its own goes on whose result the picture will show; --screenshot waits for it.
  virtual bool busy() const { return false; }
  /// Why this view shows nothing of the capture on the table and no choice in it would change that: one sentence.
  /// Empty: it shows something, or there is no capture.
  virtual QString nothing() const { return {}; }
  /// What the user changes in this view, to undo and redo it; null: nothing that can be undone.
  virtual QUndoStack* edits() { return nullptr; }
  /// Advice was tried: what is remembered of trials is read again.
  virtual void refresh_records() {}

 signals:
  /// The change of a finding (1-based) is to be tried.
  void try_requested(int finding);

 protected:
  Document& document() const { return document_; }

 private:
  Document& document_;
};

/// One line per view in catalog.cpp; menus, tabs, --screenshot and tests are made from it.
struct ViewEntry {
  QString key;    ///< "traffic": --screenshot traffic
  QString title;  ///< "Traffic"
  QString help;   ///< one sentence
  View* (*make)(Document&, QWidget* parent);
  /// What it draws of the document. Traces of other tools hold less than captures; one view shows of any what there is.
  enum class Of : uint8_t { capture, any_trace, sweep, comparison } of = Of::capture;
  /// What it is for. Those of a group stand together in the catalog, as their tabs do.
  enum class Group : uint8_t { answer, explore, relate } group = Group::explore;
  QString filled_by = {};  ///< what to do where nothing() has a reason: one sentence; empty: nothing helps
};
/// "Answer", "Explore", "Relate".
QString title(ViewEntry::Group);
std::span<const ViewEntry> view_catalog();

/// What a view shows as an SVG document.
QByteArray view_svg(View&, QSize size, const Theme&, const QString& title);

/// Saves a view: .png (2x), .svg, .pdf by suffix, .csv its data. Fails naming the file or the unknown suffix.
engine::Result<void> export_view(View&, const QString& path, const Theme&, QSize size);

}  // namespace views
