/* API calls of room dsm that leave the thread's stack. Some of them never block; they are here because a message may be sent,
 * and the transport is not to run on a small stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB __skein_shared_get, skein_shared_get_call
SKEIN_STUB __skein_shared_put, skein_shared_put_call
SKEIN_STUB __skein_shared_copy, skein_shared_copy_call
SKEIN_STUB __skein_shared_set, skein_shared_set_call
SKEIN_STUB __skein_shared_atomic, skein_shared_atomic_call
SKEIN_STUB __skein_shared_atomic16, skein_shared_atomic16_call
SKEIN_STUB_OUTSIDE __skein_shared_acquire, skein_shared_acquire_call, skein_outside_nothing
SKEIN_STUB_OUTSIDE __skein_shared_release, skein_shared_release_call, skein_outside_nothing
SKEIN_STUB_OUTSIDE skein_shared_alloc, skein_shared_alloc_call, skein_outside_nothing
SKEIN_STUB_OUTSIDE skein_shared_free, skein_shared_free_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_semaphore_create, skein_semaphore_create_call, skein_outside_nothing
SKEIN_STUB_OUTSIDE skein_semaphore_wait, skein_semaphore_wait_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_semaphore_signal, skein_semaphore_signal_call, skein_outside_signal
SKEIN_STUB_OUTSIDE skein_semaphore_free, skein_semaphore_free_call, skein_outside_error

SKEIN_STUBS_END
