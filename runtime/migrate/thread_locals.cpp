// See thread_locals.h.
#include "migrate/thread_locals.h"

#include "migrate/search.h"

#include <link.h>
#include <pthread.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

namespace skein {

namespace {

/// Where a module's variables are, from this place in each kernel thread.
struct Variables {
  intptr_t offset;
  size_t bytes;
  char library[48];
};
constexpr unsigned modules_most = 16;
Variables modules[modules_most];
unsigned count;
pthread_once_t once = PTHREAD_ONCE_INIT;

uintptr_t kernel_thread() { return (uintptr_t)__builtin_thread_pointer(); }

/// Those that were there when the program started have their place below the thread pointer, at a distance that never
/// changes.
int add_module(dl_phdr_info *info, size_t bytes, void *) {
  if (bytes < offsetof(dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data || info->dlpi_tls_data == nullptr ||
      count == modules_most)
    return 0;
  auto begin = (uintptr_t)info->dlpi_tls_data;
  constexpr size_t most = 64 << 10;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS || begin >= kernel_thread() || kernel_thread() - begin > most)
      continue;
    const char *slash = strrchr(info->dlpi_name, '/');
    Variables &found = modules[count++];
    uintptr_t aligned = (begin + 7) & ~uintptr_t{7};
    found.offset = (intptr_t)(aligned - kernel_thread());
    found.bytes = begin + header.p_memsz > aligned ? begin + header.p_memsz - aligned : 0;
    snprintf(found.library, sizeof found.library, "%s",
             slash              ? slash + 1
             : *info->dlpi_name ? info->dlpi_name
                                : "the program");
  }
  return 0;
}

void start() { dl_iterate_phdr(add_module, nullptr); }

} // namespace

bool check_thread_locals(const Thread &thread, Refusal &why) {
  if (&thread != thread_current())
    return true;
  pthread_once(&once, start);
  for (unsigned i = 0; i < count; ++i)
    if (find_address((const void *)(kernel_thread() + (uintptr_t)modules[i].offset), modules[i].bytes,
                     (uintptr_t)thread.sp, (uintptr_t)thread.stack.high) != nullptr)
      return why.set(SKEIN_EPINNED, "a thread-local variable of %s holds an address of its stack", modules[i].library);
  return true;
}

} // namespace skein
