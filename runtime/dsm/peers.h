// Memory of other nodes' processes; what programs see is in <skein/half_process.h>.
#ifndef SKEIN_DSM_PEERS_H
#define SKEIN_DSM_PEERS_H

namespace skein {

void peers_start();

} // namespace skein

#endif
