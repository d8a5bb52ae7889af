// Memory of a node that the program has named (<skein/node_object.h>): a pointer into it leads, after a move, to the
// same place of the object that has this name on the other node.
//
// A moving thread's image lists the named objects that its words lead into, as it lists libraries, and the destination
// looks them up by name and size: they are ranges like others (migrate/relocate.h). Only words that are pointers for
// certain may lead there. What was computed from such an address is not known here, since the program is not watched
// for addresses of the heap; the header says so.
//
// If the object is private memory of another thread, its address is the same at the destination, so that nothing
// changes. Its name says that the program moves that thread as well. (The sites of a simulation are such objects while
// they move.)
#ifndef SKEIN_MIGRATE_NODE_OBJECTS_H
#define SKEIN_MIGRATE_NODE_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

namespace skein {

inline constexpr size_t node_object_name_bytes = 44; // with NUL, as a name of a library in an image

struct NodeObject {
  uintptr_t begin;
  uintptr_t end;
  char name[node_object_name_bytes]; // padded with zeroes

  bool contains(uintptr_t address) const { return address - begin < end - begin; }
};

// Both copy what they find to `to`, and return false if there is none. Any kernel thread.
bool node_object_containing(uintptr_t address, NodeObject &to);
bool node_object_named(const char *name, NodeObject &to);

// Whether memory of the process was ever named on this node. It may have another address on another one.
bool node_objects_of_process();

void node_objects_start();

} // namespace skein

#endif
