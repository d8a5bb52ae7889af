// The copies of private variables; see globals.h.
#include "private/globals/globals.h"

#include "abi/frame_map.h"
#include "abi/private_globals.h"
#include "arch/x86_64/segment.h"
#include "base/log.h"
#include "base/node.h"
#include "os/linux/memory.h"
#include "private/globals/views.h"
#include "private/library/kernel_threads.h"
#include "private/paging/paging.h"
#include "private/regions/extents.h"
#include "private/regions/regions.h"
#include "thread/function_name.h"
#include "thread/overflow.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

extern "C" {
/// Null in a static program that defines malloc.
void *__libc_malloc(size_t) __attribute__((weak));

// The linker script's; null in a program that was linked without it, such as a unit test.
extern std::byte __skein_template[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_words[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_words_end[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_thread[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_thread_words[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_zero[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_thread_end[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_initialised[] __attribute__((weak, visibility("hidden")));
extern std::byte __skein_template_end[] __attribute__((weak, visibility("hidden")));

extern const std::byte __start_skein_privates[] __attribute__((weak, visibility("hidden")));
extern const std::byte __stop_skein_privates[] __attribute__((weak, visibility("hidden")));
extern const int32_t __start_skein_private_words[] __attribute__((weak, visibility("hidden")));
extern const int32_t __stop_skein_private_words[] __attribute__((weak, visibility("hidden")));
extern const skein_private_biased_word __start_skein_private_biased[] __attribute__((weak, visibility("hidden")));
extern const skein_private_biased_word __stop_skein_private_biased[] __attribute__((weak, visibility("hidden")));
extern const skein_private_use __start_skein_private_uses[] __attribute__((weak, visibility("hidden")));
extern const skein_private_use __stop_skein_private_uses[] __attribute__((weak, visibility("hidden")));
}

namespace skein {

namespace {

uintptr_t template_begin, template_end;
std::byte *image; // the template as the program was loaded, without what begins as zero
size_t image_bytes;
/// A page of what begins as zero, with what was stored there before the runtime began: by a function that finds the
/// address of an ifunc, say, or by one in .preinit_array.
struct EarlyPage {
  size_t offset; // in the template
  const std::byte *contents;
};
EarlyPage *early_pages;
size_t early_count;
uintptr_t nowhere;                      // as large as the template
uintptr_t main_copy;                    // made before there was a thread to own it
std::atomic<uintptr_t> main_segment{0}; // gs for main while it is here, 0 while it is not
std::atomic<bool> main_ended{false};    // here
std::atomic<bool> after_run{false};     // exit handlers run, or are about to

/// Bytes of the template, and of each copy; 0: the program has no private variables.
size_t globals_bytes() { return template_end - template_begin; }

/// Bytes of a copy in front of the initialised part.
size_t open_bytes() { return static_cast<size_t>(__skein_template_initialised - __skein_template); }

/// The thread-local variables, in whole pages; none: no bytes.
ViewPart thread_part() {
  return {static_cast<size_t>(__skein_template_thread - __skein_template),
          static_cast<size_t>(__skein_template_thread_end - __skein_template_thread)};
}

void protect_initialised(uintptr_t copy, int protection) {
  if (open_bytes() != globals_bytes())
    mprotect(reinterpret_cast<void *>(copy + open_bytes()), globals_bytes() - open_bytes(), protection);
}

bool in_template(uintptr_t address) { return address - template_begin < template_end - template_begin; }
bool in_nowhere(uintptr_t address) { return address - nowhere < template_end - template_begin; }

const std::byte *target(const int32_t *field) { return reinterpret_cast<const std::byte *>(field) + *field; }

/// Call function(map, offset in the template) for each variable until it returns true.
template <class Function> void each_variable(Function &&function) {
  for (const std::byte *at = __start_skein_privates; at != __stop_skein_privates;) {
    const auto *map = reinterpret_cast<const skein_private_map *>(at);
    if (function(*map, static_cast<size_t>(target(&map->variable) - __skein_template)))
      return;
    at += sizeof *map + map->group_count * sizeof(skein_private_words);
  }
}

const char *variable_at(size_t offset) { return globals_word(offset).variable; }

/// Where the variables are: the thread-local ones in `own`, all others in `shared`.
struct Copies {
  uintptr_t own, shared;
};

/// An address in the template, stored at `word`, becomes one in a copy. Others (a weak variable that nobody defines, a
/// constant that turned out not to be private) stay.
void lead_into_copy(std::byte *word, const Copies &copies) {
  uintptr_t value;
  std::memcpy(&value, word, sizeof value);
  // One past the end of the last variable is an address in the template, too.
  const size_t offset = value - template_begin;
  if (offset > template_end - template_begin)
    return;
  const ViewPart own = thread_part();
  value = (offset - own.offset < own.bytes ? copies.own : copies.shared) + offset;
  std::memcpy(word, &value, sizeof value);
}

/// Gives this part of `copies.own` what it begins with.
void fill(const Copies &copies, const ViewPart &part) {
  auto *to = reinterpret_cast<std::byte *>(copies.own);
  if (part.offset < image_bytes)
    std::memcpy(to + part.offset, image + part.offset, std::min(part.bytes, image_bytes - part.offset));
  for (const EarlyPage *early = early_pages; early != early_pages + early_count; early++)
    if (early->offset - part.offset < part.bytes)
      std::memcpy(to + early->offset, early->contents, page_bytes());
  const auto lead = [&](const std::byte *word) {
    if (const auto offset = static_cast<size_t>(word - __skein_template); offset - part.offset < part.bytes)
      lead_into_copy(to + offset, copies);
  };
  for (const std::byte *word = __skein_template_words; word != __skein_template_words_end; word += sizeof(uintptr_t))
    lead(word);
  for (const std::byte *word = __skein_template_thread_words; word != __skein_template_zero; word += sizeof(uintptr_t))
    lead(word);
  for (const int32_t *field = __start_skein_private_words; field != __stop_skein_private_words; field++)
    lead(target(field));
  for (const skein_private_biased_word *biased = __start_skein_private_biased; biased != __stop_skein_private_biased;
       biased++) {
    const auto offset = static_cast<size_t>(target(&biased->word) - __skein_template);
    if (offset - part.offset >= part.bytes)
      continue;
    const auto add = [&](int64_t added) {
      int64_t value;
      std::memcpy(&value, to + offset, sizeof value);
      value += added;
      std::memcpy(to + offset, &value, sizeof value);
    };
    add(-biased->added);
    lead_into_copy(to + offset, copies);
    add(biased->added);
  }
}

void fill(uintptr_t copy, size_t bytes) { fill({copy, copy}, {0, bytes}); }

/// Calls function(offset) for each page of the template, from this one on, that is not zero. Pages that nobody has
/// touched are not looked at.
template <class Function> void each_early_page(size_t from, Function &&function) {
  unsigned char touched[4096];
  const size_t page = page_bytes();
  for (size_t count; from < globals_bytes(); from += count * page) {
    count = std::min(sizeof touched, (globals_bytes() - from) / page);
    memory_touched(__skein_template + from, count, touched);
    for (size_t i = 0; i < count; i++) {
      const size_t offset = from + i * page;
      if (touched[i] && !memory_is_zero(__skein_template + offset, page))
        function(offset);
    }
  }
}

/// Puts aside what was stored in the pages of the template from this one on. False: out of memory.
bool keep_early_pages(size_t from) {
  each_early_page(from, [](size_t) { early_count++; });
  if (early_count == 0)
    return true;
  const size_t page = page_bytes(), table = round_up(early_count * sizeof(EarlyPage), page);
  auto *at = static_cast<std::byte *>(memory_allocate(table + early_count * page));
  if (!at)
    return false;
  early_pages = reinterpret_cast<EarlyPage *>(at);
  at += table;
  EarlyPage *next = early_pages;
  each_early_page(from, [&](size_t offset) {
    std::memcpy(at, __skein_template + offset, page);
    *next++ = {offset, at};
    at += page;
  });
  return true;
}

/// Ends the program if a unit uses a variable as private that another unit defines for the process: it would read at a
/// meaningless address.
void check_uses() {
  const skein_private_use *wrong = nullptr;
  unsigned count = 0;
  for (const skein_private_use *use = __start_skein_private_uses; use != __stop_skein_private_uses; use++) {
    const auto address = reinterpret_cast<uintptr_t>(use->variable);
    if (!address || in_template(address))
      continue;
    if (!wrong)
      wrong = use;
    count++;
  }
  if (!wrong)
    return;
  char others[48] = "";
  if (count > 1)
    std::snprintf(others, sizeof others, " (and %u more like it)", count - 1);
  fatal("variable `%s` is private to each thread in %s, but its definition belongs to the process, since it is in a "
        "unit or library compiled without -fskein-globals=private, or const%s: compile the definition with it, declare "
        "the variable const if it is, or declare it in a unit compiled without",
        wrong->name, wrong->unit, others);
}

void make_copy(Thread &thread) {
  if (thread.segment != segment_nowhere)
    return;
  Extent *extent = extent_add(thread, ExtentKind::globals, globals_bytes());
  if (!extent)
    fatal("no memory for the private globals of thread %s (%zu KiB)", thread_name(thread.id).text,
          globals_bytes() >> 10);
  extent->bytes = open_bytes();
  fill(extent->begin, open_bytes()); // extent_add has attached it
}

/// The copy of the thread that started the running kernel thread of the program's own.
uintptr_t hosts_copy() {
  const Private *host = kernel_thread_host();
  return host->globals ? reinterpret_cast<uintptr_t>(host->globals) : main_copy;
}

bool view_for_kernel_thread() {
  if (view_mine() || thread_part().bytes == 0)
    return false;
  const Copies copies = {view_make(hosts_copy(), globals_bytes()), hosts_copy()};
  if (!copies.own || !memory_open(reinterpret_cast<void *>(copies.own + thread_part().offset), thread_part().bytes))
    fatal("no memory for the thread-local variables of a kernel thread (%zu KiB)", thread_part().bytes >> 10);
  fill(copies, thread_part());
  segment_load(copies.own - template_begin);
  return true;
}

/// The running thread touches its private globals for the first time, or a signal handler of the program touches
/// main's. In the SIGSEGV handler.
bool repair(uintptr_t address) {
  if (!nowhere || !in_nowhere(address))
    return false;
  if (!skein_processor)
    return kernel_thread_host() && view_for_kernel_thread();
  Thread *thread = skein_processor->current;
  if (thread && thread->id != main_id && address - nowhere >= open_bytes())
    return false;
  if (!thread) {
    const uintptr_t segment = main_segment.load(std::memory_order_relaxed);
    if (segment)
      processor_set_segment(*skein_processor, segment);
    return segment != 0;
  }
  make_copy(*thread);
  processor_set_segment(*skein_processor, thread->segment);
  return true;
}

/// Explains a fault that has to do with private variables, and says whether it is one. That of an exit handler ends the
/// process as other failures of the runtime do, since it is no error of the program to be looked for in a core.
bool explain(uintptr_t address, uintptr_t program_counter) {
  const bool foreign = in_template(address);
  const Thread *thread = thread_current();
  const uintptr_t segment = thread ? thread->segment : view_mine() ? view_mine() - template_begin : segment_nowhere;
  const bool own = segment != segment_nowhere && in_template(address - segment);
  if (!nowhere || (!foreign && !own && !in_nowhere(address)))
    return false;
  const size_t offset = address - (foreign ? template_begin : own ? template_begin + segment : nowhere);
  const char *variable = variable_at(offset);
  char function[160];
  function_name(program_counter, function, sizeof function);
  Dl_info info{};
  const char *file = dladdr(reinterpret_cast<void *>(program_counter), &info) && info.dli_fname ? info.dli_fname : "?";
  if (foreign)
    log("variable `%s` is private to each thread, but %s in %s was compiled without knowing: compile it with "
        "-fskein-globals=private, or declare the variable SKEIN_PRIVATE there, too",
        variable ? variable : "?", function, file);
  else if (offset >= open_bytes() && (thread ? thread->id != main_id : own))
    log("variable `%s` is initialised by code that runs before main, in main's copy; %s%s uses its own in %s: make it "
        "thread_local, or initialise it in the thread",
        variable ? variable : "?", thread ? "thread " : "a kernel thread", thread ? thread_name(thread->id).text : "",
        function);
  else if (!thread && after_run.load(std::memory_order_relaxed))
    fatal(
        "variable `%s` is private to each Skein thread, and %s in %s uses main's while the process ends; but main is, "
        "or ended, on another node, and could not come home with it (skein_error_text says why after "
        "skein_push_self(0))",
        variable ? variable : "?", function, file);
  else
    log("variable `%s` is private to each Skein thread, but %s in %s uses it where none runs, or in a signal handler "
        "while main is elsewhere",
        variable ? variable : "?", function, file);
  return true;
}

} // namespace

bool globals_wanted() {
  return +__skein_template != +__skein_template_end || +__start_skein_private_uses != +__stop_skein_private_uses;
}

bool globals_for_kernel_thread(Thread *host, uintptr_t &segment) {
  segment = 0;
  if (!nowhere)
    return true;
  if (host) {
    make_copy(*host);
    processor_set_segment(*skein_processor, host->segment);
  }
  segment = host ? host->segment : main_copy - template_begin;
  const ViewPart own = thread_part();
  if (own.bytes == 0)
    return true;
  const uintptr_t copy = segment + template_begin;
  segment = segment_nowhere;
  if (const Extent *extent = host ? extent_containing(*host, copy) : nullptr) {
    paging_wait(host->id);
    paging_ends(*extent); // once views have been made of it, it goes along in one piece
  }
  const size_t behind = own.offset + own.bytes, end = copy == main_copy ? globals_bytes() : open_bytes();
  return view_share(copy, {{0, own.offset}, {behind, end - behind}});
}

void globals_kernel_thread_end() {
  if (!view_mine())
    return;
  segment_load(segment_nowhere);
  view_end();
}

void globals_unshare(const Thread &thread) {
  if (thread.owned && thread.owned->globals)
    view_unshare(reinterpret_cast<uintptr_t>(thread.owned->globals));
}

bool globals_of_main(uintptr_t address) { return main_copy && address - main_copy < globals_bytes(); }
bool globals_main_here() { return main_segment.load(std::memory_order_relaxed) != 0; }

void globals_start() {
  template_begin = reinterpret_cast<uintptr_t>(__skein_template);
  template_end = reinterpret_cast<uintptr_t>(__skein_template_end);
  check_uses();
  const size_t bytes = globals_bytes();
  if (!bytes)
    return;
  segment_start();
  const size_t page = page_bytes();
  image_bytes = static_cast<size_t>(__skein_template_zero - __skein_template);
  const size_t image_pages = round_up(image_bytes, page);
  // A static program with a malloc of its own keeps the template, with the blocks that the C library has taken from it
  // already. Its heap begins anew in main's copy.
  const bool closes = __libc_malloc;
  if (closes)
    image_bytes = image_pages;
  nowhere = reinterpret_cast<uintptr_t>(memory_reserve(bytes));
  auto *copy = static_cast<std::byte *>(region_acquire(bytes));
  if (image_pages)
    image = static_cast<std::byte *>(memory_allocate(image_pages));
  if (!nowhere || !copy || (image_pages && !image) || (closes && !keep_early_pages(image_pages)))
    fatal("no memory for the private globals (%zu KiB)", bytes >> 10);
  if (image_bytes)
    std::memcpy(image, __skein_template, image_bytes);
  // A fresh mapping over the template gives its pages back, and makes each use of it fault.
  if (closes && mmap(__skein_template, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                     0) != __skein_template)
    fatal("the template of the private globals cannot be closed");
  main_copy = reinterpret_cast<uintptr_t>(copy);
  fill(main_copy, bytes);
  segment_nowhere = nowhere - template_begin;
  segment_load(main_copy - template_begin);
  fault_repair = repair;
  fault_explain = explain;
  overflow_start();
  overflow_unblock();
}

void globals_adopt(Thread &main) {
  if (!main_copy)
    return;
  if (!extent_list(main, {main_copy, globals_bytes(), globals_bytes(), ExtentKind::globals, 0}))
    fatal("no memory for the private globals");
}

void globals_attach(Thread &thread, uintptr_t copy) {
  thread.owned->globals = reinterpret_cast<void *>(copy);
  thread.segment = copy - template_begin;
  if (thread.id != main_id)
    protect_initialised(copy, PROT_NONE);
  else
    main_segment.store(thread.segment, std::memory_order_relaxed);
}

/// gs of this kernel thread leads nowhere if it led into the thread's copy.
static void let_go(Thread &thread) {
  if (skein_processor && thread.segment != segment_nowhere && skein_processor->segment == thread.segment)
    processor_set_segment(*skein_processor, segment_nowhere);
  thread.segment = segment_nowhere;
}

void globals_depart(Thread &thread) {
  let_go(thread);
  if (thread.id == main_id)
    main_segment.store(0, std::memory_order_relaxed);
}

bool globals_end(Thread &thread) {
  if (thread.id != main_id && thread.segment != segment_nowhere)
    protect_initialised(template_begin + thread.segment, PROT_READ | PROT_WRITE);
  let_go(thread);
  return thread.id == main_id;
}

void globals_main_ends() { main_ended.store(true, std::memory_order_relaxed); }

void globals_after_run() {
  if (!nowhere)
    return;
  after_run.store(true, std::memory_order_relaxed);
  // Exit handlers use main's copy on node 0, and where main has ended. On other nodes they use the copy that the node's
  // constructors have initialised. If main has only been there, it may be on its way home.
  const bool mains = node.self == 0 || main_ended.load(std::memory_order_relaxed);
  const uintptr_t here = main_segment.load(std::memory_order_relaxed);
  const uintptr_t segment = !mains ? main_copy - template_begin : here ? here : segment_nowhere;
  if (skein_processor)
    processor_set_segment(*skein_processor, segment);
  else
    segment_load(segment);
}

bool globals_pointers_aligned() {
  constexpr size_t word = sizeof(void *);
  bool aligned = true;
  each_variable([&](const skein_private_map &map, size_t begin) {
    const auto *groups = reinterpret_cast<const skein_private_words *>(&map + 1);
    for (uint64_t i = 0; i < map.group_count && aligned; i++)
      aligned = groups[i].kind != SKEIN_LOCAL_POINTER ||
                ((begin + groups[i].offset) % word == 0 && (groups[i].count <= 1 || groups[i].stride % word == 0));
    return !aligned;
  });
  return aligned;
}

GlobalWord globals_word(size_t offset) {
  GlobalWord found{};
  each_variable([&](const skein_private_map &map, size_t begin) {
    if (offset - begin >= map.size)
      return false;
    found.variable = reinterpret_cast<const char *>(target(&map.name));
    found.offset = offset - begin;
    const auto *groups = reinterpret_cast<const skein_private_words *>(&map + 1);
    for (uint64_t i = 0; i < map.group_count && !found.pointer; i++) {
      const skein_private_words &group = groups[i];
      const uint64_t from = found.offset - group.offset;
      found.pointer = group.kind == SKEIN_LOCAL_POINTER && found.offset >= group.offset && from % group.stride == 0 &&
                      from / group.stride < group.count;
    }
    return true;
  });
  return found;
}

} // namespace skein
