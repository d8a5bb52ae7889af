// process_vm_readv and process_vm_writev, which copy 2 GiB at most at a time; see process_memory.h.
#include "os/linux/process_memory.h"

#include <cerrno>

namespace skein {

namespace {

template <class Copy> int copy_all(Copy &&copy, uint64_t there, char *here, size_t bytes) {
  while (bytes) {
    iovec local = {here, bytes}, remote = {reinterpret_cast<void *>(there), bytes};
    const ssize_t done = copy(local, remote);
    if (done <= 0)
      return done < 0 ? errno : EFAULT;
    here += done;
    there += static_cast<uint64_t>(done);
    bytes -= static_cast<size_t>(done);
  }
  return 0;
}

} // namespace

int process_read(pid_t process, uint64_t there, void *here, size_t bytes) {
  return copy_all([process](const iovec &local,
                            const iovec &remote) { return process_vm_readv(process, &local, 1, &remote, 1, 0); },
                  there, static_cast<char *>(here), bytes);
}

int process_read_pieces(pid_t process, const iovec *there, const iovec *here, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += there[i].iov_len;
  const ssize_t done = process_vm_readv(process, here, count, there, count, 0);
  return done < 0 ? errno : static_cast<size_t>(done) == bytes ? 0 : EFAULT;
}

int process_write(pid_t process, uint64_t there, const void *here, size_t bytes) {
  return copy_all([process](const iovec &local,
                            const iovec &remote) { return process_vm_writev(process, &local, 1, &remote, 1, 0); },
                  there, const_cast<char *>(static_cast<const char *>(here)), bytes);
}

} // namespace skein
