// The search in .eh_frame_hdr; see function_begin.h. The format is that of the Linux Standard Base:
//
//     version 1 | 3 encodings | address of .eh_frame | count | count times (begin of a function, its entry in
//     .eh_frame)
//
// Addresses in the table are 32-bit distances from its header, as all linkers write them; with any other encoding the
// answer is unknown. An entry holds the length of its function behind its begin, in the encoding that x86-64 and
// AArch64 use for code of less than 2 GiB. An entry that does not repeat its begin there is in another encoding.
#include "migrate/function_begin.h"
#include "migrate/modules.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

namespace skein {

namespace {

struct TableHeader {
  uint8_t version, frame_encoding, count_encoding, table_encoding;
  int32_t frame;
  uint32_t count;
};
struct TableEntry {
  int32_t begin, frame;
};
// The beginning of an entry in .eh_frame.
struct FrameEntry {
  uint32_t bytes, common;
  int32_t begin;
  uint32_t code_bytes;
};

constexpr uint8_t plain_4 = 0x03, relative_4 = 0x1b, to_header_4 = 0x3b;

bool begins(const unsigned char *table, uintptr_t address) {
  TableHeader header;
  memcpy(&header, table, sizeof header);
  if (header.version != 1 || header.frame_encoding != relative_4 || header.count_encoding != plain_4 ||
      header.table_encoding != to_header_4)
    return true;
  const auto base = (uintptr_t)table;
  auto *entries = (const TableEntry *)(table + sizeof header);
  uint32_t low = 0, high = header.count; // search for the first function that begins behind the address
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (base + (uintptr_t)(intptr_t)entries[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return true;
  const TableEntry &found = entries[low - 1];
  const uintptr_t begin = base + (uintptr_t)(intptr_t)found.begin;
  if (begin == address)
    return true;
  const uintptr_t at = base + (uintptr_t)(intptr_t)found.frame;
  FrameEntry frame;
  memcpy(&frame, (const void *)at, sizeof frame);
  if (at + offsetof(FrameEntry, begin) + (uintptr_t)(intptr_t)frame.begin != begin)
    return true;
  return address - begin >= frame.code_bytes;
}

} // namespace

bool begins_function(uintptr_t address) {
  // Many threads in a row begin with the same function, so the latest one is remembered. If its library is unloaded
  // meanwhile, threads that use it are lost in any case.
  static __thread uintptr_t latest;
  if (address == latest)
    return true;
  const Module *module = module_containing(address);
  if (module == nullptr || !module->is_code(address, 1))
    return false;
  dl_find_object object;
  if (_dl_find_object((void *)address, &object) == 0 && object.dlfo_eh_frame != nullptr &&
      !begins((const unsigned char *)object.dlfo_eh_frame, address))
    return false;
  latest = address;
  return true;
}

} // namespace skein
