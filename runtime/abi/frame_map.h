/* Frame maps: what the compiler tells the runtime about each frame.
 *
 * The compiler emits one *function map* per function that contains a call that may migrate, into section
 * `skein_maps`. The linker concatenates them. The runtime reads everything between `__start_skein_maps` and
 * `__stop_skein_maps` once, and indexes the sites by return address: at start in a run of several nodes, otherwise when
 * a stack first moves. All references are 32-bit differences, so the section needs no relocation at load time and may
 * be mapped read-only.
 *
 * One function map, in the order of its bytes:
 *
 *     +------------------------------+
 *     | skein_function_map           |  header, 44 bytes
 *     +------------------------------+
 *     | skein_local_map       [long] |  word groups that can hold a pointer, each once per function: those that need
 *     | skein_short_local_map [short]|  all fields, and those that do not
 *     +------------------------------+
 *     | uint16_t or uint32_t  [S]    |  of each call that may migrate: return address - entry, ascending
 *     | skein_special_map     [X]    |  what is to be known of calls besides a row
 *     | uint8_t or uint16_t   [S]    |  of each call: the number of its row, or rows + the number of its special_map
 *     | uint8_t [rows][row bytes]    |  sets of locals: bit i % 8 of byte i / 8 says that local i is live
 *     | uint8_t               [...]  |  of each call: source line - line of the one before, zigzag LEB128
 *     +------------------------------+  padded to a multiple of 4
 *
 * The wider ones of the numbers are used with SKEIN_MAP_LARGE. Local i is short local i, or long local i - short. Most
 * calls of a function have one of a few sets of live locals, so sets are rows of a table, and rows are bits. Whoever
 * walks over many frames writes down what the map says of a call when it first meets the call; only messages need
 * lines.
 *
 * One frame, as the walk sees it (addresses grow upwards):
 *
 *            :                   :
 *            | caller's outgoing |
 *     CFA -> +-------------------+
 *            | return address    |  CFA - 8   (key of the caller's site)
 *            | saved registers   |  CFA - 8 * saved[i]
 *            | home slots,       |
 *            | typed locals      |  base + offset, base = CFA, SP or BP
 *            | outgoing args     |
 *     SP  -> +-------------------+  == CFA of the callee
 *
 * CFA = SP + frame_size without SKEIN_MAP_FP, else (caller-visible rbp) + 16.
 *
 * docs/abi.md describes the format for people; the golden test is test/abi/. Change SKEIN_ABI_VERSION with it. */
#ifndef SKEIN_ABI_FRAME_MAP_H
#define SKEIN_ABI_FRAME_MAP_H

#include <stdint.h>

/* Version of everything in runtime/abi. Stored in each function map and in each image. */
#define SKEIN_ABI_VERSION 6

#define SKEIN_MAPS_SECTION "skein_maps"
#define SKEIN_GLOBALS_SECTION "skein_globals"

/* skein_function_map.flags */
enum {
  SKEIN_MAP_FP =
      1, /* rbp is the frame pointer: CFA = rbp + 16, and the callee's saved rbp is an address of this frame */
  SKEIN_MAP_BP = 2,       /* rbx is the base pointer: likewise an address of this frame */
  SKEIN_MAP_VARIADIC = 4, /* the first long local is the register save area */
  SKEIN_MAP_BLOCKS = 16,  /* there are locals of the kinds SKEIN_LOCAL_DYNAMIC_* */
  SKEIN_MAP_LARGE = 8,    /* return offsets have 32 bits and numbers of rows 16, else 16 and 8 */
};

/* skein_function_map.saved: index of each callee-saved register. */
enum {
  SKEIN_SAVED_RBX,
  SKEIN_SAVED_RBP,
  SKEIN_SAVED_R12,
  SKEIN_SAVED_R13,
  SKEIN_SAVED_R14,
  SKEIN_SAVED_R15,
  SKEIN_SAVED_COUNT
};

/* What an offset counts from. */
enum { SKEIN_BASE_CFA, SKEIN_BASE_SP, SKEIN_BASE_BP };

/* skein_local_map.kind */
enum {
  SKEIN_LOCAL_POINTER,   /* each word is a pointer (or null): relocated */
  SKEIN_LOCAL_AMBIGUOUS, /* each word may be a pointer or an integer: never changed; a value inside a moved range pins
                            the thread */
  SKEIN_LOCAL_DYNAMIC_POINTER, /* of blocks on this stack (VLA, alloca). `offset` is the head of a chain: the address of
                                  the newest block, or null. A block begins with {previous block or null; uint64_t
                                  bytes, these 16 included}; previous ones lie at higher addresses. Of each block, the
                                  words at first, first + stride, ... that lie inside, where `count` is first +
                                  (words << SKEIN_DYNAMIC_WORDS_SHIFT); words 0: as far as the block goes. With stride
                                  0 only the one at first */
  SKEIN_LOCAL_DYNAMIC_AMBIGUOUS,
  SKEIN_LOCAL_SAVE_AREA, /* where a variadic function has saved its six argument registers; in no row */
  /* The head itself has a SKEIN_LOCAL_POINTER entry of its own, and the links an entry with count and stride 0 that
   * comes after all others of the chain, so each is relocated exactly once, after it has been read. */
};

#define SKEIN_DYNAMIC_WORDS_SHIFT 20
#define SKEIN_DYNAMIC_FIRST_MASK ((1u << SKEIN_DYNAMIC_WORDS_SHIFT) - 1)

/* A group of `count` words, `stride` bytes apart, in one frame object. */
struct skein_local_map {
  int32_t offset;  /* first word, relative to base */
  uint32_t count;  /* words; of a dynamic kind: see there */
  uint16_t stride; /* bytes from one word to the next, 8 for adjacent ones, 1 for memory without a type, in which any
                      byte may begin an address; of a dynamic kind: 0 if there is no next */
  uint8_t kind;    /* SKEIN_LOCAL_* */
  uint8_t base;    /* SKEIN_BASE_* */
};

/* The same of one to 255 adjacent words of the kinds SKEIN_LOCAL_POINTER and SKEIN_LOCAL_AMBIGUOUS: most locals. */
struct skein_short_local_map {
  int16_t offset; /* in words of 8 bytes */
  uint8_t count;
  uint8_t kind_base; /* kind + (base << SKEIN_SHORT_BASE_SHIFT) */
};
#define SKEIN_SHORT_BASE_SHIFT 4

/* Why the compiler pinned a site: SKEIN_PIN_UNPROVED and so on, by pin_reasons.def; 0 is none. */
enum {
  SKEIN_PIN_NONE,
#define SKEIN_PIN_REASON(name, text) SKEIN_PIN_##name,
#include "pin_reasons.def"
#undef SKEIN_PIN_REASON
  SKEIN_PIN_COUNT
};
static inline const char *skein_pin_text(unsigned reason) {
  static const char *const texts[] = {
      "no reason",
#define SKEIN_PIN_REASON(name, text) text,
#include "pin_reasons.def"
#undef SKEIN_PIN_REASON
  };
  return reason < SKEIN_PIN_COUNT ? texts[reason] : "a reason that this version does not know";
}

/* What is to be known of a call besides its row. */
struct skein_special_map {
  uint16_t pin;         /* SKEIN_PIN_*: the thread may not move here; 0: it may */
  uint16_t arguments;   /* if pinned: how many words above the CFA are arguments of this frame */
  uint16_t row;         /* if not pinned */
  uint16_t va_pointers; /* of a variadic call: bit i set if argument register i (rdi rsi rdx rcx r8 r9) holds a pointer
                           passed through `...` */
};

struct skein_function_map {
  int32_t entry;                    /* first byte of the function - address of this field */
  uint32_t size;                    /* bytes of this map with its tables, a multiple of 4 */
  uint32_t code_size;               /* bytes of code */
  uint32_t frame_size;              /* CFA - SP at every call; 0 with SKEIN_MAP_FP if the frame has no constant size */
  int32_t name;                     /* NUL-terminated function name - address of this field */
  int32_t file;                     /* NUL-terminated source file - address of this field; 0: unknown */
  uint8_t saved[SKEIN_SAVED_COUNT]; /* save slot at CFA - 8 * saved[i]; 0: not saved, still in its register */
  uint16_t short_count;             /* of skein_short_local_map */
  uint16_t long_count;              /* of skein_local_map */
  uint16_t site_count;
  uint8_t flags;          /* SKEIN_MAP_* */
  uint8_t version;        /* SKEIN_ABI_VERSION; at this place in every version */
  uint8_t alignment_log2; /* largest alignment any object of the frame relies on: the stack's delta must be a multiple
                             of it */
  uint8_t zero;
  uint16_t row_count;
  uint16_t special_count;
};

/* A mutable global that can hold pointers: scanned before a thread leaves, since a stack address in it would dangle. */
struct skein_global_map {
  int32_t address; /* global - address of this field; of a thread-local one: a function that returns its address */
  int32_t name;    /* its NUL-terminated source name - address of this field */
  uint64_t size;   /* bytes, and SKEIN_GLOBAL_* */
};
#define SKEIN_GLOBAL_THREAD_LOCAL (UINT64_C(1) << 63)
/* Another module may define the global that is used at run time (interposition, a copy in the program): `address` leads
 * to a word, one of the global offset table, that has the global's address. */
#define SKEIN_GLOBAL_INDIRECT (UINT64_C(1) << 62)
#define SKEIN_GLOBAL_BYTES (SKEIN_GLOBAL_INDIRECT - 1)

#ifdef __cplusplus
#define SKEIN_ABI_ASSERT(condition, text) static_assert(condition, text)
#else
#define SKEIN_ABI_ASSERT(condition, text) _Static_assert(condition, text)
#endif
SKEIN_ABI_ASSERT(sizeof(struct skein_function_map) == 44, "header of a function map");
SKEIN_ABI_ASSERT(__builtin_offsetof(struct skein_function_map, version) == 37, "place of the version");
SKEIN_ABI_ASSERT(sizeof(struct skein_local_map) == 12, "local");
SKEIN_ABI_ASSERT(sizeof(struct skein_short_local_map) == 4, "short local");
SKEIN_ABI_ASSERT(sizeof(struct skein_special_map) == 8, "special");
SKEIN_ABI_ASSERT(sizeof(struct skein_global_map) == 16, "global");

#endif
