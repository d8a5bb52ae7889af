// Notes numbers that were made of addresses of modules; see program_numbers.h.
#include "migrate/program_numbers.h"

#include "abi/entry_points.h"
#include "migrate/modules.h"
#include "sched/bundle.h"
#include "thread/stack.h"

#include <atomic>

struct skein_watch __skein_watch = {UINT64_MAX, UINT64_MAX};

namespace skein {

namespace {

std::atomic<const char *> first_number{nullptr}, first_late{nullptr};
unsigned modules_at_start;                 // how many modules were there at the start; others are late
std::atomic<uint64_t> changes{UINT64_MAX}; // module_changes() when the modules were last read
bool relocated = false;
bool settled = false;

void keep_all() {
  if (settled && (!modules_agree || late_numbered() != nullptr))
    all_stay.store(true, std::memory_order_relaxed);
}

// Notes how a number was made of an address, if the address leads into a module. Before all modules are relocated (in a
// resolver of an indirect function) nothing outside of the program can be called, so the number is noted without a
// look.
void note(uintptr_t address, const char *how) {
  if (!relocated)
    return first_number.store(how, std::memory_order_relaxed);
  const uint64_t now = module_changes();
  const bool reread = changes.load(std::memory_order_acquire) != now;
  const Module *in = module_containing(address, reread);
  if (reread) // only now: from here on others do not look again
    changes.store(now, std::memory_order_release);
  if (in == nullptr)
    return;
  unsigned count;
  const bool late = settled && in - modules(count) >= modules_at_start;
  std::atomic<const char *> &first = late ? first_late : first_number;
  if (first.load(std::memory_order_relaxed) == nullptr)
    first.store(how, std::memory_order_relaxed);
}

} // namespace

void program_numbers_relocated() { relocated = true; }

// The closer to the stacks, the fewer words of compiled code that are none of their addresses come to the runtime: what
// the program maps lies beside them. Compiled code begins a MiB below its frame, or below where a stack that grows
// ends.
void program_numbers_ignore() {
  constexpr uint64_t around = 4 << 20; // guards, and that MiB
  SKEIN_ASSERT(stack_bytes_max() != 0, "compiled code is told what to watch before there are stacks");
  __skein_watch = {stack_bytes_max() + around, 0};
}

void program_numbers_settle(bool differ) {
  modules(modules_at_start);
  settled = true;
  if (!differ)
    program_numbers_ignore();
  if (program_numbered() != nullptr)
    keep_all();
}

void program_number_made(uintptr_t address, const char *how) {
  note(address, how);
  if (program_numbered() != nullptr || late_numbered() != nullptr)
    keep_all();
}

void program_number_untold(const char *how) {
  const char *none = nullptr;
  first_number.compare_exchange_strong(none, how, std::memory_order_relaxed);
  keep_all();
}

const char *program_numbered() { return first_number.load(std::memory_order_relaxed); }
const char *late_numbered() { return first_late.load(std::memory_order_relaxed); }

} // namespace skein
