/* A blocking call of this test, declared as rooms of the runtime declare theirs. */
#include "arch/x86_64/stub.h"

SKEIN_STUB test_semaphore_wait, test_semaphore_wait_call

SKEIN_STUBS_END
