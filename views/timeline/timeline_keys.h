// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and mouse of the timeline: presets, and keys that the user gave its commands.
#pragma once

#include <QAction>
#include <QDialog>
#include <QList>

class QComboBox;
class QKeySequenceEdit;

namespace views {

class KeyEditor;

/// What the plain wheel and the plain drag do; keys are the same in all.
/// perfetto: wheel scrolls the rows, drag selects a range, Shift+drag or the middle button pans.
/// tracy: wheel zooms at the pointer, drag selects a range, the right or middle button pans.
enum class TimelinePreset : uint8_t { perfetto, tracy };
inline constexpr int kTimelinePresetCount = 2;
QString preset_title(TimelinePreset);
QString preset_help(TimelinePreset);

/// From the user's settings.
TimelinePreset saved_preset();
void save_preset(TimelinePreset);

/// Lists the commands with their keys; changes take effect and are saved on OK.
class TimelineKeysDialog : public QDialog {
  Q_OBJECT

 public:
  TimelineKeysDialog(QList<QAction*> actions, QWidget* parent);
  TimelinePreset preset() const;
  QKeySequenceEdit* edit_of(const QString& action_name) const;
  QComboBox* preset_box() const { return preset_; }

 public slots:
  void accept() override;

 private:
  KeyEditor* keys_;
  QComboBox* preset_;
};

}  // namespace views
