// Addresses that were given back elsewhere return; see given_back.h.
#include "net/moves/given_back.h"
#include "net/moves/exchange.h"
#include "net/moves/outbox.h"
#include "net/wire/link.h"
#include "private/globals/arguments.h"
#include "private/regions/extents.h"
#include "thread/stack.h"

namespace skein {

namespace {

void on_slot(Arrival &arrival) {
  auto slot = static_cast<uint32_t>(arrival.body<SlotMessage>().slot);
  exchange_settle_slot(slot); // the slot may be returned before the verdict on its thread's shipment
  if (node_has_left(stack_slot_owner(slot)))
    return; // its addresses are nobody's any more
  if (!stack_slot_returned(slot))
    link_reject(arrival.from, MessageType::slot, "slot %u is no stack of this node that has left it", slot);
}

void on_foreign_slot(uint32_t slot) { link_tell<SlotMessage>(stack_slot_owner(slot), uint64_t{slot}); }

// A thread that gives back a region elsewhere has arrived there: what is still mapped of the thread here goes first.
void on_regions(Arrival &arrival) {
  auto *regions = static_cast<const FreedRegion *>(arrival.data<RegionsMessage>());
  for (size_t i = 0; i < arrival.data_bytes<RegionsMessage>() / sizeof(FreedRegion); i++) {
    exchange_settle(regions[i].thread);
    if (node_has_left(region_owner(regions[i].begin)))
      continue; // its addresses are nobody's any more
    const size_t bytes = regions[i].bytes & ~region_kept;
    const Extent extent = {regions[i].begin, bytes, bytes, ExtentKind::arguments, 0};
    if (!arguments_stay(extent) && !region_returned(regions[i]))
      return link_reject(arrival.from, MessageType::regions, "the %#llx bytes at %#llx have not left this node",
                         static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(regions[i].begin));
  }
}

void on_foreign_region(const FreedRegion &region) { outbox_region(region_owner(region.begin), region); }

} // namespace

void given_back_start() {
  link_handle<SlotMessage>(on_slot);
  link_handle<RegionsMessage>(on_regions);
  foreign_slot_released.add(on_foreign_slot);
  foreign_region_released.add(on_foreign_region);
}
} // namespace skein
