// See restore.h.
#include "checkpoint/restore.h"
#include "abi/frame_map.h"
#include "arch/x86_64/rebirth.h"
#include "base/knobs.h"
#include "base/log.h"
#include "checkpoint/copied.h"
#include "checkpoint/copy.h"
#include "checkpoint/mappings.h"
#include "checkpoint/store.h"
#include "migrate/modules.h"
#include "net/wire/bootstrap.h"
#include "os/linux/memory.h"
#include "pack/seal_keys.h"

#include <algorithm>
#include <asm/prctl.h>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

namespace skein {

namespace {

constexpr uint64_t page = 4096;
constexpr int guard_install = 102;                        // MADV_GUARD_INSTALL, which glibc 2.36 does not name
constexpr uint64_t anywhere = UINT64_C(0x4100'0000'0000); // above all that the runtime has fixed places for

const char *path;

[[noreturn]] __attribute__((format(printf, 1, 2))) void give_up(const char *format, ...) {
  char why[640];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  fprintf(stderr, "skein: this node cannot go on from %s: %s\n", path, why);
  _exit(SKEIN_STEPS_STATUS);
}

unsigned long long number(uint64_t value) { return value; }

/// A list in a mapping of its own.
template <class T> class Sequence {
public:
  explicit Sequence(size_t most) : most_(most) {
    items_ = static_cast<T *>(memory_allocate(round_up((most + 1) * sizeof(T), page)));
    if (!items_)
      give_up("there is no memory for %zu steps", most);
  }
  void add(const T &item) {
    if (count_ == most_)
      give_up("its memory is in more pieces than there is room for");
    items_[count_++] = item;
  }
  T *begin() { return items_; }
  T *end() { return items_ + count_; }
  size_t count() const { return count_; }
  size_t most() const { return most_; }

private:
  T *items_;
  size_t most_, count_ = 0;
};

/// A region of the copy, and where it is made ready: at its own address, or *staged*.
struct Placed {
  Region region;
  char *at;
  bool open; // it can be written to
  uint64_t bytes() const { return region.end - region.begin; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(at); }
  bool staged() const { return address() != region.begin; }
};

bool is_kernels(const Region &region) { return region.flags & (region_vdso | region_vvar); }

/// What the list of the last steps needs to lie beside.
struct Rest {
  LastSteps steps;
  RebirthContext context;
  prctl_mm_map borders;
  char failed[128];
};
static_assert(sizeof(Rest) <= page);

class Restoring {
public:
  Restoring(skein_checkpoint_reader *reader, const CopyHead &head, const Region *regions)
      : reader_(reader), head_(head), regions_(regions), placed_(head.regions), kept_(head.regions + 1),
        taken_(2 * head.regions + (1 << 17)), calls_(2 * head.regions + (1 << 17)) {}
  void place_all();
  [[noreturn]] void become(int socket);

private:
  static void *place(void *context, uintptr_t address, size_t bytes, int zeros);
  void place_together(Placed *first, Placed *end);
  char *map(uint64_t begin, const Region &like);
  uint64_t free_range(uint64_t bytes);
  char *placed_at(uint64_t address, uint64_t bytes);
  void protect(const Placed &placed);
  void call(uint64_t number, uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0, uint64_t e = 0,
            bool may_fail = false) {
    calls_.add({number, {a, b, c, d, e}, may_fail});
  }
  void list_kept();
  void unmap_but_kept(uint64_t begin, uint64_t end);
  void list_calls(const Rest &rest);

  skein_checkpoint_reader *reader_;
  const CopyHead &head_;
  const Region *regions_;
  Sequence<Placed> placed_;  // in ascending order of their regions
  Sequence<PageSpan> kept_;  // where placed regions and the scratch memory lie now
  Sequence<PageSpan> taken_; // by either process
  Sequence<SystemCall> calls_;
  Placed *last_ = nullptr;
  uint64_t scratch_ = 0, scratch_bytes_ = 0;
};

/// A range that neither process uses.
uint64_t Restoring::free_range(uint64_t bytes) {
  std::sort(taken_.begin(), taken_.end(), [](const PageSpan &a, const PageSpan &b) { return a.begin < b.begin; });
  uint64_t at = anywhere;
  for (const PageSpan &span : taken_)
    if (span.end > at) {
      if (span.begin >= at + bytes + page)
        break;
      at = span.end + page;
    }
  taken_.add({at, at + bytes});
  return at;
}

/// Maps memory for a region there; null if something else lies there.
char *Restoring::map(uint64_t begin, const Region &like) {
  const uint64_t bytes = like.end - like.begin;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE |
                    (like.flags & region_unreserved ? MAP_NORESERVE : 0) |
                    (like.flags & region_grows ? MAP_GROWSDOWN | MAP_STACK : 0);
  const int protection = like.protection == PROT_NONE ? PROT_NONE : PROT_READ | PROT_WRITE;
  void *at = mmap(reinterpret_cast<void *>(begin), bytes, protection, flags, -1, 0);
  if (at != reinterpret_cast<void *>(begin)) {
    if (at == MAP_FAILED && errno == EEXIST)
      return nullptr;
    give_up("%llu bytes cannot be mapped at 0x%llx: %s", number(bytes), number(begin), strerror(errno));
  }
  constexpr struct {
    uint32_t flag;
    int advice;
  } known[] = {{region_not_huge, MADV_NOHUGEPAGE},
               {region_huge, MADV_HUGEPAGE},
               {region_wiped, MADV_WIPEONFORK},
               {region_undumped, MADV_DONTDUMP}};
  for (const auto &[flag, advice] : known)
    if (like.flags & flag)
      madvise(at, bytes, advice);
  return static_cast<char *>(at);
}

/// Regions that touch each other keep their distances, so contents may reach over several.
void *Restoring::place(void *context, uintptr_t address, size_t bytes, int zeros) {
  auto &self = *static_cast<Restoring *>(context);
  if (zeros)
    return nullptr; // it is fresh memory
  Placed *at = self.last_;
  if (!at || address < at->region.begin || address >= at->region.end)
    at = std::upper_bound(self.placed_.begin(), self.placed_.end(), address,
                          [](uint64_t wanted, const Placed &placed) { return wanted < placed.region.end; });
  if (at == self.placed_.end() || address < at->region.begin)
    give_up("it has contents for 0x%llx, where it has no memory", number(address));
  char *const to = at->at + (address - at->region.begin);
  for (;; at++) {
    if (!at->open && mprotect(at->at, at->bytes(), PROT_READ | PROT_WRITE) != 0)
      give_up("memory at 0x%llx cannot be opened: %s", number(at->region.begin), strerror(errno));
    at->open = true;
    self.last_ = at;
    if (address + bytes <= at->region.end)
      return to;
    if (at + 1 == self.placed_.end() || at[1].region.begin != at->region.end)
      give_up("it has contents for 0x%llx, where its memory ends", number(at->region.end));
  }
}

void Restoring::protect(const Placed &placed) {
  const Region &region = placed.region;
  if (mprotect(placed.at, placed.bytes(), static_cast<int>(region.protection)) != 0)
    give_up("memory at 0x%llx cannot be protected: %s", number(region.begin), strerror(errno));
}

/// Finds a place for regions that touch each other.
void Restoring::place_together(Placed *first, Placed *end) {
  const uint64_t begin = first->region.begin, bytes = end[-1].region.end - begin;
  uint64_t to = begin;
  for (Placed *next = first; next != end;) {
    next->at = map(to + (next->region.begin - begin), next->region);
    if (next->at) {
      next++;
      continue;
    }
    while (next != first) {
      next--;
      munmap(next->at, next->bytes());
    }
    to = free_range(bytes);
  }
}

void Restoring::place_all() {
  char words[256];
  Mappings own;
  if (!own.read(nullptr, 0, words, sizeof words))
    give_up("%s", words);
  if (vdso_digest(own) != head_.vdso_digest)
    give_up("the kernel here is another one than where it was made: the process would go on to call functions of that "
            "one (its vDSO)");
  for (const Mapping &mapping : own)
    taken_.add({mapping.region.begin, mapping.region.end});
  taken_.add(own.own());
  for (size_t i = 0; i < head_.regions; i++)
    if (!(regions_[i].flags & region_guard))
      taken_.add({regions_[i].begin, regions_[i].end});
  for (size_t i = 0; i < head_.regions; i++)
    if (const Region &region = regions_[i]; !(region.flags & (region_shared | region_guard)) && !is_kernels(region))
      placed_.add({region, nullptr, region.protection != PROT_NONE});
  for (Placed *first = placed_.begin(), *end = first; first != placed_.end(); first = end) {
    do
      end++;
    while (end != placed_.end() && end->region.begin == end[-1].region.end);
    place_together(first, end);
  }
  if (copy_library()->read(reader_, 2, place, this, words, sizeof words) != 0)
    give_up("%s", words);
  for (const Placed &placed : placed_)
    protect(placed);
  const Placed *placed = placed_.begin();
  for (size_t i = 0; i < head_.regions; i++) {
    const Region &guard = regions_[i];
    if (!(guard.flags & region_guard))
      continue;
    while (placed != placed_.end() && placed->region.end <= guard.begin)
      placed++;
    if (placed == placed_.end() || guard.begin < placed->region.begin || guard.end > placed->region.end ||
        madvise(placed->at + (guard.begin - placed->region.begin), guard.end - guard.begin, guard_install) != 0)
      give_up("memory at 0x%llx cannot be guarded: %s", number(guard.begin), strerror(errno));
  }
}

/// Where writable memory of the copy is now.
char *Restoring::placed_at(uint64_t address, uint64_t bytes) {
  for (const Placed &placed : placed_)
    if (address >= placed.region.begin && address < placed.region.end && bytes <= placed.region.end - address &&
        placed.region.protection & PROT_WRITE)
      return placed.at + (address - placed.region.begin);
  give_up("it has no memory at 0x%llx, where something of it should lie", number(address));
}

/// Lists what is not to be unmapped, in ascending order.
void Restoring::list_kept() {
  kept_.add({scratch_, scratch_ + scratch_bytes_});
  for (const Placed &placed : placed_)
    kept_.add({placed.address(), placed.address() + placed.bytes()});
  std::sort(kept_.begin(), kept_.end(), [](const PageSpan &a, const PageSpan &b) { return a.begin < b.begin; });
}

/// Unmaps what of [begin, end) is not kept. The kernel may have joined mappings of both processes.
void Restoring::unmap_but_kept(uint64_t begin, uint64_t end) {
  const PageSpan *next = std::upper_bound(kept_.begin(), kept_.end(), begin,
                                          [](uint64_t at, const PageSpan &span) { return at < span.end; });
  for (; begin < end; next++) {
    const bool any = next != kept_.end() && next->begin < end;
    const uint64_t stop = any ? next->begin : end;
    if (stop > begin)
      call(SYS_munmap, begin, stop - begin);
    if (!any)
      return;
    begin = next->end;
  }
}

void Restoring::list_calls(const Rest &rest) {
  char words[256];
  const KernelFacts &kernel = head_.kernel;
  // The kernel must not write to this process's area for restartable sequences once that is gone.
  if (__rseq_size)
    call(SYS_rseq, reinterpret_cast<uint64_t>(__builtin_thread_pointer()) + static_cast<uint64_t>(__rseq_offset),
         sizeof(struct rseq), RSEQ_FLAG_UNREGISTER, RSEQ_SIG, 0, true);
  Mappings now;
  if (!now.read(nullptr, 0, words, sizeof words))
    give_up("%s", words);
  // The kernel's pages may lie where those of the copy belong, in another order, so they go away first.
  PageSpan away[8];
  const Region *homes[8];
  size_t pages = 0, homes_count = 0;
  for (size_t i = 0; i < head_.regions; i++)
    if (is_kernels(regions_[i]) && homes_count < 8)
      homes[homes_count++] = &regions_[i];
  for (const Mapping &mapping : now)
    if (is_kernels(mapping.region)) {
      const uint64_t bytes = mapping.region.end - mapping.region.begin;
      if (pages == homes_count || homes[pages]->end - homes[pages]->begin != bytes ||
          homes[pages]->flags != mapping.region.flags)
        give_up("the kernel here has other pages of its own in each process than where it was made");
      const uint64_t to = free_range(bytes);
      away[pages++] = {to, to + bytes};
      call(SYS_mremap, mapping.region.begin, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    }
  if (pages != homes_count)
    give_up("the kernel here has other pages of its own in each process than where it was made");
  list_kept();
  for (const Mapping &mapping : now)
    if (!is_kernels(mapping.region))
      unmap_but_kept(mapping.region.begin, mapping.region.end);
  unmap_but_kept(now.own().begin, now.own().end);
  for (const Placed &placed : placed_)
    if (placed.staged())
      call(SYS_mremap, placed.address(), placed.bytes(), placed.bytes(), MREMAP_MAYMOVE | MREMAP_FIXED,
           placed.region.begin);
  for (size_t i = 0; i < pages; i++) {
    const uint64_t bytes = away[i].end - away[i].begin;
    call(SYS_mremap, away[i].begin, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, homes[i]->begin);
  }
  call(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, reinterpret_cast<uint64_t>(&rest.borders), sizeof rest.borders, 0, true);
  call(SYS_arch_prctl, ARCH_SET_FS, kernel.thread_pointer);
  call(SYS_set_tid_address, kernel.thread_number);
  if (kernel.robust_list)
    call(SYS_set_robust_list, kernel.robust_list, kernel.robust_bytes);
  if (kernel.rseq)
    call(SYS_rseq, kernel.rseq, kernel.rseq_bytes, 0, RSEQ_SIG, 0, true);
}

size_t environment_bytes() {
  size_t bytes = 0;
  for (char **variable = environ; *variable; variable++)
    bytes += strlen(*variable) + 1;
  return bytes;
}

// The scratch memory: a page of code, the list of calls, a page for Rest, the environment.
void Restoring::become(int socket) {
  const uint64_t list_bytes = round_up(calls_.most() * sizeof(SystemCall), page);
  const uint64_t words_bytes = environment_bytes();
  scratch_bytes_ = page + list_bytes + page + round_up(words_bytes + 1, page);
  scratch_ = free_range(scratch_bytes_);
  const Region like = {scratch_, scratch_ + scratch_bytes_, PROT_READ | PROT_WRITE, region_unreserved};
  char *const scratch = map(scratch_, like);
  if (!scratch)
    give_up("there is no room for the last steps");
  auto *list = reinterpret_cast<SystemCall *>(scratch + page);
  auto *rest = new (scratch + page + list_bytes) Rest();
  char *environment = scratch + page + list_bytes + page;

  const KernelFacts &kernel = head_.kernel;
  rest->borders.start_code = kernel.code_begin;
  rest->borders.end_code = kernel.code_end;
  rest->borders.start_data = kernel.data_begin;
  rest->borders.end_data = kernel.data_end;
  rest->borders.start_brk = kernel.heap_begin;
  rest->borders.brk = kernel.heap_end;
  rest->borders.start_stack = kernel.stack_begin;
  rest->borders.arg_start = kernel.arguments_begin;
  rest->borders.arg_end = kernel.arguments_end;
  rest->borders.env_start = kernel.environment_begin;
  rest->borders.env_end = kernel.environment_end;
  rest->borders.exe_fd = static_cast<uint32_t>(-1);
  snprintf(rest->failed, sizeof rest->failed,
           "skein: a node could not go on from its copy: a system call of the last steps failed\n");
  memcpy(&rest->context, placed_at(head_.context, sizeof rest->context), sizeof rest->context);

  // What the process that goes on finds in its memory.
  const int process = getpid();
  memcpy(placed_at(kernel.thread_number, sizeof process), &process, sizeof process);
  const Handover handover = {reinterpret_cast<uint64_t>(environment), words_bytes, scratch_, scratch_bytes_, socket, 0};
  memcpy(placed_at(head_.handover, sizeof handover), &handover, sizeof handover);
  for (char **variable = environ; *variable; variable++)
    environment = static_cast<char *>(mempcpy(environment, *variable, strlen(*variable) + 1));

  list_calls(*rest);
  memcpy(list, calls_.begin(), calls_.count() * sizeof(SystemCall));
  rest->steps = {list, calls_.count(), &rest->context, rest->failed, strlen(rest->failed)};
  const auto *code = reinterpret_cast<const char *>(skein_last_steps);
  memcpy(scratch, code, static_cast<size_t>(skein_last_steps_end - code));
  if (mprotect(scratch, page, PROT_READ | PROT_EXEC) != 0)
    give_up("there is no memory for code: %s", strerror(errno));
  sigset_t all; // the process that goes on sets its own mask
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  reinterpret_cast<void (*)(const LastSteps *)>(scratch)(&rest->steps);
  __builtin_unreachable();
}

} // namespace

void restore_if_asked() {
  path = getenv(bootstrap::restore_variable);
  if (!path)
    return;
  char words[512];
  const char *library = getenv(bootstrap::checkpoint_variable), *socket = getenv(bootstrap::descriptor_variable);
  if (!library || !socket)
    give_up("%s or %s is not set; `skein restart` sets both", bootstrap::checkpoint_variable,
            bootstrap::descriptor_variable);
  if (const char *why = copy_library_load(library))
    give_up("%s", why);
  uint8_t key[SKEIN_CHECKPOINT_KEY_BYTES];
  Refusal refusal;
  if (knobs_from_environment(words, sizeof words) != 0)
    give_up("%s", words);
  const bool sealed = *knobs.checkpoint_key;
  if (sealed && !seal_key_read("checkpoint_key", knobs.checkpoint_key, key, refusal))
    give_up("%s", refusal.text);
  skein_checkpoint_reader *reader = copy_library()->open(path, sealed ? key : nullptr, nullptr, words, sizeof words);
  if (!reader)
    give_up("%s", words);
  size_t bytes;
  const void *data = copy_library()->head(reader, &bytes);
  CopyHead head;
  if (bytes < sizeof head)
    give_up("it has no head");
  memcpy(&head, data, sizeof head);
  if (head.magic != copy_magic || head.abi_version != SKEIN_ABI_VERSION)
    give_up("another version of Skein has written it");
  if (memcmp(head.build_id, program_module().build_id, sizeof program_module().build_id) != 0)
    give_up("it is of another build of the program");
  const auto *regions = reinterpret_cast<const Region *>(static_cast<const char *>(data) + sizeof head);
  if (head.regions != (bytes - sizeof head) / sizeof(Region))
    give_up("its list of memory is cut off");
  Restoring restoring(reader, head, regions);
  restoring.place_all();
  restoring.become(atoi(socket));
}

} // namespace skein
