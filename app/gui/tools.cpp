// SPDX-License-Identifier: GPL-3.0-or-later
// The catalog of tools.
#include "app/gui/tools.h"

#include <QCoreApplication>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "app/base/device_sheets.h"
#include "app/base/input_files.h"
#include "app/base/repeat_runs.h"
#include "app/gui/main_window.h"
#include "app/gui/recorder_process.h"
#include "app/gui/setup_panel.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/compare/comparison.h"
#include "profiler/compare/repeats.h"
#include "profiler/machine/machine_balance.h"
#include "profiler/predict/modelled_gpu.h"
#include "profiler/sweep/table_catalog.h"
#include "views/base/file_name.h"
#include "views/base/plain_text.h"
#include "views/widgets/table_order.h"

namespace app::gui {

namespace {

using engine::Result;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

QString tr(const char* text) { return QCoreApplication::translate("app::gui::Tools", text); }

QString value_of(const ToolValues& values, const char* key) {
  const auto at = values.find(QLatin1String(key));
  return at == values.end() ? QString() : at->second;
}

QString never(MainWindow&) { return {}; }
std::vector<ToolField> nothing_asked(MainWindow&) { return {}; }

QString needs_document(MainWindow& w) { return w.has_document() ? QString() : tr("Open a capture or a sweep first."); }

/// A run of ours that nothing else disturbs.
QString needs_repeatable(MainWindow& w) {
  if (!w.document().loaded()) return tr("Open a capture first.");
  if (!w.document().capture().run().source.empty())
    return tr("An imported trace cannot be run again. Record a run of its own.");
  return w.run_control().refusal();
}

/// What is asked about: the form where a run is set up, else the capture that is shown.
bool of_form(MainWindow& w) { return w.mode() == Mode::record || !w.document().loaded(); }

QString needs_work(MainWindow& w) {
  if (of_form(w)) return w.setup()->ready() ? QString() : tr("The form needs a correction: see what it says.");
  return w.document().capture().run().source.empty()
             ? QString()
             : tr("An imported trace lacks the sizes of its ops' work. Set up a run instead.");
}

/// A request, and where the model file of a recorded one is looked for.
struct Asked {
  RunRequest request;
  std::string content;            ///< of the model file that was recorded
  std::filesystem::path capture;  ///< empty: the request is the form's, and its file is where it says
};

/// Reads the model file to tell whether it is the one that was recorded: not for the thread of the window.
Result<RunRequest> found(const Asked& asked) {
  RunRequest request = asked.request;
  if (asked.capture.empty() || !is_input_file(request.workload)) return request;
  const Result<FoundFile> file = find_file(request.workload, asked.content, asked.capture);
  if (!file) return file.error();
  request.workload = file->path.string();
  return request;
}

/// What the form or the capture says is run.
Result<Asked> asked_request(MainWindow& w) {
  if (!of_form(w)) {
    const profiler::RunInfo& run = w.document().capture().run();
    return Asked{request_of(run, run.workload), recorded_content(run), views::name_bytes(w.document().path())};
  }
  return Asked{run_request(w.setup()->values()), {}, {}};
}

// ---- Tables

/// The table that is asked for first: that of the command which opened the dialog.
std::vector<ToolField> table_fields(MainWindow& w) {
  ToolField field{.key = QStringLiteral("table"), .label = tr("Table"), .help = tr("The analyses of what is shown")};
  if (w.document().loaded()) {
    for (const profiler::TableEntry& entry : profiler::table_catalog())
      field.choices.emplace_back(views::text(entry.name),
                                 tr("%1: %2").arg(views::text(entry.name), views::translated(std::string(entry.help))));
  } else {
    for (const profiler::SweepTableEntry& entry : profiler::sweep_table_catalog())
      field.choices.emplace_back(views::text(entry.name),
                                 tr("%1: %2").arg(views::text(entry.name), views::translated(std::string(entry.help))));
  }
  return {field};
}

Result<ToolJob> capture_table(MainWindow& w, const std::string& name) {
  const Result<const profiler::TableEntry*> entry = profiler::find_table(name);
  if (!entry) return entry.error();
  return ToolJob([analyzed = w.document().shared(), entry = *entry](const ToolProgress&, const std::atomic<bool>&) {
    profiler::TableText made = entry->text(*analyzed, profiler::OpsBy::op);
    Answer answer{.sentence = {}, .table = std::move(made.table), .notes = std::move(made.sentences)};
    if (answer.table.rows.empty() && answer.notes.empty()) answer.sentence = profiler::why_empty(*entry, *analyzed);
    return Result<Answer>(std::move(answer));
  });
}

Result<ToolJob> table_job(MainWindow& w, const ToolValues& values) {
  const std::string name = value_of(values, "table").toStdString();
  if (w.document().loaded()) return capture_table(w, name);
  const profiler::SweepTableEntry* entry = profiler::find_sweep_table(name);
  if (entry == nullptr || w.document().sweep() == nullptr)
    return engine::usage_error("Open a capture or a sweep first.");
  return ToolJob([sweep = *w.document().sweep(), entry](const ToolProgress&, const std::atomic<bool>&) {
    return Result<Answer>(Answer{.sentence = {}, .table = entry->make(sweep), .notes = {}});
  });
}

Result<ToolJob> transfers_job(MainWindow& w, const ToolValues&) { return capture_table(w, "transfers"); }
Result<ToolJob> links_job(MainWindow& w, const ToolValues&) { return capture_table(w, "links"); }
Result<ToolJob> pipeline_job(MainWindow& w, const ToolValues&) { return capture_table(w, "pipeline"); }

QString needs_capture(MainWindow& w) { return w.document().loaded() ? QString() : tr("Open a capture first."); }

// ---- Largest batch

std::vector<ToolField> fit_fields(MainWindow&) {
  return {{.key = QStringLiteral("memory"),
           .label = tr("Memory"),
           .help = tr("A size such as 16GB or 80GiB. Empty: what the device has free now.")}};
}

Result<ToolJob> fit_job(MainWindow& w, const ToolValues& values) {
  const Result<Asked> asked = asked_request(w);
  if (!asked) return asked.error();
  double memory = 0;
  if (const QString text = value_of(values, "memory").simplified().remove(QLatin1Char(' ')); !text.isEmpty()) {
    const Result<double> given = parse_bytes("Memory", text.toStdString());
    if (!given) return given.error();
    memory = *given;
  }
  return ToolJob([asked = *asked, memory](const ToolProgress&, const std::atomic<bool>&) -> Result<Answer> {
    const Result<RunRequest> request = found(asked);
    return request ? fit_answer(*request, memory) : request.error();
  });
}

// ---- Other GPUs

std::vector<ToolField> predict_fields(MainWindow&) {
  ToolField on{.key = QStringLiteral("on"),
               .label = tr("GPU"),
               .help = tr("All, or one GPU with its ops"),
               .choices = {{QString(), tr("All modelled GPUs")},
                           {views::text(kSheets), tr("All data sheets: least time, and what fits")}}};
  for (const profiler::ModelledGpu& gpu : profiler::modelled_gpus())
    on.choices.emplace_back(views::text(gpu.key), views::text(gpu.name));
  return {on,
          {.key = QStringLiteral("by"),
           .label = tr("Rows"),
           .help = tr("Of one GPU"),
           .choices = {{QStringLiteral("type"), tr("Types of ops")}, {QStringLiteral("op"), tr("Ops")}}}};
}

Result<ToolJob> predict_job(MainWindow& w, const ToolValues& values) {
  const std::string gpu = value_of(values, "on").toStdString();
  const bool by_type = value_of(values, "by") != QLatin1String("op");
  if (!of_form(w))
    return ToolJob([analyzed = w.document().shared(), gpu, by_type](const ToolProgress&, const std::atomic<bool>&) {
      return prediction_answer(*analyzed->capture, gpu, by_type);
    });
  const Result<Asked> asked = asked_request(w);
  if (!asked) return asked.error();
  return ToolJob([asked = *asked, gpu, by_type](const ToolProgress&, const std::atomic<bool>&) -> Result<Answer> {
    const Result<RunRequest> request = found(asked);
    if (!request) return request.error();
    const Result<PlannedRun> planned = plan(*request, {});
    if (!planned) return planned.error();
    if (!planned->capture) return engine::refused_error(planned->does_not_fit);
    return prediction_answer(*planned->capture, gpu, by_type);
  });
}

// ---- Slower now?

std::filesystem::path program() { return {views::name_bytes(RecorderProcess::program())}; }

Result<ToolJob> rerun_job(MainWindow& w, const ToolValues&) {
  return ToolJob([file = std::filesystem::path(views::name_bytes(w.document().path())), own = program()](
                     const ToolProgress& progress, const std::atomic<bool>& stop) -> Result<Answer> {
    std::vector<std::string> differences;
    const Result<RerunOptions> options = rerun_options(file, own, differences);
    if (!options) return options.error();
    const auto told = [&](const RerunResult& so_far) {
      progress(tr("Process %1 of at most %2 has ended").arg(so_far.processes.size()).arg(options->most),
               static_cast<double>(so_far.processes.size()) / options->most);
    };
    progress(tr("The first process runs"), 0);
    const Result<RerunResult> result = rerun(*options, told, stop);
    if (!result) return result.error();
    return rerun_answer(options->record, *result, differences);
  });
}

// ---- Compared with repeats

QString needs_pair(MainWindow& w) {
  if (QString why = needs_repeatable(w); !why.isEmpty()) return why;
  if (w.document().reference() == nullptr) return tr("Choose a capture to compare with first.");
  return w.document().reference()->capture->run().source.empty()
             ? QString()
             : tr("The other capture is an imported trace, which cannot be run again.");
}

std::vector<ToolField> repeat_fields(MainWindow&) {
  return {{.key = QStringLiteral("rounds"),
           .label = tr("Rounds"),
           .help = tr("Processes of each of both runs, in turn: 2 to 100"),
           .value = QStringLiteral("10")}};
}

Result<ToolJob> repeat_job(MainWindow& w, const ToolValues& values) {
  bool number = false;
  const int rounds = value_of(values, "rounds").toInt(&number);
  if (!number || rounds < 2 || rounds > 100)
    return engine::usage_error("Rounds: a whole number from 2 to 100 is needed.");
  const views::Document& document = w.document();
  struct Side {
    std::filesystem::path file;
    std::shared_ptr<const profiler::Analyzed> run;
  };
  const Side before{views::name_bytes(document.reference_path()), document.shared_reference()},
      after{views::name_bytes(document.path()), document.shared()};
  return ToolJob([before, after, rounds, own = program(), unsaid = document.unsaid_settings()](
                     const ToolProgress& progress, const std::atomic<bool>& stop) -> Result<Answer> {
    std::vector<std::string> differences;
    RepeatOptions options{.captures = {before.file, after.file},
                          .least = rounds,
                          .most = rounds,
                          .program = own,
                          .test = {},
                          .note = [&](const std::string& note) { differences.push_back(note); }};
    const auto told = [&](const RepeatProgress& p) {
      progress(tr("Round %1 of %2").arg(p.round).arg(p.rounds), static_cast<double>(p.round - 1) / p.rounds);
    };
    if (const Result<void> done = repeat_runs(options, told, stop); !done) return done.error();
    const auto side = [](const Side& one) -> Result<profiler::CompareSide> {
      profiler::CompareSide made = profiler::side_of(one.file.stem().string(), one.run);
      if (const Result<int> added = profiler::add_repeats(made, one.file); !added) return added.error();
      return made;
    };
    const Result<profiler::CompareSide> from = side(before), to = side(after);
    if (!from) return from.error();
    if (!to) return to.error();
    const profiler::Comparison comparison = profiler::compare(*from, *to, {}, unsaid);
    Answer answer{
        .sentence = comparison.sentence, .table = profiler::compare_table(comparison), .notes = comparison.notes};
    answer.notes.insert(answer.notes.end(), differences.begin(), differences.end());
    return answer;
  });
}

/// The view Compare reads the repeats beside both captures.
void show_repeats(MainWindow& w) {
  if (w.document().reference() != nullptr)
    w.document().set_reference(w.document().shared_reference(), w.document().reference_path());
}

// ---- Numbers, machine

std::vector<ToolField> number_fields(MainWindow&) {
  return {
      {.key = QStringLiteral("number"),
       .label = tr("Number"),
       .help = tr("A decimal number such as 1.4, 6e-8, inf or nan"),
       .value = QStringLiteral("0.1")},
      {.key = QStringLiteral("types"),
       .label = tr("Data types"),
       .help = tr("Integers stand for (integer - zero point) x scale"),
       .choices = {{QStringLiteral("floats"), tr("f64, f32, bf16, f16")},
                   {QStringLiteral("integers"), tr("i8, u8 (quantized)")}}},
      {.key = QStringLiteral("scale"), .label = tr("Scale"), .help = tr("Of integers"), .value = QStringLiteral("1")},
      {.key = QStringLiteral("zero"),
       .label = tr("Zero point"),
       .help = tr("Of integers: the one that means zero"),
       .value = QStringLiteral("0")}};
}

Result<ToolJob> number_job(MainWindow&, const ToolValues& values) {
  bool whole = false;
  engine::Quantization quantization{.scale = value_of(values, "scale").trimmed().toStdString(),
                                    .zero_point = value_of(values, "zero").toLongLong(&whole)};
  if (!whole) return engine::usage_error("Zero point: a whole number is needed.");
  return ToolJob([text = value_of(values, "number").trimmed().toStdString(),
                  integers = value_of(values, "types") == QLatin1String("integers"),
                  quantization](const ToolProgress&, const std::atomic<bool>&) {
    return number_answer(text, integers, quantization);
  });
}

Result<ToolJob> machine_job(MainWindow&, const ToolValues&) {
  return ToolJob([](const ToolProgress& progress, const std::atomic<bool>&) {
    progress(tr("Drivers and counters are asked"), kUnknown);
    Answer answer = machine_answer();
    for (auto& row : answer.table.rows) {
      for (profiler::Cell& cell : row) {
        if (const auto* words = std::get_if<std::string>(&cell))
          cell = views::quoted_commands(std::string_view(*words)).toStdString();
      }
    }
    return Result<Answer>(std::move(answer));
  });
}

// ---- Machine balance

std::vector<ToolField> balance_fields(MainWindow&) {
  ToolField machine{.key = QStringLiteral("machine"),
                    .label = tr("Machine"),
                    .help = tr("This one by its probe, or one by its data sheets"),
                    .choices = {{QStringLiteral("here"), tr("This machine")}}};
  for (const std::string& key : profiler::machine_presets())
    machine.choices.emplace_back(views::text(key), views::text(profiler::preset_balance(key)->name));
  return {machine,
          {.key = QStringLiteral("disk"),
           .label = tr("Folder on a disk"),
           .help = tr("Of this machine: a file of 256 MiB is written there, read past the page cache, and removed. "
                      "Empty: the disk is not measured.")}};
}

Result<ToolJob> balance_job(MainWindow&, const ToolValues& values) {
  return ToolJob([machine = value_of(values, "machine").toStdString(),
                  disk = std::filesystem::path(views::name_bytes(value_of(values, "disk").trimmed()))](
                     const ToolProgress& progress, const std::atomic<bool>& stop) {
    if (!disk.empty()) progress(tr("The disk is read"), kUnknown);
    return balance_answer(machine, disk, stop);
  });
}

/// Tables of what is on the table.
std::vector<Tool> of_what_is_shown() {
  return {{.name = "tables",
           .title = tr("&Tables of what is shown…"),
           .question = tr("Which figures does each analysis have, row by row?"),
           .run = {},
           .refusal = needs_document,
           .fields = table_fields,
           .job = table_job},
          {.name = "transfers",
           .title = tr("&Copies between devices…"),
           .question = tr("Which bytes were copied from where to where, why, and how fast?"),
           .run = {},
           .refusal = needs_capture,
           .fields = nothing_asked,
           .job = transfers_job},
          {.name = "links",
           .title = tr("Speed of &links…"),
           .question = tr("How long does a copy take: a fixed time, and a time per byte?"),
           .run = {},
           .refusal = needs_capture,
           .fields = nothing_asked,
           .job = links_job},
          {.name = "pipeline",
           .title = tr("Pipeline of &data loading…"),
           .question = tr("Which stage of data loading sets the pace?"),
           .run = {},
           .refusal = needs_capture,
           .fields = nothing_asked,
           .job = pipeline_job}};
}

/// About a run: what it would need or take, and whether it takes longer.
std::vector<Tool> of_runs() {
  return {{.name = "fit",
           .title = tr("Largest &batch that fits…"),
           .question = tr("How large may the batch be before memory runs out? Nothing is run."),
           .run = {},
           .refusal = needs_work,
           .fields = fit_fields,
           .job = fit_job},
          {.name = "predict",
           .title = tr("Time on other &GPUs…"),
           .question = tr("How long would a step take on a GPU that is not here? Does it fit? All times are modelled."),
           .run = {},
           .refusal = needs_work,
           .fields = predict_fields,
           .job = predict_job},
          {.name = "rerun",
           .title = tr("Is it &slower now…"),
           .question = tr("Does this run take longer now than when it was recorded? Fresh processes repeat it."),
           .run = tr("Run it again"),
           .refusal = needs_repeatable,
           .fields = nothing_asked,
           .job = rerun_job,
           .runs = true},
          {.name = "repeat",
           .title = tr("Compare with &repeats…"),
           .question = tr("Is the difference of both captures real? Both run again, in turn."),
           .run = tr("Run both again"),
           .refusal = needs_pair,
           .fields = repeat_fields,
           .job = repeat_job,
           .runs = true,
           .done = show_repeats}};
}

/// About numbers and this machine.
std::vector<Tool> of_numbers_and_machine() {
  return {{.name = "number",
           .title = tr("A &number in each data type…"),
           .question = tr("What does a data type make of a number, and how large is the error?"),
           .run = {},
           .refusal = never,
           .fields = number_fields,
           .job = number_job},
          {.name = "machine",
           .title = tr("What &works on this machine…"),
           .question = tr("Which libraries, GPUs and sources of figures work here, and what helps where they do not?"),
           .run = {},
           .refusal = never,
           .fields = nothing_asked,
           .job = machine_job},
          {.name = "balance",
           .title = tr("&Machine balance…"),
           .question = tr("How many FLOPs does arithmetic do while a byte comes from disk, memory or a link?"),
           .run = tr("Measure"),
           .refusal = never,
           .fields = balance_fields,
           .job = balance_job,
           .runs = true}};
}

}  // namespace

const std::vector<Tool>& tools() {
  static const std::vector<Tool> all = [] {
    std::vector<Tool> every = of_what_is_shown();
    for (const std::vector<Tool>& more : {of_runs(), of_numbers_and_machine()})
      every.insert(every.end(), more.begin(), more.end());
    return every;
  }();
  return all;
}

const Tool* find_tool(const QString& name) {
  for (const Tool& tool : tools())
    if (name == QLatin1String(tool.name)) return &tool;
  return nullptr;
}

}  // namespace app::gui
