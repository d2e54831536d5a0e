import { createReadStream, createWriteStream, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import {
  agreedContentKey,
  createKeyAgreement,
  createSealingKey,
  openFileStream,
  openToken,
  sealFileStream,
} from "@sealway/tokens"
import type { TokenOpener } from "@sealway/vault"
import { decryptJson } from "@sealway/vault/decrypt-json"
import { encryptJson } from "@sealway/vault/encrypt-json"

// Usage: node memory-task.ts TASK PRIVATE-KEY-HEX INPUT OUTPUT. Does one task and prints by how many bytes it raised
// the peak of resident memory.
const [task = "", privateKeyHex = "", input = "", output = ""] = process.argv.slice(2)
const MAX_FILE_BYTES = 26 * 1024 * 1024

const agreement = createKeyAgreement("prime256v1", Buffer.from(privateKeyHex, "hex"))
const { publicKey } = agreement

const opener: TokenOpener = {
  async openToken(token) {
    return openToken(token, agreedContentKey(token, agreement), publicKey)
  },
  asksAws: () => false,
  openFile: () => Promise.reject(new TypeError("No task opens a file by this")),
}

const key = createSealingKey({ appPublicKey: publicKey, debug: false })

const TASKS = new Map<string, () => Promise<() => unknown>>([
  [
    "encrypt-json",
    withDocument(
      async (bytes) => (await encryptJson(bytes, () => key, { role: null, encryptedAt: null })).bytes,
    ),
  ],
  [
    "decrypt-json",
    withDocument(async (bytes) => (await decryptJson(bytes, opener, async () => new Map())).bytes),
  ],
  ["encrypt-file", async () => () => stream(sealFileStream(createReadStream(input), key))],
  [
    "decrypt-file",
    async () => () =>
      stream(
        openFileStream(
          createReadStream(input),
          (header) => [{ contentKey: agreedContentKey(header, agreement), appPublicKey: publicKey }],
          { maxBytes: MAX_FILE_BYTES },
        ),
      ),
  ],
])

const prepare = TASKS.get(task)
if (prepare === undefined) throw new TypeError(`There is no task ${task}`)
const run = await prepare()
const before = peakBytes()
await run()
console.log(peakBytes() - before)

/** Returns a task over a document that is in memory before the task starts. */
function withDocument(work: (bytes: Buffer) => Promise<Buffer>): () => Promise<() => Promise<Buffer>> {
  return async () => {
    const bytes = await readFile(input)
    return () => work(bytes)
  }
}

function stream(chunks: AsyncIterable<Buffer>): Promise<void> {
  return pipeline(chunks, createWriteStream(output))
}

/**
 * Returns the peak of resident memory. Linux counts `maxRSS` of a new process from the peak of its parent; `VmHWM` is
 * its own (proc(5)).
 */
function peakBytes(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? []
  return Number(kibibytes) * 1024
}
