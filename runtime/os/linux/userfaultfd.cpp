// See userfaultfd.h.
#include "os/linux/userfaultfd.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skein {

const char *userfaultfd_open(uint64_t features, const char *without, int &file) {
  file = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
  if (file < 0) {
    const int error = errno, device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
    if (device >= 0) {
      file = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
      close(device);
    }
    errno = error;
  }
  if (file < 0)
    return errno == EPERM ? "userfaultfd is not permitted (vm.unprivileged_userfaultfd, or CAP_SYS_PTRACE)"
                          : "the system has no userfaultfd";
  uffdio_api api = {};
  api.api = UFFD_API;
  api.features = features;
  if (ioctl(file, UFFDIO_API, &api) == 0)
    return nullptr;
  close(file);
  file = -1;
  return without;
}

} // namespace skein
