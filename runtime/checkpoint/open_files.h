// Open files of a process that is copied: what can be opened again is noted, and the rest is named.
//
// Regular files, folders and devices are opened again by their names, under their old numbers, at their old positions.
// What a file holds is not in the copy: a program that goes on from a checkpoint finds the file as it is by then, and
// writes again what it had written after the cut, to the same places. Standard input, output and error are those of the
// process that goes on. Connections, pipes and whatever else a process can have open end with the process; whoever uses
// such a number finds that it is closed (EBADF).
#ifndef SKEIN_CHECKPOINT_OPEN_FILES_H
#define SKEIN_CHECKPOINT_OPEN_FILES_H

namespace skein {

/// In the process that is copied, before the fork. The first time that there are such, it logs which ones are lost.
/// `without`: a file that the runtime does without; -1: none.
void open_files_note(int without);
/// In a process that is made of the copy. `socket`, to the launcher, may get another number.
void open_files_renew(int &socket);

} // namespace skein

#endif
