// Sending and receiving descriptors; see descriptors.h.
#include "os/linux/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace skein {

bool send_with(int socket, const void *packet, size_t bytes, const int *descriptors, size_t count, int flags) {
  iovec part{const_cast<void *>(packet), bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(descriptors_most * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count > descriptors_most) {
    errno = EINVAL;
    return false;
  }
  if (count > 0) {
    memset(control, 0, CMSG_SPACE(count * sizeof(int)));
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr *files = CMSG_FIRSTHDR(&message);
    files->cmsg_level = SOL_SOCKET;
    files->cmsg_type = SCM_RIGHTS;
    files->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(files), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | flags) >= 0;
}

ssize_t receive_with(int socket, void *packet, size_t room, int *descriptors, size_t most, int flags) {
  iovec part{packet, room};
  alignas(cmsghdr) char control[CMSG_SPACE(descriptors_most * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(std::min(most, descriptors_most) * sizeof(int)); // the kernel closes further ones
  ssize_t bytes;
  while ((bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags)) < 0 && errno == EINTR)
    ;
  std::fill_n(descriptors, most, -1);
  const cmsghdr *files = bytes >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (files && files->cmsg_level == SOL_SOCKET && files->cmsg_type == SCM_RIGHTS)
    memcpy(descriptors, CMSG_DATA(files), std::min(files->cmsg_len - CMSG_LEN(0), most * sizeof(int)));
  return bytes;
}

} // namespace skein
