// Moves that were refused, by reason: what `move_report` and the random walk say at exit.
//
// A program hears why a move was refused only if it asked for the move itself. What a policy or another node wanted is
// refused in silence, so a program whose threads all stay where they are looks like one that nobody wanted to balance.
#ifndef SKEIN_NET_MOVES_REFUSED_H
#define SKEIN_NET_MOVES_REFUSED_H

#include <cstdint>

namespace skein {

/// A thread of this node stays, for the reason `text`: this node said so, or the one that it was to go to.
void move_refused(const char *text);

/// From now on reasons are counted, too; before, only moves are.
void refused_count_reasons();
/// The reason of a move that was not even tried.
void refused_add_reason(const char *text);

uint64_t refused_reasons();
/// "WHO: refused 3 times: TEXT", a line a reason, the most frequent first.
void refused_print_reasons(const char *who);

/// Once, before threads run, in a run of several nodes.
void refused_start();

} // namespace skein

#endif
