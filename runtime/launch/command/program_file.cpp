// Whether a command is the file of a Skein program that can be asked to fork the nodes of a run: its runtime leaves a
// note in it (launch/start_fork.cpp). A script, or a program that starts another one, has no such note, and then each
// node is started by itself.
#include "launch/command/child.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

namespace skein::launch {

namespace {

/// The file that execvp would start. Empty: there is none.
std::string found_in_path(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return name;
  const char *path = getenv("PATH");
  const std::string folders = path ? path : "/bin:/usr/bin";
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string folder = folders.substr(at, end - at);
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0)
      return file;
    at = end + 1;
  }
  return "";
}

bool read_at(int file, void *to, size_t bytes, uint64_t offset) {
  return pread(file, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

/// Whether one of the notes says that the program forks, in this version.
bool note_says_so(const std::vector<char> &notes) {
  size_t at = 0;
  Elf64_Nhdr note;
  while (at + sizeof note <= notes.size()) {
    memcpy(&note, &notes[at], sizeof note);
    const size_t name = at + sizeof note, data = name + ((note.n_namesz + size_t{3}) & ~size_t{3});
    uint32_t version;
    if (data + note.n_descsz > notes.size() || data + note.n_descsz < data)
      return false;
    if (note.n_type == bootstrap::note_forks && note.n_namesz == sizeof SKEIN_NOTE_NAME &&
        memcmp(&notes[name], SKEIN_NOTE_NAME, sizeof SKEIN_NOTE_NAME) == 0 && note.n_descsz == sizeof version) {
      memcpy(&version, &notes[data], sizeof version);
      return version == bootstrap::version;
    }
    at = data + ((note.n_descsz + size_t{3}) & ~size_t{3});
  }
  return false;
}

bool file_says_so(int file) {
  constexpr uint64_t notes_most = 64 << 10;
  Elf64_Ehdr header;
  if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  for (unsigned i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr part;
    if (!read_at(file, &part, sizeof part, header.e_phoff + i * sizeof part))
      return false;
    if (part.p_type != PT_NOTE || part.p_filesz > notes_most)
      continue;
    std::vector<char> notes(part.p_filesz);
    if (read_at(file, notes.data(), notes.size(), part.p_offset) && note_says_so(notes))
      return true;
  }
  return false;
}

} // namespace

bool can_fork(const Launch &launch) {
  const int file = open(found_in_path(launch.command[0]).c_str(), O_RDONLY | O_CLOEXEC);
  const bool says_so = file >= 0 && file_says_so(file);
  if (file >= 0)
    close(file);
  return says_so;
}

} // namespace skein::launch
