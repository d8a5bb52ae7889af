// Shipments on their way: which threads are in which, and what becomes of them; see exchange.h. Between the two ends of
// a thread's way: who sends (exchange.cpp) enters a shipment here, and who receives (arrivals.cpp) settles what its
// messages tell of.
#ifndef SKEIN_NET_MOVES_SHIPMENTS_H
#define SKEIN_NET_MOVES_SHIPMENTS_H

#include "migrate/image.h"
#include "net/moves/exchange.h"

namespace skein {

struct Item {
  Thread *thread;  // null once it is taken out, to be settled
  Thread *settled; // it was, by the verdict that is being handled
  uint64_t id;
  uint32_t bytes;
  bool self; // pushed itself: the verdict is its result
};

void shipments_start();
/// The handlers of what arrives (arrivals.cpp).
void arrivals_start();

/// They are about to be sent: these threads are in flight, and belong to whoever settles them. `from_malloc`: so are
/// the items, and given away; else there is one, which is copied. Returns the shipment's number.
uint64_t shipment_enter(int to, const Order &order, Item *items, uint32_t count, bool from_malloc);

/// The thread of an intact image was in flight from here: it has arrived, and is back before we have heard so. It goes
/// on in its old record, on its old stack.
struct Return {
  Thread *thread = nullptr; // null: there is no such thread
  Item item;
  int to;
  uint64_t over; // the number of its shipment, if nothing more of that is on its way
};
/// It is settled then, whether its record is of use for the image or not.
Return shipment_take_back(const ImageHeader &image);
/// The image became a thread; or it did not, and the thread is elsewhere, as any other that departed.
void shipment_is_back(const Return &back);
void shipment_departed(const Return &back);

/// Whether these can be numbers of shipments to node `from`, which says in a message of that type that they have
/// arrived; else it is rejected. Some may be settled already, by other news.
bool shipments_may_arrive(int from, MessageType type, const void *numbers, size_t bytes);
/// Node `from` says that these shipments have arrived there, all of them: `bytes` bytes of their numbers.
void settle_shipments(int from, const void *numbers, size_t bytes);

/// Addresses belong to one thread at a time, and are given back where it ends. So if the thread of an intact image has
/// some that a thread in flight has here, too, that one has arrived, and ended, and only its verdict is late: by way of
/// a third node the news may be faster. False: there was none.
bool settle_former_owners(const ImageHeader &image);

} // namespace skein

#endif
