// The functions of <fenv.h> that tell which floating-point exceptions were raised, as the program calls them (--wrap).
//
// This is a member of libskein.a of its own: the linker takes it for programs that call one of these functions. In such
// programs a switch keeps for each thread what the x87 has raised (arch/x86_64/switch.S). No other program can see the
// difference. Calls from shared objects and assembly in the program are not noticed.
#include <fenv.h>

extern "C" {

extern const unsigned char skein_x87_observed;
const unsigned char skein_x87_observed = 1; // instead of the weak one (arch/x86_64/control_words.cpp)

int __real_fetestexcept(int exceptions);
int __real_fegetexceptflag(fexcept_t *to, int exceptions);
int __real_fegetenv(fenv_t *to);
int __real_feholdexcept(fenv_t *to);
int __real_feupdateenv(const fenv_t *from);

int __wrap_fetestexcept(int exceptions) { return __real_fetestexcept(exceptions); }
int __wrap_fegetexceptflag(fexcept_t *to, int exceptions) { return __real_fegetexceptflag(to, exceptions); }
int __wrap_fegetenv(fenv_t *to) { return __real_fegetenv(to); }
int __wrap_feholdexcept(fenv_t *to) { return __real_feholdexcept(to); }
int __wrap_feupdateenv(const fenv_t *from) { return __real_feupdateenv(from); }
}
