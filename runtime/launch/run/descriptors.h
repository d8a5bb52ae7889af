// Packets that take descriptors along (SCM_RIGHTS), over sockets between processes of one host.
#ifndef SKEIN_LAUNCH_RUN_DESCRIPTORS_H
#define SKEIN_LAUNCH_RUN_DESCRIPTORS_H

#include <cstddef>
#include <sys/types.h>

namespace skein::launch {

/// Sends one packet, with the descriptors behind it; they stay open here. False: errno says why.
bool send_with(int socket, const void *packet, size_t bytes, const int *descriptors, size_t count);

/// Receives one packet, with at most one descriptor (else -1), which is closed on exec. Returns what recvmsg returns.
ssize_t receive_with(int socket, void *packet, size_t room, int &descriptor, int flags);

} // namespace skein::launch

#endif
