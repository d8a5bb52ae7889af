// See control_words.h.
#include "arch/x86_64/control_words.h"

unsigned int skein_mxcsr_load_always;
extern "C" __attribute__((weak)) const unsigned char skein_x87_observed = 0;

namespace skein {

ControlWords control_words_of_process;

void control_words_start() {
  control_words_of_process = control_words_now();
  __builtin_cpu_init();
  skein_mxcsr_load_always = __builtin_cpu_is("amd") ? ~0u : 0;
}

} // namespace skein
