// See control_words.h.
#include "arch/x86_64/control_words.h"

#include <cpuid.h>

unsigned int skein_mxcsr_load_always;
extern "C" __attribute__((weak)) const unsigned char skein_x87_observed = 0;

namespace skein {

ControlWords control_words_of_process;

void control_words_start() {
  control_words_of_process = control_words_now();
  unsigned highest, vendor[3];
  if (__get_cpuid(0, &highest, vendor, vendor + 1, vendor + 2) && vendor[0] == signature_AMD_ebx &&
      vendor[1] == signature_AMD_ecx && vendor[2] == signature_AMD_edx)
    skein_mxcsr_load_always = ~0u;
}

} // namespace skein
