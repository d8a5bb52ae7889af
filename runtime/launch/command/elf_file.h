// A program or an object file of this machine: its bytes by section and by address, and its notes. libelf reads it.
#ifndef SKEIN_LAUNCH_COMMAND_ELF_FILE_H
#define SKEIN_LAUNCH_COMMAND_ELF_FILE_H

#include <cstdint>
#include <functional>
#include <gelf.h>
#include <optional>
#include <string>
#include <string_view>

namespace skein::launch {

/// Its functions throw a std::string about a file that cannot be read, is no such file, or is truncated.
class ElfFile {
public:
  explicit ElfFile(const std::string &path);
  ~ElfFile();
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  /// The section of that name, if there is one.
  std::optional<GElf_Shdr> section(std::string_view name) const;
  /// Whether `wanted` says so of one of the notes that end up in memory.
  bool any_note(const std::function<bool(std::string_view name, uint32_t type, std::string_view bytes)> &wanted) const;
  void copy(void *to, uint64_t offset, size_t count) const;
  /// The string at a virtual address, "?" if it is in no section of the file.
  std::string string_at(uint64_t address) const;
  /// The string at an offset in the file, "?" if the file ends before.
  std::string text_at(uint64_t offset) const;

private:
  int file_ = -1;
  Elf *elf_ = nullptr;
  std::string_view bytes_; // the whole file
};

} // namespace skein::launch

#endif
