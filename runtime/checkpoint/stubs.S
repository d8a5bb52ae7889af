/* API calls of room checkpoint that leave the thread's stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB skein_checkpoint, skein_checkpoint_call

SKEIN_STUBS_END
