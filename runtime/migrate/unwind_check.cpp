// Compares the walk by frame maps with that of libunwind; see unwind_check.h.
#include "migrate/unwind_check.h"

#include "base/log.h"
#include "base/once.h"
#include "migrate/walk.h"

#include <atomic>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

namespace skein {

namespace {

// The functions of libunwind that are used, under the names that its header gives them on this machine.
struct Unwinder {
  int (*start)(unw_cursor_t *, unw_context_t *);
  int (*step)(unw_cursor_t *);
  int (*get)(unw_cursor_t *, unw_regnum_t, unw_word_t *);
} unwinder;

std::atomic<uint64_t> moves, walks, frames;

void print() {
  report("unwind: %llu walks, %llu frames agree", (unsigned long long)walks.load(), (unsigned long long)frames.load());
}

void *function(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (found == nullptr)
    fatal("unwind_check: libunwind has no %s", name);
  return found;
}

void load() {
  if (getauxval(AT_BASE) == 0) // no dynamic linker: libunwind would ask a C library of its own what is loaded
    fatal("unwind_check: libunwind cannot look into a static program");
  void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fatal("unwind_check needs libunwind.so.8: %s", dlerror());
  unwinder.start = (decltype(unwinder.start))function(library, "_ULx86_64_init_local");
  unwinder.step = (decltype(unwinder.step))function(library, "_ULx86_64_step");
  unwinder.get = (decltype(unwinder.get))function(library, "_ULx86_64_get_reg");
  atexit(print);
}

// In the order of SKEIN_SAVED_*.
constexpr const char *register_names[] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
constexpr unw_regnum_t register_numbers[] = {UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12,
                                             UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15};
static_assert(sizeof register_names / sizeof *register_names == SKEIN_SAVED_COUNT);

// One comparison on its way up the stack.
class Comparison {
public:
  Comparison(const Thread &thread, const char *when) : id(thread.id), when(when) {
    stack.sp = (uintptr_t)thread.sp;
    stack.high = (uintptr_t)thread.stack.high;
    const auto *saved = (const SavedContext *)thread.sp;
    unw_context_t context;
    memset(&context, 0, sizeof context);
    greg_t *registers = context.uc_mcontext.gregs;
    registers[REG_RSP] = (greg_t)(uintptr_t)(saved + 1);
    registers[REG_RIP] = (greg_t)saved->return_address;
    registers[REG_RBX] = (greg_t)saved->rbx;
    registers[REG_RBP] = (greg_t)saved->rbp;
    registers[REG_R12] = (greg_t)saved->r12;
    registers[REG_R13] = (greg_t)saved->r13;
    registers[REG_R14] = (greg_t)saved->r14;
    registers[REG_R15] = (greg_t)saved->r15;
    if (unwinder.start(&cursor, &context) < 0)
      fatal("unwind_check: libunwind does not start at %#zx", (size_t)saved->return_address);
    slots[SKEIN_SAVED_RBX] = stack.sp + offsetof(SavedContext, rbx);
    slots[SKEIN_SAVED_RBP] = stack.sp + offsetof(SavedContext, rbp);
    slots[SKEIN_SAVED_R12] = stack.sp + offsetof(SavedContext, r12);
    slots[SKEIN_SAVED_R13] = stack.sp + offsetof(SavedContext, r13);
    slots[SKEIN_SAVED_R14] = stack.sp + offsetof(SavedContext, r14);
    slots[SKEIN_SAVED_R15] = stack.sp + offsetof(SavedContext, r15);
  }

  // Compares frame by frame. False where the walk by maps ends with a refusal.
  bool run() {
    Refusal why;
    return walk(program_maps(), stack, why, [&](const Frame &frame, uintptr_t at, WordKind kind) {
      if (kind == WordKind::code)
        compare(frame, at);
      return true;
    });
  }

private:
  void compare(const Frame &frame, uintptr_t return_slot) {
    if (frame.depth > 0) { // both go on to the caller; the callee has saved these registers
      for (unsigned i = 0; i < SKEIN_SAVED_COUNT; ++i)
        if (callee.function->saved[i] != 0)
          // The CFA of the callee is the SP of this frame.
          slots[i] = frame.sp - 8 * (intptr_t)callee.function->saved[i];
      if (unwinder.step(&cursor) <= 0)
        differ(callee, "its caller", frame.sp, 0);
    }
    unw_word_t value;
    unwinder.get(&cursor, UNW_REG_IP, &value);
    if (value != stack.read(return_slot))
      differ(frame, "the return address", stack.read(return_slot), value);
    unwinder.get(&cursor, UNW_REG_SP, &value);
    if (value != frame.sp)
      differ(frame, "the callee's CFA", frame.sp, value);
    for (unsigned i = 0; i < SKEIN_SAVED_COUNT; ++i) {
      unwinder.get(&cursor, register_numbers[i], &value);
      if (frame.function != nullptr && value != stack.read(slots[i]))
        differ(frame, register_names[i], stack.read(slots[i]), value);
    }
    frames.fetch_add(1, std::memory_order_relaxed);
    callee = frame;
  }

  [[noreturn]] void differ(const Frame &frame, const char *what, uintptr_t ours, uintptr_t theirs) {
    fatal("unwind_check: %s, thread %s, frame %u %s: the frame maps and .eh_frame disagree on %s: %#zx, %#zx", when,
          thread_name(id).text, frame.depth, frame_name(frame).text, what, (size_t)ours, (size_t)theirs);
  }

  uint64_t id;
  const char *when;
  StackView stack;
  unw_cursor_t cursor;
  uintptr_t slots[SKEIN_SAVED_COUNT]; // where each callee-saved register's value for the frame that is compared lies
  Frame callee;
};

} // namespace

bool unwind_check_due_now() { return moves.fetch_add(1, std::memory_order_relaxed) % knobs.unwind_check == 0; }

void unwind_check(const Thread &thread, const char *when) {
  static Once once;
  once(load);
  if (!thread.stack)
    return; // it has not run yet
  if (Comparison(thread, when).run())
    walks.fetch_add(1, std::memory_order_relaxed);
}

} // namespace skein
