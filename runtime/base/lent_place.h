// Where a node lends memory to another one of the same host (net/messages/lent_memory.h).
#ifndef SKEIN_BASE_LENT_PLACE_H
#define SKEIN_BASE_LENT_PLACE_H

#include <cstdint>

namespace skein {

struct LentPlace {
  uint64_t process, record; // the record's address in that process
};

} // namespace skein

#endif
