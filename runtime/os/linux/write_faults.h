// Writes to protected pages of memory that processes share: userfaultfd(2), of Linux 5.19 and later. One file serves
// the whole process, and not its children.
//
// Whoever writes to a protected page, the kernel on behalf of a system call too, waits until somebody lets it. What one
// process has protected others may write, unless they have protected it, too.
//
// Rejected: pages that are read-only (mprotect) and the SIGSEGV handler. A system call that is given such a page fails
// with EFAULT, and a library that does not expect that would go on with the wrong answer.
#ifndef SKEIN_OS_LINUX_WRITE_FAULTS_H
#define SKEIN_OS_LINUX_WRITE_FAULTS_H

#include <cstddef>
#include <cstdint>

namespace skein {

/// Opens the file. Returns why that is not possible here, or null.
const char *write_faults_start();
/// In a process that is made of a copy: the file is somebody else's number, or nobody's.
void write_faults_reborn();

/// Pages of a mapping of a shared file may be protected from here on, until it is unmapped. False: the kernel refuses.
bool write_faults_watch(uintptr_t begin, size_t bytes);
/// Protects pages, also those that this process has not touched yet. Takes some 20 ns for each. False: the kernel
/// refuses, or has no memory.
bool write_faults_protect(uintptr_t begin, size_t bytes);
/// They may be written again; whoever waits goes on. Pages that are not protected stay as they are.
void write_faults_let(uintptr_t begin, size_t bytes);

/// For poll(2): readable while somebody waits.
int write_faults_file();
/// Takes the next one who waits. False: there is none.
bool write_faults_next(uintptr_t &address);

} // namespace skein

#endif
