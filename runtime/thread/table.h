// The table's side that only room thread uses; thread.h has the rest.
#ifndef SKEIN_THREAD_TABLE_H
#define SKEIN_THREAD_TABLE_H

#include <cstdint>

namespace skein {

struct Thread;

/// Idempotent; before the first thread.
void thread_table_start();
void thread_list(Thread *thread);
/// False, and nothing has happened: one of the same id is there.
bool thread_list_unless_here(Thread *thread);
/// The same by who is inside of alone_enter (base/alone.h).
void thread_list_alone(Thread *thread);
void thread_unlist_alone(Thread *thread);
uint64_t thread_id_next_alone();
/// One thread fewer lives here.
void thread_uncount();
/// In the child of a fork: this one is the only thread.
void thread_table_after_fork(Thread *self);

} // namespace skein

#endif
