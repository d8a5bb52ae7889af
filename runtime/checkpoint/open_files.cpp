// see open_files.h.
#include "checkpoint/open_files.h"
#include "base/log.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein {

namespace {

/// One that can be opened again.
struct Open {
  Open *next;
  int number, access, flags; // F_GETFL, F_GETFD
  off_t position;            // -1: it has none
  char name[];
};
Open *all;
bool lost_told;

bool is_standard(int number) { return number <= STDERR_FILENO; }

/// Names what is lost, once in a run. What the runtime has open, and it alone as a rule, is closed on exec.
void tell_lost(int number, const char *name) {
  log("a checkpoint does not have descriptor %d (%s): a process that goes on from it finds it closed", number, name);
  lost_told = true;
}

void note(int number) {
  char link[64], name[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  const ssize_t bytes = readlink(link, name, sizeof name - 1);
  struct stat file;
  if (bytes < 0 || fstat(number, &file) != 0)
    return;
  name[bytes] = 0;
  const int flags = fcntl(number, F_GETFD);
  struct stat named;
  const bool again = (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode) || S_ISCHR(file.st_mode)) && name[0] == '/' &&
                     strncmp(name, "/proc/", 6) != 0 && stat(name, &named) == 0 && named.st_ino == file.st_ino &&
                     named.st_dev == file.st_dev;
  if (!again) {
    if (!(flags & FD_CLOEXEC) && !lost_told)
      tell_lost(number, name);
    return;
  }
  auto *open = static_cast<Open *>(malloc(sizeof(Open) + static_cast<size_t>(bytes) + 1));
  if (!open)
    return tell_lost(number, name);
  *open = {all, number, fcntl(number, F_GETFL), flags, S_ISREG(file.st_mode) ? lseek(number, 0, SEEK_CUR) : -1};
  memcpy(open->name, name, static_cast<size_t>(bytes) + 1);
  all = open;
}

} // namespace

void open_files_note(int without) {
  while (Open *open = all) {
    all = open->next;
    free(open);
  }
  DIR *folder = opendir("/proc/self/fd");
  const int own = folder ? dirfd(folder) : -1;
  while (const dirent *entry = folder ? readdir(folder) : nullptr) {
    const int number = entry->d_name[0] == '.' ? -1 : atoi(entry->d_name);
    if (number != own && number != without && !is_standard(number))
      note(number);
  }
  if (folder)
    closedir(folder);
}

void open_files_renew(int &socket) {
  for (const Open *open = all; open; open = open->next) {
    if (open->number == socket) {
      const int moved = fcntl(socket, F_DUPFD_CLOEXEC, socket + 1);
      if (moved < 0)
        fatal("descriptor %d cannot be opened again: %s", open->number, strerror(errno));
      close(socket);
      socket = moved;
    }
    const int once = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY;
    const int file = ::open(open->name, (open->access & ~once) | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
      log("descriptor %d cannot be opened again (%s: %s)", open->number, open->name, strerror(errno));
      continue;
    }
    if (file != open->number) {
      dup3(file, open->number, open->flags & FD_CLOEXEC ? O_CLOEXEC : 0);
      close(file);
    } else if (!(open->flags & FD_CLOEXEC)) {
      fcntl(file, F_SETFD, 0);
    }
    if (open->position >= 0)
      lseek(open->number, open->position, SEEK_SET);
  }
}

} // namespace skein
