import type { FilterRule } from "./seccomp-filter.ts"

/** From linux/sched.h. */
const CLONE_THREAD = 0x0001_0000
/**
 * Mount, cgroup, UTS, IPC, user, PID and network namespaces, and CLONE_PARENT, which makes a child of Sealway instead
 * of the function.
 */
const CLONE_REFUSED = 0x7e02_0000 | 0x8000

/** From linux/socket.h, linux/net.h, linux/in.h and linux/netlink.h. */
const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const ANY_PROTOCOL = 0
const TCP = 6
const UDP = 17
const NETLINK_ROUTE = 0
const SOL_SOCKET = 1
const SO_LINGER = 13
const SOCK_STREAM = 1
const SOCK_TYPE_MASK = 0xf

/** From asm-generic/fcntl.h: the access mode of an opened file, and truncation. */
const OPEN_MODE_AND_TRUNCATE = 0x3 | 0x200
const READ_AND_TRUNCATE = 0x200

/** From asm-generic/mman-common.h: MAP_SHARED and MAP_ANONYMOUS. */
const SHARED_ANONYMOUS = 0x1 | 0x20

/** From asm-generic/fcntl.h and linux/fcntl.h: signal owners, and leases, which block others that open a file. */
const F_SETOWN = 8
const F_SETOWN_EX = 15
const F_SETLEASE = 1024
const F_NOTIFY = 1026
const F_SETDELEG = 1040

/** From asm-generic/ioctls.h and linux/sockios.h: requests that programs make on their descriptors. */
const TCGETS = 0x5401
const TCGETS2 = 0x802c_542a
const TIOCOUTQ = 0x5411
const TIOCGWINSZ = 0x5413
const FIONREAD = 0x541b
const FIONBIO = 0x5421
const FIONCLEX = 0x5450
const FIOCLEX = 0x5451
const SIOCGIFNAME = 0x8910
const SIOCGIFINDEX = 0x8933

/** From linux/prctl.h. */
const PR_SET_PDEATHSIG = 1
const PR_SET_SECCOMP = 22
const PR_SCHED_CORE = 62

/** What no function may do at any level. Rules on arguments come first, because they apply most often. */
const ALWAYS: readonly FilterRule[] = [
  // Internet sockets, and what querying network addresses needs. No Unix sockets: Docker, ssh-agent and D-Bus listen on
  // them. Other protocols would load large kernel modules.
  ...[AF_INET, AF_INET6].flatMap((family) =>
    [ANY_PROTOCOL, TCP, UDP].map(
      (protocol): FilterRule => ({
        calls: ["socket"],
        when: [
          { argument: 0, is: family },
          { argument: 2, is: protocol },
        ],
        verdict: "allow",
      }),
    ),
  ),
  {
    calls: ["socket"],
    when: [
      { argument: 0, is: AF_NETLINK },
      { argument: 2, is: NETLINK_ROUTE },
    ],
    verdict: "allow",
  },
  { calls: ["socket"], verdict: "EPERM" },
  { calls: ["socketpair"], when: [{ argument: 0, isNot: AF_UNIX }], verdict: "EPERM" },
  // A pair of datagram sockets could send to any path.
  {
    calls: ["socketpair"],
    when: [{ argument: 1, mask: SOCK_TYPE_MASK, isNot: SOCK_STREAM }],
    verdict: "EPERM",
  },
  { calls: ["clone"], when: [{ argument: 0, mask: CLONE_REFUSED, isNot: 0 }], verdict: "EPERM" },
  // Its flags are behind a pointer, which no filter can follow. The C libraries then fall back to clone.
  { calls: ["clone3"], verdict: "ENOSYS" },
  // Closing a socket with SO_LINGER waits. Sent to Sealway over a pipe, which is a Unix socket, it would be Sealway
  // that waits.
  {
    calls: ["setsockopt"],
    when: [
      { argument: 1, is: SOL_SOCKET },
      { argument: 2, is: SO_LINGER },
    ],
    verdict: "EPERM",
  },
  // Its pages can be kept without being counted anywhere.
  {
    calls: ["mmap"],
    when: [{ argument: 3, mask: SHARED_ANONYMOUS, is: SHARED_ANONYMOUS }],
    verdict: "EPERM",
  },
  ...[F_SETOWN, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETDELEG].map(
    (request): FilterRule => ({ calls: ["fcntl"], when: [{ argument: 1, is: request }], verdict: "EPERM" }),
  ),
  // The others type into terminals, send signals, change a file opened for reading, or copy a whole volume (Btrfs).
  ...[
    TCGETS,
    TCGETS2,
    TIOCOUTQ,
    TIOCGWINSZ,
    FIONREAD,
    FIONBIO,
    FIONCLEX,
    FIOCLEX,
    SIOCGIFNAME,
    SIOCGIFINDEX,
  ].map(
    (request): FilterRule => ({ calls: ["ioctl"], when: [{ argument: 1, is: request }], verdict: "allow" }),
  ),
  { calls: ["ioctl"], verdict: "EPERM" },
  // The first one would keep it alive after Sealway was killed.
  ...[PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SCHED_CORE].map(
    (option): FilterRule => ({ calls: ["prctl"], when: [{ argument: 0, is: option }], verdict: "EPERM" }),
  ),
  // A process that leaves its group would keep running while the others are stopped. A timer could send SIGCONT.
  { calls: ["setsid", "setpgid", "timer_create"], verdict: "EPERM" },
  // Only about itself: 0 is the caller.
  {
    calls: [
      "prlimit64",
      "sched_setaffinity",
      "sched_setattr",
      "sched_setparam",
      "sched_setscheduler",
      "migrate_pages",
      "move_pages",
    ],
    when: [{ argument: 0, isNot: 0 }],
    verdict: "EPERM",
  },
  { calls: ["setpriority", "ioprio_set"], verdict: "EPERM" },
  // Servers: incoming connections would bypass Sealway.
  { calls: ["listen"], verdict: "EPERM" },
  // Namespaces, mounts, roots.
  {
    calls: [
      "unshare",
      "setns",
      "chroot",
      "pivot_root",
      "mount",
      "umount2",
      "move_mount",
      "open_tree",
      "open_tree_attr",
      "fsopen",
      "fsconfig",
      "fsmount",
      "fspick",
      "mount_setattr",
      "statmount",
      "listmount",
      "swapon",
      "swapoff",
    ],
    verdict: "EPERM",
  },
  // A second way to make nearly every call, around this filter. Programs fall back to the first.
  { calls: ["io_setup", "io_uring_setup", "io_uring_enter", "io_uring_register"], verdict: "ENOSYS" },
  // Memory that no process is charged for: segments and queues, and pages given to a pipe.
  {
    calls: [
      "shmget",
      "shmat",
      "shmctl",
      "shmdt",
      "semget",
      "semop",
      "semctl",
      "semtimedop",
      "msgget",
      "msgsnd",
      "msgrcv",
      "msgctl",
      "mq_open",
      "mq_unlink",
      "vmsplice",
    ],
    verdict: "EPERM",
  },
  // Names of files that it may not read, and watches, which are limited per user.
  { calls: ["inotify_init", "inotify_init1", "inotify_add_watch"], verdict: "EPERM" },
  // The memory and descriptors of other processes.
  {
    calls: [
      "ptrace",
      "process_vm_readv",
      "process_vm_writev",
      "process_madvise",
      "process_mrelease",
      "kcmp",
      "pidfd_open",
      "pidfd_getfd",
      "pidfd_send_signal",
    ],
    verdict: "EPERM",
  },
  // Large attack surfaces of the kernel, key rings, and anonymous files (memory that is not counted).
  {
    calls: [
      "bpf",
      "perf_event_open",
      "userfaultfd",
      "add_key",
      "request_key",
      "keyctl",
      "memfd_create",
      "memfd_secret",
      "personality",
      "fanotify_init",
      "name_to_handle_at",
      "open_by_handle_at",
      "lookup_dcookie",
      "modify_ldt",
      "seccomp",
      "landlock_create_ruleset",
      "landlock_add_rule",
      "landlock_restrict_self",
    ],
    verdict: "EPERM",
  },
  // The machine itself. An unprivileged process is refused anyway; this does not rely on it.
  {
    calls: [
      "acct",
      "adjtimex",
      "clock_adjtime",
      "clock_settime",
      "delete_module",
      "finit_module",
      "init_module",
      "ioperm",
      "iopl",
      "kexec_file_load",
      "kexec_load",
      "quotactl",
      "quotactl_fd",
      "reboot",
      "setdomainname",
      "sethostname",
      "settimeofday",
      "syslog",
      "vhangup",
    ],
    verdict: "EPERM",
  },
]

/** What namespaces and a separate view of the files would prevent. */
const WITHOUT_NAMESPACES: readonly FilterRule[] = [
  {
    calls: ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"],
    when: [{ argument: 0, is: "own-pid" }],
    verdict: "allow",
  },
  { calls: ["kill", "tgkill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"], verdict: "EPERM" },
  // One process only: others would outlive the run.
  { calls: ["clone"], when: [{ argument: 0, mask: CLONE_THREAD, is: 0 }], verdict: "EPERM" },
  { calls: ["fork", "vfork"], verdict: "EPERM" },
  // Before Linux 6.2, Landlock lets a readable file be truncated; openat2 has its flags behind a pointer.
  {
    calls: ["openat"],
    when: [{ argument: 2, mask: OPEN_MODE_AND_TRUNCATE, is: READ_AND_TRUNCATE }],
    verdict: "EPERM",
  },
  {
    calls: ["open"],
    when: [{ argument: 1, mask: OPEN_MODE_AND_TRUNCATE, is: READ_AND_TRUNCATE }],
    verdict: "EPERM",
  },
  { calls: ["openat2"], verdict: "ENOSYS" },
  { calls: ["truncate"], verdict: "EPERM" },
  // Landlock lets a file's mode, owner, times and attributes be changed.
  {
    calls: [
      "chmod",
      "fchmod",
      "fchmodat",
      "fchmodat2",
      "chown",
      "fchown",
      "lchown",
      "fchownat",
      "utime",
      "utimes",
      "futimesat",
      "utimensat",
      "setxattr",
      "lsetxattr",
      "fsetxattr",
      "setxattrat",
      "removexattr",
      "lremovexattr",
      "fremovexattr",
      "removexattrat",
      "file_setattr",
    ],
    verdict: "EPERM",
  },
]

const WITHOUT_NETWORK: readonly FilterRule[] = [{ calls: ["socket"], verdict: "EPERM" }]

/** Holds each connect until the launcher has answered it. */
export const CONNECT_RULES: readonly FilterRule[] = [{ calls: ["connect"], verdict: "ask" }]

/** Returns the rules for a function, depending on whether it has its own namespaces, and any network. */
export function filterRules(hasNamespaces: boolean, hasNetwork: boolean): readonly FilterRule[] {
  return [...(hasNetwork ? [] : WITHOUT_NETWORK), ...(hasNamespaces ? [] : WITHOUT_NAMESPACES), ...ALWAYS]
}
