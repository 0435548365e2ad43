// SPDX-License-Identifier: GPL-3.0-or-later
// PlaygroundPanel: tensors on two simulated devices and a GPU if there is one; each action shows where bytes went. The
// engine works in a child process (`tensortide playground`).
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QWidget>
#include <vector>

#include "views/base/theme.h"
#include "views/widgets/canvas.h"

namespace app::gui {

/// A tensor or module, with all names of it.
struct PlaygroundChip {
  QString names;   ///< "u = w"
  QString detail;  ///< "f32 3 · 12 B"
  QString values;
  QString device;
  bool module = false;
};

struct PlaygroundArrow {
  QString from, to, words;  ///< "12 B", "4 B, unasked"
  bool hidden = false;
};

/// Where things lie in a picture; plain rectangles, in the order of what they are of.
struct PlaygroundLayout {
  std::vector<QRectF> devices, chips;  ///< an empty chip: no room in its device
  std::vector<size_t> left_out;        ///< by device: chips without room
  struct Arrow {
    QPointF from, to;
    QRectF label;
  };
  std::vector<Arrow> arrows;
};
PlaygroundLayout layout_playground(const QRectF&, const QStringList& devices, const std::vector<PlaygroundChip>&,
                                   const std::vector<PlaygroundArrow>&, double line);

class PlaygroundPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PlaygroundPanel(QWidget* parent = nullptr);
  ~PlaygroundPanel() override;
  void set_theme(const views::Theme&);
  /// Lines wait for their answers.
  bool busy() const { return waiting_ > 0; }

  // What tests click on.
  QPushButton& button(const char* name) {
    return *findChild<QPushButton*>(QStringLiteral("playground.") + QLatin1String(name));
  }
  QLineEdit& line() { return *line_; }
  const QLabel& result() const { return *result_; }
  const QPlainTextEdit& log() const { return *log_; }
  const std::vector<PlaygroundChip>& chips() const { return chips_; }
  const std::vector<PlaygroundArrow>& arrows() const { return arrows_; }
  const QStringList& devices() const { return devices_; }

 private:
  void add_scenes(QWidget* bar);
  void start();
  void run(const QStringList& lines);
  void read_answers();
  void show_answer(const QByteArray& json);
  void paint(QPainter&, const QRectF&) const;

  const views::Theme* theme_ = &views::Theme::light();
  QProcess process_;
  QLineEdit* line_;
  QPushButton* remedy_;
  QLabel* result_;
  views::Canvas* canvas_;
  QPlainTextEdit* log_;
  QStringList devices_{QStringLiteral("cpu"), QStringLiteral("sim:0"), QStringLiteral("sim:1")};
  std::vector<PlaygroundChip> chips_;
  std::vector<PlaygroundArrow> arrows_;
  QString remedy_line_;
  int waiting_ = 0;
};

}  // namespace app::gui
