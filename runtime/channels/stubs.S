/* API calls of room channels. */
#include "arch/x86_64/stub.h"

SKEIN_STUB_OUTSIDE __skein_channel, skein_channel_call, skein_outside_error
SKEIN_STUB_OUTSIDE __skein_channel_new, skein_channel_new_call, skein_outside_nothing
SKEIN_STUB_OUTSIDE __skein_alternative, skein_alternative_call, skein_outside_error

SKEIN_STUBS_END
