/* What a debugger has to know to find the threads of a process, live or in a core file:
 * runtime/launch/debugger/skein.py reads it, in which the same fields stand in the same order. */
#ifndef SKEIN_ABI_DEBUGGER_H
#define SKEIN_ABI_DEBUGGER_H

#include <stdint.h>

#define SKEIN_DEBUGGER_VERSION 2

/* A record of a thread begins at an entry of the table, and each has the next one of its chain. All that is named
 * thread_… is an offset in such a record, and worker_… in the record of a worker. Threads that this node keeps the
 * records of (mostly those that it has made) while they are elsewhere stand in a table of entries: each begins with the
 * thread's id, which is 0 in an entry that is free. */
struct skein_debugger {
  uint64_t version; /* SKEIN_DEBUGGER_VERSION */
  uint64_t table;   /* address of the variable that has the address of the first chain; null before the start */
  uint64_t chains;
  uint64_t workers;     /* address of the variable that has the address of the first worker */
  uint64_t worker_most; /* as many may exist; those that do come first, and have a kernel thread */
  uint64_t worker_bytes;
  uint64_t worker_current;
  uint64_t worker_kernel_thread; /* pthread_t */
  uint64_t node;                 /* address of the number of this node, of 32 bits */
  uint64_t id_node_shift;        /* the high bits of an id are the node that made it */
  uint64_t thread_id;
  uint64_t thread_next;
  uint64_t thread_state; /* 1 byte: an index into state_names */
  uint64_t thread_sp;    /* of a suspended thread: where its context is saved */
  uint64_t thread_stack; /* null while it has none */
  uint64_t thread_function;
  uint64_t thread_name;   /* a text of at most 16 bytes */
  uint64_t thread_moves;  /* 16 bits: how often it came from another node */
  uint64_t thread_worker; /* 32 bits: where it runs, or ran last */
  uint64_t thread_reason; /* text of what it waits in */
  uint64_t thread_object;
  uint64_t state_names; /* address of as many texts as follow */
  uint64_t state_count;
  uint64_t saved_registers; /* offsets from thread_sp: of r15 r14 r13 r12 rbx rbp */
  uint64_t saved_return;    /* of the return address; the frame begins behind it */
  uint64_t away;            /* address of the variable that has the address of the first entry; null: the run has no
                               other nodes */
  uint64_t away_mask;       /* address of the number of entries less 1, which means nothing while there is none */
  uint64_t away_bytes;
  uint64_t away_node; /* offset in an entry of the node, of 32 bits, where the thread went last */
};

#endif
