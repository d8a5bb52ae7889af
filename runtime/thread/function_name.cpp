// Names of functions; see function_name.h.
#include "thread/function_name.h"

#include "abi/frame_map.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
extern const char __start_skein_maps[] __attribute__((weak, visibility("hidden")));
extern const char __stop_skein_maps[] __attribute__((weak, visibility("hidden")));
}

namespace skein {

namespace {

struct Program {
  uintptr_t base = 0; // the load address minus what the file says
  uintptr_t address = 0;
  bool holds = false;
};

/// dl_iterate_phdr shows the program first.
int look_at_program(dl_phdr_info *info, size_t, void *context) {
  auto *program = static_cast<Program *>(context);
  program->base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && program->address - info->dlpi_addr - segment.p_vaddr < segment.p_memsz)
      program->holds = true;
  }
  return 1; // no other
}

/// The program's own file, mapped for a scope.
struct ProgramFile {
  const char *data = nullptr;
  size_t size = 0;

  ProgramFile() {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0)
      return;
    if (fstat(file, &status) == 0) {
      void *at = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) {
        data = static_cast<const char *>(at);
        size = static_cast<size_t>(status.st_size);
      }
    }
    close(file);
  }
  ~ProgramFile() {
    if (data)
      munmap(const_cast<char *>(data), size);
  }
  ProgramFile(const ProgramFile &) = delete;
  ProgramFile &operator=(const ProgramFile &) = delete;

  bool holds(uint64_t offset, uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
};

/// Finds the symbol of that type around an address of the program, in its file.
bool symbol_in_program_file(uintptr_t address, unsigned type, char *to, size_t bytes);

} // namespace

const char *function_name_in_maps(uintptr_t program_counter) {
  for (const char *at = __start_skein_maps; at < __stop_skein_maps;) {
    auto *map = reinterpret_cast<const skein_function_map *>(at);
    if (map->version != SKEIN_ABI_VERSION || map->size < sizeof *map)
      return nullptr; // it is damaged, or of another version: what follows cannot be read either
    const uintptr_t entry = reinterpret_cast<uintptr_t>(&map->entry) + static_cast<uintptr_t>(intptr_t{map->entry});
    if (program_counter - entry < map->code_size)
      return reinterpret_cast<const char *>(&map->name) + map->name;
    at += map->size;
  }
  return nullptr;
}

static const char *name_in_library(uintptr_t program_counter) {
  Dl_info info;
  void *entry = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(program_counter), &info, &entry, RTLD_DL_SYMENT) || !info.dli_sname ||
      !info.dli_saddr || !entry)
    return nullptr;
  // For a function that is not exported, the one before it is found, too.
  const uintptr_t offset = program_counter - reinterpret_cast<uintptr_t>(info.dli_saddr);
  const auto *symbol = static_cast<const ElfW(Sym) *>(entry);
  return symbol->st_size == 0 || offset < symbol->st_size ? info.dli_sname : nullptr;
}

bool library_name(uintptr_t program_counter, char *to, size_t bytes) {
  Program program;
  program.address = program_counter;
  dl_iterate_phdr(look_at_program, &program);
  Dl_info info;
  if (program.holds || !dladdr(reinterpret_cast<void *>(program_counter), &info) || !info.dli_fname)
    return false;
  const char *slash = std::strrchr(info.dli_fname, '/');
  std::snprintf(to, bytes, "%s", slash ? slash + 1 : info.dli_fname);
  return true;
}

bool variable_name(uintptr_t address, char *to, size_t bytes) {
  return symbol_in_program_file(address, STT_OBJECT, to, bytes);
}

namespace {

bool symbol_in_program_file(uintptr_t address, unsigned type, char *to, size_t bytes) {
  Program program;
  program.address = address;
  dl_iterate_phdr(look_at_program, &program);
  if (!program.holds)
    return false;
  ProgramFile file;
  if (!file.data || !file.holds(0, sizeof(ElfW(Ehdr))))
    return false;
  auto *header = reinterpret_cast<const ElfW(Ehdr) *>(file.data);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      !file.holds(header->e_shoff, uint64_t{header->e_shnum} * sizeof(ElfW(Shdr))))
    return false;
  auto *sections = reinterpret_cast<const ElfW(Shdr) *>(file.data + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    const ElfW(Shdr) &table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum || !file.holds(table.sh_offset, table.sh_size))
      continue;
    const ElfW(Shdr) &names = sections[table.sh_link];
    if (!file.holds(names.sh_offset, names.sh_size))
      continue;
    auto *symbols = reinterpret_cast<const ElfW(Sym) *>(file.data + table.sh_offset);
    for (size_t s = 0; s < table.sh_size / sizeof *symbols; s++) {
      const ElfW(Sym) &symbol = symbols[s];
      const uintptr_t offset = address - program.base - symbol.st_value;
      if (ELF64_ST_TYPE(symbol.st_info) != type || offset >= symbol.st_size || symbol.st_name >= names.sh_size)
        continue;
      const char *name = file.data + names.sh_offset + symbol.st_name;
      const int length = static_cast<int>(strnlen(name, names.sh_size - symbol.st_name));
      if (type == STT_OBJECT && offset != 0)
        std::snprintf(to, bytes, "%.*s+%zu", length, name, static_cast<size_t>(offset));
      else
        std::snprintf(to, bytes, "%.*s", length, name);
      return true;
    }
  }
  return false;
}

} // namespace

const char *function_name(uintptr_t program_counter, char *to, size_t bytes) {
  const char *name = function_name_in_maps(program_counter);
  if (!name && symbol_in_program_file(program_counter, STT_FUNC, to, bytes))
    return to;
  // This comes last, since of a program's functions it knows only exported ones, and gives the one before for any
  // other.
  if (!name)
    name = name_in_library(program_counter);
  std::snprintf(to, bytes, "%s", name ? name : "(unknown)");
  return to;
}

} // namespace skein
