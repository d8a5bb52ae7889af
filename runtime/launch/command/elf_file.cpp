#include "launch/command/elf_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace skein::launch {

ElfFile::ElfFile(const std::string &path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0)
    throw "cannot read " + path + ": " + strerror(errno);
  elf_version(EV_CURRENT);
  elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
  if (elf_ && elf_kind(elf_) == ELF_K_ELF && gelf_getclass(elf_) == ELFCLASS64) {
    size_t size = 0;
    if (const char *bytes = elf_rawfile(elf_, &size))
      bytes_ = {bytes, size};
  }
  if (!bytes_.empty())
    return;
  elf_end(elf_);
  close(file_);
  throw path + " is not a 64-bit ELF program";
}

ElfFile::~ElfFile() {
  elf_end(elf_);
  close(file_);
}

std::optional<GElf_Shdr> ElfFile::section(std::string_view name) const {
  // A table of sections that lies beyond the end looks to libelf as if there were none.
  size_t names = 0;
  GElf_Ehdr head;
  GElf_Shdr header;
  if (!gelf_getehdr(elf_, &head) || elf_getshdrstrndx(elf_, &names) != 0 ||
      head.e_shoff + uint64_t{head.e_shnum} * head.e_shentsize > bytes_.size())
    throw std::string("the file is truncated");
  for (Elf_Scn *each = nullptr; (each = elf_nextscn(elf_, each));)
    if (gelf_getshdr(each, &header))
      if (const char *own = elf_strptr(elf_, names, header.sh_name); own && own == name)
        return header;
  return std::nullopt;
}

bool ElfFile::any_note(
    const std::function<bool(std::string_view name, uint32_t type, std::string_view bytes)> &wanted) const {
  size_t parts = 0;
  elf_getphdrnum(elf_, &parts);
  for (size_t i = 0; i < parts; i++) {
    GElf_Phdr part;
    if (!gelf_getphdr(elf_, static_cast<int>(i), &part) || part.p_type != PT_NOTE)
      continue;
    Elf_Data *notes = elf_getdata_rawchunk(elf_, static_cast<int64_t>(part.p_offset), part.p_filesz, ELF_T_NHDR);
    GElf_Nhdr note;
    size_t name, bytes;
    for (size_t at = 0, next; notes && (next = gelf_getnote(notes, at, &note, &name, &bytes)) > 0; at = next) {
      const char *start = static_cast<const char *>(notes->d_buf);
      if (wanted({start + name, strnlen(start + name, note.n_namesz)}, note.n_type, {start + bytes, note.n_descsz}))
        return true;
    }
  }
  return false;
}

void ElfFile::copy(void *to, uint64_t offset, size_t count) const {
  if (offset > bytes_.size() || count > bytes_.size() - offset)
    throw std::string("the file is truncated");
  memcpy(to, bytes_.data() + offset, count);
}

std::string ElfFile::string_at(uint64_t address) const {
  GElf_Shdr header;
  for (Elf_Scn *each = nullptr; (each = elf_nextscn(elf_, each));)
    if (gelf_getshdr(each, &header) && (header.sh_flags & SHF_ALLOC) && header.sh_type != SHT_NOBITS &&
        address - header.sh_addr < header.sh_size)
      return text_at(header.sh_offset + (address - header.sh_addr));
  return "?";
}

std::string ElfFile::text_at(uint64_t offset) const {
  if (offset >= bytes_.size())
    return "?";
  const std::string_view rest = bytes_.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

} // namespace skein::launch
