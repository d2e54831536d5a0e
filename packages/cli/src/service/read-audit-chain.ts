import {
  auditId,
  auditRecordSchema,
  type ChainHead,
  type ChainResult,
  createAuditChainVerifier,
} from "@sealway/platform/audit-chain"
import * as z from "zod"
import { readAnswer } from "./answers.ts"
import type { ServiceClient } from "./service-client.ts"

const PAGE = 100
/** Members that a later release may add are hashed too, so they stay. */
const pageSchema = z.object({ data: z.array(auditRecordSchema.loose()) })

/**
 * Reads the audit log from its first record to what is the newest when it begins, a page at a time, and checks its
 * chain. The log is listed newest first: each page is asked for by the number of the record above it.
 *
 * @param anchor the head that an earlier check found
 */
export async function readAuditChain(
  service: ServiceClient,
  anchor: ChainHead | null,
  onProgress: (checked: number, of: number) => void,
): Promise<ChainResult> {
  const verifier = createAuditChainVerifier(anchor)
  const read = async (query: Record<string, string>) => {
    const response = await service.send({ method: "GET", path: ["audit-logs"], query })
    return (await readAnswer(response, pageSchema)).value.data
  }
  const [newest] = await read({ limit: "1" })
  const lastSeq = newest?.seq ?? 0
  for (let firstSeq = 1; firstSeq <= lastSeq; firstSeq += PAGE) {
    const endSeq = Math.min(firstSeq + PAGE, lastSeq + 1)
    const records = await read({ limit: String(endSeq - firstSeq), startingAfter: auditId(endSeq) })
    for (const record of records.toReversed()) verifier.add(record)
    const result = verifier.result()
    // An anchor further on is not reached yet; that is no fault so far.
    if (result.state === "broken" && result.seq < endSeq) return result
    onProgress(endSeq - 1, lastSeq)
  }
  const result = verifier.result()
  // What was read has to end with what the log showed as its newest record, or that record is not what it says.
  if (result.state === "intact" && newest !== undefined && result.head.hash !== newest.hash) {
    return { state: "broken", seq: result.head.seq + 1, reason: "missing" }
  }
  return result
}
