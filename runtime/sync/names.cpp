// Names of objects and places; see names.h.
#include "sync/names.h"

#include "base/log.h"
#include "private/regions/regions.h"
#include "thread/backtrace.h"
#include "thread/function_name.h"

#include <cstdarg>
#include <cstdio>

namespace skein {

namespace {

/// The id of the thread whose stack that is; 0: none.
uint64_t stack_owner(uintptr_t address) {
  struct Search {
    uintptr_t address;
    uint64_t id;
  } search = {address, 0};
  thread_each(
      [](Thread *thread, void *context) {
        auto *search = static_cast<Search *>(context);
        if (thread->stack.contains(reinterpret_cast<const void *>(search->address)))
          search->id = thread->id;
      },
      &search);
  return search.id;
}

} // namespace

ObjectText object_text(const char *what, const void *object) {
  ObjectText to;
  const auto address = reinterpret_cast<uintptr_t>(object);
  char name[100];
  if (variable_name(address, name, sizeof name))
    std::snprintf(to.text, sizeof to.text, "the %s `%s`", what, name);
  else if (const uint64_t owner = stack_owner(address))
    std::snprintf(to.text, sizeof to.text, "the %s at %p on the stack of thread %s", what, object,
                  thread_name(owner).text);
  else if (in_private_range(address))
    std::snprintf(to.text, sizeof to.text, "the %s at %p in private memory", what, object);
  else
    std::snprintf(to.text, sizeof to.text, "the %s at %p", what, object);
  return to;
}

PlaceText place_text(const void *place) {
  PlaceText to;
  const auto pc = reinterpret_cast<uintptr_t>(place);
  char name[160];
  if (place_describe)
    place_describe(pc, to.text, sizeof to.text);
  else
    std::snprintf(to.text, sizeof to.text, "`%s`", function_name(pc - 1, name, sizeof name));
  return to;
}

int misuse(Thread *self, int code, const char *format, ...) {
  char text[error_text_bytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log("%s", text);
  return thread_error(self, code, "%s", text);
}

} // namespace skein
