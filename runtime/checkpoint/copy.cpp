// See copy.h.
#include "checkpoint/copy.h"
#include "abi/frame_map.h"
#include "arch/x86_64/rebirth.h"
#include "arch/x86_64/segment.h"
#include "base/log.h"
#include "checkpoint/copied.h"
#include "checkpoint/mappings.h"
#include "checkpoint/open_files.h"
#include "checkpoint/store.h"
#include "migrate/modules.h"
#include "os/linux/memory.h"
#include "os/linux/own_thread.h"
#include "sched/worker.h"
#include "trace/recorder.h"

#include <algorithm>
#include <asm/prctl.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr size_t writer_stack_bytes = 1 << 20;
constexpr size_t regions_most = 1 << 20; // in a head

const skein_checkpoint_store *library;
RebirthContext context;
Handover handover;
pid_t writer = -1;

/// The kernel's, past what the runtime makes of sigaction for the program (thread/overflow.cpp). Two signals are libc's
/// own, which it tells nobody about.
struct KernelAction {
  void *handler;
  unsigned long flags;
  void *restorer;
  uint64_t mask;
};
static_assert(sizeof(KernelAction) == 32);

/// What is noted for a process that is made of the copy, which finds it in its memory.
struct Noted {
  KernelAction actions[65]; // by signals
  sigset_t mask;
  stack_t alternate;
  uintptr_t segment; // gs
  itimerval timers[3];
  mode_t mask_of_files; // umask
  char folder[PATH_MAX];
} noted;

/// /proc/self/stat has the borders of the process's memory behind its name, which is in brackets and may hold anything.
bool read_borders(KernelFacts &to) {
  char text[2048];
  FILE *file = fopen("/proc/self/stat", "re");
  if (!file)
    return false;
  const size_t got = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[got] = 0;
  constexpr int first = 3, last = 51; // numbers of fields, as in proc(5)
  unsigned long long fields[last + 1] = {};
  int field = first;
  const char *at = strrchr(text, ')');
  for (at = at ? at + 2 : text + got; *at && field <= last; field++) {
    fields[field] = strtoull(at, nullptr, 10);
    at += strcspn(at, " ");
    at += *at == ' ';
  }
  to.code_begin = fields[26];
  to.code_end = fields[27];
  to.stack_begin = fields[28];
  to.data_begin = fields[45];
  to.data_end = fields[46];
  to.heap_begin = fields[47];
  to.heap_end = reinterpret_cast<uint64_t>(sbrk(0));
  to.arguments_begin = fields[48];
  to.arguments_end = fields[49];
  to.environment_begin = fields[50];
  to.environment_end = fields[51];
  return field > last;
}

/// What the kernel has been told about the kernel thread that calls.
bool ask_kernel(KernelFacts &to) {
  to = {};
  int *number = nullptr;
  if (syscall(SYS_arch_prctl, ARCH_GET_FS, &to.thread_pointer) != 0 || prctl(PR_GET_TID_ADDRESS, &number) != 0 ||
      !number || *number != gettid())
    return false;
  to.thread_number = reinterpret_cast<uint64_t>(number);
  size_t robust_bytes = 0;
  syscall(SYS_get_robust_list, 0, &to.robust_list, &robust_bytes);
  to.robust_bytes = robust_bytes;
  if (__rseq_size) {
    to.rseq = reinterpret_cast<uint64_t>(__builtin_thread_pointer()) + static_cast<uint64_t>(__rseq_offset);
    to.rseq_bytes = sizeof(struct rseq);
  }
  return read_borders(to);
}

void note_state() {
  for (unsigned signal = 1; signal < 65; signal++)
    syscall(SYS_rt_sigaction, signal, nullptr, &noted.actions[signal], sizeof noted.actions[signal].mask);
  pthread_sigmask(SIG_SETMASK, nullptr, &noted.mask);
  sigaltstack(nullptr, &noted.alternate);
  syscall(SYS_arch_prctl, ARCH_GET_GS, &noted.segment);
  for (int timer = 0; timer < 3; timer++) // ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF
    getitimer(static_cast<__itimer_which_t>(timer), &noted.timers[timer]);
  umask(noted.mask_of_files = umask(0));
  if (!getcwd(noted.folder, sizeof noted.folder))
    noted.folder[0] = 0;
  open_files_note(recorder_file());
}

/// The memory of the last steps is not needed any more, but for the environment.
void keep_environment() {
  static char *kept; // of this life, or of the one before
  free(kept);
  kept = static_cast<char *>(malloc(handover.environment_bytes));
  if (!kept)
    return; // then all of it stays
  memcpy(kept, reinterpret_cast<const void *>(handover.environment), handover.environment_bytes);
  handover.environment = reinterpret_cast<uint64_t>(kept);
  munmap(reinterpret_cast<void *>(handover.scratch), handover.scratch_bytes);
}

void renew_state() {
  segment_load(noted.segment);
  keep_environment();
  for (unsigned signal = 1; signal < 65; signal++)
    syscall(SYS_rt_sigaction, signal, &noted.actions[signal], nullptr, sizeof noted.actions[signal].mask);
  if (!(noted.alternate.ss_flags & SS_DISABLE)) {
    noted.alternate.ss_flags = 0;
    sigaltstack(&noted.alternate, nullptr);
  }
  for (int timer = 0; timer < 3; timer++)
    setitimer(static_cast<__itimer_which_t>(timer), &noted.timers[timer], nullptr);
  umask(noted.mask_of_files);
  if (noted.folder[0] && chdir(noted.folder) != 0)
    log("the process was in folder %s, and cannot go there: %s", noted.folder, strerror(errno));
  open_files_renew(handover.socket);
  writer = -1;
  pthread_sigmask(SIG_SETMASK, &noted.mask, nullptr);
}

unsigned kernel_threads_here() {
  unsigned there = 0;
  DIR *tasks = opendir("/proc/self/task");
  while (const dirent *entry = tasks ? readdir(tasks) : nullptr)
    there += entry->d_name[0] != '.';
  if (tasks)
    closedir(tasks);
  return there;
}

/// Whether other kernel threads live here than those of the runtime. They would be missing in the copy.
bool others_live(char *words, size_t bytes) {
  constexpr int looks = 20; // one that is about to end is there for a moment longer than it counts
  unsigned there = 0, ours = 0;
  for (int look = 0; look < looks; look++) {
    const uint32_t workers = workers_running();
    ours = (workers ? workers : 1) + own_threads_running();
    there = kernel_threads_here();
    if (there == ours)
      return false;
    usleep(500);
  }
  snprintf(words, bytes,
           "kernel threads that are not the runtime's live in it, %u of them: what they do cannot be copied",
           there - ours);
  return true;
}

/// Whether it has timers of timer_create, which end with it. Kernels that do not tell have no such file.
bool has_timers() {
  const int file = open("/proc/self/timers", O_RDONLY | O_CLOEXEC);
  char byte;
  const bool any = file >= 0 && read(file, &byte, 1) == 1;
  if (file >= 0)
    close(file);
  return any;
}

// --- the writer ------------------------------------------------------------------------------------------------------

/// What the writer works with; lies on its own stack.
struct Writing {
  const CopyOrder &order;
  CopyHead head;
  PageSpan stack;
  size_t fetched; // parts that have been added
  char why[512];
  skein_checkpoint_result result;
};

/// The store's question for a page, by address.
int fetch_page(void *context, uintptr_t address, void *to) {
  const FetchedMemory &memory = static_cast<const Writing *>(context)->order.fetched;
  const FetchedMemory::Part *part =
      std::upper_bound(memory.parts, memory.parts + memory.count, address,
                       [](uint64_t at, const FetchedMemory::Part &one) { return at < one.end; });
  return memory.fetch(*part, address - part->begin, to) ? 0 : ESTALE;
}

/// Adds what is fetched and lies before `end`.
bool add_fetched(Writing &writing, uint64_t end, skein_checkpoint_writer *file) {
  const FetchedMemory &memory = writing.order.fetched;
  for (; writing.fetched < memory.count && memory.parts[writing.fetched].begin < end; writing.fetched++) {
    const FetchedMemory::Part &part = memory.parts[writing.fetched];
    if (library->add(file, part.begin, nullptr, part.end - part.begin, writing.why, sizeof writing.why) != 0)
      return false;
  }
  return true;
}

bool add_pages(Writing &writing, const PageFinder &finder, const Mapping &mapping, skein_checkpoint_writer *file) {
  const Region &region = mapping.region;
  bool opened = region.protection & PROT_READ;
  PageSpan found;
  for (uint64_t at = region.begin; at < region.end && finder.contents(mapping, at, found);) {
    if (!opened && mprotect(reinterpret_cast<void *>(region.begin), region.end - region.begin, PROT_READ) != 0) {
      snprintf(writing.why, sizeof writing.why, "memory at 0x%llx cannot be read: %s",
               static_cast<unsigned long long>(region.begin), strerror(errno));
      return false;
    }
    opened = true;
    if (!add_fetched(writing, found.begin, file))
      return false;
    if (library->add(file, found.begin, reinterpret_cast<const void *>(found.begin), found.end - found.begin,
                     writing.why, sizeof writing.why) != 0)
      return false;
  }
  return true;
}

/// Fills the head's list: mappings, and behind each one its guards. Returns how many regions, 0 if there is no room.
size_t list_regions(const Mappings &mappings, const PageFinder &finder, Region *to) {
  size_t count = 0;
  for (const Mapping &mapping : mappings) {
    if (count == regions_most)
      return 0;
    to[count++] = mapping.region;
    PageSpan found;
    const bool plain = !(mapping.region.flags & (region_shared | region_vdso | region_vvar)) && !mapping.file_bytes;
    for (uint64_t at = mapping.region.begin; plain && at < mapping.region.end && finder.guards(mapping, at, found);) {
      if (count == regions_most)
        return 0;
      to[count++] = {found.begin, found.end, 0, region_guard};
    }
  }
  return count;
}

bool write_all(Writing &writing) {
  PageFinder finder;
  if (const char *fault = finder.fault()) {
    snprintf(writing.why, sizeof writing.why, "%s", fault);
    return false;
  }
  constexpr size_t head_most = sizeof(CopyHead) + regions_most * sizeof(Region);
  void *head = mmap(nullptr, head_most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (head == MAP_FAILED) {
    snprintf(writing.why, sizeof writing.why, "there is no memory for the head");
    return false;
  }
  const auto head_begin = reinterpret_cast<uint64_t>(head);
  const PageSpan without[] = {writing.stack, {head_begin, head_begin + head_most}};
  Mappings mappings;
  if (!mappings.read(without, 2, writing.why, sizeof writing.why))
    return false;
  for (const Mapping &mapping : mappings)
    if (const Region &region = mapping.region;
        region.flags & region_shared && !writing.order.may_share(region.begin, region.end)) {
      snprintf(
          writing.why, sizeof writing.why,
          "memory at 0x%llx is shared with a file or with other processes (mmap with MAP_SHARED), and would not be "
          "as it was",
          static_cast<unsigned long long>(region.begin));
      return false;
    }
  auto *regions = reinterpret_cast<Region *>(static_cast<char *>(head) + sizeof(CopyHead));
  writing.head.vdso_digest = vdso_digest(mappings);
  writing.head.regions = list_regions(mappings, finder, regions);
  if (!writing.head.regions) {
    snprintf(writing.why, sizeof writing.why, "its memory is in more than %zu pieces", regions_most);
    return false;
  }
  memcpy(head, &writing.head, sizeof writing.head);
  const CopyOrder &order = writing.order;
  const skein_checkpoint_setup setup = {order.path,    order.previous, order.key, SKEIN_CHECKPOINT_LEVEL,
                                        order.threads, fetch_page,     &writing};
  skein_checkpoint_writer *file = library->create(&setup, writing.why, sizeof writing.why);
  if (!file)
    return false;
  for (const Mapping &mapping : mappings)
    if (!(mapping.region.flags & (region_shared | region_vdso | region_vvar)) &&
        !add_pages(writing, finder, mapping, file)) {
      library->abandon(file);
      return false;
    }
  if (!add_fetched(writing, UINT64_MAX, file)) {
    library->abandon(file);
    return false;
  }
  const bool written = library->finish(file, head, sizeof(CopyHead) + writing.head.regions * sizeof(Region),
                                       &writing.result, writing.why, sizeof writing.why) == 0;
  const char *fault = order.fetched.count ? order.fetched.fault() : nullptr;
  if (fault)
    snprintf(writing.why, sizeof writing.why, "%s", fault);
  return written && !fault;
}

/// On the writer's own stack, from which nobody returns.
void write_and_end(void *argument) {
  auto &writing = *static_cast<Writing *>(argument);
  const bool good = write_all(writing);
  writing.order.done(good ? nullptr : writing.why, writing.result.bytes_written);
  _exit(good ? 0 : 1);
}

/// In the child. Returns only in a process that is made of the copy.
void write_copy(const CopyOrder &order, const CopyHead &head) {
  if (skein_rebirth_save(&context) != 0)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  void *stack = mmap(nullptr, writer_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) {
    order.done("there is no memory for the writer", 0);
    _exit(1);
  }
  const auto begin = reinterpret_cast<uint64_t>(stack);
  auto *writing = reinterpret_cast<Writing *>(static_cast<char *>(stack) + writer_stack_bytes) - 1;
  new (writing) Writing{order, head, {begin, begin + writer_stack_bytes}, 0, "", {}};
  skein_rebirth_call(write_and_end, writing,
                     reinterpret_cast<void *>(reinterpret_cast<uint64_t>(writing) & ~UINT64_C(63)));
  __builtin_unreachable();
}

} // namespace

const char *copy_library_load(const char *path) {
  static char why[512];
  if (library)
    return nullptr;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(why, sizeof why, "%s", dlerror());
    return why;
  }
  auto table = reinterpret_cast<skein_checkpoint_store_table_fn>(dlsym(handle, SKEIN_CHECKPOINT_SYMBOL));
  library = table ? table() : nullptr;
  if (!library || library->version != SKEIN_CHECKPOINT_STORE_VERSION) {
    library = nullptr;
    snprintf(why, sizeof why, "%s is of another version of Skein", path);
    return why;
  }
  return nullptr;
}

const skein_checkpoint_store *copy_library() { return library; }

Copied copy_process(const CopyOrder &order, char *words, size_t bytes) {
  CopyHead head = {};
  if (others_live(words, bytes))
    return Copied::failed;
  if (has_timers()) {
    snprintf(words, bytes, "it has timers of timer_create, which cannot be copied");
    return Copied::failed;
  }
  if (!ask_kernel(head.kernel)) {
    snprintf(words, bytes,
             "the kernel does not tell what has to be known of the process (PR_GET_TID_ADDRESS, "
             "/proc/self/stat)");
    return Copied::failed;
  }
  head.magic = copy_magic;
  head.abi_version = SKEIN_ABI_VERSION;
  head.node = static_cast<uint32_t>(node.self);
  memcpy(head.build_id, program_module().build_id, sizeof program_module().build_id);
  head.context = reinterpret_cast<uint64_t>(&context);
  head.handover = reinterpret_cast<uint64_t>(&handover);
  note_state();
  const pid_t child = _Fork();
  if (child < 0) {
    snprintf(words, bytes, "it cannot fork: %s", strerror(errno));
    return Copied::failed;
  }
  if (child == 0) {
    write_copy(order, head);
    renew_state();
    return Copied::reborn;
  }
  writer = child;
  return Copied::made;
}

pid_t copy_writer() { return writer; }

bool copy_writer_killed(pid_t process, char *words, size_t bytes) {
  siginfo_t how = {};
  int result;
  do
    result = waitid(P_PID, static_cast<id_t>(process), &how, WEXITED);
  while (result != 0 && errno == EINTR);
  if (result != 0 || how.si_code == CLD_EXITED) // the program may have taken up its end, in a wait for any child
    return false;
  snprintf(words, bytes, "its writer was killed by signal %d", how.si_status);
  return true;
}

const char *copy_variable(const char *name) {
  const auto *at = reinterpret_cast<const char *>(handover.environment), *end = at + handover.environment_bytes;
  const size_t length = strlen(name);
  for (; at < end; at += strlen(at) + 1)
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      return at + length + 1;
  return nullptr;
}

int reborn_socket() { return handover.socket; }

} // namespace skein
