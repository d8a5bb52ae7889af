// Names of functions; see function_name.h.
#include "thread/function_name.h"

#include "abi/frame_map.h"
#include "thread/loaded_program.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

extern "C" {
extern const char __start_skein_maps[] __attribute__((weak, visibility("hidden")));
extern const char __stop_skein_maps[] __attribute__((weak, visibility("hidden")));
}

namespace skein {

namespace {

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
  Dl_info info;
  if (LoadedProgram().holds(program_counter) || !dladdr(reinterpret_cast<void *>(program_counter), &info) ||
      !info.dli_fname)
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
  const LoadedProgram program;
  if (!program.holds(address))
    return false;
  const ProgramFile file;
  const ElfW(Shdr) *sections = file.sections();
  for (unsigned i = 0; i < file.section_count(); i++) {
    const ElfW(Shdr) &table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= file.section_count() ||
        !file.holds(table.sh_offset, table.sh_size))
      continue;
    const ElfW(Shdr) &names = sections[table.sh_link];
    if (!file.holds(names.sh_offset, names.sh_size))
      continue;
    auto *symbols = reinterpret_cast<const ElfW(Sym) *>(file.at(table.sh_offset));
    for (size_t s = 0; s < table.sh_size / sizeof *symbols; s++) {
      const ElfW(Sym) &symbol = symbols[s];
      const uintptr_t offset = address - program.bias() - symbol.st_value;
      if (ELF64_ST_TYPE(symbol.st_info) != type || offset >= symbol.st_size || symbol.st_name >= names.sh_size)
        continue;
      const char *name = file.at(names.sh_offset + symbol.st_name);
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
