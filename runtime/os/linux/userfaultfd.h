// Opening userfaultfd(2).
#ifndef SKEIN_OS_LINUX_USERFAULTFD_H
#define SKEIN_OS_LINUX_USERFAULTFD_H

#include <cstdint>

namespace skein {

/// Opens a file that serves faults of system calls, too (without UFFD_USER_MODE_ONLY), and does not wait when it is
/// read. Returns why that is not possible here, or null; `without`: that the kernel lacks one of the features.
const char *userfaultfd_open(uint64_t features, const char *without, int &file);

} // namespace skein

#endif
