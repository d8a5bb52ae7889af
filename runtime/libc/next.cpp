// The runtime's libc is libc, whatever functions the program defines.
//
// A program may define memcpy, strlen, read, calloc: names that the C standard, or only POSIX, reserves, and which libc
// itself does not call by these names. They are compiled like the rest of the program: they use private variables,
// count their calls, abort when they do not like one, are migration points. The runtime is linked into the program, so
// its own references would mean them, too; it would call them before there are private variables, in the middle of a
// move, and in a signal handler.
//
// So the build gives each libc function that the runtime uses a name of its own (cmake/BindToLibc.py). In dynamic
// programs that is a jump through a slot, as a call of a library's function always is; a slot is filled by its first
// call, with what comes next after the program: libc's, or that of a library which is preloaded. Static programs have
// one definition of each name, so there the runtime has its own of those that matter (own.cpp).
//
// malloc stays what it is for the program if the block is the program's, or came from a library that calls the
// program's malloc (base/program_heap.h).
//
// Rejected: a version in the reference (memcpy@GLIBC_2.14): definitions in a program have none, and match; own
// functions for all (a second libc, and slower copies); RTLD_DEEPBIND for a runtime in a shared object (it would see
// libc's variables, not the copies of them in the program).
//
// dlsym(RTLD_NEXT, ...) says what comes next, and to ask it for all of them took two fifths of the instructions of a
// program that does nothing. So this file looks in the libraries' tables itself, in the order of the loader's list, by
// the loader's rules (the gABI's hash table as GNU has it; a symbol whose version is not the default one does not
// count). This takes no lock and no memory, so the first call of a function may be in a handler of a signal, or in the
// child of a fork. Where it meets tables that it does not know, dlsym is asked, which takes locks, and then the first
// call of any function fills all slots.
#include <cstdint>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

namespace {

// Nothing here may call libc: the program may define what is called, and the runtime's own names lead to here.

bool same(const char *a, const char *b) {
  for (; *a == *b; ++a, ++b)
    if (!*a)
      return true;
  return false;
}

bool begins(const char *text, const char *with) {
  for (; *with; ++text, ++with)
    if (*text != *with)
      return false;
  return true;
}

/// The tables of one loaded library. Without constructors, so that an array of them costs nothing.
struct Library {
  uintptr_t base;
  const uint32_t *hash; ///< DT_GNU_HASH
  const ElfW(Sym) * symbols;
  const char *names;
  const ElfW(Half) * versions; ///< one for each symbol; none: the library has no versions

  /// False: they are not all there, or not as this file knows them.
  bool look(const link_map &map) {
    base = map.l_addr;
    hash = nullptr;
    symbols = nullptr;
    names = nullptr;
    versions = nullptr;
    offsets = false;
    for (const ElfW(Dyn) *entry = map.l_ld; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_GNU_HASH)
        take(*entry, hash);
      else if (entry->d_tag == DT_SYMTAB)
        take(*entry, symbols);
      else if (entry->d_tag == DT_STRTAB)
        take(*entry, names);
      else if (entry->d_tag == DT_VERSYM)
        take(*entry, versions);
    return hash && symbols && names && !offsets;
  }

  /// The symbol that the loader would find here; null if there is none.
  const ElfW(Sym) * find(const char *name, uint32_t wanted) const {
    const uint32_t buckets = hash[0], first = hash[1], words = hash[2], shift = hash[3];
    const auto *const filter = reinterpret_cast<const uint64_t *>(hash + 4);
    const auto *const bucket = reinterpret_cast<const uint32_t *>(filter + words);
    const uint32_t *const chain = bucket + buckets;
    const uint64_t bits = filter[wanted / 64 % words];
    if (!buckets || !(bits >> wanted % 64 & bits >> (wanted >> shift) % 64 & 1))
      return nullptr;
    for (uint32_t i = bucket[wanted % buckets]; i >= first; ++i) {
      const uint32_t hashed = chain[i - first];
      constexpr uint32_t last = 1;
      if ((hashed | last) == (wanted | last) && is_default(i) && same(names + symbols[i].st_name, name))
        return symbols + i;
      if (hashed & last)
        break;
    }
    return nullptr;
  }

private:
  bool offsets; ///< the loader has not made addresses of them, as it does where it can write to the section

  template <class Table> void take(const ElfW(Dyn) & entry, const Table *&table) {
    table = reinterpret_cast<const Table *>(entry.d_un.d_ptr);
    offsets |= entry.d_un.d_ptr < base;
  }
  /// Whether the library defines this symbol for those who ask for no version.
  bool is_default(uint32_t i) const {
    constexpr ElfW(Half) hidden = 0x8000;
    return symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_value && !(versions && versions[i] & hidden);
  }
};

/// What the loader has loaded behind the program, in the order in which it looks for names.
class Libraries {
public:
  void look() {
    count = 0;
    all_known = false;
    const link_map *map = nullptr;
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_DEBUG && entry->d_un.d_ptr)
        map = reinterpret_cast<const r_debug *>(entry->d_un.d_ptr)->r_map;
    if (!map)
      return;
    while ((map = map->l_next)) {
      if (begins(map->l_name, "linux-vdso"))
        continue; // the kernel's functions are in the list, and not among those that names are looked up in
      if (count == most || !all[count].look(*map))
        return;
      ++count;
    }
    all_known = true;
  }
  bool are_all_known() const { return all_known; }

  /// The function that comes next after the program; 0 where the loader has to say.
  uintptr_t find(const char *name, uint32_t hash) const {
    for (unsigned i = 0; i < count; ++i)
      if (const ElfW(Sym) *const symbol = all[i].find(name, hash)) {
        const uintptr_t address = all[i].base + symbol->st_value;
        if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
          return address;
        if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) // a function that returns the one for this processor
          return reinterpret_cast<uintptr_t (*)()>(address)();
        return 0;
      }
    return 0;
  }

private:
  static constexpr unsigned most = 64; // no name is looked for behind these, or behind one that is not known
  Library all[most];
  unsigned count;
  bool all_known;
};

} // namespace

extern "C" {

// These are generated, all in the same order; an empty name ends the last.
extern uintptr_t skein_libc_slots[] __attribute__((visibility("hidden")));
extern const uint32_t skein_libc_hashes[] __attribute__((visibility("hidden")));
extern const uint32_t skein_libc_offsets[] __attribute__((visibility("hidden"))); // of the names
extern const char skein_libc_names[] __attribute__((visibility("hidden")));

} // extern "C"

namespace {

void fill(const Libraries &libraries, unsigned number) {
  const char *const name = skein_libc_names + skein_libc_offsets[number];
  uintptr_t function = libraries.find(name, skein_libc_hashes[number]);
  if (!function)
    function = reinterpret_cast<uintptr_t>(dlsym(RTLD_NEXT, name));
  if (!function) {
    constexpr char text[] = "skein: the C library lacks a function that it had where Skein was built\n";
    [[maybe_unused]] const ssize_t written = write(2, text, sizeof text - 1);
    _exit(70);
  }
  __atomic_store_n(skein_libc_slots + number, function, __ATOMIC_RELAXED);
}

/// As they are at the first call. What a program loads later comes behind them, and they are never unloaded.
Libraries at_start;
bool at_start_claimed, at_start_seen;

} // namespace

extern "C" {

/// Called by the first call of a function. If another kernel thread calls it at the same time, or a handler in the
/// middle of it, all write the same.
__attribute__((visibility("hidden"), used)) void skein_libc_bind(uintptr_t *slot) {
  const auto number = static_cast<unsigned>(slot - skein_libc_slots);
  if (__atomic_load_n(&at_start_seen, __ATOMIC_ACQUIRE)) // pairs with the release below
    return fill(at_start, number);
  Libraries own; // for those who come while another is looking
  const bool claims = !__atomic_exchange_n(&at_start_claimed, true, __ATOMIC_RELAXED);
  Libraries &libraries = claims ? at_start : own;
  libraries.look();
  if (libraries.are_all_known())
    fill(libraries, number);
  else
    for (unsigned i = 0; skein_libc_names[skein_libc_offsets[i]]; ++i)
      fill(libraries, i);
  if (claims)
    __atomic_store_n(&at_start_seen, true, __ATOMIC_RELEASE);
}

} // extern "C"

// On entry r11 is the slot of the function that is called, and all else is as its caller left it.
__asm__(R"(
    .text
    .globl __skein_libc_first
    .hidden __skein_libc_first
    .type __skein_libc_first, @function
__skein_libc_first:
    .cfi_startproc
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rax
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %r11
    subq $128, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq %r11, %rdi
    call skein_libc_bind
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $128, %rsp
    popq %r11
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rax
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmpq *(%r11)
    .cfi_endproc
)");
