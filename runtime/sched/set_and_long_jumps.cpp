// setjmp and longjmp of a thread that can move: the buffer of the program may not hold addresses of the stack, since
// nobody would adjust them.
//
// Compiled code calls __skein_setjmp and __skein_builtin_setjmp instead of setjmp and its relatives (compiler/passes,
// jump-lowering). What setjmp has to save is copied into the runtime's own record, which moves with the thread; the
// buffer gets a token that names the record. Mostly that is done on the caller's own stack (skein_setjmp_quick).
// Otherwise the two are stubs like every other call that leaves it, and the switch frame which a stub pushes *is* what
// setjmp has to save. longjmp changes its own switch frame into one that leads to the saved context. Memory between the
// two frames may not be written: where setjmp returns for the second time, blocks of alloca that lie there are still to
// be freed (DynamicBlocks of the compiler).
//
//        | frame that called setjmp    | <- context.sp
//        | (frames that are abandoned) |
//        | context.return_address      |  read by skein_jump_landing
//        | context.sp                  |
//        | skein_jump_landing          |  the return address
//        | rbp, rbx, r12 ... r15       |  of the context
//        | control words, errno        | <- thread->sp; the current ones, as with any longjmp
//
// longjmp and its relatives have the names of libc's and are exported, so that a library that jumps with a buffer of
// ours (libpng does) reaches this file. A buffer that libc filled, for a library's setjmp or outside of any Skein
// thread, goes to libc's own longjmp, from the stack of whoever jumps.
//
// A jump whose target has returned ends the process with a message. libc would go on with a broken stack.
#include "base/log.h"
#include "sched/sched.h"
#include "thread/jumps.h"
#include "thread/processor.h"

#include "arch/x86_64/switch.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <new>

/// A label in stubs.S; it is not a function to be called.
extern "C" const char skein_jump_landing[];

namespace skein {

void (*jump_ends_handlers)(Thread &self, uintptr_t sp);

namespace {

using LibraryJump = void (*)(void *buffer, int value);

// libc's longjmp. It is asked of the dynamic linker, since the name means the function of this file.
LibraryJump library_jump() {
  static std::atomic<LibraryJump> found;
  LibraryJump jump = found.load(std::memory_order_relaxed);
  if (jump == nullptr) {
    jump = reinterpret_cast<LibraryJump>(dlsym(RTLD_NEXT, "siglongjmp"));
    found.store(jump, std::memory_order_relaxed);
  }
  return jump;
}

uint64_t signal_mask() {
  sigset_t set;
  uint64_t mask = 0;
  sigemptyset(&set);
  pthread_sigmask(SIG_BLOCK, nullptr, &set);
  std::memcpy(&mask, &set, sizeof mask); // the kernel knows 64 signals
  return mask;
}

void signal_mask_set(uint64_t mask) {
  sigset_t set;
  sigemptyset(&set);
  std::memcpy(&set, &mask, sizeof mask);
  pthread_sigmask(SIG_SETMASK, &set, nullptr);
}

void write_token(const Thread &self, uint64_t buffer, uint64_t serial) {
  JumpToken token;
  token_write(token, self.id, serial);
  std::memcpy(reinterpret_cast<void *>(buffer), token, sizeof token);
}

Thread *save_context(Thread *self, uint64_t buffer, bool masks) {
  auto *saved = static_cast<const SavedContext *>(self->sp);
  JumpContext context = {};
  context.sp = reinterpret_cast<uint64_t>(saved + 1);
  context.return_address = saved->return_address;
  context.rbx = saved->rbx;
  context.rbp = saved->rbp;
  context.r12 = saved->r12;
  context.r13 = saved->r13;
  context.r14 = saved->r14;
  context.r15 = saved->r15;
  context.buffer = buffer;
  if (masks) {
    context.mask = signal_mask();
    context.flags = jump_masks;
  }
  if (!jump_keep(*self, context))
    fatal("setjmp: no memory for the context");
  write_token(*self, buffer, context.serial);
  self->result = 0;
  return self;
}

// Whether the call of longjmp interrupted the runtime at work: it comes from a signal handler on the worker's stack. (A
// handler on an alternate stack cannot be told from one that interrupted the program.)
bool runtime_interrupted(const Thread &self) {
  constexpr uintptr_t deepest = 256 << 10; // that the runtime uses of its stack
  auto top = reinterpret_cast<uintptr_t>(skein_processor->stack_top);
  return top - reinterpret_cast<uintptr_t>(self.sp) < deepest;
}

Thread *jump(Thread *self, uint64_t buffer, uint64_t value) {
  JumpToken token;
  std::memcpy(token, reinterpret_cast<const void *>(buffer), sizeof token);
  uint64_t serial = 0;
  if (!token_read(token, serial))
    fatal("__builtin_longjmp: no __builtin_setjmp has filled the buffer");
  JumpContext context;
  const bool found = jump_find(*self, serial, context);
  if (!token_made_by(token, found ? context.owner : self->id))
    fatal("longjmp: the buffer was filled by another thread than thread %s, which jumps", thread_name(self->id).text);
  if (runtime_interrupted(*self))
    fatal("longjmp: a signal handler of thread %s interrupted the runtime; block the signal around calls of skein_*",
          thread_name(self->id).text);
  bool returned = found && self->stack.contains(self->sp) &&
                  context.sp < reinterpret_cast<uint64_t>(static_cast<SavedContext *>(self->sp) + 1);
  if (!found || returned)
    fatal("longjmp: the function that called setjmp has returned (thread %s)", thread_name(self->id).text);
  if (self->move_handlers)
    jump_ends_handlers(*self, context.sp);
  if (context.flags & jump_masks)
    signal_mask_set(context.mask);

  SavedContext target = *static_cast<const SavedContext *>(self->sp); // errno and the control words stay
  target.rbx = context.rbx;
  target.rbp = context.rbp;
  target.r12 = context.r12;
  target.r13 = context.r13;
  target.r14 = context.r14;
  target.r15 = context.r15;
  target.return_address = reinterpret_cast<uint64_t>(skein_jump_landing);
  // The stub's own frame is no longer needed, and what lies above it may belong to the target.
  const uint64_t landing[2] = {context.sp, context.return_address};
  char *end = static_cast<char *>(self->sp) + sizeof target;
  std::memcpy(end - sizeof landing, landing, sizeof landing);
  self->sp = new (end - sizeof landing - sizeof target) SavedContext(target);
  self->result = value;
  return self;
}

} // namespace

extern "C" {

/// Runs on the stack of the caller, where setjmp has stored its registers. Other than 0: the slow way decides.
int skein_setjmp_quick(uint64_t buffer, const Processor *processor, const JumpRegisters *registers) {
  Thread *self = processor->current;
  if (!self || !self->jumps || !self->stack.contains(registers + 1))
    return 1;
  const uint64_t serial =
      self->jumps->keep_quickly(*registers, buffer, self->id, reinterpret_cast<uint64_t>(self->stack.slot_end));
  if (serial == 0)
    return 1;
  write_token(*self, buffer, serial);
  return 0;
}

Thread *skein_setjmp_call(Thread *self, uint64_t buffer, uint64_t masks, uint64_t, uint64_t) {
  return save_context(self, buffer, static_cast<int>(masks) != 0);
}

Thread *skein_builtin_setjmp_call(Thread *self, uint64_t buffer, uint64_t, uint64_t, uint64_t) {
  return save_context(self, buffer, false);
}

Thread *skein_longjmp_call(Thread *self, uint64_t buffer, uint64_t value, uint64_t, uint64_t) {
  const auto number = static_cast<uint32_t>(value);
  return jump(self, buffer, number != 0 ? number : 1);
}

/// From stubs.S, on the stack of whoever jumps, with next to no room: whether the buffer was filled in a Skein thread.
int skein_longjmp_is_ours(const void *buffer) {
  JumpToken token;
  uint64_t serial;
  std::memcpy(token, buffer, sizeof token);
  return token_read(token, serial);
}

/// On the stack of whoever jumps. In a thread whose stack grows that is a deep one: a library's function, which called
/// setjmp, has not returned.
[[noreturn]] void skein_longjmp_by_library(void *buffer, int value) {
  if (LibraryJump jump = library_jump())
    jump(buffer, value);
  fatal("longjmp: the buffer was filled by libc's setjmp, but libc's longjmp cannot be found");
}

[[noreturn]] void skein_outside_longjmp(void *, int) {
  fatal("longjmp: the buffer was filled in a Skein thread, and no Skein thread jumps");
}
}

} // namespace skein
