/* See raw_switch.cpp. */
#include "arch/x86_64/stub.h"

SKEIN_STUB raw_park, raw_park_call
SKEIN_STUB raw_release, raw_release_call

#ifdef SKEIN_FIBERS /* a sanitizer wants to hear of each switch */
SKEIN_STUB raw_switch, raw_switch_call
#else
        .globl  raw_switch
        .type   raw_switch, @function
        SKEIN_MARK
raw_switch:
        .cfi_startproc
        jmp     raw_switch_quick
        .cfi_endproc
        .size   raw_switch, . - raw_switch
#endif

SKEIN_STUBS_END
