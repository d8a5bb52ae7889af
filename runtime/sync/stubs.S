/* API calls of room sync that leave the thread's stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB skein_join, skein_join_call

SKEIN_STUBS_END
