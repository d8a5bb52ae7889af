/* Between the library's part of <skein/pack.h>, which runs on a thread's own stack (stdlib/src/pack.c), and the
 * runtime's (runtime/pack). */
#ifndef SKEIN_ABI_PACK_CALLS_H
#define SKEIN_ABI_PACK_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As skein_unpack and skein_roll_back, but the result may be SKEIN_PACK_ABROAD, whose low bits are the code of the
 * error: a thread has the private memory on another node, or has just ended there, and the news is under way. Block. */
int __skein_unpack(const void *image, size_t bytes, uint64_t *thread);
int __skein_roll_back(const void *image, size_t bytes);
#define SKEIN_PACK_CODE 0xff
#define SKEIN_PACK_ABROAD (0x100 | SKEIN_EBUSY)

#ifdef __cplusplus
}
#endif
#endif
