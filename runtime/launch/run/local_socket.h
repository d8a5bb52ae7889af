// Sockets of this host's file system on which the launcher listens, for the same user and root alone.
#ifndef SKEIN_LAUNCH_RUN_LOCAL_SOCKET_H
#define SKEIN_LAUNCH_RUN_LOCAL_SOCKET_H

#include <string>

namespace skein::launch {

/// Listens at the path; what a run left there that was killed is removed first. `type`: of socket(2). Does not wait
/// when it is used. Throws a std::string.
int listen_at(const std::string &path, int type, int backlog);
/// Takes the next connection. -1: there is none, or it is another user's.
int let_in_at(int listening);
/// Connects to a socket there. -1: nobody listens (errno). Throws a std::string if there is no such path.
int connect_at(const std::string &path, int type);

} // namespace skein::launch

#endif
