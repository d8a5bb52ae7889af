/* API calls of room pack that leave the thread's stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB_OUTSIDE skein_pack, skein_pack_call, skein_outside_error
SKEIN_STUB_OUTSIDE __skein_unpack, __skein_unpack_call, skein_outside_error
SKEIN_STUB_OUTSIDE __skein_roll_back, __skein_roll_back_call, skein_outside_error

SKEIN_STUBS_END
