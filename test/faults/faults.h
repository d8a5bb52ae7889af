// Errors of the network have to be made on purpose to be tested. Each transport here wraps another one, and is a
// transport itself.
//
// Delays (SKEIN_OPTIONS=net_delay_us=500,seed=7): each message that the transport delivers is held back for a time of
// its own, so that any message may overtake any other. This shows that no protocol of the runtime relies on order. Only
// the hello is not held: what comes before it is not authenticated, and dropped. While messages are held, no kernel
// thread may sleep on the transport's descriptor: `arm` says that there is work.
//
// Mutations (SKEIN_OPTIONS=net_mutate=50,seed=7): one node of the run, `seed` modulo their number, changes one in so
// many of the messages that it sends. A word or a byte of the body becomes another one, the end is cut off or grows, or
// the type or the version is wrong. The hello and the proof are right, since this node is no stranger, but a peer that
// is damaged. The others must notice it, name it and treat it as dead, or live with what was plausible
// (net/wire/messages.h). test/fuzz/mutant.py runs programs in this way. Images of threads are changed without a new
// checksum, except for the words that say which thread it is: a peer that makes up a thread, with all its data and the
// right checksum, makes up a program, and no check can tell.
#ifndef SKEIN_TEST_FAULTS_H
#define SKEIN_TEST_FAULTS_H

#include "net/wire/transport.h"

#include <cstddef>
#include <cstdint>

namespace skein::faults {

const skein_transport *with_delays(const skein_transport *inner, const skein_transport_faults &wanted);
/// Wraps `inner` on one node; on all others returns `inner` itself.
const skein_transport *with_mutations(const skein_transport *inner, const skein_transport_faults &wanted);

bool is_hello(const void *message, size_t bytes);
/// A beginning for random numbers, such that those of neighbouring seeds differ from the first one on.
uint64_t random_begin(uint64_t seed);
[[noreturn]] void out_of_memory(size_t bytes);

} // namespace skein::faults

#endif
