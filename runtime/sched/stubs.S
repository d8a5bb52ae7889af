/* API calls of room sched that leave the thread's stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB_OUTSIDE skein_yield, skein_yield_call, skein_outside_yield
SKEIN_STUB_OUTSIDE __skein_poll, skein_poll_call, skein_outside_nothing
SKEIN_STUB skein_thread_exit, skein_thread_exit_call
SKEIN_STUB skein_workers_begin, skein_workers_begin_call

SKEIN_STUBS_END
