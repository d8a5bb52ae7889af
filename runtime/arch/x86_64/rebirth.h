// What assembly and C++ share about copied processes; see rebirth.S. Offsets are in bytes.
#ifndef SKEIN_ARCH_X86_64_REBIRTH_H
#define SKEIN_ARCH_X86_64_REBIRTH_H

#define SKEIN_REBIRTH_RIP 0
#define SKEIN_REBIRTH_RSP 8
#define SKEIN_REBIRTH_RBX 16
#define SKEIN_REBIRTH_RBP 24
#define SKEIN_REBIRTH_R12 32
#define SKEIN_REBIRTH_R13 40
#define SKEIN_REBIRTH_R14 48
#define SKEIN_REBIRTH_R15 56
#define SKEIN_REBIRTH_MXCSR 64
#define SKEIN_REBIRTH_X87 68

#define SKEIN_CALL_NUMBER 0
#define SKEIN_CALL_ARGUMENTS 8
#define SKEIN_CALL_MAY_FAIL 48
#define SKEIN_CALL_BYTES 56

#define SKEIN_STEPS_CALLS 0
#define SKEIN_STEPS_COUNT 8
#define SKEIN_STEPS_CONTEXT 16
#define SKEIN_STEPS_FAILED 24
#define SKEIN_STEPS_FAILED_BYTES 32
#define SKEIN_STEPS_STATUS 125

#ifndef __ASSEMBLER__
#include <cstddef>
#include <cstdint>

namespace skein {

/// Where a kernel thread goes on: what a function has to preserve, and the control words.
struct RebirthContext {
  uint64_t rip, rsp, rbx, rbp, r12, r13, r14, r15;
  uint32_t mxcsr;
  uint16_t x87, unused;
};
static_assert(offsetof(RebirthContext, r15) == SKEIN_REBIRTH_R15 && offsetof(RebirthContext, x87) == SKEIN_REBIRTH_X87);

struct SystemCall {
  uint64_t number;
  uint64_t arguments[5]; // the sixth is 0
  uint64_t may_fail;     // 1: its result does not matter
};
static_assert(sizeof(SystemCall) == SKEIN_CALL_BYTES && offsetof(SystemCall, may_fail) == SKEIN_CALL_MAY_FAIL);

struct LastSteps {
  const SystemCall *calls;
  uint64_t count;
  const RebirthContext *context;
  const char *failed; // what is written to stderr if a call fails that may not; the process then ends
  uint64_t failed_bytes;
};
static_assert(offsetof(LastSteps, failed_bytes) == SKEIN_STEPS_FAILED_BYTES);

extern "C" {
__attribute__((returns_twice)) int skein_rebirth_save(RebirthContext *to);
/// Calls the function on a stack that ends at `top`, which is 16-aligned.
void skein_rebirth_call(void (*function)(void *), void *argument, void *top);
[[noreturn]] void skein_last_steps(const LastSteps *steps);
extern const char skein_last_steps_end[];
}

} // namespace skein
#endif

#endif
