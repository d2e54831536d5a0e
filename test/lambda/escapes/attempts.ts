import type { ConfinedLevel } from "@sealway/local/testing/functions"

/** How a function tries to get out of its box. It returns "reached" where it believes to be out, or throws. */
export interface Attempt {
  readonly title: string
  /** The body of an async function with `p` (the targets) and `m` (Node.js's modules). */
  readonly node?: string
  /**
   * The body of a function with `p`. `call(number, ...)` makes a system call, `knock` only finds out whether it is
   * refused.
   */
  readonly python?: string
  /** Where it succeeds, and why that is not an escape. Elsewhere it must fail. */
  readonly getsThrough?: Partial<Record<ConfinedLevel, string>>
}

/** Python system call numbers are those of x64; on arm64 these rows try other calls, which must not get out either. */
export const ATTEMPTS: readonly Attempt[] = [
  // Other processes
  {
    title: "opens Sealway's inspector with SIGUSR1",
    node: 'process.kill(p.sealway, "SIGUSR1"); return "reached"',
    python: "os.kill(p['sealway'], signal.SIGUSR1); return 'reached'",
  },
  {
    title: "signals its parent",
    node: 'if (process.ppid <= 1) return "nobody there"; process.kill(process.ppid, "SIGUSR1"); return "reached"',
    python:
      "\nif os.getppid() <= 1: return 'nobody there'\nos.kill(os.getppid(), signal.SIGUSR1); return 'reached'",
  },
  {
    title: "kills a process of the user",
    node: 'process.kill(p.bystander, "SIGKILL"); return "reached"',
    python: "os.kill(p['bystander'], signal.SIGKILL); return 'reached'",
  },
  {
    title: "asks whether a process of the user is there",
    node: 'process.kill(p.bystander, 0); return "reached"',
    python: "os.kill(p['bystander'], 0); return 'reached'",
  },
  {
    title: "signals every process that it may",
    // With signal 0, which only asks: a hole in the box must not end the machine's processes.
    node: 'process.kill(-1, 0); return "reached"',
    python: "os.kill(-1, 0); return 'reached'",
  },
  {
    title: "signals a process group",
    node: 'process.kill(-p.bystander, "SIGKILL"); return "reached"',
    python: "os.killpg(p['bystander'], signal.SIGKILL); return 'reached'",
  },
  {
    title: "queues a signal",
    python: "call(129, p['bystander'], 9, ctypes.create_string_buffer(128)); return 'reached'",
  },
  {
    title: "signals a thread of another process",
    python: "call(234, p['bystander'], p['bystander'], 9); return 'reached'",
  },
  {
    title: "signals by a process descriptor",
    python: "signal.pidfd_send_signal(os.pidfd_open(p['bystander']), 9); return 'reached'",
  },
  {
    title: "has the kernel signal another process when a socket is ready",
    python: `
a, b = socket.socketpair()
fcntl.fcntl(a, fcntl.F_SETOWN, p['bystander'])
fcntl.fcntl(a, fcntl.F_SETSIG, signal.SIGKILL)
fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
b.send(b'x')
return 'reached'`,
  },
  {
    title: "gives a socket's signals away by ioctl",
    python: "fcntl.ioctl(socket.socketpair()[0], 0x8901, struct.pack('i', p['bystander'])); return 'reached'",
  },
  { title: "traces a process", python: "call(101, 16, p['bystander'], 0, 0); return 'reached'" },
  {
    title: "reads another process's memory",
    python: `
local = ctypes.create_string_buffer(8)
vector = struct.pack('QQ', ctypes.addressof(local), 8)
return knock(310, p['bystander'], vector, 1, vector, 1, 0)`,
  },
  {
    title: "opens another process's memory file",
    node: "m.fs.openSync('/proc/' + p.bystander + '/mem'); return 'reached'",
    python: "open(f\"/proc/{p['bystander']}/mem\", 'rb'); return 'reached'",
  },
  {
    title: "reads Sealway's environment",
    node: "m.fs.readFileSync('/proc/' + p.sealway + '/environ'); return 'reached'",
    python: "open(f\"/proc/{p['sealway']}/environ\", 'rb').read(); return 'reached'",
  },
  {
    title: "lists Sealway's descriptors",
    node: "m.fs.readdirSync('/proc/' + p.sealway + '/fd'); return 'reached'",
    python: "os.listdir(f\"/proc/{p['sealway']}/fd\"); return 'reached'",
  },
  {
    title: "takes a descriptor of another process",
    python: "call(438, call(434, p['bystander'], 0), 0, 0); return 'reached'",
  },
  {
    title: "slows another process down",
    node: "m.os.setPriority(p.bystander, 19); return 'reached'",
    python: "os.setpriority(os.PRIO_PROCESS, p['bystander'], 19); return 'reached'",
  },
  {
    title: "changes another process's limits",
    python: "resource.prlimit(p['bystander'], resource.RLIMIT_NOFILE, (1, 1)); return 'reached'",
  },
  {
    title: "moves another process to one processor",
    python: "os.sched_setaffinity(p['bystander'], {0}); return 'reached'",
  },
  // Files
  {
    title: "reads a file of the user",
    node: "m.fs.readFileSync(p.file); return 'reached'",
    python: "open(p['file']).read(); return 'reached'",
  },
  {
    title: "reads a file of the user by /proc/self/root",
    node: "m.fs.readFileSync('/proc/self/root' + p.file); return 'reached'",
    python: "open('/proc/self/root' + p['file']).read(); return 'reached'",
  },
  {
    title: "lists a folder of the user",
    node: "if (m.fs.readdirSync(p.folder).includes('credentials.json')) return 'reached'; return 'only its own code'",
    python: "return 'reached' if 'credentials.json' in os.listdir(p['folder']) else 'only its own code'",
  },
  {
    title: "looks at a file's size and times",
    node: "m.fs.statSync(p.file); return 'reached'",
    python: "os.stat(p['file']); return 'reached'",
    getsThrough: { landlock: "Landlock leaves stat alone. Contents stay closed." },
  },
  {
    title: "overwrites a file of the user",
    node: "m.fs.writeFileSync(p.file, 'x'); return 'reached'",
    python: "open(p['file'], 'w').write('x'); return 'reached'",
  },
  {
    title: "makes a file",
    node: "m.fs.writeFileSync(p.folder + '/new', 'x'); return 'reached'",
    python: "open(p['folder'] + '/new', 'w').write('x'); return 'reached'",
  },
  {
    title: "changes its own code",
    node: "m.fs.appendFileSync(p.code, ' '); return 'reached'",
    python: "open(p['code'], 'a').write(' '); return 'reached'",
  },
  {
    title: "empties a file by its path",
    node: "m.fs.truncateSync(p.file); return 'reached'",
    python: "os.truncate(p['file'], 0); return 'reached'",
  },
  {
    title: "empties a file that it may read by opening it",
    node: "m.fs.openSync(p.code, m.fs.constants.O_RDONLY | m.fs.constants.O_TRUNC); return 'reached'",
    python: "os.open(p['code'], os.O_RDONLY | os.O_TRUNC); return 'reached'",
  },
  {
    title: "opens a file's mode to everybody",
    node: "m.fs.chmodSync(p.file, 0o777); return 'reached'",
    python: "os.chmod(p['file'], 0o777); return 'reached'",
  },
  {
    title: "gives a file away",
    node: "m.fs.chownSync(p.file, 1, 1); return 'reached'",
    python: "os.chown(p['file'], 1, 1); return 'reached'",
  },
  {
    title: "changes a file's times",
    node: "m.fs.utimesSync(p.file, 1, 1); return 'reached'",
    python: "os.utime(p['file'], (1, 1)); return 'reached'",
  },
  {
    title: "sets an attribute of a file",
    python: "os.setxattr(p['file'], 'user.x', b'1'); return 'reached'",
  },
  {
    title: "changes the mode of its own code",
    node: "m.fs.chmodSync(p.code, 0o777); return 'reached'",
    python: "os.chmod(p['code'], 0o777); return 'reached'",
  },
  {
    title: "renames a file",
    node: "m.fs.renameSync(p.file, p.folder + '/moved'); return 'reached'",
    python: "os.rename(p['file'], p['folder'] + '/moved'); return 'reached'",
  },
  {
    title: "removes a file",
    node: "m.fs.rmSync(p.file); return 'reached'",
    python: "os.unlink(p['file']); return 'reached'",
  },
  {
    title: "makes a link",
    node: "m.fs.symlinkSync('/', p.folder + '/link'); return 'reached'",
    python: "os.symlink('/', p['folder'] + '/link'); return 'reached'",
  },
  {
    title: "makes a second name for a file",
    node: "m.fs.linkSync(p.file, p.folder + '/second'); return 'reached'",
    python: "os.link(p['file'], p['folder'] + '/second'); return 'reached'",
  },
  {
    title: "makes a folder",
    node: "m.fs.mkdirSync(p.folder + '/made'); return 'reached'",
    python: "os.mkdir(p['folder'] + '/made'); return 'reached'",
  },
  { title: "makes a named pipe", python: "os.mkfifo(p['folder'] + '/pipe'); return 'reached'" },
  {
    title: "leaves something in the temporary folder",
    node: "m.fs.writeFileSync('/tmp/sealway-escape', 'x'); return 'reached'",
    python: "open('/tmp/sealway-escape', 'w').write('x'); return 'reached'",
  },
  {
    title: "leaves something in shared memory",
    node: "m.fs.writeFileSync('/dev/shm/sealway-escape', 'x'); return 'reached'",
    python: "open('/dev/shm/sealway-escape', 'w').write('x'); return 'reached'",
  },
  {
    title: "opens a database of the user by SQLite",
    node: `
      const { DatabaseSync } = await import("node:sqlite")
      new DatabaseSync(":memory:").exec(\`ATTACH DATABASE '\${p.folder}/made.db' AS x; CREATE TABLE x.t (c)\`)
      return "reached"`,
    python: `
import sqlite3
sqlite3.connect(p['folder'] + '/made.db').execute('CREATE TABLE t (c)')
return 'reached'`,
  },
  {
    title: "reads the machine's passwords",
    node: "m.fs.readFileSync('/etc/shadow'); return 'reached'",
    python: "open('/etc/shadow').read(); return 'reached'",
  },
  {
    title: "reads the machine's TLS keys",
    node: "m.fs.readdirSync('/etc/ssl/private'); return 'reached'",
    python: "os.listdir('/etc/ssl/private'); return 'reached'",
  },
  {
    title: "opens a file by its handle",
    python:
      "return knock(303, -100, p['file'].encode(), ctypes.create_string_buffer(struct.pack('II', 128, 0), 256), ctypes.create_string_buffer(8), 0)",
  },
  {
    title: "watches a folder of the user",
    python: "call(254, call(294, 0), p['folder'].encode(), 0xfff); return 'reached'",
  },
  {
    title: "holds up whoever opens a file for writing",
    python: "fcntl.fcntl(open(p['code']), fcntl.F_SETLEASE, fcntl.F_RDLCK); return 'reached'",
  },
  {
    title: "changes the flags of its own code",
    python: "fcntl.ioctl(open(p['code']), 0x40086602, struct.pack('l', 0x40)); return 'reached'",
  },
  {
    title: "copies the user's files into its own folder as a volume",
    python: `
own = os.open(os.path.dirname(p['code']), os.O_RDONLY)
try:
    return knock(16, own, 0x50009401, ctypes.create_string_buffer(4096))
finally:
    os.close(own)`,
  },
  // Descriptors
  {
    title: "finds descriptors of Sealway's",
    node: `
      const found = []
      for (let fd = 4; fd < 256; fd++) { try { if (m.fs.fstatSync(fd).isFile()) found.push(fd) } catch {} }
      if (found.length > 0) return "reached"
      throw new Error("none")`,
    python: `
found = []
for fd in range(4, 256):
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode): found.append(fd)
    except OSError: pass
if found: return 'reached'
raise ValueError('none')`,
  },
  {
    title: "empties a file of Sealway's by its descriptor",
    node: `
      let emptied = 0
      for (let fd = 4; fd < 256; fd++) { try { m.fs.ftruncateSync(fd, 0); emptied++ } catch {} }
      if (emptied > 0) return "reached"
      throw new Error("none")`,
    python: `
emptied = 0
for fd in range(4, 256):
    try:
        os.ftruncate(fd, 0)
        emptied += 1
    except OSError: pass
if emptied: return 'reached'
raise ValueError('none')`,
  },
  {
    title: "opens more files than Lambda lets it",
    python: `
held = []
try:
    for _ in range(1_024): held.append(os.dup(1))
finally:
    for fd in held: os.close(fd)
return 'reached'`,
  },
  // Sockets
  {
    title: "connects to a Unix socket",
    node: "await new Promise((done, fail) => m.net.connect({ path: p.socket }).once('connect', done).once('error', fail)); return 'reached'",
    python: "socket.socket(socket.AF_UNIX).connect(p['socket']); return 'reached'",
  },
  {
    title: "connects to an abstract Unix socket",
    node: "await new Promise((done, fail) => m.net.connect({ path: '\\0' + p.abstractSocket }).once('connect', done).once('error', fail)); return 'reached'",
    python: "socket.socket(socket.AF_UNIX).connect('\\0' + p['abstractSocket']); return 'reached'",
  },
  {
    title: "sends to a Unix socket from one end of a pair",
    python: "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); return 'reached'",
  },
  {
    title: "listens on a Unix socket",
    node: "await new Promise((done, fail) => m.net.createServer().listen(p.folder + '/listening', done).once('error', fail)); return 'reached'",
    python:
      "\ns = socket.socket(socket.AF_UNIX)\ns.bind(p['folder'] + '/listening')\ns.listen()\nreturn 'reached'",
  },
  {
    title: "listens on a port",
    node: "await new Promise((done, fail) => m.net.createServer().listen(0, done).once('error', fail)); return 'reached'",
    python: "\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\nreturn 'reached'",
  },
  {
    title: "listens on a port that the kernel picks",
    python: "\ns = socket.socket()\ns.listen()\nreturn 'reached'",
  },
  {
    title: "makes a raw socket",
    python: "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); return 'reached'",
  },
  { title: "makes a packet socket", python: "socket.socket(17, socket.SOCK_RAW); return 'reached'" },
  {
    title: "talks to the kernel's device events",
    python: "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15); return 'reached'",
  },
  {
    title: "talks to other virtual machines",
    python: "socket.socket(40, socket.SOCK_STREAM); return 'reached'",
  },
  {
    title: "makes a socket of a protocol that loads a module of the kernel's",
    python: "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); return 'reached'",
  },
  {
    title: "makes a pair of sockets of another family",
    python: "return knock(53, 30, 1, 0, ctypes.create_string_buffer(8))",
  },
  {
    title: "makes Sealway wait for a socket that it is sent",
    python:
      "socket.socket().setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 3600)); return 'reached'",
  },
  // Programs, threads, the kernel
  {
    title: "starts a program of the machine",
    node: "m.childProcess.execFileSync('/bin/true'); return 'reached'",
    python: "subprocess.run(['/bin/true'], check=True); return 'reached'",
  },
  {
    title: "becomes a program of the machine",
    node: "process.execve('/bin/true', ['true']); return 'reached'",
    python: "os.execv('/bin/true', ['true']); return 'reached'",
  },
  {
    title: "starts a thread with rights of its own",
    node: "new m.workers.Worker('1', { eval: true, execArgv: [] }); return 'reached'",
  },
  { title: "loads native code", node: "process.dlopen({ exports: {} }, p.file); return 'reached'" },
  { title: "opens its own inspector", node: "m.inspector.open(0); return 'reached'" },
  {
    title: "opens its own inspector with SIGUSR1",
    node: "process.kill(process.pid, 'SIGUSR1'); await new Promise((done) => setTimeout(done, 50)); if (m.inspector.url()) return 'reached'; throw new Error('not open')",
  },
  {
    title: "becomes root",
    node: "process.setuid(0); if (process.getuid() !== 0 || p.uid === 0) throw new Error('same'); return 'reached'",
    python: "\nos.setuid(0)\nif p['uid'] == 0: raise ValueError('same')\nreturn 'reached'",
  },
  {
    title: "has a capability",
    python: `
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
if any(int(status[name], 16) for name in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')): return 'reached'
raise ValueError('none')`,
  },
  { title: "makes a user namespace", python: "return knock(272, 0x10000000)" },
  { title: "starts a process in a user namespace", python: "return knock(56, 0x10000011, 0, 0, 0, 0)" },
  {
    title: "starts a process in a user namespace by clone3",
    python: "return knock(435, ctypes.create_string_buffer(struct.pack('11Q', 0x10000000, *[0] * 10)), 88)",
  },
  {
    title: "joins another process's namespaces",
    python: "call(308, call(434, p['sealway'], 0), 0x20000); return 'reached'",
  },
  { title: "mounts", python: "return knock(165, b'none', b'/proc', b'tmpfs', 0, 0)" },
  { title: "changes its root", python: "os.chroot('/usr'); return 'reached'" },
  {
    title: "loads a program into the kernel",
    python: "return knock(321, 0, ctypes.create_string_buffer(128), 128)",
  },
  {
    title: "watches the processor's counters",
    python: "return knock(298, ctypes.create_string_buffer(struct.pack('II', 1, 112), 112), 0, -1, -1, 0)",
  },
  { title: "makes calls by io_uring", python: "return knock(425, 4, ctypes.create_string_buffer(120))" },
  { title: "makes a file without a name", python: "os.memfd_create('x'); return 'reached'" },
  { title: "opens the user's key ring", python: "return knock(250, 0, -4, 1)" },
  { title: "handles its own page faults", python: "return knock(323, 0)" },
  { title: "types into a terminal", python: "return knock(16, 0, 0x5412, b'x')" },
  {
    title: "leaves a shared memory segment behind",
    python: "call(29, 0x5ea1, 4096, 0o1666); return 'harm shows outside'",
  },
  {
    title: "makes a segment of shared memory, a queue or a semaphore",
    python: `
for number, arguments in ((29, (0, 4096, 0o1600)), (68, (0, 0o1600)), (64, (0, 1, 0o1600)), (240, (b'q', 0o102, 0o600, 0))):
    try: knock(number, *arguments)
    except OSError: continue
    return 'reached'
raise ValueError('none')`,
  },
  {
    title: "shares memory that it is not charged for",
    python: "import mmap; mmap.mmap(-1, 4096); return 'reached'",
  },
  {
    title: "maps zeros as memory that it is not charged for",
    python: `
import mmap
with open('/dev/zero') as zeros:
    mmap.mmap(zeros.fileno(), 4096, prot=mmap.PROT_READ)[0]
return 'reached'`,
  },
  {
    title: "lends memory to a pipe",
    python: `
held = ctypes.create_string_buffer(1)
vector = struct.pack('QQ', ctypes.addressof(held), 1)
return knock(278, os.pipe()[1], vector, 1, 0)`,
  },
  {
    title: "locks memory",
    python: "return 'reached' if resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] else 'none'",
  },
  { title: "lives on when Sealway has been killed", python: "return knock(157, 1, 0, 0, 0, 0)" },
  { title: "leaves its session", python: "os.setsid(); return 'reached'" },
  { title: "leaves its process group", python: "os.setpgid(0, 0); return 'reached'" },
  {
    title: "wakes itself between runs",
    python:
      "return knock(222, 1, ctypes.create_string_buffer(struct.pack('Qii48x', 0, signal.SIGCONT, 0)), ctypes.create_string_buffer(8))",
  },
  {
    title: "makes calls behind its own back",
    python: "return knock(206, 1, ctypes.create_string_buffer(8))",
  },
  {
    title: "filters its own calls",
    python: "return knock(317, 2, 0, ctypes.create_string_buffer(struct.pack('I', 0x7ffc0000)))",
  },
  { title: "makes a ruleset of its own", python: "return knock(444, 0, 0, 1)" },
  { title: "makes calls by 32-bit numbers", python: "call(0x40000000 | 39); return 'reached'" },
]
