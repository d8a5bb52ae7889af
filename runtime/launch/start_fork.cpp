// With image=same the nodes of a run are forked from one process, in which the program and its libraries have been
// loaded, but no constructor has run. So every module lies at the same address in all nodes, loading is paid for once,
// and addresses stay as random as the kernel makes them. docs/design.md says why that is wanted.
//
//      skein run                      the program
//         | fork, exec ----------------> |  loaded; main's constructors wait
//         | -- fork: node 0, socket ---> |  clone -----> node 0: its socket takes the place of this one; goes on
//         |<- forked: process ---------- | <-------------- |
//         | -- fork: node 1, socket ---> |  clone -----> node 1
//         |                              |  could fork more, and ends when its socket is closed
//
// The nodes are children of the launcher (CLONE_PARENT): it notices their deaths by their pidfds, collects their
// status, and they die with it, as if it had started each by itself.
//
// This runs from .preinit_array, which the loader calls when everything is relocated and before the constructors of any
// library. libc may not have initialised itself, and sanitizers may not be ready for instrumented code, so this makes
// only system calls.
//
// libc's fork would do two more things besides the system call: give the child's thread its number, which libc keeps
// where CLONE_CHILD_SETTID writes it, and register its robust list again. There are no other threads, no locks held,
// and no handlers registered.
//
// Two other things are equal in all nodes, as in every process that forks without exec: the stack protector's canary
// and the pointer guard. They keep strangers out, and the nodes of a run are one program whose parts send each other
// code addresses in any case.
//
// Rejected: exec of each node with randomisation switched off (the launcher does this where forking is not possible),
// since the addresses are then the same for everybody, always. Forking later, from main, since constructors would have
// run once for all, and started threads. libc's fork, with the launcher as a subreaper, since every orphan of the
// program's own would become its child, too.
#include "net/wire/bootstrap.h"

#if !defined(SKEIN_ASAN) && !defined(SKEIN_TSAN) // their own start-up is not made to be forked
#include <cerrno>
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace skein::bootstrap;

/// The note that `skein run` looks for in the file before it starts it.
struct Note {
  Elf64_Nhdr header;
  char name[8];
  uint32_t version;
};
[[gnu::used, gnu::section(".note.skein"), gnu::aligned(4)]] const Note note = {
    {sizeof SKEIN_NOTE_NAME, sizeof(uint32_t), note_forks}, SKEIN_NOTE_NAME, version};

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  long result;
  __asm__ volatile("movq %5, %%r10\n\tmovq %6, %%r8\n\tsyscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "g"(d), "g"(e)
                   : "rcx", "r8", "r10", "r11", "memory");
  return result;
}
template <class T> long address(T *pointer) { return reinterpret_cast<long>(pointer); }

/// The value of an environment variable that is a number, -1 without it.
int number_in(char **environment, const char *name) {
  for (; environment && *environment; environment++) {
    const char *at = *environment, *wanted = name;
    while (*wanted && *at == *wanted)
      at++, wanted++;
    if (*wanted || *at++ != '=')
      continue;
    int number = *at ? 0 : -1;
    for (; *at >= '0' && *at <= '9' && number < 1000000; at++)
      number = 10 * number + (*at - '0');
    return *at ? -1 : number;
  }
  return -1;
}

/// The place where libc keeps this kernel thread's number; null if that cannot be found out.
int *thread_number() {
  int *at = nullptr;
  const bool told = call(SYS_prctl, PR_GET_TID_ADDRESS, address(&at)) == 0;
  return told && at && *at == call(SYS_gettid) ? at : nullptr;
}

struct Request {
  ForkRequest what;
  int files[fork_descriptors_most];
  unsigned file_count = 0;
};

/// False: there is no such request, or no launcher any more.
bool receive_request(int launcher, Request &request) {
  iovec part = {&request.what, sizeof request.what};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof request.files)];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  long bytes;
  do
    bytes = call(SYS_recvmsg, launcher, address(&message), MSG_CMSG_CLOEXEC);
  while (bytes == -EINTR);
  if (bytes != sizeof request.what)
    return false;
  const cmsghdr *files = CMSG_FIRSTHDR(&message);
  if (!files || files->cmsg_type != SCM_RIGHTS)
    return false;
  request.file_count = static_cast<unsigned>((files->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  const auto *numbers = reinterpret_cast<const int *>(CMSG_DATA(files));
  for (unsigned i = 0; i < request.file_count; i++)
    request.files[i] = numbers[i];
  return true;
}

/// `process` is that of a node, or says why there is none.
void tell_forked(int socket, int node, long process) {
  const Forked news = {{.type = Type::forked, .node = node, .status = static_cast<int>(process)}};
  call(SYS_sendto, socket, address(&news), sizeof news, MSG_NOSIGNAL);
}

/// In the new process: does what the launcher does between fork and exec of a node that it starts by itself. But first
/// it tells the launcher its number: the process that forked it may be stopped or killed, and never do so.
void become_node(const Request &request, int socket) {
  call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  tell_forked(request.files[0], request.what.header.node, call(SYS_getpid));
  if (call(SYS_getppid) != request.what.launcher)
    call(SYS_exit_group, 127); // the launcher died before the line above
  if (request.what.bound)
    call(SYS_sched_setaffinity, 0, sizeof request.what.cores, address(request.what.cores));
  for (unsigned i = 1; i < request.file_count; i++)
    call(SYS_dup3, request.files[i], static_cast<long>(i), 0); // stdout, stderr
  if (request.what.header.node != 0)
    if (long nothing = call(SYS_openat, AT_FDCWD, address("/dev/null"), O_RDONLY); nothing >= 0) {
      call(SYS_dup3, nothing, STDIN_FILENO, 0);
      if (nothing != STDIN_FILENO)
        call(SYS_close, nothing);
    }
  call(SYS_dup3, request.files[0], socket, 0);
}

/// Forks a node. Returns its process; 0 in the node; negative: it cannot.
long fork_node(int *thread_number) {
  long robust_head = 0, robust_bytes = 0;
  call(SYS_get_robust_list, 0, address(&robust_head), address(&robust_bytes));
  const long child =
      call(SYS_clone, CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, 0, 0, address(thread_number));
  if (child == 0 && robust_head)
    call(SYS_set_robust_list, robust_head, robust_bytes);
  return child;
}

[[gnu::no_stack_protector]] void fork_nodes(int, char **, char **environment) {
  const int launcher = number_in(environment, descriptor_variable);
  Header first;
  if (launcher < 0 ||
      call(SYS_recvfrom, launcher, address(&first), sizeof first, MSG_PEEK | MSG_TRUNC) != sizeof(ForkRequest) ||
      first.magic != magic || first.version != version || first.type != Type::fork)
    return; // a node that the launcher has started by itself, or no run of several nodes
  int *const number = thread_number();
  Request request;
  while (receive_request(launcher, request)) {
    const long child = number ? fork_node(number) : -ENOSYS;
    if (child == 0)
      become_node(request, launcher);
    for (unsigned i = 0; i < request.file_count; i++)
      call(SYS_close, request.files[i]);
    if (child == 0)
      return;
    tell_forked(launcher, request.what.header.node, child);
  }
  call(SYS_exit_group, 0); // the run is over
}

} // namespace

[[gnu::used, gnu::section(".preinit_array")]] static void (*const fork_nodes_entry)(int, char **, char **) = fork_nodes;

#endif
