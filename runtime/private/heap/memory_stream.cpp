// open_memstream on the private heap: a stream that moves with the thread that opened it.
//
// libc's would keep the thread on its node in three ways: the FILE and the text are blocks of the process's heap, and
// the library goes on writing to two variables of the caller. This one is a block of the private heap,
//
//     | MemoryStream: where the text is | FILE, as fopencookie made it |
//
// with a FILE that libc knows nothing of: it is copied from one that fopencookie returned, its pointers into itself are
// adjusted, and it is taken off libc's list of streams, which would lead from node to node. What else it holds are
// addresses of libc and of the runtime. It has no buffer, so the text and the two variables are right after each call,
// and nothing is lost when libc does not flush it. libc must not close it, which would free it: skein_fclose does.
//
// Rejected: to keep the thread until fclose (a compiler that writes its whole output to such a stream would stay for
// most of its life).
#include "abi/entry_points.h"
#include "base/log.h"
#include "base/program_heap.h"
#include "private/regions/regions.h"

#include <skein/heap.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/types.h>

extern "C" void _IO_un_link(void *file); // of glibc

namespace skein {

namespace {

struct alignas(16) MemoryStream {
  char **text;
  size_t *bytes;
  size_t room = 0; // of the text, without its last byte
  size_t at = 0;   // where the next byte goes, which is also the end: seeking back cuts the text off, as with glibc's

  FILE *file() { return reinterpret_cast<FILE *>(this + 1); }

  bool make_room(size_t wanted) {
    if (wanted <= room && *text)
      return true;
    const size_t more = wanted < 2 * room ? 2 * room : wanted;
    auto *larger = static_cast<char *>(skein_realloc(*text, more + 1));
    if (!larger)
      return false;
    std::memset(larger + room, 0, more + 1 - room);
    *text = larger;
    room = more;
    return true;
  }
};

ssize_t write_text(void *cookie, const char *from, size_t bytes) {
  auto &stream = *static_cast<MemoryStream *>(cookie);
  if (!stream.make_room(stream.at + bytes)) {
    errno = ENOMEM;
    return 0; // fopencookie(3): never -1
  }
  std::memcpy(*stream.text + stream.at, from, bytes);
  stream.at += bytes;
  *stream.bytes = stream.at;
  return static_cast<ssize_t>(bytes);
}

int seek_text(void *cookie, off64_t *offset, int whence) {
  auto &stream = *static_cast<MemoryStream *>(cookie);
  const off64_t to = (whence == SEEK_SET ? 0 : static_cast<off64_t>(stream.at)) + *offset;
  if (to < 0) {
    errno = EINVAL;
    return -1;
  }
  stream.at = static_cast<size_t>(to);
  *offset = to;
  return 0;
}

/// A FILE in memory of its own, of `bytes`, instead of one that libc made. Its words that lead into itself follow.
void move_file(FILE *from, FILE *to, size_t bytes) {
  _IO_un_link(from);
  std::memcpy(to, from, bytes);
  const auto begin = reinterpret_cast<uintptr_t>(from);
  for (size_t at = 0; at + sizeof(uintptr_t) <= bytes; at += sizeof(uintptr_t)) {
    auto *word = reinterpret_cast<uintptr_t *>(reinterpret_cast<char *>(to) + at);
    if (*word - begin < bytes)
      *word += reinterpret_cast<uintptr_t>(to) - begin;
  }
  // What the block held before it was a FILE is still between its members. With the flags it may look like an address.
  const auto clear = [to](size_t first, size_t last) {
    std::memset(reinterpret_cast<char *>(to) + first, 0, last - first);
  };
  clear(offsetof(FILE, _flags) + sizeof to->_flags, offsetof(FILE, _IO_read_ptr));
  clear(offsetof(FILE, _shortbuf) + sizeof to->_shortbuf, offsetof(FILE, _lock));
  __skein_program_free(from);
}

} // namespace

} // namespace skein

using namespace skein;

FILE *skein_open_memstream(char **text, size_t *bytes) {
  constexpr size_t file_most = 512, text_first = 120;
  void *block = skein_malloc(sizeof(MemoryStream) + file_most);
  if (!block)
    return nullptr;
  auto *stream = new (block) MemoryStream{text, bytes};
  *text = nullptr;
  *bytes = 0;
  FILE *made =
      stream->make_room(text_first) ? fopencookie(stream, "w", {nullptr, write_text, seek_text, nullptr}) : nullptr;
  if (!made) {
    skein_free(*text);
    skein_free(block);
    return nullptr;
  }
  setvbuf(made, nullptr, _IONBF, 0);
  const size_t vtable_cookie_functions_lock = 64;
  const size_t size = __skein_program_malloc_usable_size ? __skein_program_malloc_usable_size(made)
                                                         : sizeof(FILE) + vtable_cookie_functions_lock;
  SKEIN_ASSERT(size <= file_most, "libc's FILE takes %zu bytes", size);
  move_file(made, stream->file(), size);
  __skein_address_stored(text, &stream->text);
  __skein_address_stored(bytes, &stream->bytes);
  return stream->file();
}

int skein_fclose(FILE *file) {
  if (!in_private_range(reinterpret_cast<uintptr_t>(file)))
    return fclose(file);
  auto *stream = reinterpret_cast<MemoryStream *>(file) - 1;
  const int result = fflush(file) | (stream->make_room(stream->at) ? 0 : EOF);
  if (result == 0)
    (*stream->text)[stream->at] = 0;
  *stream->bytes = stream->at;
  skein_free(stream);
  return result;
}
