/* API calls of room sched that leave the thread's stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB_OUTSIDE skein_yield, skein_yield_call, skein_outside_yield
SKEIN_STUB_OUTSIDE __skein_poll, skein_poll_call, skein_outside_nothing
SKEIN_STUB skein_thread_exit, skein_thread_exit_call
SKEIN_STUB skein_workers_begin, skein_workers_begin_call

/* jumps.cpp. Outside of a Skein thread libc's own serve; buffers of __builtin_setjmp have no room for them. */
SKEIN_STUB_OUTSIDE __skein_setjmp, skein_setjmp_call, __sigsetjmp
SKEIN_STUB __skein_builtin_setjmp, skein_builtin_setjmp_call
SKEIN_STUB __skein_builtin_longjmp, skein_longjmp_call
SKEIN_STUB_OUTSIDE longjmp, skein_longjmp_call, skein_outside_longjmp
SKEIN_STUB_OUTSIDE _longjmp, skein_longjmp_call, skein_outside_longjmp
SKEIN_STUB_OUTSIDE siglongjmp, skein_longjmp_call, skein_outside_longjmp
SKEIN_STUB_OUTSIDE __longjmp_chk, skein_longjmp_call, skein_outside_longjmp

SKEIN_STUBS_END
