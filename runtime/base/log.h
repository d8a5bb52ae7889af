// What the runtime says to people: one line for each message, on stderr, with the node's number in front if there are
// several.
//
// Messages are formatted into a buffer on the stack and written with one write(2), so lines of several nodes never mix,
// and `fatal` works in a signal handler. `fatal` is for cases in which nothing can go on: it ends the process with
// status 70 at once, without flushing stdio, whose locks may be held. It is never used for anything that a program
// could handle: that is an error code and `thread_error`.
#ifndef SKEIN_BASE_LOG_H
#define SKEIN_BASE_LOG_H

namespace skein {

/// Exit status of a process that the runtime gave up on.
inline constexpr int fatal_status = 70;

/// `skein: …` or, with several nodes, `skein[2]: …`.
void log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The same, for what was asked for (stress_report and similar knobs): appended to the file that the knob `report`
/// names, if it does. A program may have closed its standard error, and a test may compare it.
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Writes like log(), and then ends the process.
[[noreturn]] void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace skein

#endif
