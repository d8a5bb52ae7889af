/* The interface of half-processes: an address space of which a part is shared by all nodes, and the rest of which they
 * copy from each other. (Source: Hara and Taura, *Half-process*, sections 4.1 and 4.2: mmap with MAP_HALFPROC, munmap,
 * mprotect, dmread, dmwrite.) Skein needs no change of the kernel for it. */
#ifndef SKEIN_HALF_PROCESS_H
#define SKEIN_HALF_PROCESS_H

#include <skein/shared.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes zeroed pages of shared memory that live on the caller's node. All nodes may read and write them when this
 * returns. NULL with an error text. Blocks, may migrate. */
skein_shared void *skein_shared_map(size_t bytes);
/* Unmaps pages from skein_shared_map, all or a part, from any node: when it returns, no node can touch them any more.
 * Both arguments must be multiples of the page size (4096); SKEIN_EPOINTER if not all of them are mapped. Blocks, may
 * migrate. */
int skein_shared_unmap(skein_shared void *begin, size_t bytes);
/* Sets what may be done with the pages: PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE of <sys/mman.h>. It holds on every
 * node when this returns. A thread that breaks it gets SIGSEGV where the pages are mapped, and ends with a message
 * elsewhere. */
int skein_shared_protect(skein_shared void *begin, size_t bytes, int protection);

/* Copy memory of another node's process, which is not shared: [there, there + bytes) of `node`, to or from `here`. The
 * kernel does it in one step if both are on one host and may trace each other; otherwise it takes a message.
 * SKEIN_EPOINTER: not all of it is accessible there; then any part may have been copied. SKEIN_ENODE, SKEIN_EDEAD. They
 * may block and migrate. */
int skein_peer_read(int node, const void *there, size_t bytes, void *here);
int skein_peer_write(int node, void *there, size_t bytes, const void *here);

#ifdef __cplusplus
}
#endif
#endif
