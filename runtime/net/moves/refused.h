// Which moves were refused and why: what `move_report` and the random walk report at exit.
//
// A program is told why a move was refused only if it asked for the move itself. A move that a policy or another node
// asked for is refused in silence. So a program whose threads can never move looks like one that no policy wanted to
// balance.
#ifndef SKEIN_NET_MOVES_REFUSED_H
#define SKEIN_NET_MOVES_REFUSED_H

#include <cstdint>

namespace skein {

struct Thread;

/// A thread of this node stays, for the reason `text`, of which `code` is the kind: this node said so, or the one that
/// it was to go to.
void move_refused(const Thread &thread, int to, int code, const char *text);

/// From now on reasons are counted as well; before, only the number of moves is.
void refused_count_reasons();
/// Counts the reason of a move that was not even tried.
void refused_add_reason(const char *text);

uint64_t refused_reasons();
/// Prints "WHO: refused 3 times: TEXT", one line for each reason, the most frequent first.
void refused_print_reasons(const char *who);

/// Called once, before threads run, in a run of several nodes.
void refused_start();

} // namespace skein

#endif
