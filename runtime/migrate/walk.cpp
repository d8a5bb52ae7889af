// Says why a stack cannot be walked, in names that a programmer knows.
//
// A frame without a record belongs to code that skeincc did not compile, mostly a C library function that calls back
// (qsort). The return address usually lies in a static function of the library that has no name. So the message takes
// the name from the other side: it looks up the stack for the next frame of the program and reads from the call
// instruction there what was called.
//
//      compare()           mapped
//      msort_with_tmp      foreign, nameless: `pc`
//      qsort_r, qsort      foreign
//      sort_names()        mapped: found by looking for words that are return addresses; the instruction before the
//                          return address is `call qsort@plt` or `call *qsort@GOT(%rip)`
#include "migrate/walk.h"

#include "migrate/modules.h"
#include "migrate/search.h"
#include "thread/deep.h"
#include "thread/function_name.h"
#include "thread/thread.h"

#include <dlfcn.h>
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

namespace skein {

FrameName frame_name(Frame frame) {
  FrameName name;
  const char *file = frame.function ? map_file(frame.function) : "";
  const char *function = frame.function ? map_name(frame.function) : "?";
  unsigned line = site_line({frame.function, frame.site});
  if (*file && line)
    snprintf(name.text, sizeof name.text, "`%.80s` (%.100s:%u)", function, file, line);
  else if (*file)
    snprintf(name.text, sizeof name.text, "`%.80s` (%.100s)", function, file);
  else
    snprintf(name.text, sizeof name.text, "`%.80s`", function);
  return name;
}

namespace {

const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// The address that an instruction with a displacement at its end, `end`, refers to.
uintptr_t relative_target(uintptr_t end) {
  int32_t displacement;
  memcpy(&displacement, (const void *)(end - sizeof displacement), sizeof displacement);
  return end + (uintptr_t)(intptr_t)displacement;
}

// The function that the call instruction ending at `pc` calls through the linkage table; 0: it is no such call.
uintptr_t called_through_table(uintptr_t pc, const Module &program) {
  if (!program.is_code(pc - 6, 6))
    return 0;
  uintptr_t slot = 0;
  auto *call = (const unsigned char *)(pc - 6);
  if (call[0] == 0xff && call[1] == 0x15) { // call *slot(%rip)
    slot = relative_target(pc);
  } else if (call[1] == 0xe8) { // call entry of the table
    uintptr_t entry = relative_target(pc);
    if (!program.is_code(entry, 10))
      return 0;
    if (memcmp((const void *)entry, "\xf3\x0f\x1e\xfa", 4) == 0) // endbr64
      entry += 4;
    auto *jump = (const unsigned char *)entry;
    if (jump[0] != 0xff || jump[1] != 0x25) // jmp *slot(%rip)
      return 0;
    slot = relative_target(entry + 6);
  }
  if (slot % 8 != 0 || !program.contains(slot) || !program.contains(slot + 7))
    return 0;
  return *(const uintptr_t *)slot;
}

// The next frame of the program above `from`, as far as words that look like return addresses tell: they are in the
// code of a function with maps, or follow a call through the linkage table.
struct Caller {
  char text[240];
  uintptr_t called; // the function it calls, if that can be read
};
bool find_caller(const MapIndex &maps, const StackView &stack, uintptr_t from, const Module &program, Caller &caller) {
  constexpr unsigned words_max = 16384;
  for (unsigned i = 0; i < words_max && stack.holds(from, 8); ++i, from += 8) {
    uintptr_t pc = stack.read(from) + (uintptr_t)stack.code_delta;
    if (!program.contains(pc) || pc == stack.bottom)
      continue;
    Frame frame;
    Site site = maps.find_site(pc);
    frame.site = site.number;
    frame.function = site ? site.function : maps.find_function(pc);
    bool returns_here = frame.function != nullptr && pc != map_entry(frame.function);
    caller.called = called_through_table(pc, program);
    if (!returns_here && caller.called == 0)
      continue;
    if (returns_here) {
      snprintf(caller.text, sizeof caller.text, "%s", frame_name(frame).text);
    } else {
      char name[160];
      snprintf(caller.text, sizeof caller.text, "`%s`", function_name(pc - 1, name, sizeof name));
    }
    return true;
  }
  return false;
}

} // namespace

bool on_deep_stack(const Thread &thread, Refusal &why) {
  const DeepStack deep = deep_containing(thread.sp);
  if (deep.low == nullptr)
    return why.set(SKEIN_EPINNED, "it was suspended on a deep stack");
  const DeepEntry &entry = deep_entry(deep);
  const MapIndex &maps = program_maps();
  Frame frame;
  uintptr_t pc = ((const uintptr_t *)entry.caller_frame)[1];
  Site site = maps.find_site(pc);
  frame.site = site.number;
  frame.function = site ? site.function : maps.find_function(pc);
  char caller[240], name[160];
  if (frame.function != nullptr)
    snprintf(caller, sizeof caller, "%s", frame_name(frame).text);
  else
    snprintf(caller, sizeof caller, "`%s`", function_name(pc - 1, name, sizeof name));
  Dl_info info = {};
  if (!program_module().contains(entry.target) && dladdr((void *)entry.target, &info) != 0 && info.dli_sname)
    return why.set(SKEIN_EPINNED, "a foreign frame is on its stack: %.100s in %.60s, called by %s", info.dli_sname,
                   base_name(info.dli_fname), caller);
  return why.set(
      SKEIN_EPINNED,
      "a foreign frame is on its stack: `%s`, which was not compiled to run on a stack that grows, called by %s",
      function_name(entry.target, name, sizeof name), caller);
}

namespace detail {

bool foreign_frame(const MapIndex &maps, const StackView &stack, uintptr_t frame_sp, uintptr_t pc, Frame callee,
                   Refusal &why) {
  why.unknown_code = true;
  if (program_maps_refusal() && &maps == &program_maps()) {
    why.set(program_maps_refusal().code, "%s", program_maps_refusal().text);
    return false;
  }
  const Module &program = program_module();
  if (const skein_function_map *function = maps.find_function(pc)) {
    Frame frame;
    frame.function = function;
    return why.set(SKEIN_EPINNED, "%s is in a call that was not compiled to migrate", frame_name(frame).text);
  }

  Dl_info info = {};
  bool known = dladdr((void *)pc, &info) != 0;
  const char *symbol = known ? info.dli_sname : nullptr;
  const char *file = known && info.dli_fname ? base_name(info.dli_fname) : nullptr;
  Caller caller;
  bool called = find_caller(maps, stack, frame_sp, program, caller);
  Dl_info outer = {};
  if (called && !program.contains(pc) && caller.called != 0 && dladdr((void *)caller.called, &outer) != 0 &&
      outer.dli_sname) {
    symbol = outer.dli_sname;
    file = base_name(outer.dli_fname);
  }

  char where[240];
  char name[160];
  if (program.contains(pc))
    snprintf(where, sizeof where, "`%s`, which was not compiled to migrate", function_name(pc - 1, name, sizeof name));
  else if (symbol)
    snprintf(where, sizeof where, "%.100s in %.60s", symbol, file);
  else if (file)
    snprintf(where, sizeof where, "a function of %.100s", file);
  else
    snprintf(where, sizeof where, "code at %#zx", (size_t)pc);
  if (called)
    return why.set(SKEIN_EPINNED, "a foreign frame is on its stack: %s, called by %s", where, caller.text);
  if (callee.function)
    return why.set(SKEIN_EPINNED, "a foreign frame is on its stack: %s, which called %s", where,
                   frame_name(callee).text);
  return why.set(SKEIN_EPINNED, "a foreign frame is on its stack: %s", where);
}

bool pin_is_of_words(unsigned reason) {
  return reason == SKEIN_PIN_UNPROVED || reason == SKEIN_PIN_LOST_LOCAL || reason == SKEIN_PIN_ADDRESS_INTEGER ||
         reason == SKEIN_PIN_INLINE_ASM || reason == SKEIN_PIN_TOO_LARGE || reason == SKEIN_PIN_SAME;
}

bool pinned_site(Frame frame, Refusal &why) {
  return why.set(SKEIN_EPINNED, "%s cannot move: %s", frame_name(frame).text,
                 skein_pin_text(site_facts({frame.function, frame.site}).pin));
}

bool broken_frame(Frame frame, const char *what, Refusal &why) {
  return why.set(SKEIN_EPINNED, "the stack contradicts the frame maps: %s %s", frame_name(frame).text, what);
}

bool broken_switch_frame(Refusal &why) {
  return why.set(SKEIN_EPINNED, "the stack has no switch frame where its stack pointer says");
}

// --- memory without a type -------------------------------------------------------------------------------------------

Typeless::Typeless(const StackView &stack, uintptr_t at, size_t count)
    : stack(stack),
      by_byte(count >= block && (stack.others_move || any_address((const unsigned char *)(at + stack.bias), count,
                                                                  stack.sp, stack.high + 1))) {}

// Without a tag, what may be an address has zeroes in its two highest bytes, and not in both of the two below.
size_t Typeless::blocks(uintptr_t at, size_t left) const {
  typedef unsigned char Bytes __attribute__((vector_size(16), aligned(1), may_alias));
  typedef uint64_t Words __attribute__((vector_size(16)));
  constexpr size_t step = sizeof(Bytes);
  static_assert(block == 2 * step);
  auto *first = (const unsigned char *)(at + (uintptr_t)stack.bias);
  auto candidates = [](const unsigned char *from) {
    auto byte = [&](unsigned which) { return *(const Bytes *)(from + which); };
    return (Bytes)((byte(6) | byte(7)) == 0) & (Bytes)((byte(4) | byte(5)) != 0);
  };
  size_t skipped = 0;
  for (; left - skipped >= block; skipped += block) {
    const Words found = (Words)(candidates(first + skipped) | candidates(first + skipped + step));
    if ((found[0] | found[1]) != 0)
      break;
  }
  return skipped;
}

} // namespace detail

} // namespace skein
