// A process that is made of a copy of another one's memory (a checkpoint) has its memory, and nothing else of it.
#ifndef SKEIN_BASE_REBORN_H
#define SKEIN_BASE_REBORN_H

namespace skein {

/// Set by room checkpoint in such a process: the value of a variable of this process's own environment, or null.
/// getenv finds what the former process had.
extern const char *(*reborn_variable)(const char *name);

} // namespace skein

#endif
