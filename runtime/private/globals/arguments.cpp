// The arguments of main; see arguments.h.
#include "private/globals/arguments.h"

#include "abi/entry_points.h"
#include "base/node.h"

#include <cstring>
#include <getopt.h>

namespace skein {

namespace {

struct Arguments {
  uint64_t words; // that follow, null pointers included
  char *option_argument;
  int32_t option_index, option_errors, option, reserved;
  uint64_t text_bytes, text_sum; // behind the words, as the system gave them
};

uintptr_t home; // of main's copy, on the node where it began

const Extent *arguments_of(const Thread &thread) {
  for (uint32_t i = 0; thread.owned && i < thread.owned->count; i++)
    if (thread.owned->extents[i].kind == ExtentKind::arguments)
      return &thread.owned->extents[i];
  return nullptr;
}

size_t count_of(char **list) {
  size_t count = 0;
  while (list && list[count])
    count++;
  return count;
}

size_t bytes_of(char **list, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += strlen(list[i]) + 1;
  return bytes;
}

const char *texts_of(const Arguments &header) {
  return reinterpret_cast<const char *>(&header + 1) + header.words * sizeof(char *);
}

uint64_t sum_of(const char *text, size_t bytes) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325); // FNV-1a
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ static_cast<unsigned char>(text[i])) * UINT64_C(0x100000001b3);
  return sum;
}

/// Copies the texts to `text`, their addresses and a null to `word`; both go on behind.
char **copy_list(char **list, size_t count, char **&word, char *&text) {
  char **begin = word;
  for (size_t i = 0; i < count; i++) {
    const size_t bytes = strlen(list[i]) + 1;
    memcpy(text, list[i], bytes);
    *word++ = text;
    text += bytes;
  }
  *word++ = nullptr;
  return begin;
}

} // namespace

void arguments_copy(Thread &main, int argc, char **&argv, char **&envp) {
  const size_t arguments = static_cast<size_t>(argc), variables = count_of(envp);
  const size_t words = arguments + variables + 2;
  const size_t bytes =
      sizeof(Arguments) + words * sizeof(char *) + bytes_of(argv, arguments) + bytes_of(envp, variables);
  const Extent *extent = extent_add(main, ExtentKind::arguments, bytes);
  if (!extent)
    return;
  home = extent->begin;
  auto *header = reinterpret_cast<Arguments *>(home);
  header->words = words;
  auto **word = reinterpret_cast<char **>(header + 1);
  char *text = reinterpret_cast<char *>(word + words);
  argv = copy_list(argv, arguments, word, text);
  envp = copy_list(envp, variables, word, text);
  header->text_bytes = bytes - words * sizeof(char *) - sizeof(Arguments);
  header->text_sum = sum_of(texts_of(*header), header->text_bytes);
}

bool arguments_stay(const Extent &extent) { return extent.kind == ExtentKind::arguments && extent.begin == home; }

void arguments_note(const Thread &thread) {
  if (const Extent *extent = arguments_of(thread)) {
    auto *header = reinterpret_cast<Arguments *>(extent->begin);
    header->option_argument = optarg;
    header->option_index = optind;
    header->option_errors = opterr;
    header->option = optopt;
  }
}

void arguments_restore(const Thread &thread) {
  if (const Extent *extent = arguments_of(thread)) {
    const auto *header = reinterpret_cast<const Arguments *>(extent->begin);
    optarg = header->option_argument;
    optind = header->option_index;
    opterr = header->option_errors;
    optopt = header->option;
  }
}

bool arguments_pointer(const Extent &extent, size_t offset) {
  if (offset == offsetof(Arguments, option_argument))
    return true;
  const uint64_t words = reinterpret_cast<const Arguments *>(extent.begin)->words;
  return offset >= sizeof(Arguments) && offset % sizeof(char *) == 0 &&
         (offset - sizeof(Arguments)) / sizeof(char *) < words;
}

bool arguments_text_as_given(const Extent &extent, size_t offset) {
  const auto *header = reinterpret_cast<const Arguments *>(extent.begin);
  const char *texts = texts_of(*header);
  const char *at = reinterpret_cast<const char *>(extent.begin) + offset;
  return at >= texts && at + sizeof(char *) <= texts + header->text_bytes &&
         sum_of(texts, header->text_bytes) == header->text_sum;
}

} // namespace skein

using namespace skein;

extern "C" void __skein_options_read(int result) {
  Thread *self = thread_current();
  // Only main has an extent in which getopt's variables move along.
  if (self && node.count > 1)
    self->reads_options = result != -1 || !arguments_of(*self);
}
