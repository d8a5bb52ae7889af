// Searches the variables of shared libraries for addresses of a stack; see library_variables.h. Libraries may be loaded
// and unloaded meanwhile, so the search runs under the loader's lock (dl_iterate_phdr).
#include "migrate/library_variables.h"

#include "base/log.h"
#include "migrate/modules.h"
#include "migrate/search.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>

namespace skein {

namespace {

constexpr const char *languages[] = {"ld-linux",      "linux-vdso", "libc.so",   "libm.so",
                                     "libpthread.so", "libdl.so",   "librt.so",  "libc++",
                                     "libstdc++",     "libgcc_s",   "libunwind", "libsupc++.so"};

/// The libraries that are not searched, by the address of their program headers. library_variables_start writes the
/// list.
constexpr unsigned left_out_most = 128;
const void *left_out[left_out_most];
unsigned left_out_count;
unsigned before_own_count;
const void *before_own[left_out_most];

/// Variables of libraries of which a position-dependent program has the only copy in use.
struct Copy {
  uintptr_t begin, bytes;
};
Copy *copies;
size_t copies_count;

const void *const nothing = nullptr;
/// Leads to a word that is null while there is nothing to search. If this pointer itself is null, `start_any` and
/// `start_changes` tell.
std::atomic<const void *const *> nothing_while_null{&nothing};
uint64_t start_changes; // module_changes() at library_variables_start
bool start_any;         // at least one of the libraries loaded then is searched

bool among(const void *const *list, unsigned count, const void *one) {
  return std::find(list, list + count, one) != list + count;
}

bool of_languages(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return std::any_of(std::begin(languages), std::end(languages),
                     [&](const char *one) { return strncmp(name, one, strlen(one)) == 0; });
}

bool searched(const dl_phdr_info &info) {
  return *info.dlpi_name != 0 && !among(left_out, left_out_count, info.dlpi_phdr);
}

/// Calls visit(begin, end) for each part of a library that it can write to once it is loaded. Stops and returns false
/// when visit does.
template <class Visit> bool each_part(const dl_phdr_info &info, Visit &&visit) {
  uintptr_t constant_end = 0; // up to there the loader has made the data read-only again
  for (unsigned i = 0; i < info.dlpi_phnum; ++i)
    if (const ElfW(Phdr) &header = info.dlpi_phdr[i]; header.p_type == PT_GNU_RELRO)
      constant_end = info.dlpi_addr + header.p_vaddr + header.p_memsz;
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W))
      continue;
    uintptr_t begin = info.dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
    if (constant_end > begin)
      begin = std::min(constant_end, end);
    if (!visit(begin, end))
      return false;
  }
  return true;
}

/// Calls visit for each such part of all libraries that are searched, and for the copies.
template <class Visit> bool each_variable(Visit visit) {
  for (size_t i = 0; i < copies_count; ++i)
    if (!visit(copies[i].begin, copies[i].begin + copies[i].bytes))
      return false;
  return dl_iterate_phdr(
             [](dl_phdr_info *info, size_t, void *context) {
               return searched(*info) && !each_part(*info, *static_cast<Visit *>(context)) ? 1 : 0;
             },
             &visit) == 0;
}

/// Calls visit(copy) for each copy that the program's relocations name.
template <class Visit> void each_copy(const dl_phdr_info &program, Visit &&visit) {
  const ElfW(Dyn) *dynamic = nullptr;
  for (unsigned i = 0; i < program.dlpi_phnum; ++i)
    if (program.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(program.dlpi_addr + program.dlpi_phdr[i].p_vaddr);
  const ElfW(Rela) *relocations = nullptr;
  const ElfW(Sym) *symbols = nullptr;
  size_t bytes = 0;
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) // the loader has made their offsets into addresses
    if (dynamic->d_tag == DT_RELA)
      relocations = (const ElfW(Rela) *)dynamic->d_un.d_ptr;
    else if (dynamic->d_tag == DT_RELASZ)
      bytes = dynamic->d_un.d_val;
    else if (dynamic->d_tag == DT_SYMTAB)
      symbols = (const ElfW(Sym) *)dynamic->d_un.d_ptr;
  for (size_t i = 0; relocations != nullptr && symbols != nullptr && i < bytes / sizeof *relocations; ++i)
    if (ELF64_R_TYPE(relocations[i].r_info) == R_X86_64_COPY)
      visit(Copy{program.dlpi_addr + relocations[i].r_offset, symbols[ELF64_R_SYM(relocations[i].r_info)].st_size});
}

/// dl_iterate_phdr visits the program first.
int note_copies(dl_phdr_info *program, size_t, void *) {
  size_t count = 0;
  each_copy(*program, [&](Copy) { ++count; });
  copies = count ? static_cast<Copy *>(malloc(count * sizeof *copies)) : nullptr;
  if (count != 0 && copies == nullptr)
    fatal("out of memory for a list of %zu variables", count);
  each_copy(*program, [&](Copy copy) { copies[copies_count++] = copy; });
  return 1;
}

/// Whether the program has no library that would be searched, which is the common case.
bool none() {
  if (const void *const *word = nothing_while_null.load(std::memory_order_acquire))
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) == nullptr;
  return !start_any && module_changes() == start_changes;
}

[[gnu::noinline]] bool any_holds(uintptr_t begin, uintptr_t end, Refusal &why) {
  const void *found = nullptr;
  each_variable([&](uintptr_t part_begin, uintptr_t part_end) {
    found = find_address((const void *)part_begin, part_end - part_begin, begin, end);
    return found == nullptr;
  });
  return found != nullptr && !refuse_library_variable(found, why);
}

} // namespace

void library_variables_before_own() {
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *) {
        if (before_own_count < left_out_most)
          before_own[before_own_count++] = info->dlpi_phdr;
        return 0;
      },
      nullptr);
}

void library_variables_start() {
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *) {
        const bool own = !among(before_own, before_own_count, info->dlpi_phdr);
        if (left_out_count < left_out_most && (own || of_languages(info->dlpi_name)))
          left_out[left_out_count++] = info->dlpi_phdr;
        return 0;
      },
      nullptr);
  dl_iterate_phdr(note_copies, nullptr);
  start_any = !each_variable([](uintptr_t, uintptr_t) { return false; });
  start_changes = module_changes();
  const void *const *added = modules_added_word();
  nothing_while_null.store(!start_any && added != nullptr && *added == nullptr ? added : nullptr,
                           std::memory_order_release); // pairs with the acquire in none()
}

bool library_variables_hold(uintptr_t begin, uintptr_t end, Refusal &why) {
  return !none() && any_holds(begin, end, why);
}

bool library_variables_contain(uintptr_t place) {
  return !none() && !each_variable([&](uintptr_t begin, uintptr_t end) { return place - begin >= end - begin; });
}

size_t library_variables_bytes() {
  size_t sum = 0;
  if (!none())
    each_variable([&](uintptr_t begin, uintptr_t end) {
      sum += end - begin;
      return true;
    });
  return sum;
}

[[gnu::cold]] bool refuse_library_variable(const void *found, Refusal &why) {
  Dl_info info = {};
  const char *slash = dladdr(found, &info) != 0 && info.dli_fname ? strrchr(info.dli_fname, '/') : nullptr;
  if (info.dli_sname != nullptr)
    return why.set(SKEIN_EPINNED, "the global `%.100s` holds an address of its stack", info.dli_sname);
  return why.set(SKEIN_EPINNED, "the global `%.100s+%#zx` holds an address of its stack", slash ? slash + 1 : "library",
                 (size_t)((uintptr_t)found - (uintptr_t)info.dli_fbase));
}

} // namespace skein
