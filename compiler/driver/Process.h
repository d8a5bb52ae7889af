//===- Process.h - Becoming clang ------------------------------------------===//
#ifndef SKEIN_DRIVER_PROCESS_H
#define SKEIN_DRIVER_PROCESS_H

#include "Installation.h"
#include <string>
#include <vector>

namespace skein {

/// Replaces this process; returns an exit status only if that failed, having said why.
int becomeClang(const Installation &Home, const std::vector<std::string> &Command);

} // namespace skein

#endif
