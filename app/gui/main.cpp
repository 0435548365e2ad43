// SPDX-License-Identifier: GPL-3.0-or-later
// tensortide-gui: the window, or a picture of it without a display.
#include <QApplication>
#include <cstdio>

#include "app/base/standard_streams.h"
#include "app/gui/command_line.h"
#include "app/gui/learn_panel.h"
#include "app/gui/main_window.h"
#include "app/gui/report.h"
#include "app/gui/translation.h"
#include "engine/base/display_text.h"
#include "views/base/file_name.h"
#include "views/base/plain_text.h"
#include "views/base/window_style.h"

namespace {

constexpr int kUsage = 2, kRefused = 3;

int report(const QString& speaker, const engine::Error& error) {
  std::fprintf(stderr, "%s: %s\n", qPrintable(speaker), engine::display_line(error.message).c_str());
  return error.kind == engine::ErrorKind::usage ? kUsage : kRefused;
}

bool has_display() {
  return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
         qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

/// What Qt has to say about a platform without a display helps nobody who asked for a picture. Qt hands nothing of ours
/// to its handler: who speaks is the application's display name.
void errors_only(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtCriticalMsg || type == QtFatalMsg)
    std::fprintf(stderr, "%s: %s\n", qPrintable(QGuiApplication::applicationDisplayName()),
                 engine::display_line(text.toStdString()).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  app::guard_standard_streams();
  QStringList arguments;
  for (int i = 1; i < argc; ++i) arguments << views::name_text(argv[i]);
  auto line = app::gui::parse_command_line(arguments);
  const QString speaker = app::gui::speaker(arguments);
  if (!line) return report(speaker, line.error());
  if (!line->learn)  // a lesson may be a name
    for (QString& file : line->files) file = views::located_name(file);
  line->output = views::located_name(line->output);
  if (line->help) {
    std::printf("%s", qPrintable(app::gui::command_line_help()));
    return 0;
  }
  if (line->version) {
    std::printf("tensortide-gui %s\n", TENSORTIDE_VERSION);
    return 0;
  }
  const bool picture = !line->screenshot.isEmpty() || line->report;
  if (picture && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  if (picture) {
    QGuiApplication::setApplicationDisplayName(speaker);
    qInstallMessageHandler(errors_only);
  }
  if (!picture && !has_display())
    return report(speaker, engine::refused_error("there is no display (DISPLAY and WAYLAND_DISPLAY are not set); use "
                                                 "`tensortide` for text, --screenshot for pictures, or --report"));
  QCoreApplication::setApplicationName(QStringLiteral("tensortide"));
  QCoreApplication::setApplicationVersion(QStringLiteral(TENSORTIDE_VERSION));
  QGuiApplication::setDesktopFileName(QStringLiteral("tensortide"));
  if (!picture && !qEnvironmentVariableIsSet("QT_SCALE_FACTOR")) {
    const double scale = app::gui::Settings().scale();
    if (scale != 1.0) qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
  }
  int qt_argc = 1;  // our arguments are ours alone
  QApplication application(qt_argc, argv);
  QApplication::setStyle(views::make_window_style());
  views::keep_labels_plain(application);
  if (!line->report) app::gui::install_language(application, app::gui::language_of(app::gui::Settings().language()));
  if (picture) {
    const auto done = line->report ? app::gui::write_report(*line) : app::gui::take_screenshot(*line);
    return done ? 0 : report(speaker, done.error());
  }
  app::gui::MainWindow window;
  window.show();
  if (line->learn) app::gui::show_learn(window).open(line->files.isEmpty() ? QString() : line->files.first());
  window.begin_session(line->learn ? QStringList() : line->files);
  return QApplication::exec();
}
