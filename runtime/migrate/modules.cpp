// Reads what the loader has loaded into this process; see modules.h.
#include "migrate/modules.h"

#include "base/once.h"

#include <atomic>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

namespace skein {

namespace {

// The list only grows, and an entry is complete before `known` counts it, so readers take no lock.
Module list[modules_max];
std::atomic<unsigned> known{0};
pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER; // not a SpinLock: the loader may block

bool same_range(const Module &a, const Module &b) { return a.begin == b.begin && a.end == b.end; }

void read_build_id(Module &module, uintptr_t notes, size_t bytes) {
  uintptr_t end = notes + bytes;
  while (notes + sizeof(ElfW(Nhdr)) <= end) {
    auto *note = (const ElfW(Nhdr) *)notes;
    uintptr_t name = notes + sizeof *note;
    uintptr_t data = name + ((note->n_namesz + 3) & ~3u);
    if (data + note->n_descsz > end)
      return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp((const void *)name, "GNU", 4) == 0) {
      memcpy(module.build_id, (const void *)data, note->n_descsz < build_id_bytes ? note->n_descsz : build_id_bytes);
      return;
    }
    notes = data + ((note->n_descsz + 3) & ~3u);
  }
}

int add(dl_phdr_info *info, size_t, void *) {
  Module module = {};
  module.begin = UINTPTR_MAX;
  uintptr_t relro_end = 0; // up to there the loader has made the data read-only again
  const char *name = info->dlpi_name;
  if (name != nullptr && strstr(name, "linux-vdso") != nullptr)
    return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && header.p_memsz != 0) {
      module.begin = begin < module.begin ? begin : module.begin;
      module.end = begin + header.p_memsz > module.end ? begin + header.p_memsz : module.end;
      if (header.p_flags & PF_X) {
        module.code_begin = begin;
        module.code_end = begin + header.p_memsz;
      }
      if (header.p_flags & PF_W) {
        module.data_begin = begin;
        module.data_end = begin + header.p_memsz;
      }
    }
    if (header.p_type == PT_GNU_RELRO)
      relro_end = begin + header.p_memsz;
    if (header.p_type == PT_NOTE)
      read_build_id(module, begin, header.p_memsz);
  }
  if (module.end == 0)
    return 0;
  if (relro_end > module.data_begin)
    module.data_begin = relro_end < module.data_end ? relro_end : module.data_end;
  const char *slash = strrchr(name, '/');
  strncpy(module.name, *name == 0 ? "the program" : slash ? slash + 1 : name, sizeof module.name - 1);

  unsigned count = known.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < count; ++i)
    if (same_range(list[i], module) && memcmp(list[i].build_id, module.build_id, build_id_bytes) == 0)
      return 0;
  if (count == modules_max)
    return 1;
  list[count] = module;
  known.store(count + 1, std::memory_order_release); // pairs with the acquire in modules()
  return 0;
}

void read_all() {
  // The loader's lock is taken inside dl_iterate_phdr; nothing in `add` takes ours.
  pthread_mutex_lock(&reading);
  dl_iterate_phdr(add, nullptr);
  pthread_mutex_unlock(&reading);
}

Once read_once;

std::atomic<uint64_t> settled{0};

uint64_t mixed(uint64_t hash, const void *bytes, size_t count) { // FNV-1a
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<const unsigned char *>(bytes)[i]) * 0x100000001b3;
  return hash;
}

uint64_t digest;
Once digest_once;

void make_digest() {
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  uint64_t hash = mixed(0xcbf29ce484222325, &vdso, sizeof vdso);
  unsigned count;
  const Module *first = modules(count);
  for (unsigned i = 0; i < count; ++i) {
    hash = mixed(hash, &first[i].begin, sizeof first[i].begin);
    hash = mixed(hash, first[i].build_id, sizeof first[i].build_id);
    hash = mixed(hash, first[i].name, sizeof first[i].name);
  }
  digest = hash;
}

/// The names of the libraries in the order of the loader's list. They are copied, since a library may be unloaded as
/// soon as the loader's lock is free.
struct LoadedNames {
  char *name[2 * modules_max];
  unsigned count = 0;
  bool left_out = false; // there are more libraries, or there was no memory for a name
};

int add_name(dl_phdr_info *info, size_t, void *context) {
  auto &to = *static_cast<LoadedNames *>(context);
  if (*info->dlpi_name == 0) // the program itself
    return 0;
  char *name = to.count < sizeof to.name / sizeof *to.name ? strdup(info->dlpi_name) : nullptr;
  to.left_out = name == nullptr;
  if (to.left_out)
    return 1;
  to.name[to.count++] = name;
  return 0;
}

// The last library in the loader's list when modules_keep was called. Null before that, and if some library could not
// be kept.
std::atomic<const link_map *> last_kept{nullptr};

} // namespace

std::atomic<bool> modules_agree{false};
std::atomic<bool> modules_differ{false};

void modules_keep() {
  LoadedNames names;
  dl_iterate_phdr(add_name, &names);
  const link_map *last = nullptr;
  for (unsigned i = 0; i < names.count; ++i) {
    if (void *kept = dlopen(names.name[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
      if (dlinfo(kept, RTLD_DI_LINKMAP, &last) != 0)
        last = nullptr;
    free(names.name[i]);
  }
  if (!names.left_out)
    last_kept.store(last, std::memory_order_release); // pairs with the acquire in modules_added_word
}

// The loader puts what it loads at the end of its list, and removes nothing that is kept.
const void *const *modules_added_word() {
  const link_map *last = last_kept.load(std::memory_order_acquire);
  return last != nullptr ? (const void *const *)&last->l_next : nullptr;
}

uint64_t module_changes() {
  const void *const *added = modules_added_word();
  if (added != nullptr && __atomic_load_n(added, __ATOMIC_ACQUIRE) == nullptr)
    return 0;
  uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *to) {
        *static_cast<uint64_t *>(to) = info->dlpi_adds + info->dlpi_subs;
        return 1;
      },
      &count);
  return count;
}

uint64_t modules_digest() {
  digest_once(make_digest);
  return digest;
}

void modules_settled() { settled.store(module_changes(), std::memory_order_relaxed); }
bool modules_unchanged() { return settled.load(std::memory_order_relaxed) == module_changes(); }

const Module *modules(unsigned &count) {
  read_once(read_all);                           // whoever comes meanwhile waits, and does not take a part for all
  count = known.load(std::memory_order_acquire); // pairs with the release in add()
  return list;
}

const Module *module_containing(uintptr_t address, bool reread) {
  if (reread)
    read_all();
  unsigned count;
  const Module *first = modules(count);
  for (unsigned i = 0; i < count; ++i)
    if (first[i].contains(address))
      return &first[i];
  return nullptr;
}

const Module *module_with_id(const unsigned char *build_id, bool reread) {
  if (reread)
    read_all();
  unsigned count;
  const Module *first = modules(count);
  for (unsigned i = 0; i < count; ++i)
    if (memcmp(first[i].build_id, build_id, build_id_bytes) == 0)
      return &first[i];
  return nullptr;
}

BuildIdText build_id_text(const unsigned char *id) {
  BuildIdText to;
  for (size_t i = 0; i < build_id_bytes; ++i) {
    to.text[2 * i] = "0123456789abcdef"[id[i] >> 4];
    to.text[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
  }
  to.text[2 * build_id_bytes] = 0;
  return to;
}

} // namespace skein
