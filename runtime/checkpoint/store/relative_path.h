// The name by which a file can be found from the folder of another one.
#ifndef SKEIN_CHECKPOINT_STORE_RELATIVE_PATH_H
#define SKEIN_CHECKPOINT_STORE_RELATIVE_PATH_H

#include "checkpoint/store/store_file.h"

namespace skein::store {

/// Writes how `target` is reached from the folder of `from`: "../12/node-3". By the names only: whoever uses it has to
/// see whether that file is there. False if it is too long or the current folder is not known.
bool relative_path(const char *from, const char *target, char (&to)[name_max + 1]);

} // namespace skein::store

#endif
