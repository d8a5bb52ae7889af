// What has to happen before the program's constructors run, and after all libraries are ready: they initialise main's
// private globals. The linker sorts .init_array by number; nobody else has 0.
#include "migrate/program_numbers.h"
#include "net/run/start.h"
#include "private/globals/globals.h"

namespace {

void start_early() {
  skein::program_numbers_relocated();
  if (!skein::globals_wanted())
    return;
  skein::net_peek();
  skein::globals_start();
}

} // namespace

[[gnu::used, gnu::section(".init_array.00000")]] static void (*const start_early_entry)() = start_early;
