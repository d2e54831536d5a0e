import {
  auditId,
  type ChainHead,
  type ChainResult,
  createAuditChainVerifier,
} from "@sealway/records/audit-chain"
import { listAuditLogs, type Transport } from "@sealway/sdk/api"

const PAGE = 100

/**
 * Reads the audit log from its first record to the newest one at the start, page by page, and checks its chain. The log
 * is listed newest first, so each page is requested by the number of the record above it.
 *
 * @param anchor the head found by an earlier check
 */
export async function readAuditChain(
  service: Transport,
  anchor: ChainHead | null,
  onProgress: (checked: number, total: number) => void,
): Promise<ChainResult> {
  const verifier = createAuditChainVerifier(anchor)
  const [newest] = await listAuditLogs(service, { limit: 1 }).first()
  const lastSeq = newest?.seq ?? 0
  for (let firstSeq = 1; firstSeq <= lastSeq; firstSeq += PAGE) {
    const endSeq = Math.min(firstSeq + PAGE, lastSeq + 1)
    const page = { limit: endSeq - firstSeq, startingAfter: auditId(endSeq) }
    const records = await listAuditLogs(service, page).first()
    for (const record of records.toReversed()) verifier.add(record)
    const result = verifier.result()
    // A later anchor is not reached yet; that is no fault so far.
    if (result.state === "broken" && result.seq < endSeq) return result
    onProgress(endSeq - 1, lastSeq)
  }
  const result = verifier.result()
  // The chain must end with the newest record that the log showed, or that record is forged.
  if (result.state === "intact" && newest !== undefined && result.head.hash !== newest.hash) {
    return { state: "broken", seq: result.head.seq + 1, reason: "missing" }
  }
  return result
}
