import type { FilterRule } from "./seccomp-filter.ts"

/** From linux/sched.h. */
const CLONE_THREAD = 0x0001_0000
/** Mount, cgroup, UTS, IPC, user, PID and network namespaces, and CLONE_PARENT: a child of Sealway rather than of the function. */
const CLONE_REFUSED = 0x7e02_0000 | 0x8000

/** From linux/socket.h, linux/net.h and linux/netlink.h. */
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const NETLINK_ROUTE = 0
const SOCK_STREAM = 1
const SOCK_TYPE_MASK = 0xf

/** From asm-generic/fcntl.h: the mode in which a file is opened, and that it is emptied. */
const OPEN_MODE_AND_TRUNCATE = 0x3 | 0x200
const READ_AND_TRUNCATE = 0x200

/** Requests that send signals to other processes, type into a terminal, or give a socket's signals to another process. */
const F_SETOWN = 8
const F_SETOWN_EX = 15
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const TIOCSETD = 0x5423
const FIOSETOWN = 0x8901
const SIOCSPGRP = 0x8902

/** What no function may do, however else it is confined. What depends on arguments comes first: it is asked most. */
const ALWAYS: readonly FilterRule[] = [
  // Sockets of the internet, and what finding out network addresses asks. No Unix sockets: Docker, ssh-agent, D-Bus listen there.
  { calls: ["socket"], when: [{ argument: 0, is: AF_INET }], verdict: "allow" },
  { calls: ["socket"], when: [{ argument: 0, is: AF_INET6 }], verdict: "allow" },
  {
    calls: ["socket"],
    when: [
      { argument: 0, is: AF_NETLINK },
      { argument: 2, is: NETLINK_ROUTE },
    ],
    verdict: "allow",
  },
  { calls: ["socket"], verdict: "EPERM" },
  // A pair of datagram sockets could send to any path.
  {
    calls: ["socketpair"],
    when: [{ argument: 1, mask: SOCK_TYPE_MASK, isNot: SOCK_STREAM }],
    verdict: "EPERM",
  },
  { calls: ["clone"], when: [{ argument: 0, mask: CLONE_REFUSED, isNot: 0 }], verdict: "EPERM" },
  // Its flags are behind a pointer, where no filter can look. The C libraries then call clone.
  { calls: ["clone3"], verdict: "ENOSYS" },
  ...[F_SETOWN, F_SETOWN_EX].map(
    (request): FilterRule => ({
      calls: ["fcntl"],
      when: [{ argument: 1, is: request }],
      verdict: "EPERM",
    }),
  ),
  ...[TIOCSTI, TIOCLINUX, TIOCSETD, FIOSETOWN, SIOCSPGRP].map(
    (request): FilterRule => ({
      calls: ["ioctl"],
      when: [{ argument: 1, is: request }],
      verdict: "EPERM",
    }),
  ),
  // Of itself alone: 0 is the caller.
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
  // Servers: what comes in would come past Sealway.
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
  // A second way to make nearly every call, past this filter. Programs fall back to the first.
  { calls: ["io_uring_setup", "io_uring_enter", "io_uring_register"], verdict: "ENOSYS" },
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
  // Large doors into the kernel, key rings, files without a name (memory that nobody counts).
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
    ],
    verdict: "EPERM",
  },
  // The machine itself. A process without privileges is refused anyway; this does not count on it.
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

/** What namespaces and their view of the files would stop. */
const WITHOUT_NAMESPACES: readonly FilterRule[] = [
  {
    calls: ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"],
    when: [{ argument: 0, is: "own-pid" }],
    verdict: "allow",
  },
  { calls: ["kill", "tgkill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"], verdict: "EPERM" },
  // One process: what has left its group, or its session, would outlive its run.
  { calls: ["clone"], when: [{ argument: 0, mask: CLONE_THREAD, is: 0 }], verdict: "EPERM" },
  { calls: ["fork", "vfork", "setsid", "setpgid"], verdict: "EPERM" },
  // Landlock before Linux 6.2 lets a file that may be read be emptied; openat2 keeps its flags behind a pointer.
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
  // Shared memory, semaphores and queues of the user's other programs.
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
    ],
    verdict: "EPERM",
  },
]

/** The rules for a function, by whether it has namespaces of its own. */
export function filterRules(hasNamespaces: boolean): readonly FilterRule[] {
  return hasNamespaces ? ALWAYS : [...WITHOUT_NAMESPACES, ...ALWAYS]
}
