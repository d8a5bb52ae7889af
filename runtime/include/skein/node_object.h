/* Objects of which each node has one: a cache, a table, a pool, in memory of the process. A thread that holds a pointer
 * to memory of its process cannot move, since that stays behind. If the memory has a name, and another node has an
 * object of the same name and size, the thread can go there, and its pointers lead into the object of that node.
 * (Mascarenhas and Rego, *Ariadne*, section "The Distributed Programming Model": pointers to global objects are updated
 * at the destination; docs/sources.md.)
 *
 *     struct cache *cache = calloc(1, sizeof *cache);              // on each node, before threads come there
 *     skein_node_object("cache", cache, sizeof *cache);
 *     ...
 *     struct cache *mine = SKEIN_NODE_OBJECT(cache);               // in a thread that moves
 *     int *place = &mine->place[7];
 *     skein_push_self(1);
 *     ++*place;                                                    // place 7 of node 1's cache
 *
 * What is a pointer is changed, wherever it lies on the thread's stack, in its private variables and on its private
 * heap. What was made of such an address is not: a hash or an order of addresses, a number that is kept in memory. The
 * contents of the object do not move.
 *
 * A block of a thread's private heap may have a name, too, on the node where the thread is and on the one where it
 * goes: its address is the same everywhere. So threads with pointers to it may leave before or after the thread whose
 * it is. Until that one is there, too, they may not use them.
 *
 * None of these blocks. */
#ifndef SKEIN_NODE_OBJECT_H
#define SKEIN_NODE_OBJECT_H

#include <skein/skein.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names memory of this process. SKEIN_EBUSY: the name is in use on this node, or a part of the memory has a name;
 * SKEIN_EPOINTER: it is shared or on a stack; SKEIN_EREFUSED: a name has 1 to 43 characters. */
SKEIN_NOMIGRATE int skein_node_object(const char *name, void *begin, size_t bytes);
/* The memory has no name any more, as before it is freed. Threads with pointers to it stay again. SKEIN_EEMPTY: there
 * is none of that name. */
SKEIN_NOMIGRATE int skein_node_object_forget(const char *name);
/* The object of that name on the node where the caller is now; NULL if there is none. */
SKEIN_NOMIGRATE void *skein_node_object_at(const char *name);
#define SKEIN_NODE_OBJECT(name) skein_node_object_at(#name)

#ifdef __cplusplus
}
#endif
#endif
