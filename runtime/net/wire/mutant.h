// A transport whose node sends messages that cannot be, for tests: SKEIN_OPTIONS=net_mutate=50,seed=7 under any
// program.
//
// It wraps another one. One node of the run, `seed` modulo their number, changes one in so many of the messages that it
// sends: a word or a byte of the body becomes another one, the end is cut off or grows, the type or the version is
// wrong. The hello is right, and so is the proof: this is not a stranger, but a peer that is damaged. The others must
// notice, name it and bury it, or live with what was plausible (net/wire/messages.h). test/fuzz/mutant.py runs programs
// so.
//
// Images of threads are changed without a new checksum, but for the words that say which thread it is: whoever makes
// up a thread, with all its data and the right checksum, makes up a program, and no check can tell.
#ifndef SKEIN_NET_WIRE_MUTANT_H
#define SKEIN_NET_WIRE_MUTANT_H

#include "net/wire/transport.h"

namespace skein {

/// `inner` itself if the knob is not set, or on the other nodes.
const skein_transport *mutant_transport(const skein_transport *inner);

} // namespace skein

#endif
