// The running program as its file has it: for names that are not loaded. Usable in a signal handler: nothing here
// allocates or takes a lock.
#ifndef SKEIN_THREAD_LOADED_PROGRAM_H
#define SKEIN_THREAD_LOADED_PROGRAM_H

#include <cstddef>
#include <cstdint>
#include <link.h>

namespace skein {

/// Where the program is loaded.
class LoadedProgram {
public:
  LoadedProgram();
  /// What is added to an address of the file.
  uintptr_t bias() const { return info.dlpi_addr; }
  bool holds(uintptr_t address) const;

private:
  dl_phdr_info info = {};
};

/// The program's file, mapped for a scope. Without a file, or with a damaged one, it has no section.
class ProgramFile {
public:
  ProgramFile();
  ~ProgramFile();
  ProgramFile(const ProgramFile &) = delete;
  ProgramFile &operator=(const ProgramFile &) = delete;

  unsigned section_count() const { return count; }
  const ElfW(Shdr) * sections() const { return headers; }
  /// Whether the file has that many bytes there.
  bool holds(uint64_t offset, uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
  const char *at(uint64_t offset) const { return data + offset; }

  /// The section of that name, if all of it is in the file, not compressed; else null.
  const ElfW(Shdr) * section(const char *name) const;

private:
  const char *data = nullptr;
  size_t size = 0;
  const ElfW(Shdr) *headers = nullptr;
  unsigned count = 0;
  unsigned names = 0; // the section that has their names
};

} // namespace skein

#endif
