// Checks and adjusts the exceptions of a thread that moves; see exception_words.h.
#include "migrate/exception_words.h"

#include "base/program_heap.h"
#include "os/linux/process_memory.h"
#include "private/library/exceptions.h"

#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// From the C++ library, if the program is linked with it.
extern "C" char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status) __attribute__((weak));

namespace skein {

namespace {

// Reads a word of memory that may not be mapped.
bool read_word(uintptr_t at, uintptr_t &word) { return process_read(getpid(), at, &word, sizeof word) == 0; }

// The mangled name of a type; null for an object that is still being made.
const char *mangled_name(const void *type) {
  struct TypeInfo {
    const void *vtable;
    const char *name;
  };
  if (type == nullptr)
    return nullptr;
  const char *name = ((const TypeInfo *)type)->name;
  return *name == '*' ? name + 1 : name;
}

// The type of the object; a dependent exception has that of the exception it depends on.
const void *type_of(ExceptionBlock &block) {
  const void *first = block.header()->type;
  return block.dependent && first != nullptr ? ((const ExceptionHeader *)first)[-1].type : first;
}

struct TypeName {
  char text[200];
};
[[gnu::cold]] TypeName exception_name(ExceptionBlock &block) {
  TypeName to;
  const char *mangled = mangled_name(type_of(block));
  int status = 0;
  char *readable = mangled != nullptr && __cxa_demangle ? __cxa_demangle(mangled, nullptr, nullptr, &status) : nullptr;
  snprintf(to.text, sizeof to.text, "the exception it throws or handles, of type `%.150s`,",
           readable  ? readable
           : mangled ? mangled
                     : "?");
  __skein_program_free(readable);
  return to;
}

bool leads_to_vtable(uintptr_t value, const void *type) {
  uintptr_t in_front;
  return type != nullptr && value % sizeof(uintptr_t) == 0 && module_containing(value) != nullptr &&
         read_word(value - sizeof(uintptr_t), in_front) && in_front == (uintptr_t)type;
}

// Notes which words of the object are pointers, as far as this process can tell.
void note_pointers(ExceptionBlock &block) {
  if (block.dependent)
    return; // it has no object
  const void *type = block.header()->type;
  const char *name = mangled_name(type);
  if (name == nullptr)
    return;
  if (*name == 'P' || *name == 'M') // a pointer; a member pointer, whose first word may be a function
    block.pointers |= 1;
  const auto *words = (const uintptr_t *)block.object();
  for (unsigned i = 0; i < block.bytes / sizeof(uintptr_t) && i < ExceptionBlock::words_known; ++i)
    if (leads_to_vtable(words[i], type))
      block.pointers |= UINT64_C(1) << i;
}

// Calls visit(word, ambiguous) for each word of the block that may be an address, until it returns false.
template <typename Visit> bool each_word(ExceptionBlock &block, Visit visit) {
  ExceptionHeader &header = *block.header();
  void *pointers[] = {&header.type,     &header.destroy, &header.unexpected, &header.terminate,
                      &header.next,     &header.action,  &header.tables,     &header.catch_temporary,
                      &header.adjusted, &header.cleanup, &header.stop,       &header.handler};
  for (void *pointer : pointers)
    if (!visit(*(uintptr_t *)pointer, false))
      return false;
  auto *words = (uintptr_t *)block.object();
  for (uint64_t i = 0; i < block.bytes / sizeof(uintptr_t); ++i) {
    bool known = i < ExceptionBlock::words_known && (block.pointers >> i & 1) != 0;
    if (!visit(words[i], !known))
      return false;
  }
  return true;
}

} // namespace

void exceptions_note(const Thread &thread) {
  exceptions_each(thread, [](ExceptionBlock &block) { note_pointers(block); });
}

bool check_exceptions(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why) {
  exceptions_note(thread);
  // An exception of another language, or one from before main, has its memory elsewhere.
  const ExceptionGlobals *globals = exception_globals(thread);
  bool fine = globals == nullptr ||
              check_value((uintptr_t)globals->caught, thread, false, used, why, "the list of exceptions it handles");
  exceptions_each(thread, [&](ExceptionBlock &block) {
    fine = fine && each_word(block, [&](uintptr_t word, bool ambiguous) {
             ++counts.words;
             return check_value(word, thread, ambiguous, used, why, [&] { return exception_name(block); });
           });
  });
  return fine;
}

static const Range *moving(const RangeTable &ranges, uintptr_t word) {
  const Range *range = word == 0 ? nullptr : ranges.find(word);
  return range != nullptr && range->delta != 0 ? range : nullptr;
}

bool exceptions_adjustable(const Thread &thread, const RangeTable &ranges, Refusal &why) {
  bool fine = true;
  exceptions_each(thread, [&](ExceptionBlock &block) {
    fine = fine && each_word(block, [&](uintptr_t word, bool ambiguous) {
             const Range *range = ambiguous ? moving(ranges, word) : nullptr;
             // The type is not named, since its type_info may lie elsewhere in this process.
             return range == nullptr ||
                    why.set(SKEIN_EPINNED,
                            "an exception it throws or handles has a word that may be a pointer or an integer and "
                            "holds an address of %s (%#zx)",
                            range == ranges.ranges ? "its own stack" : "the program or a library", (size_t)word);
           });
  });
  return fine;
}

void exceptions_adjust(const Thread &thread, const RangeTable &ranges, MoveCounts &counts) {
  exceptions_each(thread, [&](ExceptionBlock &block) {
    each_word(block, [&](uintptr_t &word, bool ambiguous) {
      const Range *range = ambiguous ? nullptr : moving(ranges, word);
      if (range != nullptr) {
        word += (uintptr_t)range->delta;
        ++counts.pointers;
      }
      return true;
    });
  });
}

} // namespace skein
