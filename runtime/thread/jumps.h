// Jumps: what setjmp saved, kept by the thread and not in the program's buffer.
//
// A jmp_buf holds a stack pointer and a code address, lies wherever the program wants (a local, a global, a heap block)
// and may be copied, so nobody can find and relocate it. Compiled code therefore calls __skein_setjmp, which writes
// only a *token* into the buffer; the *context* (stack pointer, return address, callee-saved registers, signal mask)
// goes in this table, which belongs to the thread, travels with it and is relocated at each move. longjmp looks the
// token up.
//
//      jmp_buf or void *[5]          thread->jumps: one context a line, newest last
//     +-------------------+         +--------+----------------+---------------------+--
//     | magic             |         | serial | stack pointer  | return address, ... |
//     | serial, low 16    |  -----> |  17    | 0x...f8a0      |                     |
//     | serial, middle 16 |         |  21    | 0x...f310      |                     |
//     | serial, high 16   |         |  22    | 0x...f310      |                     |
//     | check             |         +--------+----------------+---------------------+--
//     +-------------------+           ascending, descending (stacks grow downwards)
//
// Every word of a token is below 64 Ki, which no address is: code that takes the buffer for pointers sees none.
//
// A context is valid while the function that called setjmp has not returned. Returns are not noticed, so a context is
// dropped when a new one is made at a greater stack pointer (the frame below has been left), when it is made again
// (same stack pointer, site and buffer: a loop keeps one context), when a move finds no frame for it, and when its
// frame has more than `jumps_per_frame_max` (a loop over buffers that are never used again). A thread never uses a
// serial number twice, so that a token whose context has gone is recognised, even one that was copied or kept for long.
//
// The words of the table are kept complemented, so that no search for addresses of the stack, in whatever memory,
// mistakes them for addresses.
//
// Rejected: adjusting buffers in place (they would have to be found; a type tells nothing about copies); a context in
// the frame of setjmp's caller with its address in the buffer (that address would need relocation in turn).
#ifndef SKEIN_THREAD_JUMPS_H
#define SKEIN_THREAD_JUMPS_H

#include <cstddef>
#include <cstdint>

namespace skein {

struct Stack;
struct Thread;

/// What a call of setjmp finds in its registers, as its stub stores them (sched/stubs.S).
struct JumpRegisters {
  uint64_t r15, r14, r13, r12, rbx, rbp;
  uint64_t return_address;
};

/// What a jump goes back to.
struct JumpContext {
  uint64_t serial;
  uint64_t sp; // the stack pointer after the call of setjmp
  uint64_t return_address;
  uint64_t rbx, rbp, r12, r13, r14, r15;
  uint64_t buffer; // the buffer that its token was written to
  uint64_t mask;   // the mask of signals, if jump_masks
  uint64_t flags;  // jump_*
  uint64_t owner;  // the id under which its token was made; another one in a copy of the thread (room pack)
};

inline constexpr uint64_t jump_masks = 1; // longjmp restores the signal mask
// Set by a walk (migrate/image_jumps.h) for the relocation after it:
inline constexpr uint64_t jump_live = 2;      // its frame is on the stack
inline constexpr uint64_t jump_rbp_moves = 4; // the saved rbp is an address of the stack
inline constexpr uint64_t jump_rbx_moves = 8; // likewise rbx

inline constexpr uint64_t jumps_max = 1 << 20; // contexts of one thread
inline constexpr size_t jumps_per_frame_max = 4096;

/// The contexts of one thread. Memory from malloc; null in a thread that never called setjmp.
class JumpTable {
public:
  /// Room for `capacity` contexts. Null without memory.
  static JumpTable *create(size_t capacity);
  void destroy();

  size_t count() const { return used; }
  size_t capacity() const { return room; }
  JumpContext get(size_t index) const;
  [[gnu::always_inline]] void set(size_t index, const JumpContext &context) {
    uint64_t plain[words];
    __builtin_memcpy(plain, &context, sizeof context);
    for (size_t i = 0; i < words; ++i)
      word(index)[i] = ~plain[i];
  }
  // These return single words, for searches.
  uint64_t sp(size_t index) const { return ~word(index)[offsetof(JumpContext, sp) / sizeof(uint64_t)]; }
  uint64_t serial(size_t index) const { return ~word(index)[offsetof(JumpContext, serial) / sizeof(uint64_t)]; }
  bool is_for(size_t index, uint64_t buffer, uint64_t return_address) const {
    return ~word(index)[offsetof(JumpContext, buffer) / sizeof(uint64_t)] == buffer &&
           ~word(index)[offsetof(JumpContext, return_address) / sizeof(uint64_t)] == return_address;
  }
  void resize(size_t to) { used = to; } // at most capacity()

  /// Keeps a context as jump_keep does, without the signal mask, if neither memory is needed for it nor a search among
  /// several contexts of a frame; `stack_end` is where the stack ends on which setjmp was called. Its serial number, or
  /// 0, and then nothing has changed.
  [[gnu::always_inline]] uint64_t keep_quickly(const JumpRegisters &registers, uint64_t buffer, uint64_t owner,
                                               uint64_t stack_end) {
    const auto stack_pointer = reinterpret_cast<uint64_t>(&registers + 1);
    const uint64_t frames_above = stack_end - stack_pointer;
    size_t at = used;
    while (at > 0 && sp(at - 1) - stack_pointer >= frames_above) // its frame has been left, or is on another stack
      --at;
    const bool again = at > 0 && sp(at - 1) == stack_pointer;
    if (again ? !is_for(at - 1, buffer, registers.return_address) : at == room)
      return 0;
    // A signal handler may interrupt this, use the table, and jump. So a new context is not counted before it is whole,
    // and one that is made again stays.
    used = at;
    const uint64_t kept = again ? serial(--at) : ++last_serial;
    set(at, {.serial = kept,
             .sp = stack_pointer,
             .return_address = registers.return_address,
             .rbx = registers.rbx,
             .rbp = registers.rbp,
             .r12 = registers.r12,
             .r13 = registers.r13,
             .r14 = registers.r14,
             .r15 = registers.r15,
             .buffer = buffer,
             .mask = 0,
             .flags = 0,
             .owner = owner});
    used = at + 1;
    return kept;
  }

  uint64_t last_serial = 0;

private:
  static constexpr size_t words = sizeof(JumpContext) / sizeof(uint64_t);
  size_t used = 0;
  size_t room = 0;
  uint64_t *word(size_t index) { return reinterpret_cast<uint64_t *>(this + 1) + index * words; }
  const uint64_t *word(size_t index) const { return reinterpret_cast<const uint64_t *>(this + 1) + index * words; }
};

/// Keeps a context of the thread, and sets its serial and owner. False without memory. Contexts whose frames have been
/// left are dropped. The thread is in the call of setjmp.
bool jump_keep(Thread &thread, JumpContext &context);

/// Finds the context of that serial number. False: it has been dropped, or never existed.
bool jump_find(const Thread &thread, uint64_t serial, JumpContext &context);

/// Deletes the table with its thread.
void jumps_delete(Thread &thread);

/// Five words; both kinds of buffers have room for them.
using JumpToken = uint64_t[5];
void token_write(JumpToken &to, uint64_t thread, uint64_t serial);
/// Whether the words are a token, and then of which context. If not, the buffer was filled by libc's setjmp, or not at
/// all.
bool token_read(const JumpToken &from, uint64_t &serial);
/// Whether that thread has made the token.
bool token_made_by(const JumpToken &token, uint64_t thread);

} // namespace skein

#endif
