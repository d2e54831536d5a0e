import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import {
  auditRecordSchema,
  type ChainHead,
  type ChainResult,
  createAuditChainVerifier,
} from "@sealway/records/audit-chain"
import { UsageFailure } from "../terminal/failures.ts"
import { reasonOf } from "./read-input.ts"

const RECORDS = /\.jsonl$/
/** Fields of a later release are hashed too, so they must be kept. */
const recordSchema = auditRecordSchema.unwrap().loose()

/**
 * Reads a team's audit log from the files of an exported folder, by their names, and checks its chain.
 *
 * @param anchor the head found by an earlier check
 * @throws UsageFailure when the folder cannot be read, or has no exported records
 */
export async function readAuditFolder(
  folder: string,
  anchor: ChainHead | null,
  onProgress: (checked: number, total: number) => void,
): Promise<ChainResult> {
  const entries = await readdir(folder).catch((cause: unknown) => {
    throw new UsageFailure(`${folder} cannot be read${reasonOf(cause)}.`, { cause })
  })
  const files = entries.filter((name) => RECORDS.test(name)).sort()
  if (files.length === 0) {
    throw new UsageFailure(
      `${folder} has no exported audit records. They are in files such as 000000000001.jsonl, in one folder for each team.`,
    )
  }
  const verifier = createAuditChainVerifier(anchor)
  let checked = 0
  for (const [index, file] of files.entries()) {
    for (const line of (await readFile(join(folder, file), "utf8")).trimEnd().split("\n")) {
      const record = recordSchema.safeParse(parseJson(line))
      if (!record.success) return { state: "broken", seq: checked + 1, reason: "edited" }
      verifier.add(record.data)
      checked++
    }
    const result = verifier.result()
    // A later anchor is not reached yet; that is no fault so far.
    if (result.state === "broken" && result.seq <= checked) return result
    onProgress(index + 1, files.length)
  }
  return verifier.result()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
