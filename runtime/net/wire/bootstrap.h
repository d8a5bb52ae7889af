/* What `skein run` and its nodes say to each other before there is a network, and when something ends.
 *
 * Each node has one end of a SOCK_SEQPACKET pair (a packet is one message, and files can travel along). The socket
 * comes from the launcher's fork, so nobody else can speak on it: it is where the run's token comes from, and where a
 * node learns of a death it could not see itself.
 *
 *      launcher                             node
 *         | -- welcome: number, count, token ->|   + one memory file per slice of shared memory, and one for stacks
 *         |                                    |   that are shared
 *         |<- address of my transport -------- |   + descriptors, where only nodes of this host can have it
 *         | -- peer: number, address --------> |   once per node; + the same descriptors
 *         | -- start ------------------------> |   that was everybody: say hello to each other
 *         |<- met ---------------------------- |   all have said hello
 *         | -- begin ------------------------> |   so have all others: nobody is still on his way when the program ends
 *         |            … the run …             |
 *         |<- finish: main's status ---------- |   node 0: nothing lives anywhere
 *         | -- end --------------------------> |   stop talking to each other
 *         |<- done ----------------------------|
 *         | -- leave ------------------------> |   everybody is done: exit
 *
 *         |<- misses: node, why -------------- |   before begin: that node has not said hello for a while
 *         |<- exiting: status ---------------- |   the program called exit() in the middle
 *         |<- suspect: node, why ------------- |   is not heard of; the launcher looks whether it is late or dead
 *         |<- rejects: node, why ------------- |   has sent this node what cannot be; the launcher kills it
 *         | -- ping -------------------------> |   is somebody there?
 *         |<- alive -------------------------- |   the progress thread is
 *         | -- quit: node, status -----------> |   that node called exit(): the run is over
 *         | -- died: node, how --------------> |   say which threads were there and exit; or go on without it
 *
 * A run has `count` numbers for nodes, of which the first `founders` are taken at its start. Others may come later, one
 * at a time.
 *
 *      launcher                             the new node          node 0             the others
 *         | -- welcome, peers that are there, start ->|             |                   |
 *         | -- peer: the new node, its address -------------------> | ----------------> |
 *         |<- met ---------------------------- |                    |                   |
 *         | -- admit: the new node -------------------------------> |                   |   count it
 *         |<- admitted -------------------------------------------- |                   |
 *         | -- admit: the new node ---------------------------------------------------> |
 *         | -- begin ------------------------> |
 *         | -- withdrawn: the new node ---------------------------> | ----------------> |   before admit: it ends
 *         |<- request: so many nodes ----------------------------------------------------|   the program asks for that
 *
 * A node may leave, with nothing lost (net/run/leaving.h); node 0, its *heir*, keeps what it has kept for others.
 *
 *      launcher                             the node that leaves   node 0             the others
 *         | -- drain: it, 1 ------------------------->|-----------> | ----------------> |   nothing new goes there
 *         |<- draining: it, left, why -------|                    |                   |   from time to time
 *         |<- drained: it -------------------|                    |                   |   nothing runs there any more
 *         | -- part: it ------------------------------------------> | ----------------> |   send it nothing any more
 *         |<- handed_over: it ---------------|                    |                   |   node 0 has what it kept
 *         | -- departed: it --------------------------------------> |                   |   it belongs to node 0 now
 *         |<- departed: it ---------------------------------------- |                   |
 *         | -- departed: it --------------------------------------------------------------> |
 *         |<- departed: it ---------------------------------------------------------------- |
 *         | -- end, then leave ------------> |                    |                   |   as at the end of a run
 *         | -- drain: it, 0 ------------------------->|-----------> | ----------------> |   before part: it stays
 *
 * A *checkpoint* is a copy of all nodes as they are at one moment, the *cut*, at which no thread runs and no message is
 * under way (checkpoint/cut.h). Checkpoints have numbers from 1 on.
 *
 *      launcher                             each node
 *         |<- wish: --------------------------- |   a thread asks for a checkpoint (skein_checkpoint)
 *         | -- halt: number ------------------> |   its threads stop at their next migration points; handlers go on
 *         |<- halting: number, why ------------ |   once a second, while something runs
 *         |<- halted: number, Counts ---------- |   they stand, and the node sends no message but answers
 *         | -- count: number -----------------> |   to all, once all have halted
 *         |<- halted: number, Counts ---------- |   again, until all that was sent had been handled one round before
 *         | -- cut: number, folder -----------> |   to all: it makes a copy of itself, which writes
 *         |<- copied: number, status, why ----- |   it has
 *         | -- go_on: number -----------------> |   to all, once all have: its threads go on. Also instead of `cut`
 *         |<- written: number, status, why ---- |   the copy: the file is complete, and on the disk
 *         | -- kept: number, status, why -----> |   to all: the checkpoint is complete, or will never be. Threads that
 *         |                                     |   asked for one go on
 *
 * A node that is made of such a copy is told by the environment where that lies (restore_variable), and then begins
 * like the others, with `welcome`.
 *
 * Before that, with image=same: the launcher starts the program once, with a socket of its own, and the program forks
 * the nodes from there, before any constructor has run (launch/start_fork.cpp).
 *
 *      launcher                             the program, no node yet
 *         | -- fork: number, cores ----------> |   once per node; + its socket, its output
 *         |<- forked: number, process -------- |   or an error
 *         |<- forked: number, process -------- |   the node itself, on its own socket: whichever comes first
 *
 * The environment variable SKEIN_BOOTSTRAP holds the number of the descriptor; SKEIN_TRANSPORT the path of the library.
 * Both ends come from one build (the node checks the version), so this format is not for eternity; docs/wire-format.md.
 */
#ifndef SKEIN_NET_WIRE_BOOTSTRAP_H
#define SKEIN_NET_WIRE_BOOTSTRAP_H

#include <cstddef>
#include <cstdint>

namespace skein::bootstrap {

inline constexpr char descriptor_variable[] = "SKEIN_BOOTSTRAP";
inline constexpr char transport_variable[] = "SKEIN_TRANSPORT";
inline constexpr char restore_variable[] = "SKEIN_RESTORE";       // the path of the copy that the node is made of
inline constexpr char checkpoint_variable[] = "SKEIN_CHECKPOINT"; // path of the library, if the run makes checkpoints
// In how many equal parts the cores of the host are dealt out, one of which the node is bound to (`skein run --bind`).
inline constexpr char shares_variable[] = "SKEIN_SHARES";
inline constexpr char monitor_variable[] = "SKEIN_MONITOR"; // the folder for the nodes' monitors, also of a run of one

inline constexpr uint32_t magic = 0x53424b53; // "SKBS"
inline constexpr uint16_t version = 10;

enum class Type : uint16_t {
  welcome = 1,
  address,
  peer,
  start,
  met,
  begin,
  finish,
  end,
  done,
  leave,
  exiting,
  suspect,
  quit,
  died,
  fork,
  forked,
  misses,
  ping,
  alive,
  rejects,
  admit,
  admitted,
  withdrawn,
  request,
  drain,
  draining,
  drained,
  part,
  handed_over,
  departed,
  wish,
  halt,
  halting,
  halted,
  count,
  cut,
  copied,
  go_on,
  written,
  kept,
};

/// Bytes of the run's token.
inline constexpr size_t token_bytes = 16;
/// Bytes a transport's address may have, and descriptors that may belong to it. UCX needs about 100 bytes.
inline constexpr size_t address_bytes_max = 4096;
inline constexpr size_t address_descriptors_max = 2;
/// Descriptors that one packet can carry (SCM_MAX_FD) bound the nodes of one launcher.
inline constexpr int nodes_max = 250;

struct Header {
  uint32_t magic = bootstrap::magic;
  uint16_t version = bootstrap::version;
  Type type{};
  int32_t node = 0;   // the node that the packet is about
  int32_t status = 0; // exit status, where there is one
};
static_assert(sizeof(Header) == 16);

/// The launcher has switched off that the kernel randomises addresses, for the nodes alone.
inline constexpr uint32_t welcome_addresses_fixed = 1;
/// The run has nodes on other hosts, and no files of shared memory come along.
inline constexpr uint32_t welcome_several_hosts = 2;
/// The run has begun long since: peers are named for the nodes that are there, and for no others.
inline constexpr uint32_t welcome_late = 4;
/// The nodes are made of a checkpoint.
inline constexpr uint32_t welcome_restored = 8;
/// A memory file for stacks comes along behind those of shared memory.
inline constexpr uint32_t welcome_stacks = 16;

struct Welcome {
  Header header;
  int32_t count;    // of numbers for nodes
  int32_t founders; // how many of them, from 0 on, were nodes at the run's start
  uint32_t flags;
  uint8_t token[token_bytes];
  uint32_t unused;
  uint64_t seed; // from which the places of memory follow that are the same in all nodes
};
static_assert(sizeof(Welcome) == 56);

/// For node header.node. The descriptors that come along: its socket and, if its lines get a prefix, what becomes its
/// stdout and stderr.
struct ForkRequest {
  Header header;
  int32_t launcher;   // process
  uint32_t bound;     // 1: it runs on these cores only
  uint64_t cores[16]; // a bit each
};
static_assert(sizeof(ForkRequest) == 152);
inline constexpr unsigned fork_descriptors_most = 3;

/// header.node is the node, header.status its process, or -errno: it could not be forked. Both the program and the node
/// say so, since the program may be stopped or killed before it can.
struct Forked {
  Header header;
};

/// A note in the program file tells the launcher that the program can be asked to fork.
#define SKEIN_NOTE_NAME "Skein"
inline constexpr uint32_t note_forks = 1; // its data is `version`, 4 bytes

/// Behind the header of `halted`: what a node that has halted has sent to other nodes, and handled of what they sent,
/// all messages but heartbeats. In all packets about a checkpoint Header.node is its number, and status 0 is success.
struct Counts {
  uint64_t sent, handled;
};

/// address, peer: the address's bytes. cut: the folder. suspect, died, misses, draining, halting, copied, written,
/// kept: text in words, not terminated.
struct Packet {
  Header header;
  char bytes[address_bytes_max];
};

} // namespace skein::bootstrap

#endif
