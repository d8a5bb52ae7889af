// What a node's copy says of its process, besides the contents of its memory: the head of the file (store.h), which
// only this build of the program reads. docs/wire-format.md shows it.
//
//     CopyHead, then `regions` times Region
#ifndef SKEIN_CHECKPOINT_COPIED_H
#define SKEIN_CHECKPOINT_COPIED_H

#include <cstddef>
#include <cstdint>

namespace skein {

inline constexpr uint64_t copy_magic = 0x31595043'4e494b53; // "SKINCPY1"

/// What the kernel knows of a process, and has to be told again.
struct KernelFacts {
  uint64_t thread_pointer;            // fs of the kernel thread that goes on
  uint64_t thread_number;             // where libc keeps its number (clear_child_tid)
  uint64_t robust_list, robust_bytes; // get_robust_list
  uint64_t rseq, rseq_bytes;          // the area for restartable sequences; 0: none
  uint64_t code_begin, code_end, data_begin, data_end, heap_begin, heap_end, stack_begin;
  uint64_t arguments_begin, arguments_end, environment_begin, environment_end; // PR_SET_MM_MAP
};

/// What the process that becomes a copied one tells it; lies in the copied memory.
struct Handover {
  uint64_t environment, environment_bytes; // "NAME=value" strings, one after the other
  uint64_t scratch, scratch_bytes;         // what has to be unmapped; `environment` lies in it
  int32_t socket;                          // to the launcher
  int32_t unused;
};

enum : uint32_t {
  region_shared = 1,     // other processes had it, too: it is mapped again, and has no contents here
  region_grows = 2,      // downwards: the stack of the process
  region_unreserved = 4, // MAP_NORESERVE
  region_guard = 8,      // no mapping, but pages of one that are inaccessible for good (MADV_GUARD_INSTALL)
  region_vdso = 16,      // the kernel's own; its contents must be those of the kernel that restores
  region_vvar = 32,      // and its data
  region_huge = 64,      // MADV_HUGEPAGE
  region_not_huge = 128, // MADV_NOHUGEPAGE
  region_wiped = 256,    // MADV_WIPEONFORK
  region_undumped = 512, // MADV_DONTDUMP
};

struct Region {
  uint64_t begin, end;
  uint32_t protection; // PROT_*
  uint32_t flags;
};

struct CopyHead {
  uint64_t magic;
  uint32_t abi_version, node;
  unsigned char build_id[32]; // of the program, padded with zeros
  uint64_t context;           // address of its RebirthContext
  uint64_t handover;          // address of its Handover
  uint64_t vdso_digest;
  KernelFacts kernel;
  uint64_t regions;
};
static_assert(sizeof(CopyHead) % 8 == 0 && sizeof(Region) == 24);

} // namespace skein

#endif
