// The view of a run as lines of text, for `skein top` on a terminal and for --once.
#ifndef SKEIN_LAUNCH_MONITORS_TEXT_VIEW_H
#define SKEIN_LAUNCH_MONITORS_TEXT_VIEW_H

#include "launch/monitors/run_view.h"

#include <string>
#include <vector>

namespace skein::monitors {

/// A figure in at most five places: 950, 12.3k, 4.56M.
std::string shortly(double value);

enum class Order { number, cpu, threads, ready, moves };
enum class Below { functions, threads, nothing };

/// A line, and whether it is a heading.
struct Line {
  std::string text;
  bool heading = false;
};

/// The nodes, the links between them, and what is wanted below, of which `below` are the answers to RunView::threads.
std::vector<Line> text_view(const RunView &run, Order order, Below what, const std::vector<Json> &below);

} // namespace skein::monitors

#endif
