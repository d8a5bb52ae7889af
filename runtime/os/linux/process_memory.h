// Copies from and to the memory of a process, this one or another one of the same host, by the kernel: an address that
// leads nowhere is an error, and not this process's end.
#ifndef SKEIN_OS_LINUX_PROCESS_MEMORY_H
#define SKEIN_OS_LINUX_PROCESS_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <sys/types.h>
#include <sys/uio.h>

namespace skein {

/// 0, or errno: EFAULT: not all of it is there, and a part may have been copied; ESRCH: nor is the process; EPERM: this
/// one may not trace it.
int process_read(pid_t process, uint64_t there, void *here, size_t bytes);
/// Many pieces at once, in their order; as many bytes here as there, 1 GiB at most.
int process_read_pieces(pid_t process, const iovec *there, const iovec *here, size_t count);
int process_write(pid_t process, uint64_t there, const void *here, size_t bytes);

} // namespace skein

#endif
