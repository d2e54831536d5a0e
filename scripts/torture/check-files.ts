import { ApiError } from "@sealway/sdk"
import { type Finding, Tally } from "./findings.ts"
import type { Ledger, LedgerFile } from "./ledger.ts"
import { readAll } from "./read-all.ts"
import type { Reachable } from "./tortured-service.ts"
import { contentOf, download } from "./work-files.ts"

/**
 * Checks that every file has its content, unless it was deleted: then it is gone. One whose upload or deletion got no
 * answer may be either, but never in part.
 */
export async function checkFiles(service: Reachable, ledgers: readonly Ledger[]): Promise<Finding> {
  const tally = new Tally()
  for (const { app, files } of ledgers) {
    const listed = new Map(
      (await readAll(service, app.auth, "/files")).map(({ name, id }) => [String(name), String(id)]),
    )
    for (const file of files) {
      const id = file.id ?? listed.get(file.name) ?? null
      tally.acknowledged++
      const found = id === null ? "deleted" : await stateOf(service, app.auth, { ...file, id })
      const who = `${id} (${file.name}, ${file.size} bytes) of ${app.id} is ${found}, not ${file.state}`
      if (found === "damaged" || (found === "deleted" && file.state === "stored")) tally.count("lost", who)
      else if (found === "stored" && file.state === "deleted") tally.count("wrong", who)
    }
  }
  return tally.finding("file")
}

async function stateOf(
  service: Reachable,
  auth: Ledger["app"]["auth"],
  file: LedgerFile,
): Promise<"stored" | "deleted" | "damaged"> {
  try {
    return (await download(service, auth, file)).equals(contentOf(file)) ? "stored" : "damaged"
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? "deleted" : "damaged"
  }
}
