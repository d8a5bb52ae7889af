// See debug_info.h.
#include "thread/debug_info.h"

#include "base/once.h"

#include <backtrace.h>

namespace skein {

namespace {

backtrace_state *state;
Once once;

void ignore(void *, const char *, int) {}

struct Visit {
  void (*visit)(const char *function, const char *file, int line, void *context);
  void *context;
  bool any = false;
};

int note_place(void *data, uintptr_t, const char *file, int line, const char *function) {
  auto &to = *static_cast<Visit *>(data);
  if (!file)
    return 0;
  to.any = true;
  to.visit(function, file, line, to.context);
  return 0;
}

void open_debug_info() { state = backtrace_create_state(nullptr, /*threaded=*/1, ignore, nullptr); }

} // namespace

bool debug_info_at(uintptr_t program_counter, void (*visit)(const char *function, const char *file, int line, void *),
                   void *context) {
  once(open_debug_info);
  Visit to{visit, context};
  if (state)
    backtrace_pcinfo(state, program_counter, note_place, ignore, &to);
  return to.any;
}

} // namespace skein
