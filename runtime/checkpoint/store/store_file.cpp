// Opens a node's file and checks it; see store_file.h.
#include "checkpoint/store/store_file.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace skein::store {

namespace {

using Number = unsigned long long; // for printf

bool all_zeros(const void *bytes, size_t count) {
  const auto *at = static_cast<const char *>(bytes);
  return std::all_of(at, at + count, [](char byte) { return byte == 0; });
}

} // namespace

bool Fault::set(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (bytes)
    vsnprintf(text, bytes, format, arguments);
  va_end(arguments);
  return false;
}

bool Fault::set_system(const char *path, const char *what, int error) {
  if (error == ENOSPC || error == EDQUOT)
    return set("%s: cannot be %s: the disk is full (%s)", path, what, strerrordesc_np(error));
  if (error == ENODATA)
    return set("%s: cannot be %s: it ends too early", path, what);
  const char *reason = strerrordesc_np(error);
  return set("%s: cannot be %s: %s", path, what, reason ? reason : "unknown error");
}

bool path_beside(const char *path, const char *name, char (&to)[name_max + 1]) {
  const char *slash = strrchr(path, '/');
  const size_t folder = *name == '/' || !slash ? 0 : static_cast<size_t>(slash + 1 - path), bytes = strlen(name);
  if (folder + bytes >= sizeof to)
    return false;
  memcpy(to, path, folder);
  memcpy(to + folder, name, bytes + 1);
  return true;
}

void StoreFile::close() {
  if (file >= 0)
    system(SYS_close, file);
  file = -1;
}

bool StoreFile::read_header(const char *from, Fault &fault) {
  path = from;
  // Not to wait for somebody to open the other end of a pipe.
  const long opened = system(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (opened < 0)
    return fault.set_system(path, "opened", static_cast<int>(-opened));
  file = static_cast<int>(opened);
  struct stat what;
  if (const long error = system(SYS_newfstatat, file, "", &what, AT_EMPTY_PATH); error < 0)
    return fault.set_system(path, "looked at", static_cast<int>(-error));
  if (!S_ISREG(what.st_mode))
    return fault.set("%s: is no file", path);
  const auto bytes = static_cast<uint64_t>(what.st_size);
  const size_t there = static_cast<size_t>(std::min<uint64_t>(bytes, sizeof header));
  header = {};
  if (const int error = read_all(file, &header, there, 0))
    return fault.set_system(path, "read", error);
  if (all_zeros(&header, sizeof header))
    return fault.set("%s: is not complete: it was still being written when the run ended", path);
  if (memcmp(header.magic, store_magic, std::min(there, sizeof header.magic)) != 0)
    return fault.set("%s: is not a node's checkpoint", path);
  if (there < sizeof header)
    return fault.set("%s: is cut off: %llu bytes are less than its header", path, Number{bytes});
  if (header.version != store_version)
    return fault.set("%s: has format %u, and this Skein knows format %u", path, header.version, store_version);
  if (!header_is_whole(header))
    return fault.set("%s: is damaged: its header", path);
  if (header.bytes != bytes)
    return fault.set("%s: %s: it has %llu bytes, and had %llu", path,
                     bytes < header.bytes ? "is cut off" : "has been appended to", Number{bytes}, Number{header.bytes});
  // Whoever changes a header can also make its digest right.
  uint64_t left = bytes;
  const auto take = [&left](uint64_t count) { return count <= left && ((left -= count), true); };
  if (header.sealed > 1 || header.zero != 0 || (header.sealed != 0) != (header.key_id != 0) ||
      header.tail_at < first_chunk_at || header.holders > holders_max || header.head_bytes > head_max ||
      header.chunks > bytes / sizeof(StoreEntry) || !take(header.tail_at) || !take(header.holders_bytes) ||
      !take(header.chunks * sizeof(StoreEntry)) || !take(header.head_bytes) || left != 0 ||
      header.holders_bytes > holders_max * (holder_bytes + name_max))
    return fault.set("%s: is damaged: the sizes in its header", path);
  return true;
}

bool StoreFile::read_holders(Fault &fault) {
  const auto bytes = static_cast<size_t>(header.holders_bytes);
  auto *text = memory_.get<uint8_t>(bytes);
  holders = memory_.get<Holder>(header.holders);
  if (!text || !holders)
    return fault.set("%s: no memory for the names of %u files", path, header.holders);
  if (const int error = read_all(file, text, bytes, header.tail_at))
    return fault.set_system(path, "read", error);
  uint8_t digest[tag_bytes];
  digest_bytes(header.digest_key, header.id, text, bytes, digest);
  if (memcmp(digest, header.holders_digest, sizeof digest) != 0)
    return fault.set("%s: is damaged: the names of the files that it needs", path);
  size_t at = 0;
  for (uint32_t i = 0; i < header.holders; i++) {
    StoreHolder holder;
    bool right = bytes - at >= holder_bytes;
    if (right) {
      memcpy(holder.id, text + at, id_bytes);
      memcpy(&holder.name_bytes, text + at + id_bytes, sizeof holder.name_bytes);
      at += holder_bytes;
      right = holder.name_bytes > 0 && holder.name_bytes <= name_max && bytes - at >= holder.name_bytes &&
              !memchr(text + at, 0, holder.name_bytes) && text[at] != '/';
    }
    if (!right)
      return fault.set("%s: is damaged: the name of a file that it needs", path);
    memcpy(holders[i].id, holder.id, id_bytes);
    memcpy(holders[i].name, text + at, holder.name_bytes);
    at += holder.name_bytes;
  }
  return at == bytes || fault.set("%s: is damaged: bytes behind the names of the files that it needs", path);
}

bool StoreFile::open(const char *from, Fault &fault) { return read_header(from, fault) && read_holders(fault); }

bool StoreFile::open_holder(const char *from, const uint8_t *id, const uint8_t *key, Fault &fault) {
  if (!read_header(from, fault))
    return false;
  if (memcmp(header.id, id, id_bytes) != 0)
    return fault.set("%s: has been replaced by another file, and what it held is needed", path);
  return check_key(key, fault);
}

bool StoreFile::check_key(const uint8_t *key, Fault &fault) const {
  if (!key)
    return !header.sealed || fault.set("%s: is sealed, and there is no key", path);
  if (!header.sealed)
    return fault.set("%s: is not sealed, though there is a key; who put it there is not known", path);
  if (header.key_id != key_id_of(key))
    return fault.set("%s: is sealed with another key", path);
  return header_is_genuine(key, header) || fault.set("%s: is damaged or forged: the seal of its header", path);
}

bool StoreFile::check_entries(Fault &fault) const {
  uint64_t last = 0;
  for (uint64_t i = 0; i < header.chunks; i++) {
    const StoreEntry &entry = entries[i];
    const size_t tag = header.sealed ? tag_bytes : 0, data = data_bytes(entry);
    bool right = entry.address % chunk_bytes == 0 && entry.address < address_end && (i == 0 || entry.address > last) &&
                 entry.there != 0 && (entry.data & ~entry.there) == 0 && all_zeros(entry.zero, sizeof entry.zero) &&
                 entry.coding <= Coding::zstd && entry.holder <= header.holders;
    if (data == 0)
      right = right && entry.stored == 0 && entry.offset == 0 && entry.holder == 0 && entry.coding == Coding::raw;
    else
      right = right && entry.stored > tag && entry.stored - tag <= data &&
              (entry.coding == Coding::zstd || entry.stored - tag == data) && entry.offset >= first_chunk_at &&
              entry.offset <= INT64_MAX && // and in this file before its tail
              (entry.holder != 0 || (entry.offset <= header.tail_at && header.tail_at - entry.offset >= entry.stored));
    if (!right)
      return fault.set("%s: is damaged: entry %llu of its index", path, Number{i});
    last = entry.address;
  }
  return true;
}

bool StoreFile::read_tail(const uint8_t *key, Fault &fault) {
  const auto index_bytes = static_cast<size_t>(header.chunks * sizeof(StoreEntry));
  const auto head_bytes = static_cast<size_t>(header.head_bytes);
  entries = memory_.get<StoreEntry>(header.chunks);
  head = memory_.get(head_bytes);
  if (!entries || !head)
    return fault.set("%s: no memory for its index of %zu bytes", path, index_bytes + head_bytes);
  const uint64_t index_at = header.tail_at + header.holders_bytes;
  int error = read_all(file, entries, index_bytes, index_at);
  if (!error)
    error = read_all(file, head, head_bytes, index_at + index_bytes);
  if (error)
    return fault.set_system(path, "read", error);
  const auto open_one = [&](Part part, void *bytes, size_t count, const uint8_t *tag) {
    uint8_t digest[tag_bytes];
    if (key)
      return open_part(key, header.id, part, bytes, count, tag);
    digest_bytes(header.digest_key, header.id, bytes, count, digest);
    return memcmp(digest, tag, sizeof digest) == 0;
  };
  const char *how = key ? "damaged or forged" : "damaged";
  if (!open_one(Part::index, entries, index_bytes, header.index_tag))
    return fault.set("%s: is %s: its index", path, how);
  if (!open_one(Part::head, head, head_bytes, header.head_tag))
    return fault.set("%s: is %s: its head", path, how);
  return check_entries(fault);
}

} // namespace skein::store
