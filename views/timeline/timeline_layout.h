// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the timeline: which row lies where, which time at which pixel, where the ruler's
// ticks are. No Qt.
#pragma once

#include <string>
#include <vector>

#include "views/timeline/timeline_model.h"
#include "views/timeline/timeline_notes.h"

namespace views {

/// The visible span of time; end > begin.
struct TimelineWindow {
  int64_t begin_ns = 0, end_ns = 1;
  int64_t span_ns() const { return end_ns - begin_ns; }
  friend bool operator==(const TimelineWindow&, const TimelineWindow&) = default;
};

inline constexpr int64_t kSmallestWindowNs = 200;

/// The nearest window inside the capture (with a little air at its end; before its start is nothing to see), at least
/// kSmallestWindowNs wide.
TimelineWindow clamp_window(TimelineWindow wanted, const TimelineModel&);
/// Everything, with a little air at the end.
TimelineWindow whole_window(const TimelineModel&);
/// `factor` < 1 zooms in; the time `at_ns` keeps its pixel (as far as the ends of the capture
/// allow).
TimelineWindow zoomed(const TimelineWindow&, int64_t at_ns, double factor, const TimelineModel&);
/// What is shown first: of the traced steps after the warm-up the one that takes as long as they do in the middle;
/// everything when there is none.
TimelineWindow first_window(const profiler::Capture&, const TimelineModel&);
/// [begin, end) with a margin of `air` (share of its length) on both sides.
TimelineWindow fitted(int64_t begin_ns, int64_t end_ns, double air, const TimelineModel&);
/// The same zoom moved as little as possible so that [begin, end) is visible; centred when it was
/// outside.
TimelineWindow revealing(const TimelineWindow&, int64_t begin_ns, int64_t end_ns, const TimelineModel&);

struct TimelineRow {
  enum class Kind : uint8_t { group, lane, counter } kind = Kind::lane;
  int index = 0;  ///< into lanes or counters; group: into lanes, the first of the group
  int y = 0, height = 0;
  bool pinned = false;  ///< on top, does not scroll
};

struct TimelineGeometry {
  int width = 0, height = 0;  ///< of the picture
  int header_width = 0;       ///< names of the rows, left of the plot
  int minimap_height = 0, ruler_height = 0;
  std::vector<TimelineRow> rows;  ///< y from the top of the scrolled content
  int content_height = 0;         ///< of what scrolls
  int pinned_height = 0;          ///< of the rows on top
  /// Where what scrolls begins, and where a row lies in the picture.
  int scroll_top() const { return top() + pinned_height; }
  int row_y(const TimelineRow& row, int scroll_y) const {
    return row.pinned ? top() + row.y : scroll_top() + row.y - scroll_y;
  }
  int top() const { return minimap_height + ruler_height; }
  int plot_width() const { return width > header_width ? width - header_width : 1; }
  double ns_per_px(const TimelineWindow& w) const { return static_cast<double>(w.span_ns()) / plot_width(); }
  double x(int64_t t, const TimelineWindow& w) const {
    return header_width + static_cast<double>(t - w.begin_ns) / ns_per_px(w);
  }
  int64_t time(double px, const TimelineWindow& w) const {
    return w.begin_ns + static_cast<int64_t>((px - header_width) * ns_per_px(w));
  }
};

/// The group of charts, as the rows' groups are named.
inline constexpr const char* kChartGroup = "Charts";
/// What a row is called in arrangements; a group by its name.
std::string row_key(const TimelineModel&, const TimelineRow&);

/// How wide the rows' names may be: as the user wants them (0: no wish), else as they need (`natural`), but at most a
/// quarter of the picture where that is enough for ten letters.
int names_width(int width, int text_height, int natural, int wanted);
/// Rows for a picture of width x height pixels with text of `text_height`: pinned rows, then each
/// group under its name (when there are several), folded and hidden rows left out; height left over
/// goes to the counters, then to the ops. `names` pixels go to the rows' names; 0: names_width() without wishes.
TimelineGeometry layout_timeline(const TimelineModel&, int width, int height, int text_height,
                                 const TimelineArrangement& = {}, int names = 0);
/// The arrangement after a row was moved by one place among the rows of its group (or among the
/// pinned ones); unchanged at the end of them.
TimelineArrangement moved_row(const TimelineModel&, const TimelineArrangement&, const std::string& key, int direction);

struct Ruler {
  std::string unit;  ///< "ms": said once
  struct Tick {
    int64_t at_ns;
    std::string label;
  };
  std::vector<Tick> ticks;
};
/// At most `most` ticks at 1, 2 or 5 x 10^n since `origin_ns`.
Ruler ruler(int64_t origin_ns, const TimelineWindow&, int most);

/// A span on the screen.
struct TimelineHit {
  int lane = 0;
  size_t span = 0;
  friend bool operator==(const TimelineHit&, const TimelineHit&) = default;
};
/// The longest span of `lane` under the pixel column at `px`; false when there is none.
bool span_at(const TimelineModel&, const TimelineGeometry&, const TimelineWindow&, int lane, double px,
             TimelineHit& hit);

}  // namespace views
