// Linked into a stressed program, compares the frame walk with libunwind before each move: the same return addresses
// and stack pointers, frame by frame, down to the trampoline. The walk reads frame maps, libunwind .eh_frame, and both
// were written by different parts of the compiler. A difference ends the program with status 4; a line at exit says how
// many frames agreed.
#define UNW_LOCAL_ONLY
#include "migrate/stress.h"
#include "migrate/walk.h"

#include <libunwind.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

using namespace skein;

namespace {

unsigned long agreed, walks;

void report() { fprintf(stderr, "unwind: %lu walks, %lu frames agree\n", walks, agreed); }

[[noreturn]] void differ(const char *what, uintptr_t ours, uintptr_t theirs) {
  fprintf(stderr, "unwind: %s differs: the walk says %#zx, libunwind %#zx\n", what, ours, theirs);
  _exit(4);
}

void compare(const Thread &thread) {
  const auto *saved = static_cast<const SavedContext *>(thread.sp);
  unw_context_t context;
  memset(&context, 0, sizeof context);
  greg_t *registers = context.uc_mcontext.gregs;
  registers[REG_RSP] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(saved + 1));
  registers[REG_RIP] = static_cast<greg_t>(saved->return_address);
  registers[REG_RBX] = static_cast<greg_t>(saved->rbx);
  registers[REG_RBP] = static_cast<greg_t>(saved->rbp);
  registers[REG_R12] = static_cast<greg_t>(saved->r12);
  registers[REG_R13] = static_cast<greg_t>(saved->r13);
  registers[REG_R14] = static_cast<greg_t>(saved->r14);
  registers[REG_R15] = static_cast<greg_t>(saved->r15);
  unw_cursor_t cursor;
  unw_init_local(&cursor, &context);

  StackView stack;
  stack.sp = reinterpret_cast<uintptr_t>(thread.sp);
  stack.high = reinterpret_cast<uintptr_t>(thread.stack.high);
  Refusal why;
  bool first = true;
  bool whole = walk(program_maps(), stack, why, [&](const Frame &frame, uintptr_t at, WordKind kind) {
    if (kind != WordKind::code)
      return true;
    if (!first && unw_step(&cursor) <= 0)
      differ("the number of frames", frame.depth + 1, frame.depth);
    first = false;
    unw_word_t pc, sp;
    unw_get_reg(&cursor, UNW_REG_IP, &pc);
    unw_get_reg(&cursor, UNW_REG_SP, &sp);
    if (pc != stack.read(at))
      differ("a return address", stack.read(at), pc);
    if (sp != frame.sp)
      differ("a stack pointer", frame.sp, sp);
    agreed++;
    return true;
  });
  if (!whole) {
    fprintf(stderr, "unwind: the walk was refused: %s\n", why.text);
    _exit(4);
  }
  walks++;
}

__attribute__((constructor)) void observe() {
  stress_observer = compare;
  atexit(report);
}

} // namespace
