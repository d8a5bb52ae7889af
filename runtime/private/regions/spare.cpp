// Spare regions; see spare.h.
#include "private/regions/spare.h"

#include "base/node.h"
#include "private/paging/paging.h"
#include "private/regions/regions.h"
#include "thread/processor.h"

namespace skein {

namespace {

constexpr unsigned spares_most = 4;
constexpr size_t spare_bytes_most = 32 << 20; // of address space, of all together

struct Spare {
  void *begin;
  size_t bytes; // of address space
};

struct Spares {
  Spare all[spares_most]; // the one released last comes last
  unsigned count;
  size_t bytes;
};
__thread Spares spares;

void *take_at(unsigned place) {
  const Spare spare = spares.all[place];
  spares.count--;
  spares.bytes -= spare.bytes;
  for (unsigned i = place; i < spares.count; i++)
    spares.all[i] = spares.all[i + 1];
  return spare.begin;
}

void give_back_oldest() {
  const size_t bytes = spares.all[0].bytes;
  region_release(take_at(0), bytes, 0, false);
}

} // namespace

void *spare_take(size_t bytes) {
  bytes = region_bytes(bytes);
  for (unsigned i = spares.count; i-- > 0;)
    if (spares.all[i].bytes == bytes)
      return take_at(i);
  return nullptr;
}

bool spare_keep(void *begin, size_t bytes) {
  bytes = region_bytes(bytes);
  if (bytes > spare_bytes_most || paging_on || !skein_processor ||
      region_owner(reinterpret_cast<uintptr_t>(begin)) != node.self)
    return false;
  while (spares.count == spares_most || spares.bytes + bytes > spare_bytes_most)
    give_back_oldest();
  spares.all[spares.count++] = {begin, bytes};
  spares.bytes += bytes;
  return true;
}

void spares_flush() {
  while (spares.count)
    give_back_oldest();
}

} // namespace skein
