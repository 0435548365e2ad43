// SPDX-License-Identifier: GPL-3.0-or-later
// All views, one line each; menus, tabs, --screenshot and tests are made from this list.
#include <QCoreApplication>
#include <array>

#include "views/base/view.h"
#include "views/cache/cache_view.h"
#include "views/compare/compare_view.h"
#include "views/findings/findings_view.h"
#include "views/memory/memory_view.h"
#include "views/ops/ops_view.h"
#include "views/roofline/roofline_view.h"
#include "views/sweep/sweep_view.h"
#include "views/timeline/timeline_view.h"
#include "views/traffic/traffic_view.h"

namespace views {

namespace {

template <class T>
View* make(Document& document, QWidget* parent) {
  return new T(document, parent);
}

}  // namespace

std::span<const ViewEntry> view_catalog() {
  static const std::array entries = {
      ViewEntry{QStringLiteral("traffic"), QCoreApplication::translate("views", "Traffic"),
                QCoreApplication::translate("views",
                                            "Where the bytes go: every link of the memory "
                                            "hierarchy, by role, for the step, a layer or an op."),
                make<TrafficView>},
      ViewEntry{QStringLiteral("timeline"), QCoreApplication::translate("views", "Timeline"),
                QCoreApplication::translate("views",
                                            "When each op ran: steps, phases, layers and ops over "
                                            "time, with the bytes they moved."),
                make<TimelineView>, ViewEntry::Of::any_trace},
      ViewEntry{QStringLiteral("roofline"), QCoreApplication::translate("views", "Roofline"),
                QCoreApplication::translate("views",
                                            "How close each op is to the roofs of this machine, and its "
                                            "potential savings."),
                make<RooflineView>},
      ViewEntry{QStringLiteral("cache"), QCoreApplication::translate("views", "Cache"),
                QCoreApplication::translate("views",
                                            "Simulated caches of any size, ways and policy for the accesses "
                                            "of an op, a layer or the step."),
                make<CacheView>},
      ViewEntry{QStringLiteral("findings"), QCoreApplication::translate("views", "Findings"),
                QCoreApplication::translate(
                    "views", "What should be changed: evidence, the gain to expect, and a button that tries it."),
                make<FindingsView>},
      ViewEntry{QStringLiteral("memory"), QCoreApplication::translate("views", "Memory"),
                QCoreApplication::translate("views",
                                            "Which tensors fill the memory over the step, what is "
                                            "there at the peak, and how the arena is shared."),
                make<MemoryView>},
      ViewEntry{QStringLiteral("ops"), QCoreApplication::translate("views", "Ops"),
                QCoreApplication::translate(
                    "views", "One row per op, layer, type, kernel or phase: time, work, bytes, verdict."),
                make<OpsView>},
      ViewEntry{QStringLiteral("sweep"), QCoreApplication::translate("views", "Sweep"),
                QCoreApplication::translate("views",
                                            "One workload over batch sizes, dtypes, threads: "
                                            "curves, knees, and what binds on each side."),
                make<SweepView>, ViewEntry::Of::sweep},
      ViewEntry{QStringLiteral("compare"), QCoreApplication::translate("views", "Compare"),
                QCoreApplication::translate("views",
                                            "Two runs op by op: what got slower or faster, how "
                                            "sure that is, and which bytes explain it."),
                make<CompareView>, ViewEntry::Of::comparison},
  };
  return entries;
}

}  // namespace views
