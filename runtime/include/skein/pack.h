/* Threads as bytes: a thread that does not run is packed into an *image*, which belongs to the program. It may be sent
 * by any means, kept, written to a file, copied; and from it a thread is made that goes on where the packed one was.
 * (Mascarenhas and Rego, *Ariadne: Architecture of a Portable Threads System Supporting Thread Migration*, section
 * "Migration", Figure 10; docs/sources.md. docs/language.md explains it with examples.)
 *
 *     void *image;
 *     size_t bytes;
 *     int side = skein_pack(skein_self(), &image, &bytes);
 *     if (side == SKEIN_UNPACKED)
 *       ...                                              // the thread that was made of the image goes on here
 *     else if (side == SKEIN_OK)
 *       write(file, image, bytes);                       // the thread that has packed itself goes on here
 *     else
 *       fprintf(stderr, "%s\n", skein_error_text());     // it could not be packed, and this says why
 *
 * In the image is what would travel with the thread to another node: its stack, private globals, private heap, errno
 * and floating-point modes, what setjmp saved. What stays behind when a thread moves is not in it: memory of the
 * process, open files, locks. A thread that holds a pointer to memory of the process can be packed, but its image can
 * be unpacked only in that process (skein_image_stays). A thread that may not leave its node for another reason cannot
 * be packed (SKEIN_EPINNED, ...), nor can one that holds a lock, also one over nodes, or that waits for something.
 *
 * Names of things of the run mean in the copy what they meant in the original: shared memory, channels, objects over
 * nodes and ids of threads are then used by both. skein_self() is the exception: each copy is a new thread.
 *
 * An image is encrypted, and sealed with a key: that of the run, which ends with the run, or that of a file
 * (SKEIN_OPTIONS=pack_key=FILE), with which other runs of the same program can unpack it. */
#ifndef SKEIN_PACK_H
#define SKEIN_PACK_H

#include <skein/skein.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What skein_pack returns to a thread that was made of an image. */
enum { SKEIN_UNPACKED = -1 };

/* Packs a thread of this node, which goes on as if nothing had happened: the caller, or one that is ready or has not
 * run yet (SKEIN_ETHREAD: it is elsewhere, runs, or waits). `*image` gets the bytes, which the program frees by free(),
 * and `*bytes` their number. Before anything else they are set to NULL and 0; so if they lie on the caller's stack, and
 * it packs itself, the copy finds that there. SKEIN_OK; SKEIN_UNPACKED in the copy; or an error with a text. The thread
 * of main is refused: the run ends with it, which happens only once. Does not block. */
int skein_pack(skein_thread_t thread, void **image, size_t *bytes);

/* Whether the image can be unpacked only in the process in which it was packed. Does not block. */
SKEIN_NOMIGRATE int skein_image_stays(const void *image, size_t bytes);

/* Makes a thread of this node from an image, and lets it go on. `*thread`, which may be null, gets its id. The image is
 * only read, and can be unpacked again. Private memory has the same addresses in all threads that are made of an image.
 * So of a thread that has any, only one lives at a time, the packed one included: SKEIN_EBUSY until that has ended.
 * SKEIN_EREFUSED if the image is damaged, forged, sealed with another key or of another program, or if it comes
 * from another run and holds an address of its shared memory. Blocks if the private memory was that of a thread of
 * another node, which is asked. */
int skein_unpack(const void *image, size_t bytes, skein_thread_t *thread);

/* The caller becomes again what it was when it packed itself into this image, with its id: skein_pack returns
 * SKEIN_UNPACKED once more. So this returns only with an error. What the thread has done to memory of the process, to
 * shared memory and to other threads remains done. SKEIN_EREFUSED: the image is of another thread or another run, or as
 * for skein_unpack; SKEIN_EPINNED: it holds a lock now. Blocks as skein_unpack does. */
int skein_roll_back(const void *image, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
