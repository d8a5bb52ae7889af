// Relative names of files; see relative_path.h.
#include "checkpoint/store/relative_path.h"

#include <cstring>

namespace skein::store {

namespace {

using Path = char[name_max + 1];

/// Appends the parts of `path` to `to`, "/a/b" without a slash behind it, and resolves "." and "..".
bool append_parts(Path &to, size_t &length, const char *path) {
  while (*path) {
    const size_t part = strcspn(path, "/");
    if (part == 2 && path[0] == '.' && path[1] == '.') {
      while (length > 0 && to[--length] != '/')
        ;
    } else if (part > 0 && !(part == 1 && *path == '.')) {
      if (length + 1 + part > name_max)
        return false;
      to[length++] = '/';
      memcpy(to + length, path, part);
      length += part;
    }
    path += part + (path[part] == '/');
  }
  to[length] = 0;
  return true;
}

bool absolute(const char *path, Path &to) {
  size_t length = 0;
  Path here = "";
  if (*path != '/' && (system(SYS_getcwd, here, sizeof here) <= 0 || *here != '/'))
    return false;
  return append_parts(to, length, here) && append_parts(to, length, path);
}

} // namespace

bool relative_path(const char *from, const char *target, char (&to)[name_max + 1]) {
  Path one, other;
  if (!absolute(from, one) || !absolute(target, other))
    return false;
  size_t common = 0; // just behind the slash of the last folder that both are in
  for (size_t i = 0; one[i] == other[i] && one[i]; i++)
    if (one[i] == '/')
      common = i + 1;
  size_t length = 0;
  for (const char *rest = one + common; (rest = strchr(rest, '/')); rest++) {
    if (length + 3 > name_max)
      return false;
    memcpy(to + length, "../", 3);
    length += 3;
  }
  const size_t bytes = strlen(other + common);
  if (bytes == 0 || length + bytes > name_max)
    return false;
  memcpy(to + length, other + common, bytes + 1);
  return true;
}

} // namespace skein::store
