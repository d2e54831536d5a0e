import { createCipheriv, hash } from "node:crypto"
import { Sealway } from "@sealway/sdk"
import type { Credentials } from "./caller.ts"
import type { LedgerFile } from "./ledger.ts"
import type { Reachable } from "./tortured-service.ts"
import type { Workload, WorkloadContext } from "./workload.ts"

const MAX_LIVE_FILES = 6
/** The last of them has two parts. */
const SIZES = [0, 1, 65_536, 100_000, 8 * 1024 * 1024 + 5] as const
const TIMEOUT_MS = 20_000

/** Uploads files with the SDK, reads them back, and deletes them. */
export function createFileWork({ service, ledger, random, ask, nextName }: WorkloadContext): Workload {
  const { auth } = ledger.app

  async function upload(): Promise<void> {
    if (ledger.files.filter(({ state }) => state !== "deleted").length >= MAX_LIVE_FILES) return remove()
    const file: LedgerFile = { name: nextName(), size: random.pick(SIZES), id: null, state: "unknown" }
    ledger.files.push(file)
    try {
      const { files } = await sdkOf(service, auth)
      const { id } = await files.upload(new Blob([contentOf(file)]), { name: file.name })
      Object.assign(file, { id, state: "stored" })
    } catch {
      // It may have been completed: `checkFiles` looks for its name.
    }
  }

  async function remove(): Promise<void> {
    const file = pickStored()
    if (file === null) return
    file.state = "unknown"
    const outcome = await ask({ method: "DELETE", path: `/files/${file.id}`, auth })
    if (outcome.kind === "unknown") return
    file.state = outcome.kind === "acknowledged" ? "deleted" : "stored"
  }

  async function readBack(): Promise<void> {
    const file = pickStored()
    if (file === null) return
    // A service that is killed meanwhile does not end it.
    const found = await download(service, auth, file).catch(() => null)
    if (found !== null && !found.equals(contentOf(file))) {
      ledger.repeatedOtherwise.push(`the file ${file.id} has another content`)
    }
  }

  function pickStored(): LedgerFile | null {
    const [first, ...rest] = ledger.files.filter(({ state }) => state === "stored")
    return first === undefined ? null : random.pick([first, ...rest])
  }

  return async () => {
    const at = random.next()
    if (at < 0.5) await upload()
    else if (at < 0.6) await remove()
    else await readBack()
  }
}

/** Returns the content of a file, which follows from its name. */
export function contentOf({ name, size }: Pick<LedgerFile, "name" | "size">): Buffer<ArrayBuffer> {
  const cipher = createCipheriv("aes-256-ctr", hash("sha256", name, "buffer"), Buffer.alloc(16))
  return Buffer.from(cipher.update(Buffer.alloc(size)))
}

export async function download(
  service: Reachable,
  auth: Credentials,
  { id }: Pick<LedgerFile, "id">,
): Promise<Buffer> {
  const { files } = await sdkOf(service, auth)
  return Buffer.concat(await Array.fromAsync(files.download(String(id))))
}

/** The service has another address after each start. */
async function sdkOf(service: Reachable, { user: appId, key: apiKey }: Credentials): Promise<Sealway> {
  const { url: baseUrl } = await service.ready()
  return new Sealway({ appId, apiKey, baseUrl, maxRetries: 0, timeoutMs: TIMEOUT_MS })
}
