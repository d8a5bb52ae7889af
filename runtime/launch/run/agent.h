// `skein agent`: what ssh starts on another host for `skein run --hosts`. Its input and output are the stream to the
// launcher (frames.h). It has a LocalHost, and does nothing but pass on what the launcher orders and what that reports.
#ifndef SKEIN_LAUNCH_RUN_AGENT_H
#define SKEIN_LAUNCH_RUN_AGENT_H

namespace skein::launch {

/// Serves one run, and returns the exit status.
int serve_launcher();

} // namespace skein::launch

#endif
