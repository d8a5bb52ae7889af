// What the monitor answers to the requests of docs/monitoring.md.
#ifndef SKEIN_MONITOR_ANSWERS_H
#define SKEIN_MONITOR_ANSWERS_H

#include "monitor/json_line.h"

namespace skein {

/// From here on, moves are noted for whoever asks later.
void answers_start();

/// Answers one request, a line without its end.
void answer_request(const char *request, JsonLine &line);

} // namespace skein

#endif
