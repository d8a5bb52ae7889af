// What is loaded in this process: the program and its shared libraries, as ranges of addresses with a build-id each.
//
// A pointer into a module (to a function, a global, a string literal) means the same in another process if a module of
// the same build-id is loaded there, at the same offset from its begin. The program's own range is the *image* of
// design.md. Of the other modules only those travel with a thread into which its words really point.
//
// The kernel's vdso is left out: it has no counterpart with the same id on another machine, and programs do not keep
// addresses in it.
//
// Where the nodes are forked from one process (image=same), all modules lie at the same addresses on all of them. There
// a word that points into a module, or was computed from such an address in any way, is right everywhere, and it need
// not be known which words these are. The *digest* tells whether this is so: nodes compare it when they meet, and each
// image has it.
#ifndef SKEIN_MIGRATE_MODULES_H
#define SKEIN_MIGRATE_MODULES_H

#include <atomic>
#include <stddef.h>
#include <stdint.h>

namespace skein {

inline constexpr size_t build_id_bytes = 20;
inline constexpr unsigned modules_max = 64;

struct Module {
  uintptr_t begin;
  uintptr_t end;
  uintptr_t code_begin; // its executable segment
  uintptr_t code_end;
  uintptr_t data_begin; // what the module can write to once it is loaded
  uintptr_t data_end;
  unsigned char build_id[build_id_bytes]; // all zero: there is none, and then nothing may point there across processes
  char name[44];                          // the last part of its path

  bool contains(uintptr_t address) const { return address - begin < end - begin; }
  // Whether [address, address + bytes) is code.
  bool is_code(uintptr_t address, size_t bytes) const {
    return address >= code_begin && address <= code_end && bytes <= code_end - address;
  }
  bool is_writable(uintptr_t address) const { return address - data_begin < data_end - data_begin; }
  bool identified() const {
    uint64_t first[2];
    uint32_t rest;
    static_assert(build_id_bytes == sizeof first + sizeof rest);
    __builtin_memcpy(first, build_id, sizeof first);
    __builtin_memcpy(&rest, build_id + sizeof first, sizeof rest);
    return (first[0] | first[1] | rest) != 0;
  }
};

// The loaded modules, the program first; they are read when first needed. Any kernel thread may ask. If more than
// modules_max are loaded, the last ones are unknown, and pointers into them count as pointers to foreign memory.
const Module *modules(unsigned &count);
inline const Module &program_module() {
  unsigned count;
  return modules(count)[0];
}
// Null if there is none. With `reread` it looks again for libraries that were loaded since.
const Module *module_containing(uintptr_t address, bool reread = false);
const Module *module_with_id(const unsigned char *build_id, bool reread = false);

// A number for the places, names and build-ids of all modules that are loaded when it is first asked for, and for the
// place of the vdso. It is equal in processes where all of these are equal.
uint64_t modules_digest();
// A number for what is loaded: two answers are equal only if the same libraries were loaded both times. While nothing
// is loaded but what modules_keep found, the answer is 0 and costs the load of one word; otherwise the loader is asked
// how often it loaded and unloaded anything, under its lock.
uint64_t module_changes();
// The address of a word that is null while nothing is loaded but what modules_keep found. Null: there is no such word.
const void *const *modules_added_word();
// Keeps what is loaded now until the process ends, even if the program closes a library that one of its constructors
// opened. Called once, before any thread leaves.
void modules_keep();
// modules_unchanged says whether nothing was loaded or unloaded since modules_settled was called.
void modules_settled();
bool modules_unchanged();
// The program and its libraries lie at the same addresses on another node. Set before any thread leaves.
extern std::atomic<bool> modules_agree;
// They lie elsewhere on another node.
extern std::atomic<bool> modules_differ;

// The build-id in hexadecimal.
struct BuildIdText {
  char text[2 * build_id_bytes + 1];
};
BuildIdText build_id_text(const unsigned char *id);

} // namespace skein

#endif
