/* API calls of room sync. What a program calls is a jump to the quick way (quick_locks.h), which is C++, with the mark that
 * says that it may be called on a small stack. A quick way ends in a jump to the slow way, which is a stub. */
#include "arch/x86_64/stub.h"

.macro QUICK name
        .text
        .globl  \name
        .type   \name, @function
        SKEIN_MARK
\name:
        .cfi_startproc
        jmp     \name\()_quick
        .cfi_endproc
        .size   \name, . - \name
.endm

/* `call`: of \name_call, the implementation. `outside`: where no Skein thread runs (outside_waits.cpp). */
.macro QUICK_AND_SLOW name, call, outside=skein_outside_error
        QUICK \name
        SKEIN_STUB_OUTSIDE \name\()_slow, \call, \outside
.endm

QUICK skein_join
SKEIN_STUB skein_join_slow, skein_join_call, skein_join
QUICK skein_thread_exit
SKEIN_STUB skein_detach, skein_detach_call

QUICK_AND_SLOW skein_mutex_lock, skein_mutex_lock_call
QUICK skein_mutex_timedlock_ns
SKEIN_STUB_OUTSIDE skein_mutex_timedlock_slow, skein_mutex_timedlock_call, skein_outside_error
QUICK skein_mutex_trylock
QUICK_AND_SLOW skein_mutex_unlock, skein_mutex_unlock_call
SKEIN_STUB_OUTSIDE skein_mutex_destroy, skein_mutex_destroy_call, skein_outside_error

QUICK skein_spin_trylock
QUICK_AND_SLOW skein_spin_unlock, skein_spin_unlock_call
SKEIN_STUB_OUTSIDE skein_spin_wait_, skein_spin_wait_call, skein_outside_error

QUICK_AND_SLOW skein_sem_wait, skein_sem_wait_call
QUICK skein_sem_timedwait_ns
SKEIN_STUB_OUTSIDE skein_sem_timedwait_slow, skein_sem_timedwait_call, skein_outside_error
QUICK skein_sem_trywait
QUICK_AND_SLOW skein_sem_signal, skein_sem_signal_call, skein_outside_sem_signal
SKEIN_STUB_OUTSIDE skein_sem_signal_n, skein_sem_signal_n_call, skein_outside_sem_signal_n
SKEIN_STUB_OUTSIDE skein_sem_signal_all, skein_sem_signal_all_call, skein_outside_sem_signal_all
SKEIN_STUB_OUTSIDE skein_sem_destroy, skein_sem_destroy_call, skein_outside_error

QUICK_AND_SLOW skein_rwlock_read, skein_rwlock_read_call
QUICK skein_rwlock_timedread_ns
SKEIN_STUB_OUTSIDE skein_rwlock_timedread_slow, skein_rwlock_timedread_call, skein_outside_error
QUICK skein_rwlock_tryread
QUICK_AND_SLOW skein_rwlock_write, skein_rwlock_write_call
QUICK skein_rwlock_timedwrite_ns
SKEIN_STUB_OUTSIDE skein_rwlock_timedwrite_slow, skein_rwlock_timedwrite_call, skein_outside_error
QUICK skein_rwlock_trywrite
QUICK_AND_SLOW skein_rwlock_unlock, skein_rwlock_unlock_call
SKEIN_STUB_OUTSIDE skein_rwlock_destroy, skein_rwlock_destroy_call, skein_outside_error

SKEIN_STUB_OUTSIDE skein_condition_wait, skein_condition_wait_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_condition_timedwait_ns, skein_condition_timedwait_call, skein_outside_error
QUICK_AND_SLOW skein_condition_signal, skein_condition_signal_call, skein_outside_condition_signal
QUICK_AND_SLOW skein_condition_broadcast, skein_condition_broadcast_call, skein_outside_condition_broadcast
SKEIN_STUB_OUTSIDE skein_condition_destroy, skein_condition_destroy_call, skein_outside_error

SKEIN_STUB_OUTSIDE skein_barrier_wait, skein_barrier_wait_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_barrier_destroy, skein_barrier_destroy_call, skein_outside_error

QUICK skein_once_begin_
SKEIN_STUB_OUTSIDE skein_once_begin_slow, skein_once_begin_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_once_end_, skein_once_end_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_once_abandon_, skein_once_abandon_call, skein_outside_error

QUICK_AND_SLOW skein_future_get, skein_future_get_call
QUICK skein_future_timedget_ns
SKEIN_STUB_OUTSIDE skein_future_timedget_slow, skein_future_timedget_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_future_set, skein_future_set_call, skein_outside_future_set
SKEIN_STUB_OUTSIDE skein_future_destroy, skein_future_destroy_call, skein_outside_error
/* A word is a word: the pointer's type is for the compiler of the program, which has to know what to relocate. */
        .globl  skein_future_get_pointer
        .set    skein_future_get_pointer, skein_future_get
        .globl  skein_future_timedget_pointer_ns
        .set    skein_future_timedget_pointer_ns, skein_future_timedget_ns
        .globl  skein_future_set_pointer
        .set    skein_future_set_pointer, skein_future_set

SKEIN_STUB_OUTSIDE skein_c_wait_slow, skein_c_wait_call, skein_outside_error
SKEIN_STUB_OUTSIDE skein_c_yield, skein_c_yield_call, skein_outside_nothing

SKEIN_STUB_OUTSIDE skein_sleep_ns, skein_sleep_call, skein_outside_error

SKEIN_STUB_OUTSIDE skein_cancel, skein_cancel_call, skein_outside_error

/* Where a thread goes on that was cancelled in a call: as if the program had called this instead. */
        .text
        .globl  skein_cancelled
        .hidden skein_cancelled
        .type   skein_cancelled, @function
        .p2align 4
skein_cancelled:
        .cfi_startproc
        leaq    skein_cancelled_end(%rip), %r11
        jmp     __skein_foreign_call
        .cfi_endproc
        .size   skein_cancelled, . - skein_cancelled

SKEIN_STUBS_END
