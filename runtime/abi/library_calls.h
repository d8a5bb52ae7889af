/* What the library (stdlib/src), which is compiled to migrate, asks of the runtime besides the public calls. */
#ifndef SKEIN_ABI_LIBRARY_CALLS_H
#define SKEIN_ABI_LIBRARY_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the text that skein_error_text() returns to the calling thread, if any, and returns `code`. Does not block. */
#ifdef __SKEIN__
__attribute__((skein_nomigrate))
#endif
int __skein_error(int code, const char *text);

/* One step of waiting for a spin lock of the library; `*round` is 0 at first. It ends with naps, since the holder may
 * have lost its core to the caller: the kernel thread that handles messages has priority, and never yields to it. */
#ifdef __SKEIN__
__attribute__((skein_nomigrate))
#endif
void __skein_lock_wait(unsigned *round);

/* Once this node is about to leave the run (`skein node drain`), a thread that stays on it runs function(). The node
 * does not leave before that has returned. The drain may be taken back meanwhile: skein_node_is_there(skein_node()) is
 * true again then, and the function should return. At most 8 functions; to be called at the start of the process. */
void __skein_when_leaving(void (*function)(void));

/* Whether that node is about to leave the run, or has left. Does not block. */
#ifdef __SKEIN__
__attribute__((skein_nomigrate))
#endif
int __skein_node_leaves(int node);

#ifdef __cplusplus
}
#endif
#endif
