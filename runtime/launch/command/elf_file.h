// A program or an object file of this machine, as bytes that are found by section or by address.
#ifndef SKEIN_LAUNCH_COMMAND_ELF_FILE_H
#define SKEIN_LAUNCH_COMMAND_ELF_FILE_H

#include <cstdint>
#include <elf.h>
#include <string>
#include <vector>

namespace skein::launch {

/// Its functions throw a std::string about a file that cannot be read, is no such file, or is truncated.
class ElfFile {
public:
  explicit ElfFile(const std::string &path);

  /// The section of that name, or null.
  const Elf64_Shdr *section(const char *name) const;
  /// The bytes of all sections that end up in memory, are code or not, and have a name with this beginning.
  uint64_t bytes_in(const char *beginning, bool code) const;
  void copy(void *to, uint64_t offset, size_t count) const;
  /// The string at a virtual address, "?" if it is in no section of the file.
  std::string string_at(uint64_t address) const;
  /// The string at an offset in the file, "?" if the file ends before.
  std::string text_at(uint64_t offset) const;

private:
  std::vector<char> bytes_;
  std::vector<Elf64_Shdr> sections_;
  uint64_t names_ = 0;
};

} // namespace skein::launch

#endif
