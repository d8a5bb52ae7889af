// See write_faults.h.
#include "os/linux/write_faults.h"
#include "os/linux/userfaultfd.h"

#include <cerrno>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace skein {

namespace {

int faults = -1;

bool set_protection(uintptr_t begin, size_t bytes, uint64_t mode) {
  uffdio_writeprotect wanted = {};
  wanted.range = {begin, bytes};
  wanted.mode = mode;
  int result;
  do
    result = ioctl(faults, UFFDIO_WRITEPROTECT, &wanted);
  while (result != 0 && (errno == EAGAIN || errno == EINTR));
  return result == 0;
}

} // namespace

const char *write_faults_start() {
  return userfaultfd_open(UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
                          "userfaultfd cannot protect shared memory (Linux before 5.19)", faults);
}
void write_faults_reborn() { faults = -1; }

bool write_faults_watch(uintptr_t begin, size_t bytes) {
  uffdio_register wanted = {};
  wanted.range = {begin, bytes};
  wanted.mode = UFFDIO_REGISTER_MODE_WP;
  return ioctl(faults, UFFDIO_REGISTER, &wanted) == 0;
}
bool write_faults_protect(uintptr_t begin, size_t bytes) {
  return set_protection(begin, bytes, UFFDIO_WRITEPROTECT_MODE_WP);
}
void write_faults_let(uintptr_t begin, size_t bytes) { set_protection(begin, bytes, 0); }

int write_faults_file() { return faults; }

bool write_faults_next(uintptr_t &address) {
  uffd_msg message;
  while (read(faults, &message, sizeof message) == sizeof message)
    if (message.event == UFFD_EVENT_PAGEFAULT) {
      address = static_cast<uintptr_t>(message.arg.pagefault.address);
      return true;
    }
  return false;
}

} // namespace skein
