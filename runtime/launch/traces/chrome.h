// Chrome's trace event format: JSON that speedscope and chrome://tracing open. The events themselves are not in it.
#ifndef SKEIN_LAUNCH_TRACES_CHROME_H
#define SKEIN_LAUNCH_TRACES_CHROME_H

#include "launch/traces/recording.h"

namespace skein::traces {

void write_chrome(Recording &recording, const std::string &path);

} // namespace skein::traces

#endif
