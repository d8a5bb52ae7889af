// The runtime's libc is libc, whatever functions the program defines.
//
// A program may define memcpy, strlen, read, calloc: names that the C standard, or only POSIX, reserves, and which libc
// itself does not call by these names. They are compiled like the rest of the program: they use private variables,
// count their calls, abort when they do not like one, are migration points. The runtime is linked into the program, so
// its own references would mean them, too; it would call them before there are private variables, in the middle of a
// move, and in a signal handler.
//
// So the build gives each libc function that the runtime uses a name of its own (cmake/BindToLibc.py). In dynamic
// programs that is a jump through a slot, as a call of a library's function always is; all slots are filled by the
// first call, with what comes next after the program: libc's, or that of a library which is preloaded. Static programs
// have one definition of each name, so there the runtime has its own of those that matter (own.cpp).
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
// count). Where it does not find a name, or meets what it does not know, dlsym is asked.
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

/// The tables of one loaded library.
struct Library {
  uintptr_t base = 0;
  const uint32_t *hash = nullptr; ///< DT_GNU_HASH
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Half) *versions = nullptr; ///< one for each symbol; none: the library has no versions

  Library() = default;
  explicit Library(const link_map &map) : base(map.l_addr) {
    for (const ElfW(Dyn) *entry = map.l_ld; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_GNU_HASH)
        take(*entry, hash);
      else if (entry->d_tag == DT_SYMTAB)
        take(*entry, symbols);
      else if (entry->d_tag == DT_STRTAB)
        take(*entry, names);
      else if (entry->d_tag == DT_VERSYM)
        take(*entry, versions);
  }
  bool is_known() const { return hash && symbols && names && !offsets; }

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
  bool offsets = false; ///< the loader has not made addresses of them, as it does where it can write to the section

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
  Libraries() {
    const link_map *map = nullptr;
    for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_DEBUG && entry->d_un.d_ptr)
        map = reinterpret_cast<const r_debug *>(entry->d_un.d_ptr)->r_map;
    if (!map)
      return;
    while ((map = map->l_next) && count < most) {
      if (begins(map->l_name, "linux-vdso"))
        continue; // the kernel's functions are in the list, and not among those that names are looked up in
      all[count] = Library(*map);
      if (!all[count].is_known())
        return;
      ++count;
    }
  }

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
  unsigned count = 0;
};

} // namespace

extern "C" {

// These are generated, all in the same order; an empty name ends the last.
extern uintptr_t skein_libc_slots[] __attribute__((visibility("hidden")));
extern const uint32_t skein_libc_hashes[] __attribute__((visibility("hidden")));
extern const char skein_libc_names[] __attribute__((visibility("hidden")));

/// Called by the first call of any function, since no slot is filled yet. If another kernel thread calls it at the same
/// time, both write the same.
__attribute__((visibility("hidden"), used)) void skein_libc_bind() {
  const Libraries libraries;
  const char *name = skein_libc_names;
  const uint32_t *hash = skein_libc_hashes;
  for (uintptr_t *slot = skein_libc_slots; *name; slot++) {
    uintptr_t function = libraries.find(name, *hash++);
    if (!function)
      function = reinterpret_cast<uintptr_t>(dlsym(RTLD_NEXT, name));
    if (!function) {
      constexpr char text[] = "skein: the C library lacks a function that it had where Skein was built\n";
      [[maybe_unused]] const ssize_t written = write(2, text, sizeof text - 1);
      _exit(70);
    }
    __atomic_store_n(slot, function, __ATOMIC_RELAXED);
    while (*name++)
      ;
  }
}
}

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
