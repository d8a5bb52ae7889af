//===- Process.h - Becoming clang ------------------------------------------===//
#ifndef SKEIN_DRIVER_PROCESS_H
#define SKEIN_DRIVER_PROCESS_H

#include "Installation.h"
#include <string>
#include <vector>

namespace skein {

/// Replaces this process by clang. If that fails, prints an error and returns an exit status.
int becomeClang(const Installation &Home, const std::vector<std::string> &Command);

} // namespace skein

#endif
