// The figures of a run as OpenMetrics text.
#ifndef SKEIN_LAUNCH_MONITORS_METRICS_H
#define SKEIN_LAUNCH_MONITORS_METRICS_H

#include "launch/monitors/run_view.h"

#include <string>

namespace skein::monitors {

inline constexpr char metrics_type[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";
std::string metrics(const RunView &run);

} // namespace skein::monitors

#endif
