// Packets that take descriptors along (SCM_RIGHTS), over sockets between processes of one host.
#ifndef SKEIN_OS_LINUX_DESCRIPTORS_H
#define SKEIN_OS_LINUX_DESCRIPTORS_H

#include <cstddef>
#include <sys/types.h>

namespace skein {

/// So many can go with one packet (SCM_MAX_FD).
inline constexpr size_t descriptors_most = 253;

/// Sends one packet, with the descriptors behind it; they stay open here. False: errno says why.
bool send_with(int socket, const void *packet, size_t bytes, const int *descriptors, size_t count, int flags = 0);

/// Receives one packet, with at most `most` descriptors, which are closed on exec; what has not come is -1. Returns
/// what recvmsg returns.
ssize_t receive_with(int socket, void *packet, size_t room, int *descriptors, size_t most, int flags);

} // namespace skein

#endif
