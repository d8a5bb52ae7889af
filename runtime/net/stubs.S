/* API calls of room net that leave the thread's stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB_OUTSIDE skein_push_self, skein_push_self_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_push, skein_push_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_steal, skein_steal_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_steal_from, skein_steal_from_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_stealing_set, skein_stealing_set_call, skein_outside_nothing
SKEIN_STUB_OUTSIDE skein_statistics_get, skein_statistics_get_call, skein_outside_error

SKEIN_STUBS_END
