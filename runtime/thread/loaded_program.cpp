// See loaded_program.h.
#include "thread/loaded_program.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein {

LoadedProgram::LoadedProgram() {
  // The program is shown first.
  dl_iterate_phdr(
      [](dl_phdr_info *first, size_t, void *to) {
        *static_cast<dl_phdr_info *>(to) = *first;
        return 1;
      },
      &info);
}

bool LoadedProgram::holds(uintptr_t address) const {
  for (int i = 0; i < info.dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - bias() - segment.p_vaddr < segment.p_memsz)
      return true;
  }
  return false;
}

ProgramFile::ProgramFile() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  struct stat status;
  if (fstat(file, &status) == 0) {
    void *mapped = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
      data = static_cast<const char *>(mapped);
      size = static_cast<size_t>(status.st_size);
    }
  }
  close(file);
  if (!data || !holds(0, sizeof(ElfW(Ehdr))))
    return;
  const auto *header = reinterpret_cast<const ElfW(Ehdr) *>(data);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      !holds(header->e_shoff, uint64_t{header->e_shnum} * sizeof(ElfW(Shdr))))
    return;
  headers = reinterpret_cast<const ElfW(Shdr) *>(data + header->e_shoff);
  count = header->e_shnum;
  names = header->e_shstrndx;
}

ProgramFile::~ProgramFile() {
  if (data)
    munmap(const_cast<char *>(data), size);
}

const ElfW(Shdr) * ProgramFile::section(const char *name) const {
  const size_t length = std::strlen(name) + 1;
  for (unsigned i = 0; i < count; i++) {
    const ElfW(Shdr) &section = headers[i];
    if (names < count && holds(headers[names].sh_offset + section.sh_name, length) &&
        std::memcmp(at(headers[names].sh_offset + section.sh_name), name, length) == 0)
      return section.sh_type != SHT_NOBITS && !(section.sh_flags & SHF_COMPRESSED) &&
                     holds(section.sh_offset, section.sh_size)
                 ? &section
                 : nullptr;
  }
  return nullptr;
}

} // namespace skein
