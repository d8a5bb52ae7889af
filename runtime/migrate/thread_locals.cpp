// Searches thread-local variables of libraries for addresses of a stack; see thread_locals.h.
#include "migrate/thread_locals.h"

#include "base/once.h"
#include "migrate/leftovers.h"
#include "migrate/search.h"

#include <link.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

namespace skein {

namespace {

/// Where the variables of a module are, relative to the thread pointer of each kernel thread.
struct Variables {
  intptr_t begin, end;
  char library[48];
};
constexpr unsigned modules_most = 16;
Variables modules[modules_most];
unsigned count;
intptr_t all_begin, all_end; // of all modules, which lie side by side; the gaps between them are unused and zero
Once once;

uintptr_t kernel_thread() { return (uintptr_t)__builtin_thread_pointer(); }

/// The variables of modules that were there when the program started lie below the thread pointer, at a distance that
/// never changes.
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
    found.begin = (intptr_t)(begin - kernel_thread());
    found.end = found.begin + (intptr_t)header.p_memsz;
    snprintf(found.library, sizeof found.library, "%s",
             slash              ? slash + 1
             : *info->dlpi_name ? info->dlpi_name
                                : "the program");
    if (count == 1 || found.begin < all_begin)
      all_begin = found.begin;
    if (count == 1 || found.end > all_end)
      all_end = found.end;
  }
  return 0;
}

void find_modules() { dl_iterate_phdr(add_module, nullptr); }

[[gnu::cold]] bool refuse(const void *where, Refusal &why) {
  const auto place = (intptr_t)((uintptr_t)where - kernel_thread());
  for (unsigned i = 0; i < count; ++i)
    if (place >= modules[i].begin && place < modules[i].end)
      return why.set(SKEIN_EPINNED, "a thread-local variable of %s holds an address of its stack", modules[i].library);
  return why.set(SKEIN_EPINNED, "thread-local memory of a library holds an address of its stack");
}

} // namespace

static const void *find_local_of_thread(uintptr_t begin, uintptr_t end) {
  once(find_modules);
  return find_address((const void *)(kernel_thread() + (uintptr_t)all_begin), (size_t)(all_end - all_begin), begin,
                      end);
}

bool check_thread_locals(const Thread &thread, Refusal &why) {
  if (&thread != thread_current())
    return true;
  // As in check_globals, an address in the unused part of the stack does not refuse the move. The stack is set aside
  // when the thread has left it.
  const Stack &stack = thread.stack;
  const bool whole = stack.bytes() <= stack_bytes();
  const auto sp = (uintptr_t)thread.sp, high = (uintptr_t)stack.high;
  const void *found = find_local_of_thread(whole ? (uintptr_t)stack.slot_begin : sp, high);
  if (found == nullptr)
    return true;
  if (whole && (found = find_local_of_thread(sp, high)) == nullptr) {
    leftovers_seen();
    stack_note_left(stack);
    return true;
  }
  return refuse(found, why);
}

bool thread_locals_hold(uintptr_t begin, uintptr_t end) { return find_local_of_thread(begin, end) != nullptr; }

} // namespace skein
