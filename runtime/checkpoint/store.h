/* The file that holds the memory of one node at a checkpoint, as one table of functions in plain C.
 *
 * libskein.a is linked into every program and must drag in nothing but libc. So what compresses lies in a library of
 * its own, libskein_checkpoint.so, which a node loads only if its run makes checkpoints, and before it forks for one.
 *
 * Vocabulary: a *chunk* is 64 KiB of addresses, aligned, of which some pages are there. A file *refers* to others: a
 * chunk that has not changed since the checkpoint before is not written again, but found in the file that holds it. The
 * *head* is what the caller has to say about the whole, opaque here.
 *
 * Invariants
 *  * Writer and reader change no memory but what they map for themselves, the stack of the caller, and what they are
 *    told to write to; in particular none of libc's. A node's copy is written by a child of fork, whose memory is
 *    what is written, and libc's is a part of it: had a block of malloc, the list of kernel threads or errno changed,
 *    they would be wrong in the process that is restored. (How: zstd with workspaces of ours, system calls without
 *    libc, kernel threads that libc does not know.)
 *  * A file's own memory is never trusted: all sizes, offsets and addresses are checked before they are used, and all
 *    bytes by a digest of 128 bits or, if sealed, by authenticated encryption.
 *  * References never form chains: they name the file that holds the bytes, with its random number, so that a file that
 *    was replaced is noticed.
 *
 * Errors: -1 or null, and one line with path and reason in `error`. What only slows down is no error, but a note.
 *
 * docs/wire-format.md, part 8, has the format. */
#ifndef SKEIN_CHECKPOINT_STORE_H
#define SKEIN_CHECKPOINT_STORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKEIN_CHECKPOINT_STORE_VERSION 2
#define SKEIN_CHECKPOINT_LIBRARY "libskein_checkpoint.so"
#define SKEIN_CHECKPOINT_KEY_BYTES 16 /* as in the files of pack_key */
#define SKEIN_CHECKPOINT_LEVEL 1      /* of zstd; what measures best (docs/benchmarks.md) */

struct skein_checkpoint_writer;
struct skein_checkpoint_reader;

/* Reads one page that was added without bytes, as it is to be in the file. Called by any kernel thread of the writer,
 * at most once for each page; keeps the first invariant. 0, or an errno: then the file is not made. */
typedef int (*skein_checkpoint_fetch_fn)(void *context, uintptr_t address, void *to);

struct skein_checkpoint_setup {
  const char *path;         /* of the new file, which must not exist */
  const char *previous;     /* of this node's file in the checkpoint before, or null: everything is written */
  const unsigned char *key; /* SKEIN_CHECKPOINT_KEY_BYTES; null: not sealed */
  int level;                /* of zstd, -7 to 19; 0: nothing is compressed; 1 and less: of much, not all, if the disk is
                             * faster than that */
  int threads;              /* that may work at the same time in `finish`, the caller included; at least 1 */
  skein_checkpoint_fetch_fn fetch; /* null: no page is added without bytes */
  void *fetch_context;
};

struct skein_checkpoint_result {
  uint64_t bytes_written;  /* size of the file */
  uint64_t memory_bytes;   /* of all pages that were added */
  uint64_t zero_bytes;     /* of those that held only zeros */
  uint64_t chunks;         /* that hold anything else */
  uint64_t chunks_reused;  /* of these, that others hold */
  uint64_t files_referred; /* how many others */
  char note[512];          /* why `previous` could not be used, or empty */
};

/* Where the pages of [address, address + bytes) are to be put; a part of one chunk, in ascending order. `zeros`: they
 * held only zeros; then null leaves the place as it is, otherwise it leaves the pages out. Called by the thread that
 * called `read`, before anything is put anywhere. */
typedef void *(*skein_checkpoint_place_fn)(void *context, uintptr_t address, size_t bytes, int zeros);

/* A file that is referred to; `name` is relative to the folder of the file that refers to it. */
typedef void (*skein_checkpoint_refers_fn)(void *context, const char *name);

struct skein_checkpoint_store {
  uint32_t version; /* SKEIN_CHECKPOINT_STORE_VERSION */

  struct skein_checkpoint_writer *(*create)(const struct skein_checkpoint_setup *setup, char *error,
                                            size_t error_bytes);
  /* Whole pages of 4096 bytes, in ascending order, that lie at `bytes` and belong to `address` (usually the same). They
   * must stay readable and unchanged until `finish` returns, and are not looked at before. Null: `fetch` reads them. */
  int (*add)(struct skein_checkpoint_writer *writer, uintptr_t address, const void *bytes, size_t count, char *error,
             size_t error_bytes);
  /* Writes everything and ends the writer, also if it fails, when no file is left. After it the file is on the disk;
   * its entry in the folder is for the caller to sync. Blocks the caller's signals meanwhile. */
  int (*finish)(struct skein_checkpoint_writer *writer, const void *head, size_t head_bytes,
                struct skein_checkpoint_result *result, char *error, size_t error_bytes);
  /* Instead of finish: ends the writer and removes the file. */
  void (*abandon)(struct skein_checkpoint_writer *writer);

  /* `own`: an address, above which the reader maps its own memory where nothing is yet: for each GiB that was saved
   * about 3 MiB, and 1 MiB for each thread. Null: wherever the system likes. */
  struct skein_checkpoint_reader *(*open)(const char *path, const unsigned char *key, void *own, char *error,
                                          size_t error_bytes);
  /* Valid until close. */
  const void *(*head)(struct skein_checkpoint_reader *reader, size_t *bytes);
  /* All pages, with so many kernel threads. Neither what the reader uses (its code, libc's, the caller's stack and
   * thread-local memory, what it has mapped) may be written to: put such pages elsewhere. After a failure the places
   * hold anything. Blocks the caller's signals meanwhile. */
  int (*read)(struct skein_checkpoint_reader *reader, int threads, skein_checkpoint_place_fn place, void *context,
              char *error, size_t error_bytes);
  void (*close)(struct skein_checkpoint_reader *reader);

  /* Calls `each` for every file that the file needs, for whoever removes old ones. Needs no key. */
  int (*refers)(const char *path, skein_checkpoint_refers_fn each, void *context, char *error, size_t error_bytes);
};

/* The one symbol of the library. */
#define SKEIN_CHECKPOINT_SYMBOL "skein_checkpoint_store_table"
typedef const struct skein_checkpoint_store *(*skein_checkpoint_store_table_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
