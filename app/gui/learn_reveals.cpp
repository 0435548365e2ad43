// SPDX-License-Identifier: GPL-3.0-or-later
// LearnPanel's reveals: results and predictions in the views of the window, and runs with other values.
#include "app/gui/learn_panel.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "app/base/roofs.h"
#include "app/gui/answer_box.h"
#include "app/gui/main_window.h"
#include "views/base/file_name.h"
#include "views/base/plain_text.h"
#include "views/widgets/flow_layout.h"

namespace app::gui {

using profiler::LessonQuestion;

namespace {

QString from(const std::string& text) { return views::displayed(QString::fromStdString(text)); }

/// While somebody presents, a lesson has more than half of the window, and nothing stands beside the views.
void give_room(MainWindow& w, QDockWidget& learn, bool presenting) {
  constexpr const char* kHidden = "hidden_while_presenting";
  for (const char* name : {"dock.inspector", "dock.runs"}) {
    auto* dock = w.findChild<QDockWidget*>(QLatin1String(name));
    if (dock == nullptr) continue;
    if (presenting) dock->setProperty(kHidden, dock->isVisible());
    if (dock->property(kHidden).toBool()) dock->setVisible(!presenting);
  }
  constexpr int kPercent = 38, kPresenterPercent = 58;
  w.resizeDocks({&learn}, {w.width() * (presenting ? kPresenterPercent : kPercent) / 100}, Qt::Horizontal);
}

}  // namespace

void LearnPanel::reveal_page() {
  for (const size_t at : pages_[page_].blocks) {
    const auto* reveal = std::get_if<profiler::LessonReveal>(&lesson_.blocks[at].is);
    const profiler::LessonRun* run = reveal != nullptr ? lesson_.run(reveal->run) : nullptr;
    if (run == nullptr || !results_ || !folder_) continue;
    const auto file = result_file(lesson_, *run, std::filesystem::path(views::name_bytes(folder_->path())));
    if (file.extension() != ".tide") break;
    revealed_ = views::name_text(file.string());
    emit reveal_wanted(revealed_, QString::fromStdString(reveal->view), from(reveal->op), false);
    emit prediction_shown(said_of(*reveal));
    break;
  }
}

/// All that the page reveals of the same run in the same view.
views::Prediction::Said LearnPanel::said_of(const profiler::LessonReveal& first) const {
  views::Prediction::Said said;
  for (const size_t at : pages_[page_].blocks) {
    const auto* reveal = std::get_if<profiler::LessonReveal>(&lesson_.blocks[at].is);
    if (reveal != nullptr && reveal->run == first.run && reveal->view == first.view) add_said(reveal->predict, said);
  }
  return said;
}

void LearnPanel::add_said(const std::string& prediction, views::Prediction::Said& said) const {
  const LessonQuestion* p = lesson_.prediction(prediction);
  const profiler::LessonAnswer* answer = lesson_.answer(prediction);
  const auto given = answers_.find(prediction);
  if (p == nullptr || answer == nullptr || given == answers_.end() || !results_) return;
  if (p->kind == LessonQuestion::Kind::mark) said.mark = given->second.number;
  constexpr double kGiga = 1e9;
  if (p->kind == LessonQuestion::Kind::point)
    said.point = QPointF(given->second.numbers.at(0), given->second.numbers.at(1) / kGiga);
  if (p->kind != LessonQuestion::Kind::curve) return;
  const auto values = profiler::answer_values(*answer, results_->values);
  for (size_t i = 0; values && i < p->at.size() && i < values->size(); ++i)
    if (const double truth = (*values)[i].number(); truth > 0 && given->second.numbers.at(i) > 0)
      said.curve.emplace_back(p->at[i], given->second.numbers[i] / truth);
}

/// Of the machine as it was probed last; unknown before its first probe.
void LearnPanel::read_roofs() {
  const std::optional<profiler::Machine> machine = remembered_roofs();
  if (!machine) return;
  const profiler::QueryResults known{{"machine", profiler::machine_source(*machine)}};
  const auto figure = [&](const char* query) {
    const auto value = profiler::evaluate(query, known);
    return value ? value->number() : std::nan("");
  };
  answer_->set_roofs(figure("machine.peak_flop_per_s"), figure("machine.dram_bytes_per_s"));
}

void LearnPanel::show_vary_box() {
  const auto of_vary = [this](size_t at) {
    return std::holds_alternative<profiler::LessonVary>(lesson_.blocks[at].is);
  };
  const auto& blocks = pages_[page_].blocks;
  const auto found = std::ranges::find_if(blocks, of_vary);
  for (QPushButton* button : vary_box_->findChildren<QPushButton*>()) {  // perhaps in a signal of one of them
    button->hide();
    button->setParent(nullptr);
    button->deleteLater();
  }
  vary_box_->setVisible(found != blocks.end());
  if (found == blocks.end()) return;
  const auto& vary_block = std::get<profiler::LessonVary>(lesson_.blocks[*found].is);
  for (const std::string& value : vary_block.values) {
    auto* button =
        new QPushButton(from(vary_block.option + (vary_block.option.ends_with('=') ? "" : " ") + value), vary_box_);
    button->setAccessibleDescription(from(vary_block.question));
    button->setAutoDefault(false);
    button->setEnabled(results_ && !running());
    connect(button, &QPushButton::clicked, this,
            [this, value, block = *found] { vary(std::get<profiler::LessonVary>(lesson_.blocks[block].is), value); });
    static_cast<views::FlowLayout*>(vary_box_->layout())->add(button);
    button->show();
  }
}

void LearnPanel::vary(const profiler::LessonVary& block, const std::string& value) {
  if (running() || !results_) return;
  const profiler::LessonRun* run = lesson_.run(block.run);
  if (run == nullptr) return;
  // What was measured stays as it is: answers are judged by it.
  const std::filesystem::path from_folder(views::name_bytes(folder_->path())), to = from_folder / "varied";
  std::error_code code;
  std::filesystem::create_directories(to, code);
  for (const auto& file : std::filesystem::directory_iterator(from_folder, code))
    if (file.is_regular_file(code))
      std::filesystem::copy_file(file.path(), to / file.path().filename(),
                                 std::filesystem::copy_options::overwrite_existing, code);
  const QString option = QString::fromStdString(block.option), wanted = QString::fromStdString(value);
  varied_ = option + (option.endsWith(QLatin1Char('=')) ? QString() : QStringLiteral(" ")) + wanted;
  varies_ = block.run;
  const QString change = option.endsWith(QLatin1Char('=')) ? option + wanted : option + QLatin1Char('=') + wanted;
  start_process({QStringLiteral("--only"), QString::fromStdString(block.run), QStringLiteral("--change"), change},
                views::name_text(to.string()));
  state_->setText(tr("Running. This takes some seconds."));
}

void LearnPanel::show_varied() {
  const std::filesystem::path folder = std::filesystem::path(views::name_bytes(folder_->path())) / "varied";
  const profiler::LessonRun* run = lesson_.run(varies_);
  const engine::Result<LessonResults> results = lesson_results(lesson_, folder);
  if (run == nullptr || !results) return;
  const auto figure = [&](const profiler::QueryResults& of) {
    const auto value = profiler::evaluate(varies_ + ".step_ns", of);
    return from(value ? value->shown() : std::string("–"));
  };
  state_->setText(tr("With %1 a step takes %2 instead of %3.")
                      .arg(views::displayed(varied_), figure(results->values), figure(results_->values)));
  QString view = QStringLiteral("summary");
  for (const profiler::LessonBlock& block : lesson_.blocks)
    if (const auto* reveal = std::get_if<profiler::LessonReveal>(&block.is);
        reveal != nullptr && reveal->run == varies_)
      view = QString::fromStdString(reveal->view);
  revealed_ = views::name_text(result_file(lesson_, *run, folder).string());
  emit reveal_wanted(revealed_, view, {}, true);
  emit prediction_shown({});
}

LearnPanel& show_learn(MainWindow& w) {
  auto* dock = w.findChild<QDockWidget*>(QStringLiteral("dock.learn"));
  if (dock == nullptr) {
    dock = new QDockWidget(QCoreApplication::translate("app::gui::MainWindow", "Learn"), &w);
    dock->setObjectName(QStringLiteral("dock.learn"));
    auto* panel = new LearnPanel(dock);
    dock->setWidget(panel);
    w.addDockWidget(Qt::LeftDockWidgetArea, dock);
    // A lesson needs the height: the form is a tab behind it, the list of runs waits until it is asked for.
    if (auto* setup = w.findChild<QDockWidget*>(QStringLiteral("dock.setup"))) w.tabifyDockWidget(setup, dock);
    if (auto* runs = w.findChild<QDockWidget*>(QStringLiteral("dock.runs"))) runs->hide();
    QObject::connect(panel, &LearnPanel::reveal_wanted, &w,
                     [&w](const QString& file, const QString& view, const QString& op, bool anew) {
                       const auto show = [&w, view, op] {
                         w.show_view(view);
                         if (op.isEmpty() || !w.document().loaded()) return;
                         const auto& ops = w.document().capture().ops();
                         for (size_t i = 0; i < ops.size(); ++i)
                           if (QString::fromStdString(std::string(w.document().capture().name(ops[i].name))) == op)
                             w.document().selection().select_op(static_cast<profiler::OpId>(i));
                       };
                       if (w.document().path() == file && !anew) return show();
                       auto* once = new QObject(&w);
                       for (const auto signal : {&views::Document::replaced, &views::Document::sweep_changed})
                         QObject::connect(&w.document(), signal, once, [once, show] {
                           once->deleteLater();
                           QMetaObject::invokeMethod(once->parent(), show, Qt::QueuedConnection);
                         });
                       w.open(file);
                     });
    // What was predicted of one file is not drawn into another.
    for (const auto signal : {&views::Document::replaced, &views::Document::sweep_changed})
      QObject::connect(&w.document(), signal, panel, [&w, panel] {
        const bool shown = w.document().path() == panel->revealed() || w.document().sweep_path() == panel->revealed();
        if (!shown && !views::Prediction::of(w.document()).said().empty()) views::Prediction::of(w.document()).set({});
      });
    QObject::connect(panel, &LearnPanel::prediction_shown, &views::Prediction::of(w.document()),
                     &views::Prediction::set);
    QObject::connect(panel, &LearnPanel::presenting_changed, &w, [&w, dock](bool on) {
      w.setWindowState(on ? w.windowState() | Qt::WindowFullScreen : w.windowState() & ~Qt::WindowFullScreen);
      give_room(w, *dock, on);
    });
    w.resizeDocks({dock}, {w.width() * 38 / 100}, Qt::Horizontal);
  }
  auto* panel = static_cast<LearnPanel*>(dock->widget());
  dock->show();
  dock->raise();
  if (panel->pages() == 0) panel->show_list();
  return *panel;
}

}  // namespace app::gui
