/* See raw_switch.cpp. */
#include "arch/x86_64/stub.h"

SKEIN_STUB raw_park, raw_park_call
SKEIN_STUB raw_switch, raw_switch_call
SKEIN_STUB raw_release, raw_release_call

SKEIN_STUBS_END
