// A recording as text: a line for each event, or a summary of the run.
#ifndef SKEIN_LAUNCH_TRACES_TABLES_H
#define SKEIN_LAUNCH_TRACES_TABLES_H

#include "launch/traces/recording.h"

#include <cstdio>

namespace skein::traces {

/// Columns: ns since the first event, node, worker, class, event, thread, and the words by their names.
void write_csv(Recording &recording, FILE *to);
/// What is missing in the recording, a line for each; false: nothing is. The summary has these lines, too.
bool write_summary(Recording &recording, FILE *to);
bool write_missing(const Recording &recording, FILE *to);

} // namespace skein::traces

#endif
