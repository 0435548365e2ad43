// SPDX-License-Identifier: GPL-3.0-or-later
// All views, one line each; menus, tabs, --screenshot and tests are made from this list.
#include <QCoreApplication>
#include <array>
#include <map>

#include "views/base/view.h"
#include "views/cache/cache_view.h"
#include "views/compare/compare_view.h"
#include "views/findings/findings_view.h"
#include "views/memory/memory_view.h"
#include "views/network/network_view.h"
#include "views/ops/ops_view.h"
#include "views/roofline/roofline_view.h"
#include "views/sweep/sweep_view.h"
#include "views/timeline/timeline_view.h"
#include "views/traffic/traffic_view.h"
#include "views/values/values_view.h"

namespace views {

namespace {

template <class T>
View* make(Document& document, QWidget* parent) {
  return new T(document, parent);
}

}  // namespace

QString title(ViewEntry::Group group) {
  switch (group) {
    case ViewEntry::Group::answer: return QCoreApplication::translate("views", "Answer");
    case ViewEntry::Group::explore: return QCoreApplication::translate("views", "Explore");
    case ViewEntry::Group::relate: return QCoreApplication::translate("views", "Relate");
  }
  return {};
}

namespace {

auto entries_in_words_of_now() {
  using Of = ViewEntry::Of;
  using Group = ViewEntry::Group;
  const auto tr = [](const char* text) { return QCoreApplication::translate("views", text); };
  const QString with_shapes = tr("Record it with shapes (record_shapes=True in PyTorch), or run the network here."),
                with_ops = tr("Record it again to its end, with its ops."),
                with_memory = tr("Record it again to its end; in PyTorch with profile_memory=True."),
                run_here = tr("Run the network here.");
  // By group, in the order of their tabs.
  return std::array{
      ViewEntry{QStringLiteral("findings"), tr("Findings"),
                tr("What should be changed: evidence, the gain to expect, and a button that tries it."),
                make<FindingsView>, Of::capture, Group::answer, with_shapes},
      ViewEntry{QStringLiteral("traffic"), tr("Traffic"),
                tr("Where the bytes go: every link of the memory hierarchy, by role, for the step, a layer or an op."),
                make<TrafficView>, Of::capture, Group::answer, with_shapes},
      ViewEntry{QStringLiteral("memory"), tr("Memory"),
                tr("Which tensors fill the memory over the step, what is there at the peak, and how the arena is "
                   "shared."),
                make<MemoryView>, Of::capture, Group::answer, with_memory},
      ViewEntry{QStringLiteral("timeline"), tr("Timeline"),
                tr("When each op ran: steps, phases, layers and ops over time, with the bytes they moved."),
                make<TimelineView>, Of::any_trace, Group::explore},
      ViewEntry{QStringLiteral("network"), tr("Network"),
                tr("Layers as boxes that open, and the tensors between them: where time, bytes and limits lie."),
                make<NetworkView>, Of::capture, Group::explore, run_here},
      ViewEntry{QStringLiteral("ops"), tr("Ops"),
                tr("One row per op, layer, type, kernel or phase: time, work, bytes, verdict."), make<OpsView>,
                Of::capture, Group::explore, with_ops},
      ViewEntry{QStringLiteral("roofline"), tr("Roofline"),
                tr("How close each op is to the roofs of this machine, and its potential savings."), make<RooflineView>,
                Of::capture, Group::explore, with_shapes},
      ViewEntry{QStringLiteral("cache"), tr("Cache"),
                tr("Simulated caches of any size, ways and policy for the accesses of an op, a layer or the step."),
                make<CacheView>, Of::capture, Group::explore, run_here},
      ViewEntry{QStringLiteral("values"), tr("Values"),
                tr("What was in each tensor of a step: range, NaN, histogram, and its channels as pictures."),
                make<ValuesView>, Of::capture, Group::explore, tr("Run it here with the collector Values.")},
      ViewEntry{QStringLiteral("sweep"), tr("Sweep"),
                tr("One workload over batch sizes, dtypes, threads: curves, knees, and what binds on each side."),
                make<SweepView>, Of::sweep, Group::relate, run_here},
      ViewEntry{QStringLiteral("compare"), tr("Compare"),
                tr("Two runs op by op: what got slower or faster, how sure that is, and which bytes explain it."),
                make<CompareView>, Of::comparison, Group::relate},
  };
}

}  // namespace

/// Titles are in the language that is in use when somebody asks.
std::span<const ViewEntry> view_catalog() {
  static std::map<QString, decltype(entries_in_words_of_now())> languages;  // by a word of each
  const QString word = QCoreApplication::translate("views", "Findings");
  auto found = languages.find(word);
  if (found == languages.end()) found = languages.emplace(word, entries_in_words_of_now()).first;
  return found->second;
}

}  // namespace views
