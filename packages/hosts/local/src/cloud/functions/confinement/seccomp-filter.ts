import { FIRST_UNKNOWN_SYSCALL, type Processor, type Syscall, syscallNumber } from "./syscalls.ts"

/**
 * True when `argument & mask` equals `value` (`is`), or does not (`isNot`). Arguments are compared as 32-bit integers.
 */
export interface Condition {
  readonly argument: 0 | 1 | 2 | 3
  /** Default: all bits. */
  readonly mask?: number
  readonly is?: number | OwnPid
  readonly isNot?: number
}

/** A placeholder for the filtered process's own id, which the launcher fills in. */
export type OwnPid = "own-pid"

/** The first rule whose call and conditions match decides. Calls without a matching rule are allowed. */
export interface FilterRule {
  readonly calls: readonly Syscall[]
  /** All must match. Default: none. */
  readonly when?: readonly Condition[]
  /** The result of the call instead of its execution; `ask`: the listener of the filter decides. */
  readonly verdict: "allow" | "ask" | "EPERM" | "ENOSYS"
}

export interface SeccompFilter {
  /** Classic BPF, `struct sock_filter[]`, little-endian. */
  readonly program: Buffer
  /** The byte offsets of the process's own id, a 32-bit integer. */
  readonly ownPidOffsets: readonly number[]
}

/** Instructions, from linux/bpf_common.h. */
const LOAD_WORD = 0x20
const AND = 0x54
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const RETURN = 0x06

/** Offsets in `struct seccomp_data`. The low half of an argument comes first: both architectures are little-endian. */
const NUMBER_OFFSET = 0
const PROCESSOR_OFFSET = 4
const argumentOffset = (index: number) => 16 + 8 * index

/** From linux/audit.h. */
const AUDIT_PROCESSORS: Readonly<Record<Processor, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
/** The x32 calls of x64: a second set of numbers for the same calls. arm64 has no numbers this large. */
const X32_BIT = 0x4000_0000

const VERDICTS = {
  allow: 0x7fff_0000,
  ask: 0x7fc0_0000,
  EPERM: 0x0005_0000 | 1,
  ENOSYS: 0x0005_0000 | 38,
  kill: 0x8000_0000,
} as const

/**
 * Compiles rules to a seccomp filter. Calls newer than `syscalls.ts` fail as unknown. A process that makes another
 * architecture's calls (32-bit ones on a 64-bit kernel) is killed. Source: seccomp(2);
 * Documentation/userspace-api/seccomp_filter.rst.
 */
export function compileFilter(rules: readonly FilterRule[], processor: Processor): SeccompFilter {
  const program = new FilterProgram()
  program.add(LOAD_WORD, PROCESSOR_OFFSET)
  program.add(JUMP_IF_EQUAL, AUDIT_PROCESSORS[processor], 1, 0)
  program.add(RETURN, VERDICTS.kill)
  program.add(LOAD_WORD, NUMBER_OFFSET)
  program.add(JUMP_IF_AT_LEAST, X32_BIT, 0, 1)
  program.add(RETURN, VERDICTS.EPERM)
  program.add(JUMP_IF_AT_LEAST, FIRST_UNKNOWN_SYSCALL, 0, 1)
  program.add(RETURN, VERDICTS.ENOSYS)
  for (const { calls, when = [], verdict } of rules) {
    for (const call of calls) {
      const number = syscallNumber(call, processor)
      if (number !== null) addRule(program, number, when, VERDICTS[verdict])
    }
  }
  program.add(RETURN, VERDICTS.allow)
  return program.finish()
}

/** The accumulator holds the call's number before and after this. */
function addRule(program: FilterProgram, number: number, when: readonly Condition[], verdict: number): void {
  const lengths = when.map(({ mask }) => (mask === undefined ? 2 : 3))
  const conditionsLength = lengths.reduce((sum, length) => sum + length, 0)
  const reload = when.length > 0 ? 1 : 0
  // A different call skips the conditions, the verdict and the reload of the number.
  program.add(JUMP_IF_EQUAL, number, 0, conditionsLength + 1 + reload)
  let left = conditionsLength
  for (const [index, { argument, mask, is, isNot }] of when.entries()) {
    left -= lengths[index] ?? 0
    program.add(LOAD_WORD, argumentOffset(argument))
    if (mask !== undefined) program.add(AND, mask)
    // A failed condition skips the verdict and goes to the reload.
    const toReload = left + 1
    if (is !== undefined) program.add(JUMP_IF_EQUAL, is, 0, toReload)
    else program.add(JUMP_IF_EQUAL, isNot ?? 0, toReload, 0)
  }
  program.add(RETURN, verdict)
  if (reload > 0) program.add(LOAD_WORD, NUMBER_OFFSET)
}

class FilterProgram {
  readonly #instructions: Buffer[] = []
  readonly #ownPidOffsets: number[] = []

  add(code: number, operand: number | OwnPid, jumpIfTrue = 0, jumpIfFalse = 0): void {
    const instruction = Buffer.alloc(8)
    instruction.writeUInt16LE(code, 0)
    instruction.writeUInt8(jumpIfTrue, 2)
    instruction.writeUInt8(jumpIfFalse, 3)
    if (operand === "own-pid") this.#ownPidOffsets.push(this.#instructions.length * 8 + 4)
    else instruction.writeUInt32LE(operand >>> 0, 4)
    this.#instructions.push(instruction)
  }

  finish(): SeccompFilter {
    return { program: Buffer.concat(this.#instructions), ownPidOffsets: this.#ownPidOffsets }
  }
}
