// Sending and receiving descriptors; see descriptors.h.
#include "launch/run/descriptors.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <vector>

namespace skein::launch {

bool send_with(int socket, const void *packet, size_t bytes, const int *descriptors, size_t count) {
  iovec part{const_cast<void *>(packet), bytes};
  std::vector<char> control(CMSG_SPACE(count * sizeof(int)));
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr *files = CMSG_FIRSTHDR(&message);
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    files->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(files), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

ssize_t receive_with(int socket, void *packet, size_t room, int &descriptor, int flags) {
  iovec part{packet, room};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t bytes;
  while ((bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags)) < 0 && errno == EINTR)
    ;
  descriptor = -1;
  if (const cmsghdr *files = bytes > 0 ? CMSG_FIRSTHDR(&message) : nullptr; files && files->cmsg_type == SCM_RIGHTS)
    memcpy(&descriptor, CMSG_DATA(files), sizeof descriptor);
  return bytes;
}

} // namespace skein::launch
