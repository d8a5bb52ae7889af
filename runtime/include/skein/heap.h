/* The private heap: memory that belongs to the calling thread and moves with it.
 *
 * Blocks keep their address wherever the thread goes, so pointers to them never change. They are plain memory: code
 * that knows nothing of Skein may read and write them while the thread is on its node. The heap ends with its thread
 * (main's lives on until the program has ended).
 *
 * `skeincc -fskein-heap=private` makes malloc, free and their relatives in a translation unit mean these functions.
 *
 * Addresses of locals and of the program inside blocks are relocated when the thread moves, where the type of the block
 * tells that they are pointers. The type is inferred at the call: from a cast or conversion of the result, and from
 * sizeof in the size. A move that meets an address in a word that is not known to be a pointer is refused and names the
 * block.
 *
 * A block outside the private range (one that libc made) is handed to libc by skein_free, skein_realloc and
 * skein_malloc_usable_size. On a kernel thread that runs no Skein thread, skein_malloc is libc's malloc. Only its own
 * thread may free or resize a block; anything else ends the program with a message. Nothing here blocks or migrates. */
#ifndef SKEIN_HEAP_H
#define SKEIN_HEAP_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* These do what the functions of the same name in libc do. Blocks are 16-aligned. Null with errno ENOMEM. */
void *skein_malloc(size_t bytes);
void *skein_calloc(size_t count, size_t bytes);
void *skein_realloc(void *block, size_t bytes);
void *skein_reallocarray(void *block, size_t count, size_t bytes);
void skein_free(void *block);
void *skein_aligned_alloc(size_t alignment, size_t bytes);
void *skein_memalign(size_t alignment, size_t bytes);
int skein_posix_memalign(void **to, size_t alignment, size_t bytes);
void *skein_valloc(size_t bytes);
size_t skein_malloc_usable_size(void *block);

/* The functions of libc that return, or resize, a block from malloc. */
char *skein_strdup(const char *text);
char *skein_strndup(const char *text, size_t most);
int skein_asprintf(char **to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int skein_vasprintf(char **to, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
ssize_t skein_getline(char **line, size_t *capacity, FILE *from);
FILE *skein_open_memstream(char **text, size_t *bytes);
int skein_fclose(FILE *stream); /* for any stream */
ssize_t skein_getdelim(char **line, size_t *capacity, int delimiter, FILE *from);
char *skein_realpath(const char *path, char *resolved);
char *skein_getcwd(char *to, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
