// A copy of this process as it is at one moment, which is written to a file while the process goes on.
//
//     this process                     the writer
//       | fork --------------------------> | notes where it is
//       | goes on                          | writes all of its memory to the file, and ends
//
// The writer shares its memory with this process until one of the two writes to it. It changes nothing of what it
// writes: it works on a stack of its own, with memory that is mapped for that, and without malloc. In a process that is
// made of the file (restore.h) it goes on where it was noted: copy_process returns `reborn` there.
//
// All kernel threads of the process but the caller stand at known places, without locks, and are not in the copy; their
// rooms start them again. Of what the kernel knows of a process, the handlers of signals, the alternate stack, the
// mask, the working folder and descriptors of regular files (open_files.h) are noted before the fork, and made anew.
// Memory that other processes share (slices of shared memory) is changed by them meanwhile, so the writer fetches its
// contents from where they are kept (kept_pages.h), or they have been put into private memory before the fork.
//
// The fork is _Fork: no handler of the program or of a library is to do what is right for a child, since what is
// restored is none.
//
// Rejected: images of threads and tables of all rooms, one by one (what a room forgets to write is lost in silence, and
// a thread that holds a lock, or has memory of malloc, could never be in a checkpoint); stopping the process until all
// is written; CRIU and DMTCP (the first needs capabilities and restores what must not be the same: process ids,
// connections; the second wraps all of libc, and knows nothing of stacks that are switched).
#ifndef SKEIN_CHECKPOINT_COPY_H
#define SKEIN_CHECKPOINT_COPY_H

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

struct skein_checkpoint_store; // store.h

namespace skein {

enum class Copied : uint8_t { failed, made, reborn };

/// Memory whose contents lie elsewhere, and are changed by others while the copy is written: pages without contents in
/// this process, which have them in a process that is made of the copy.
struct FetchedMemory {
  struct Part {
    uint64_t begin, end;
    uint64_t source; // for `fetch`
    uint64_t mark;   // too
  };
  const Part *parts; // in ascending order
  size_t count;
  /// Called in the writer, by several kernel threads, for each page once; changes no memory but `to`.
  bool (*fetch)(const Part &part, uint64_t offset, void *to);
  /// Called in the writer when all have been fetched: why they are not right, or null.
  const char *(*fault)();
};

struct CopyOrder {
  const char *path;     // of the file
  const char *previous; // of the file of an earlier checkpoint, or null
  const uint8_t *key;   // or null
  int threads;          // kernel threads that may work in the writer
  /// Whether a mapping that other processes or files share is one that the process which is made of the copy maps
  /// again, or does without.
  bool (*may_share)(uint64_t begin, uint64_t end);
  FetchedMemory fetched;
  /// Called in the writer when it is done: `why` says what has failed, or is null.
  void (*done)(const char *why, uint64_t bytes);
};

/// Loads the library that reads and writes files. Returns why that is not possible, in words that it keeps, or null.
const char *copy_library_load(const char *path);
const skein_checkpoint_store *copy_library();

/// Makes a copy, and returns as soon as this process may go on; called on the kernel thread that began with main, while
/// all others stand. `failed`: `words` says why.
Copied copy_process(const CopyOrder &order, char *words, size_t bytes);
/// The process that writes the last copy.
pid_t copy_writer();
/// Waits for the end of a writer. True: it was killed, and has not said what has become of its file; `words` says how.
bool copy_writer_killed(pid_t writer, char *words, size_t bytes);

/// In a reborn process: a variable of the environment that it was started with, or null.
const char *copy_variable(const char *name);
/// Its socket to the launcher.
int reborn_socket();

} // namespace skein

#endif
