// A report about the thread that the program dies of: a fault that nothing repairs, an abort, an exception that is not
// caught.
//
// A core dump shows where the *kernel thread* was. It says neither which thread ran on it, nor that this thread began
// on another node and moved four times before it used an address that was right there. So the thread is named, with its
// way and its backtrace. Then the program dies of the signal as it would have died, core dump included.
//
// This replaces only the default action: if a program handles or ignores one of the signals, or a sanitizer does,
// nothing is reported. If several threads crash at once, the first one is reported.
#ifndef SKEIN_THREAD_CRASH_H
#define SKEIN_THREAD_CRASH_H

#include <csignal>

namespace skein {

/// Logs which thread dies of the signal that a handler was given, and where. No more than once in the life of a
/// process: another kernel thread that comes here meanwhile waits for the end.
void crash_report(int signal, const siginfo_t &info, const void *context);

/// From here on SIGBUS, SIGFPE, SIGILL and SIGABRT are reported, unless the program has asked for something else.
/// SIGSEGV has a handler of the runtime's (overflow.h), which calls crash_report.
void crash_start();

} // namespace skein

#endif
