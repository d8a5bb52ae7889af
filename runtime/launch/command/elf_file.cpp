#include "launch/command/elf_file.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace skein::launch {

ElfFile::ElfFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw "cannot read " + path;
  bytes_.assign(std::istreambuf_iterator<char>(file), {});
  Elf64_Ehdr header;
  if (bytes_.size() < sizeof header || memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0 || bytes_[EI_CLASS] != ELFCLASS64)
    throw path + " is not a 64-bit ELF program";
  memcpy(&header, bytes_.data(), sizeof header);
  for (unsigned i = 0; i < header.e_shnum; i++) {
    Elf64_Shdr section;
    copy(&section, header.e_shoff + uint64_t{i} * header.e_shentsize, sizeof section);
    sections_.push_back(section);
  }
  if (header.e_shstrndx < sections_.size())
    names_ = sections_[header.e_shstrndx].sh_offset;
}

const Elf64_Shdr *ElfFile::section(const char *name) const {
  for (const Elf64_Shdr &section : sections_)
    if (text_at(names_ + section.sh_name) == name)
      return &section;
  return nullptr;
}

uint64_t ElfFile::bytes_in(const char *beginning, bool code) const {
  uint64_t bytes = 0;
  for (const Elf64_Shdr &section : sections_)
    if ((section.sh_flags & SHF_ALLOC) && !(section.sh_flags & SHF_EXECINSTR) == !code &&
        text_at(names_ + section.sh_name).compare(0, strlen(beginning), beginning) == 0)
      bytes += section.sh_size;
  return bytes;
}

void ElfFile::copy(void *to, uint64_t offset, size_t count) const {
  if (offset > bytes_.size() || count > bytes_.size() - offset)
    throw std::string("the file is truncated");
  memcpy(to, bytes_.data() + offset, count);
}

std::string ElfFile::string_at(uint64_t address) const {
  for (const Elf64_Shdr &section : sections_)
    if ((section.sh_flags & SHF_ALLOC) && section.sh_type != SHT_NOBITS && address - section.sh_addr < section.sh_size)
      return text_at(section.sh_offset + (address - section.sh_addr));
  return "?";
}

std::string ElfFile::text_at(uint64_t offset) const {
  if (offset >= bytes_.size())
    return "?";
  const char *text = bytes_.data() + offset;
  return {text, strnlen(text, bytes_.size() - offset)};
}

} // namespace skein::launch
