// Perfetto's file format, which ui.perfetto.dev opens: a sequence of protocol buffers, perfetto.protos.TracePacket.
//
// Beside the timeline the file holds the events themselves, in packets of fields that Perfetto does not know and skips
// (skein_field and those in it, docs/tracing.md). So `skein trace` reads such a file as well as the folder that it was
// made of.
#ifndef SKEIN_LAUNCH_TRACES_PERFETTO_H
#define SKEIN_LAUNCH_TRACES_PERFETTO_H

#include "launch/traces/recording.h"

namespace skein::traces {

void write_perfetto(Recording &recording, const std::string &path);
std::unique_ptr<Recording> open_perfetto(const std::string &path);

} // namespace skein::traces

#endif
