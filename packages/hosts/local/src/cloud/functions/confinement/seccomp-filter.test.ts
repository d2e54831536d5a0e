import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CONNECT_RULES, filterRules } from "./filter-rules.ts"
import { type Condition, compileFilter, type FilterRule } from "./seccomp-filter.ts"
import { FIRST_UNKNOWN_SYSCALL, type Processor, type Syscall, syscallNumber } from "./syscalls.ts"

const ALLOW = 0x7fff_0000
const EPERM = 0x0005_0001
const ENOSYS = 0x0005_0026
const KILL = 0x8000_0000
const ASK = 0x7fc0_0000
const VERDICTS = { allow: ALLOW, ask: ASK, EPERM, ENOSYS }
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
const PROCESSORS: readonly Processor[] = ["x64", "arm64"]
const OWN_PID = 4_242

/** Evaluates a filter as the kernel would: runs classic BPF on `struct seccomp_data`. */
function evaluate(
  program: Buffer,
  audit: number,
  number: number,
  parameters: readonly number[] = [],
): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(audit >>> 0, 4)
  for (const [index, value] of parameters.entries()) data.writeUInt32LE(value >>> 0, 16 + index * 8)
  let accumulator = 0
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8)
    const [ifTrue, ifFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)]
    const operand = program.readUInt32LE(at * 8 + 4)
    if (code === 0x20) accumulator = data.readUInt32LE(operand)
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0
    else if (code === 0x15) at += accumulator === operand ? ifTrue : ifFalse
    else if (code === 0x35) at += accumulator >= operand ? ifTrue : ifFalse
    else if (code === 0x06) return operand
    else throw new Error(`Unknown instruction ${code}`)
  }
  throw new Error("The filter has no end")
}

function compiled(rules: readonly FilterRule[], processor: Processor): Buffer {
  const { program, ownPidOffsets } = compileFilter(rules, processor)
  for (const offset of ownPidOffsets) program.writeUInt32LE(OWN_PID, offset)
  return program
}

const SOME_CALLS: readonly Syscall[] = ["socket", "clone", "kill", "ioctl", "openat", "ptrace"]
const word = fc.integer({ min: 0, max: 0xffff_ffff })
const condition = fc
  .record({
    argument: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
    mask: fc.option(word, { nil: undefined }),
    value: fc.integer({ min: 0, max: 3 }),
    isEqual: fc.boolean(),
  })
  .map(
    ({ argument, mask, value, isEqual }): Condition => ({
      argument,
      ...(mask !== undefined && { mask }),
      ...(isEqual ? { is: value } : { isNot: value }),
    }),
  )
const rule = fc.record({
  calls: fc.array(fc.constantFrom(...SOME_CALLS), { minLength: 1, maxLength: 3 }),
  when: fc.array(condition, { maxLength: 3 }),
  verdict: fc.constantFrom("allow" as const, "EPERM" as const, "ENOSYS" as const),
})

describe.each(PROCESSORS)("a seccomp filter for %s", (processor) => {
  test("decides by the first rule whose call and conditions match, and allows everything else", () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 12 }),
        fc.constantFrom(...SOME_CALLS),
        fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }), word, word),
        (rules, call, parameters) => {
          const first = rules.find(
            ({ calls, when }) =>
              calls.includes(call) &&
              when.every(({ argument, mask = 0xffff_ffff, is, isNot }) => {
                const value = ((parameters[argument] ?? 0) & mask) >>> 0
                return is === undefined ? value !== isNot : value === is
              }),
          )
          const number = syscallNumber(call, processor) ?? -1
          expect(evaluate(compiled(rules, processor), AUDIT[processor], number, parameters)).toBe(
            VERDICTS[first?.verdict ?? "allow"],
          )
        },
      ),
    )
  })

  test("kills a process that makes another architecture's calls, and refuses x32 numbers", () => {
    const program = compiled([], processor)
    expect(evaluate(program, 0x4000_0003, 1)).toBe(KILL)
    expect(evaluate(program, AUDIT[processor], 0x4000_0001)).toBe(EPERM)
    expect(evaluate(program, AUDIT[processor], FIRST_UNKNOWN_SYSCALL - 1)).toBe(ALLOW)
  })

  test("hides calls that are newer than the list", () => {
    const program = compiled([], processor)
    expect(evaluate(program, AUDIT[processor], FIRST_UNKNOWN_SYSCALL)).toBe(ENOSYS)
    expect(evaluate(program, AUDIT[processor], 0x3fff_ffff)).toBe(ENOSYS)
  })

  test.each([true, false])("is short enough for the kernel (namespaces: %s)", (hasNamespaces) => {
    expect(compiled(filterRules(hasNamespaces, true), processor).length / 8).toBeLessThan(4_096)
  })
})

describe.each(PROCESSORS)("a function on %s may use", (processor) => {
  const verdict = (hasNamespaces: boolean, call: Syscall, ...parameters: number[]) => {
    const number = syscallNumber(call, processor)
    if (number === null) throw new TypeError("There is no such call")
    return evaluate(
      compiled(filterRules(hasNamespaces, true), processor),
      AUDIT[processor],
      number,
      parameters,
    )
  }

  test.each([true, false])("internet and route sockets, and no others (namespaces: %s)", (ns) => {
    const [unix, inet, inet6, netlink, packet, vsock] = [1, 2, 10, 16, 17, 40]
    expect(verdict(ns, "socket", inet, 1, 6)).toBe(ALLOW)
    expect(verdict(ns, "socket", inet6, 2, 17)).toBe(ALLOW)
    expect(verdict(ns, "socket", netlink, 3, 0)).toBe(ALLOW)
    expect(verdict(ns, "socket", netlink, 3, 15)).toBe(EPERM)
    const [sctp, mptcp] = [132, 262]
    for (const protocol of [sctp, mptcp]) expect(verdict(ns, "socket", inet, 1, protocol)).toBe(EPERM)
    for (const family of [unix, packet, vsock, 0]) expect(verdict(ns, "socket", family, 1, 0)).toBe(EPERM)
  })

  test("no socket at all, when it has no network", () => {
    const socket = syscallNumber("socket", processor) ?? -1
    for (const ns of [true, false])
      for (const family of [2, 10, 16])
        expect(
          evaluate(compiled(filterRules(ns, false), processor), AUDIT[processor], socket, [family]),
        ).toBe(EPERM)
  })

  test("no connect that its launcher was not asked about, when it has its own network", () => {
    const connect = syscallNumber("connect", processor) ?? -1
    const program = compiled(CONNECT_RULES, processor)
    expect(evaluate(program, AUDIT[processor], connect)).toBe(ASK)
    expect(evaluate(program, AUDIT[processor], connect + 1)).toBe(ALLOW)
  })

  test("pairs of stream sockets with any flags, and no others", () => {
    const cloexec = 0o2_000_000
    expect(verdict(true, "socketpair", 1, 1 | cloexec)).toBe(ALLOW)
    expect(verdict(true, "socketpair", 1, 2 | cloexec)).toBe(EPERM)
    const tipc = 30
    expect(verdict(true, "socketpair", tipc, 1)).toBe(EPERM)
  })

  test("requests for the terminal's size and for non-blocking descriptors, and no others", () => {
    const [windowSize, nonBlocking, typeIntoTerminal, setFlags] = [0x5413, 0x5421, 0x5412, 0x4008_6602]
    for (const request of [windowSize, nonBlocking]) expect(verdict(true, "ioctl", 1, request)).toBe(ALLOW)
    for (const request of [typeIntoTerminal, setFlags]) expect(verdict(true, "ioctl", 1, request)).toBe(EPERM)
  })

  test("its own memory, but no shared memory without a file", () => {
    const [priv, shared, anonymous] = [2, 1, 0x20]
    expect(verdict(true, "mmap", 0, 4096, 3, priv | anonymous)).toBe(ALLOW)
    expect(verdict(true, "mmap", 0, 4096, 1, shared)).toBe(ALLOW)
    expect(verdict(true, "mmap", 0, 4096, 3, shared | anonymous)).toBe(EPERM)
    expect(verdict(true, "mmap", 0, 4096, 3, shared | priv | anonymous)).toBe(EPERM)
  })

  test("threads everywhere, processes in namespaces only, and namespaces never", () => {
    const [thread, newUser, parent, sigchld] = [0x3d_0f00, 0x1000_0000, 0x8000, 17]
    expect(verdict(true, "clone", thread)).toBe(ALLOW)
    expect(verdict(false, "clone", thread)).toBe(ALLOW)
    expect(verdict(true, "clone", sigchld)).toBe(ALLOW)
    expect(verdict(false, "clone", sigchld)).toBe(EPERM)
    expect(verdict(true, "clone", newUser | sigchld)).toBe(EPERM)
    expect(verdict(true, "clone", parent | sigchld)).toBe(EPERM)
    expect(verdict(true, "clone3")).toBe(ENOSYS)
  })

  test("signals to itself only when there is no PID namespace", () => {
    for (const call of ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] as const) {
      expect(verdict(false, call, OWN_PID)).toBe(ALLOW)
      for (const other of [0, -1, -OWN_PID, 1, OWN_PID + 1]) expect(verdict(false, call, other)).toBe(EPERM)
    }
    expect(verdict(false, "tkill", OWN_PID)).toBe(EPERM)
  })

  test("files for reading and for writing, but not truncation of a file opened for reading", () => {
    const [readOnly, writeOnly, truncate] = [0, 1, 0x200]
    expect(verdict(false, "openat", -100, 0, readOnly)).toBe(ALLOW)
    expect(verdict(false, "openat", -100, 0, writeOnly | truncate)).toBe(ALLOW)
    expect(verdict(false, "openat", -100, 0, readOnly | truncate)).toBe(EPERM)
  })

  test("changes to its own limits, but not to another process's", () => {
    expect(verdict(true, "prlimit64", 0)).toBe(ALLOW)
    expect(verdict(true, "prlimit64", 1)).toBe(EPERM)
  })
})

const HEADERS = {
  x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
  arm64: "/usr/include/asm-generic/unistd.h",
}

test.each(PROCESSORS)(
  "uses the numbers of the kernel's headers for %s, if these are installed",
  (processor) => {
    const header = readOptional(HEADERS[processor])
    const numbers = [...header.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)]
    const compared = numbers.flatMap(([, name = "", number]) => {
      const calls = new Set(filterRules(false, true).flatMap((each) => each.calls))
      const call = [...calls].find((each) => each === name)
      return call === undefined ? [] : [[name, syscallNumber(call, processor), Number(number)]]
    })
    for (const [name, ours, theirs] of compared) expect([name, ours]).toEqual([name, theirs])
  },
)

function readOptional(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
