import { ASSUMPTIONS } from "./assumptions.ts"
import { dollars, markdownTable } from "./markdown-table.ts"
import { PRICES } from "./prices.ts"

const MILLION = 1_000_000
const MB_PER_GIGABYTE = 1_024
const BYTES_PER_GIGABYTE = 1_000_000_000
/** Of the table: the newest blocks, the last one that is exported, the one to export, and that there is no other. */
const READS = 4

/** Renders US dollars for the export of a million audit records, each of which comes by itself. */
export function auditExportTable(): string {
  const { auditExporterMs, auditExporterMb, auditRecordBytes } = ASSUMPTIONS
  const gigabyteSeconds = MILLION * (auditExporterMs / 1_000) * (auditExporterMb / MB_PER_GIGABYTE)
  const stored = (auditRecordBytes * MILLION) / BYTES_PER_GIGABYTE
  const lambda = PRICES.lambdaPerMillionRequests + gigabyteSeconds * PRICES.lambdaPerGigabyteSecond
  const rows = [
    ["S3: a PUT and a LIST for each", 2 * PRICES.s3PerMillionWrites],
    ["Lambda", lambda],
    [
      "DynamoDB: reads of the table. Reads of its stream by Lambda are free",
      READS * PRICES.dynamodbPerMillionReads,
    ],
    ["each month that they are stored", stored * PRICES.s3PerGigabyteMonth],
  ] as const
  return markdownTable(
    ["what", "a million"],
    rows.map(([what, price]) => [what, dollars(price)]),
  )
}
