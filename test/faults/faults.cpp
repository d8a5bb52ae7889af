// The library's only symbol, and what both kinds of faults need; see faults.h.
#include "faults.h"
#include "base/random.h"
#include "net/wire/messages.h"

#include <cstdio>
#include <cstdlib>

namespace skein::faults {

bool is_hello(const void *message, size_t bytes) {
  return bytes >= sizeof(MessageHeader) &&
         static_cast<const MessageHeader *>(message)->type == static_cast<uint8_t>(MessageType::hello);
}

uint64_t random_begin(uint64_t seed) {
  uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 8; i++)
    xorshift(state);
  return state;
}

void out_of_memory(size_t bytes) {
  fprintf(stderr, "skein: out of memory for faults of the network: %zu bytes\n", bytes);
  abort();
}

} // namespace skein::faults

extern "C" __attribute__((visibility("default"))) const skein_transport *
skein_transport_with_faults(const skein_transport *inner, const skein_transport_faults *wanted) {
  using namespace skein::faults;
  if (wanted->mutate)
    inner = with_mutations(inner, *wanted);
  return wanted->delay_us ? with_delays(inner, *wanted) : inner;
}
