// The names of error codes, for programs and for `skein trace`.
#include <skein/skein.h>

extern "C" const char *skein_error_name(int code) {
  switch (code) {
#define NAME(code)                                                                                                     \
  case code:                                                                                                           \
    return #code;
    NAME(SKEIN_OK)
    NAME(SKEIN_EPINNED)
    NAME(SKEIN_EPOINTER)
    NAME(SKEIN_ENODE)
    NAME(SKEIN_EDEAD)
    NAME(SKEIN_EREFUSED)
    NAME(SKEIN_ETHREAD)
    NAME(SKEIN_EEMPTY)
    NAME(SKEIN_EMEMORY)
    NAME(SKEIN_EBUSY)
    NAME(SKEIN_ETIME)
    NAME(SKEIN_ELOCK)
    NAME(SKEIN_ECLOSED)
    NAME(SKEIN_ELEAVES)
#undef NAME
  default:
    return "no code of Skein's";
  }
}
