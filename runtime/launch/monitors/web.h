// `skein web` and `skein run --web`: a run as a page, and to programs that collect figures.
//
//     /               the page (page.html), which draws what /events sends
//     /events         server-sent events: "figures", twice a second, and "over" at the end
//     /figures.json   the same figures, once
//     /metrics        OpenMetrics text, for Prometheus and its like
//
// Nothing can be changed through it, since a page of a stranger could send the same requests by the user's browser. And
// nothing can be read by such a page: a request has to name this server by its address or as localhost, which a name
// that a stranger's DNS has pointed here is not.
#ifndef SKEIN_LAUNCH_MONITORS_WEB_H
#define SKEIN_LAUNCH_MONITORS_WEB_H

#include <string>

namespace skein::monitors {

/// Serves until the run is over, or a signal ends the process. Returns the exit status.
int web(const std::string &folder, const std::string &address, int port);

} // namespace skein::monitors

#endif
