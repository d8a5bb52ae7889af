/* Private globals: what compiler, linker script and runtime agree on.
 *
 * The linker collects the private variables of a program into its *template* (compiler/driver/template.ld):
 *
 *     __skein_template           page-aligned; variables with initial values
 *     __skein_template_words     8-byte words, one for each variable whose address is taken: that address
 *     __skein_template_words_end
 *     __skein_template_thread    page-aligned if there are any; thread-local variables with initial values
 *     __skein_template_thread_words  the addresses of thread-local variables
 *     __skein_template_zero      thread-local variables that begin as zero; from here on no space in the file
 *     __skein_template_thread_end  page-aligned if there are any; other variables that begin as zero
 *     __skein_template_initialised  page-aligned; variables that C++ code initialises before main, in main's copy
 *     __skein_template_end       page-aligned
 *
 * A thread's copy is laid out like it, and gs holds copy - template while the thread runs. In a copy the words of both
 * kinds of addresses, and those listed in skein_private_words and skein_private_biased, hold addresses in the copy
 * where the template's lead into the template. The address of a variable never changes as long as its thread lives.
 *
 * References are 32-bit differences where nothing has to be written at load time, as in frame maps. */
#ifndef SKEIN_ABI_PRIVATE_GLOBALS_H
#define SKEIN_ABI_PRIVATE_GLOBALS_H

#include <stdint.h>

/* Sections of objects, which all become part of the template. The variable's name follows. */
#define SKEIN_PRIVATE_DATA_SECTION ".data.skein.private."
#define SKEIN_PRIVATE_ADDRESSES_SECTION ".data.skein.address."
#define SKEIN_PRIVATE_ZERO_SECTION ".bss.skein.private."
#define SKEIN_PRIVATE_INITIALISED_SECTION ".bss.skein.initialised."
#define SKEIN_THREAD_DATA_SECTION ".data.skein.thread."
#define SKEIN_THREAD_ADDRESSES_SECTION ".data.skein.thread_address."
#define SKEIN_THREAD_ZERO_SECTION ".bss.skein.thread."

/* These are empty, and aligned to a page, in units that mention a thread-local variable. */
#define SKEIN_THREAD_BEGIN_SECTION ".data.skein.thread_begin"
#define SKEIN_THREAD_END_SECTION ".bss.skein.thread_end"

#define SKEIN_PRIVATES_SECTION "skein_privates"             /* skein_private_map: each variable that is defined */
#define SKEIN_PRIVATE_WORDS_SECTION "skein_private_words"   /* int32_t: word - address of this field */
#define SKEIN_PRIVATE_BIASED_SECTION "skein_private_biased" /* skein_private_biased_word */
#define SKEIN_PRIVATE_USES_SECTION "skein_private_uses"     /* skein_private_use: each that another unit may define */

/* `count` words, `stride` bytes apart, the first one at `offset` in the variable. */
struct skein_private_words {
  uint64_t offset;
  uint64_t stride;
  uint64_t count;
  uint64_t
      kind; /* SKEIN_LOCAL_POINTER or SKEIN_LOCAL_AMBIGUOUS; a word in no group is a number, as far as types tell */
};

struct skein_private_map {
  int32_t variable; /* in the template - address of this field */
  int32_t name;     /* NUL-terminated - address of this field */
  uint64_t size;
  uint64_t group_count;
  /* struct skein_private_words groups[group_count] follow */
};

/* A word of an initialiser that holds the address of a private variable and a number, which leads out of the variable.
 */
struct skein_private_biased_word {
  int32_t word; /* in the template - address of this field */
  int32_t unused;
  int64_t added;
};

/* A unit uses a variable as private. If it does not lie in the template, another unit defines it for the process. */
struct skein_private_use {
  void *variable; /* null: weak and defined nowhere */
  const char *name;
  const char *unit;
};

#ifdef __cplusplus
static_assert(sizeof(skein_private_words) == 32, "group of a private variable");
static_assert(sizeof(skein_private_map) == 24, "private variable");
static_assert(sizeof(skein_private_biased_word) == 16, "word of a private variable");
static_assert(sizeof(skein_private_use) == 24, "use of a private variable");
#endif

#endif
