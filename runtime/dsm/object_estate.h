// The objects over nodes that a node has kept, as pieces of its estate (net/run/leaving.h): written on the node that
// leaves the run, checked and taken over by its heir. See objects.h for why that is sound.
//
// A piece is a row of *items*, 8-aligned. An object is an item `object`, and items with its value and its waiters, in
// order, as many as it needs. What stands in the items is what stands in memory; a waiter in a queue has no value.
//
// The heir may take the pieces in another order than they were written in. So the first item that names an object makes
// it. Only the waiters of an object that has so many of them that one piece does not hold them can come to be in
// another order, which nobody can tell from messages that overtake each other on their way to the queue.
#ifndef SKEIN_DSM_OBJECT_ESTATE_H
#define SKEIN_DSM_OBJECT_ESTATE_H

#include "dsm/object_steps.h"
#include "net/wire/messages.h"

namespace skein {

enum class EstateItem : uint64_t { object, value, waiters, together };
struct EstateItemHeader {
  uint64_t what;  // EstateItem
  uint64_t bytes; // that follow; in the piece they are padded to a multiple of 8
  uint64_t handle;
};
struct EstateObject {
  uint64_t kind, word, parties, shape, sent, deaths, orphaned;
  uint64_t value_bytes; // estate_no_value: there is none
};
inline constexpr uint64_t estate_no_value = UINT64_MAX;
struct EstateValue { // bytes of the value follow
  uint64_t value_bytes, offset;
};
struct EstateWaiter {
  uint64_t from, call, operation, argument, thread;
};
struct EstateTogether {
  uint64_t id, left, kind, value;
};

/// Writes the next objects, some hundred KiB of them, in one or several pieces. The cursor begins at 0. False: there
/// was nothing more to be written. To be called without the lock, which `send` must not be called under: nobody changes
/// anything meanwhile.
bool object_estate_next(uint64_t &cursor, void (*send)(const void *data, size_t bytes));
/// Whether this can be a piece from node `from`.
bool object_estate_check(int from, const void *data, size_t bytes, Complaint &wrong);
/// Takes a piece, which was checked, over. Waiters of nodes that have died meanwhile are dropped, and rounds end as
/// they do when a node dies. Takes the lock.
void object_estate_take(const void *data, size_t bytes, WaiterQueue &granted);

} // namespace skein

#endif
