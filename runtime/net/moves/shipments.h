// A node has to know of each thread that it has sent, until it is certain what became of it: this is the table of
// shipments that are not settled; see exchange.h. The sending side (exchange.cpp) enters shipments, and the receiving
// side (arrivals.cpp) settles those of which messages bring news.
#ifndef SKEIN_NET_MOVES_SHIPMENTS_H
#define SKEIN_NET_MOVES_SHIPMENTS_H

#include "migrate/image.h"
#include "net/moves/exchange.h"

namespace skein {

struct LentMemory;

/// A thread in a shipment.
struct Item {
  Thread *thread;   // null once somebody has taken it out, to settle it
  Thread *settled;  // the thread, while the verdict that took it out is handled
  LentMemory *lent; // what it lends until it is settled, or null (lent_memory.h)
  uint64_t id;
  uint64_t bytes; // of its image, and lent
  bool self;      // it pushed itself: the verdict is its result
  bool in_place;  // its stack has stayed where it is
};

void shipments_start();
/// Registers the handler of threads that arrive (arrivals.cpp).
void arrivals_start();

/// Enters threads that are about to be sent. They are in flight, and belong to whoever settles them. With
/// `from_malloc` the items are from malloc and belong to the shipment from here on; else there is one, which is copied.
struct Entered {
  uint64_t number;
  bool leaves; // the node is about to leave the run, or has left: nothing is sent, and shipment_stays is called
};
Entered shipment_enter(int to, const Order &order, Item *items, uint32_t count, bool from_malloc);
/// The shipment was not sent, since its node leaves: its threads go on here.
void shipment_stays(uint64_t number);
/// Whether threads are on their way to the node, which has not said yet what became of them. Once it leaves
/// (link_leaves) and this is false, it stays so: a node that parts from it (net/run/leaving.h) waits for that.
bool shipments_go_to(int to);

/// Whether stacks whose memory all nodes share stay in place when their threads go there. Not where the program or a
/// library lies elsewhere, so that the stack has to be changed: in place that could not be undone.
bool shipments_leave_stacks(int to);

/// A thread that comes back before this node has heard that it had arrived elsewhere: it can go on in its old record,
/// on its old stack.
struct Return {
  Thread *thread = nullptr; // the old record; null if there is none that the image fits
  Item item;
  int to;
  uint64_t over; // the number of its shipment, if all of that is settled now, else 0
};
/// If the thread of a checked image is in flight from here, its image proves that it had arrived: it is settled,
/// whether its record is of use for the image or not.
Return shipment_take_back(const ImageHeader &image);
/// What became of the record in `back`: the image was restored into it, or could not be restored, and the record goes
/// as that of any thread that departed.
void shipment_is_back(const Return &back);
void shipment_departed(const Return &back);

/// Node `from` says, in a message of that type, that shipments with these numbers have arrived there. False, and `from`
/// is rejected, if one was never sent there. Some may be settled already, by other news.
bool shipments_may_arrive(int from, MessageType type, const void *numbers, size_t bytes);
/// All threads of these shipments have arrived where they went. `bytes`: of the numbers.
void settle_shipments(const void *numbers, size_t bytes);

/// Settles threads in flight that hold addresses which the thread of a checked image owns. Addresses belong to one
/// thread at a time, and are given back where it ends; so such a thread has arrived and ended, and its verdict is only
/// late: news may come faster by way of a third node. False if there was no such thread.
bool settle_former_owners(const ImageHeader &image);
/// The same for private memory alone, for a kept image whose memory nobody has any more, as its owner says (room pack).
void settle_former_owners_of_memory(const ImageHeader &image);

} // namespace skein

#endif
