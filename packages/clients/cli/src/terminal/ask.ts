import { once } from "node:events"
import { createInterface } from "node:readline/promises"
import { CommandFailure, UsageFailure } from "./failures.ts"
import type { CliHost } from "./host.ts"
import { readBounded } from "./read-bounded.ts"

const MAX_SECRET_BYTES = 4096
const CTRL_C = "\u0003"
const CTRL_D = "\u0004"
const ENTER = /[\r\n]/
const ERASE = /[\b\u007f]/

/** True when there is a terminal with a user to ask. */
export function isInteractive({ stdin, stderr }: CliHost): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** Asks a question that only `yes` and `y` confirm. */
export async function confirm({ stdin, stderr, signal }: CliHost, question: string): Promise<boolean> {
  // Not `terminal: true`: the terminal itself edits the line, and its Ctrl-C stays a signal.
  const prompt = createInterface({ input: stdin, output: stderr, terminal: false })
  const end = once(prompt, "close").then(() => "")
  try {
    const answer = await Promise.race([prompt.question(`${question} [y/N] `, { signal }), end])
    return /^\s*y(es)?\s*$/i.test(answer)
  } finally {
    prompt.close()
  }
}

/**
 * Reads a secret: typed without being shown on a terminal, else the first line of standard input. It never comes from
 * the command line, where every user of the machine could see it.
 *
 * @throws UsageFailure when there is none
 */
export async function readSecret(host: CliHost, question: string): Promise<string> {
  const secret = isInteractive(host) ? await typeSecret(host, question) : await readFirstLine(host)
  if (secret === "") throw new UsageFailure("No key was entered.")
  return secret
}

async function readFirstLine({ stdin }: CliHost): Promise<string> {
  const bytes = await readBounded(stdin, MAX_SECRET_BYTES)
  if (bytes === null) throw new UsageFailure("Standard input is too long for a key.")
  return (bytes.toString().split("\n", 1)[0] ?? "").trim()
}

async function typeSecret({ stdin, stderr }: CliHost, question: string): Promise<string> {
  const setRawMode = rawModeOf(stdin)
  stderr.write(question)
  setRawMode(true)
  try {
    let typed = ""
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === CTRL_C) throw new CommandFailure("interrupted", "Interrupted.", 130)
        if (ENTER.test(character) || character === CTRL_D) return typed.trim()
        if (ERASE.test(character)) typed = typed.slice(0, -1)
        else if (typed.length < MAX_SECRET_BYTES) typed += character
      }
    }
    return typed.trim()
  } finally {
    setRawMode(false)
    stderr.write("\n")
  }
}

/** A terminal in raw mode shows nothing of what is typed. */
function rawModeOf(stdin: CliHost["stdin"]): (isRaw: boolean) => void {
  if ("setRawMode" in stdin && typeof stdin.setRawMode === "function") {
    const { setRawMode } = stdin
    return (isRaw) => setRawMode.call(stdin, isRaw)
  }
  return () => {}
}
