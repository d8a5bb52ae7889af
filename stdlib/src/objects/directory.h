/* Where objects are (<skein/object.h>): each object has one node that knows, its directory.
 *
 *     number of an object:   | directory : 12 | number of the grid : 20 | index : 32 |
 *
 * A single object has grid 0, its directory is a hash of its name (or the node of its creator), and its index is the
 * next one there. The elements of a grid have the directory that skein_grid_owner says. So an object's number leads to
 * its directory, and there to its entry, without a search. Directories are asked by plain handlers, which run one at a
 * time, so their tables have no locks. An entry says how often its object had moved when it wrote where it is: news
 * that come late change nothing.
 *
 * When a node is about to leave the run, its objects move to other nodes, and its table goes to node 0, which answers
 * for it from then on, also if the node stays after all. The table is closed in a handler before it is sent, so it does
 * not change meanwhile; who asks then is told to ask node 0, or that node 0 has not got all of it yet. */
#ifndef SKEIN_STDLIB_OBJECT_DIRECTORY_H
#define SKEIN_STDLIB_OBJECT_DIRECTORY_H

#include <skein/object.h>

static inline int object_directory(skein_object_t object) { return (int)(object >> 52); }
static inline uint32_t object_grid(skein_object_t object) { return (uint32_t)(object >> 32) & 0xfffff; }
static inline uint32_t object_index(skein_object_t object) { return (uint32_t)object; }

/* All of these block; they return SKEIN_OK or a code of <skein/object.h>, with an error text. */

/* A new object's number: on this node, and with this name, unless it is null. */
int directory_add(const char *name, skein_object_t *object);
int directory_find(const char *name, skein_object_t *object);
/* Where the object is. SKEIN_EEMPTY: it has ended, or never was. */
int directory_where(skein_object_t object, int *node);
/* The object has come to this node by its move of that number, from 1. */
int directory_moved(skein_object_t object, uint32_t moves);
int directory_end(skein_object_t object);
/* A number for a grid. */
int directory_grid_number(uint32_t *number);
/* That node, or whoever answers for it, is the directory of these elements of the grid, which are here. */
int directory_grid_here(int directory, uint32_t number, uint32_t first, uint32_t count);

/* Whether that node has died, as far as this one knows. */
SKEIN_ASSUME_NOMIGRATE int node_has_died(int node);

/* Sets the caller's error text, and returns the code. */
SKEIN_NOMIGRATE __attribute__((format(printf, 2, 3))) int object_error(int code, const char *format, ...);

#endif
