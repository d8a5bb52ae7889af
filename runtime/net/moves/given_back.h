// Addresses of a node that threads have given back elsewhere: stacks and regions. They return to the node whose slice
// they belong to.
#ifndef SKEIN_NET_MOVES_GIVEN_BACK_H
#define SKEIN_NET_MOVES_GIVEN_BACK_H

namespace skein {

void given_back_start();

} // namespace skein

#endif
