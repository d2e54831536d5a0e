import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Arguments that make a P-256 key. */
export const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] as const

export interface OpenSsl {
  /** Runs it, and returns what it prints. @throws Error when it fails */
  run(...args: readonly string[]): string
  /** Reads a file that it wrote. */
  read(name: string): Buffer
}

/** Runs OpenSSL, which people have certificates from, in a folder that is deleted when `make` returns. */
export function withOpenSsl<Result>(make: (openssl: OpenSsl) => Result): Result {
  const cwd = mkdtempSync(join(tmpdir(), "sealway-openssl-"))
  try {
    return make({
      run: (...args) =>
        execFileSync("openssl", args, { cwd, stdio: ["ignore", "pipe", "ignore"] }).toString(),
      read: (name) => readFileSync(join(cwd, name)),
    })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
