import { fileURLToPath } from "node:url"
import type { Contender } from "../compare.ts"
import { startProgram } from "../server-process.ts"

const SCRIPT = fileURLToPath(new URL("encrypt-numbers.py", import.meta.url))

export interface FastFpe extends Contender {
  stop(): void
}

/**
 * Starts FF1 of `fastfpe`, a library of PyPI in Rust, which encrypts one value a call. It makes every digit another one;
 * Sealway keeps four digits and makes the check digit.
 *
 * @returns null when Python does not have it
 */
export async function startFastFpe(key: Uint8Array, numbers: readonly string[]): Promise<FastFpe | null> {
  const python = startProgram("python3", [SCRIPT, Buffer.from(key).toString("hex"), "0123456789", ...numbers])
  try {
    await python.nextLine()
  } catch {
    return null
  }
  return {
    name: "fastfpe",
    items: numbers.length,
    async run() {
      python.writeLine("")
      await python.nextLine()
    },
    stop: () => python.stop(),
  }
}
