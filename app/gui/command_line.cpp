// SPDX-License-Identifier: GPL-3.0-or-later
// Parses the window's command line; draws screenshots with the code that draws the screen.
#include "app/gui/command_line.h"

#include <QApplication>
#include <QBuffer>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QImage>
#include <QRegularExpression>
#include <QScreen>
#include <QThread>
#include <atomic>
#include <string>
#include <vector>

#include "app/base/run_settings.h"
#include "app/gui/dialog_pictures.h"
#include "app/gui/learn_dialogs.h"
#include "app/gui/main_window.h"
#include "app/gui/playground_panel.h"
#include "engine/base/nearest_name.h"
#include "engine/workloads/workload.h"
#include "profiler/import/importer.h"
#include "profiler/report/section_catalog.h"
#include "profiler/sweep/file.h"
#include "views/base/file_name.h"
#include "views/base/save_file.h"
#include "views/base/view.h"
#include "views/report/report_file.h"
#include "views/storage/storage_panel.h"
#include "views/sweep/published_view.h"
#include "views/systolic/systolic_panel.h"

namespace app::gui {

namespace {

using engine::Result;
using engine::usage_error;

constexpr int kMostPixels = 8192;
const auto kProgram = QStringLiteral("tensortide-gui"), kScreenshot = QStringLiteral("screenshot"),
           kOutput = QStringLiteral("output"), kSize = QStringLiteral("size"), kTheme = QStringLiteral("theme"),
           kSelect = QStringLiteral("select"), kReport = QStringLiteral("report"), kHelp = QStringLiteral("help"),
           kVersion = QStringLiteral("version"), kLearn = QStringLiteral("learn"),
           kSections = QStringLiteral("sections"), kSpeakAs = QStringLiteral("speak-as");

QList<QCommandLineOption> options() {
  QList<QCommandLineOption> all{QCommandLineOption(kReport), QCommandLineOption(kVersion), QCommandLineOption(kLearn),
                                QCommandLineOption(QStringList{QStringLiteral("h"), kHelp})};
  for (const QString& name : {kScreenshot, kSize, kTheme, kSelect, kSections, kSpeakAs})
    all << QCommandLineOption(name, {}, name);
  all << QCommandLineOption(QStringList{QStringLiteral("o"), kOutput}, {}, kOutput);
  return all;
}

/// What is known of a line that is refused can be asked all the same.
bool parse(QCommandLineParser& parser, const QStringList& arguments) {
  parser.addOptions(options());
  return parser.parse(QStringList{kProgram} + arguments);
}

/// Pictures that need no capture.
bool needs_no_file(const QString& name) {
  return name == QLatin1String("start") || name == QLatin1String("storage") || name == QLatin1String("playground") ||
         name == QLatin1String("systolic") || name == QLatin1String("published");
}

std::vector<std::string> screenshot_names() {
  std::vector<std::string> names{"window", "start", "storage", "playground", "systolic", "published"};
  for (const auto& entry : views::view_catalog()) {
    names.push_back(entry.key.toStdString());
    names.push_back("window:" + entry.key.toStdString());
  }
  for (std::string& name : dialog_picture_names()) names.push_back(std::move(name));
  return names;
}

Result<QSize> parse_size(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^(\\d{1,6})x(\\d{1,6})$"));
  const auto match = form.match(text);
  if (!match.hasMatch()) return usage_error("[--size] \"" + text.toStdString() + "\" is not of the form 1280x720");
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  if (size.width() < 64 || size.height() < 64 || size.width() > kMostPixels || size.height() > kMostPixels)
    return usage_error("[--size] " + text.toStdString() + " is out of range: 64x64 to 8192x8192");
  return size;
}

Result<void> check_report(const CommandLine& line) {
  if (!line.screenshot.isEmpty()) return usage_error("[--report] and --screenshot: choose one");
  if (line.output.isEmpty()) return usage_error("[--report] needs -o FILE.html or FILE.pdf");
  if (line.files.isEmpty() || line.files.size() > 2)
    return usage_error("[--report] needs exactly one capture FILE, or two to compare; got " +
                       std::to_string(line.files.size()));
  return views::check_report_name(line.output);
}

Result<void> check(const CommandLine& line) {
  if (line.learn && (line.report || !line.screenshot.isEmpty()))
    return usage_error("[--learn] opens the window: leave --report and --screenshot out");
  if (line.learn && line.files.size() > 1)
    return usage_error("[--learn] takes one lesson, or one folder of lessons; got " +
                       std::to_string(line.files.size()));
  if (line.report) return check_report(line);
  if (line.sections) return usage_error("[--sections] is only used with --report");
  if (line.screenshot.isEmpty()) {
    if (!line.output.isEmpty()) return usage_error("[-o] is only used with --screenshot and --report");
    return {};
  }
  const auto names = screenshot_names();
  const std::string wanted = line.screenshot.toStdString();
  if (std::find(names.begin(), names.end(), wanted) == names.end() && !is_known_dialog(line.screenshot))
    return usage_error("[--screenshot] there is no view \"" + wanted + "\"; did you mean \"" +
                       engine::nearest_name(wanted, names) + "\"?");
  if (line.output.isEmpty()) return usage_error("[--screenshot] needs -o FILE.png (or .svg, .pdf, .csv for a view)");
  const bool without = line.files.isEmpty() && is_dialog_picture(line.screenshot);
  if (!without && !needs_no_file(line.screenshot) && (line.files.isEmpty() || line.files.size() > 2))
    return usage_error("[--screenshot] needs exactly one capture FILE, or two to compare; got " +
                       std::to_string(line.files.size()));
  if (!line.theme.isEmpty() && line.theme != QLatin1String("light") && line.theme != QLatin1String("dark"))
    return usage_error("[--theme] unknown theme \"" + line.theme.toStdString() + "\"; there are light and dark");
  return {};
}

}  // namespace

Result<CommandLine> parse_command_line(const QStringList& arguments) {
  QCommandLineParser parser;
  if (!parse(parser, arguments)) {
    if (parser.unknownOptionNames().isEmpty()) return usage_error(parser.errorText().toStdString());
    const std::string unknown = parser.unknownOptionNames().first().toStdString();
    const std::string word = (unknown.size() > 1 ? "--" : "-") + unknown;
    std::vector<std::string> known;
    for (const QCommandLineOption& option : options()) known.push_back("--" + option.names().last().toStdString());
    return usage_error("unknown option \"" + word + "\"" + engine::did_you_mean(word, known));
  }
  CommandLine line;
  line.files = parser.positionalArguments();
  line.screenshot = parser.value(kScreenshot);
  line.output = parser.value(kOutput);
  line.theme = parser.value(kTheme);
  line.select = parser.value(kSelect);
  line.report = parser.isSet(kReport);
  line.learn = parser.isSet(kLearn);
  line.help = parser.isSet(kHelp);
  line.version = parser.isSet(kVersion);
  if (line.help || line.version) return line;
  if (parser.isSet(kSize)) {
    const auto size = parse_size(parser.value(kSize));
    if (!size) return size.error();
    line.size = *size;
  }
  if (parser.isSet(kSections)) {
    auto keys = profiler::parse_sections(parser.value(kSections).toStdString());
    if (!keys) return keys.error();
    line.sections = *std::move(keys);
  }
  if (const auto valid = check(line); !valid) return valid.error();
  return line;
}

QString speaker(const QStringList& arguments) {
  QCommandLineParser parser;
  static_cast<void>(parse(parser, arguments));
  const QString name = parser.value(kSpeakAs);
  return name.isEmpty() ? kProgram : name;
}

QString command_line_help() {
  QStringList views;
  for (const auto& entry : views::view_catalog()) views << entry.key;
  return QStringLiteral(
             "The window of Tensortide; without a display, a picture or a report.\n"
             "Usage: tensortide-gui [FILE...]\n"
             "       tensortide-gui --learn [LESSON|FOLDER]\n"
             "       tensortide-gui --screenshot VIEW -o FILE [OPTIONS] [BASE] FILE\n"
             "       tensortide-gui --report -o FILE [--sections NAMES] [BASE] FILE\n"
             "\n"
             "Files:\n"
             "  FILE                      Capture, sweep, trace of another tool, ONNX or JSON model\n"
             "  BASE                      Capture to compare FILE with\n"
             "\n"
             "Options:\n"
             "  --screenshot VIEW         Draw a view, the window, window:VIEW, or the start page\n"
             "  --learn                   Show lessons; with a lesson or a folder, that one\n"
             "  --report                  Write the report of a capture, sweep or trace\n"
             "  -o,--output FILE          Picture [.png; views: .svg, .pdf, .csv] or report [.html, .pdf]\n"
             "  --sections NAMES          Parts of the report, separated by commas, or all\n"
             "  --size WxH                Size of a .png, such as 1280x720\n"
             "  --theme NAME              Theme [light, dark]\n"
             "  --select OP               Op that is selected in the picture\n"
             "  --speak-as NAME           Name that messages begin with\n"
             "  --version                 Print the version\n"
             "  -h,--help                 Print this help\n"
             "\n"
             "Views: window start storage playground systolic published\n"
             "       %1\n"
             "       tool:NAME[:VALUE] lesson:NAME[:PAGE] playground:LINES handbook:PAGE\n"
             "       beside:DEVICE published:PICTURE\n"
             "Exit codes: 0 done, 2 wrong usage, 3 runtime error (file, display, memory)\n"
             "Example: tensortide-gui --screenshot roofline -o roofline.png --theme dark resnet50.tide\n"
             "More: tensortide help window\n")
      .arg(views.join(QLatin1Char(' ')));
}

namespace {

Result<void> save_png(QWidget& widget, const QString& file) {
  if (!file.endsWith(QLatin1String(".png"), Qt::CaseInsensitive))
    return usage_error("[-o] " + views::name_bytes(file) + ": the window is saved as .png only");
  QByteArray bytes;
  QBuffer buffer(&bytes);
  if (!buffer.open(QIODevice::WriteOnly) || !widget.grab().save(&buffer, "PNG"))
    return engine::refused_error("[-o] " + views::name_bytes(file) + ": the picture does not fit in memory");
  if (const QString why = views::save_file(file, bytes); !why.isEmpty())
    return engine::refused_error("[-o] " + views::name_bytes(file) + " could not be written: " + why.toStdString());
  return {};
}

constexpr int kLongestWaitMs = 120000;

/// Lets layouts, queued updates and the work of the view in front settle.
void settle(const views::View* view) {
  for (int i = 0; i < 5; ++i) QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20);
  QElapsedTimer waited;
  waited.start();
  while (view != nullptr && view->busy() && waited.elapsed() < kLongestWaitMs) {
    QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20);
    QThread::msleep(5);
  }
  for (int i = 0; i < 2; ++i) QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20);
}

Result<void> select_op(views::Document& document, const QString& wanted) {
  if (wanted.isEmpty()) return {};
  std::vector<std::string> names;
  for (const auto& op : document.capture().ops()) {
    names.emplace_back(document.capture().name(op.name));
    if (names.back() != wanted.toStdString()) continue;
    document.selection().select_op(op.id);
    return {};
  }
  if (names.empty()) return usage_error("[--select] this capture has no ops");
  return usage_error("[--select] there is no op \"" + wanted.toStdString() + "\"; did you mean \"" +
                     engine::nearest_name(wanted.toStdString(), names) + "\"?");
}

/// A capture, or a trace of another tool, which is read here and now: a picture needs no window that stays awake.
Result<std::shared_ptr<const profiler::Analyzed>> load_any(const QString& file) {
  if (is_model(file)) {
    RunRequest request;
    request.workload = views::name_bytes(QFileInfo(file).absoluteFilePath());
    const std::atomic<bool> go_on{false};
    auto preview = load_preview(request, go_on);
    if (!preview) return preview.error();
    return std::move(preview->analyzed);
  }
  if (file.endsWith(QLatin1String(".tide")) || !profiler::is_foreign_trace(views::name_bytes(file)))
    return load_capture(file);
  auto capture =
      profiler::import_traces({.files = {views::name_bytes(file)}, .format = {}, .command = {}, .control = {}});
  if (!capture) return capture.error();
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return rules.error();
  return profiler::analyze(*std::move(capture), *rules);
}

/// The scene of .to(), as a first look.
Result<void> take_playground(MainWindow& window, const CommandLine& line, const views::Theme& theme) {
  PlaygroundPanel& panel = show_playground(window, theme);
  panel.window()->resize(line.size);
  panel.button("to").click();
  QElapsedTimer waited;
  waited.start();
  while (panel.busy() && waited.elapsed() < kLongestWaitMs) {
    QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20);
    QThread::msleep(5);
  }
  settle(nullptr);
  return save_png(*panel.window(), line.output);
}

/// A dialog over what the window shows, if it shows anything.
Result<void> take_dialog(MainWindow& window, const CommandLine& line) {
  const Result<QWidget*> dialog = open_dialog_picture(window, line.screenshot, line.size);
  if (!dialog) return dialog.error();
  settle(nullptr);
  return save_png(**dialog, line.output);
}

}  // namespace

Result<void> take_screenshot(const CommandLine& line) {
  const views::Theme& theme = line.theme == QLatin1String("dark") ? views::Theme::dark() : views::Theme::light();
  MainWindow window;
  window.apply_theme(theme);
  window.resize(line.size);
  if (line.screenshot == QLatin1String("start")) {
    window.show();
    window.resize(line.size);
    if (!line.files.isEmpty()) window.choose_model(line.files.last());
    settle(nullptr);
    return save_png(window, line.output);
  }
  if (line.screenshot == QLatin1String("storage")) {
    views::StoragePanel& panel = show_storage(window, window.document(), theme);
    panel.window()->resize(line.size);
    settle(nullptr);
    return save_png(*panel.window(), line.output);
  }
  if (line.screenshot == QLatin1String("systolic")) {
    views::SystolicPanel& panel = show_systolic(window, theme);
    panel.window()->resize(line.size);
    settle(nullptr);
    panel.go_to(panel.cycles() / 2);
    return save_png(*panel.window(), line.output);
  }
  if (line.screenshot == QLatin1String("playground")) return take_playground(window, line, theme);
  if (line.screenshot == QLatin1String("published")) {
    views::PublishedView& view = show_published(window, window.document(), theme, {});
    view.window()->resize(line.size);
    settle(nullptr);
    return save_png(*view.window(), line.output);
  }
  if (is_dialog_picture(line.screenshot) && line.files.isEmpty()) return take_dialog(window, line);
  std::shared_ptr<const profiler::Sweep> sweep;
  QString file = line.files.last();
  if (profiler::is_sweep(views::name_bytes(file))) {
    auto opened = profiler::open_sweep(views::name_bytes(file));
    if (!opened) return opened.error();
    sweep = std::make_shared<const profiler::Sweep>(*std::move(opened));
    file = first_capture(*sweep, file);
    if (file.isEmpty())
      return engine::refused_error(views::name_bytes(line.files.last()) + ": no point of this sweep has been measured");
  }
  auto analyzed = load_any(file);
  if (!analyzed) return analyzed.error();
  std::shared_ptr<const profiler::Analyzed> reference;
  if (line.files.size() == 2) {
    auto other = load_any(line.files.front());  // as `tensortide compare`: the first is what the last is compared with
    if (!other) return other.error();
    reference = *std::move(other);
  }
  if (is_dialog_picture(line.screenshot)) {
    if (sweep != nullptr) window.show_sweep(sweep, QFileInfo(line.files.last()).absoluteFilePath());
    else window.show_capture(*analyzed, file);
    window.document().set_reference(reference, reference != nullptr ? line.files.front() : QString());
    return take_dialog(window, line);
  }
  if (line.screenshot.section(QLatin1Char(':'), 0, 0) == QLatin1String("window")) {
    window.show_view(line.screenshot.section(QLatin1Char(':'), 1));
    if (sweep != nullptr) window.show_sweep(sweep, QFileInfo(line.files.last()).absoluteFilePath());
    window.show_capture(*analyzed, file);
    if (!line.screenshot.contains(QLatin1Char(':'))) {
      if (sweep != nullptr) window.show_view(QStringLiteral("sweep"));  // as when it is opened in the window
      else window.show_what_there_is();
    }
    window.document().set_reference(reference, reference != nullptr ? line.files.front() : QString());
    if (const auto selected = select_op(window.document(), line.select); !selected) return selected.error();
    window.show();
    window.resize(line.size);
    settle(window.current_view());
    return save_png(window, line.output);
  }
  views::Document document;
  document.set_unsaid_settings(unsaid_settings());
  document.set_sweep(sweep, line.files.last());
  document.set(*analyzed, file);
  document.set_reference(reference, reference != nullptr ? line.files.front() : QString());
  if (const auto selected = select_op(document, line.select); !selected) return selected.error();
  for (const auto& entry : views::view_catalog()) {
    if (entry.key != line.screenshot) continue;
    const std::unique_ptr<views::View> view(entry.make(document, nullptr));
    view->setWindowTitle(entry.title);
    view->set_theme(theme);
    view->resize(line.size);
    view->show();
    settle(view.get());
    if (line.output.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) return save_png(*view, line.output);
    return views::export_view(*view, line.output, theme, line.size);
  }
  return usage_error("[--screenshot] there is no view \"" + line.screenshot.toStdString() + "\"");
}

}  // namespace app::gui
