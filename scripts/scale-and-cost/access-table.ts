import { ASSUMPTIONS } from "./assumptions.ts"
import { dollars, markdownTable } from "./markdown-table.ts"
import { PRICES } from "./prices.ts"

const MILLION = 1_000_000
const BYTES_PER_GIGABYTE = 1_000_000_000
const MB_PER_GIGABYTE = 1_024

/** Records in one call of the writer, and what the table counts for each: blocks are compressed, and counted by KB. */
const TRAFFIC = [
  { name: "busy: 100 records at a time", recordsPerCall: 100, writesPerRecord: 0.04 },
  { name: "10 records at a time", recordsPerCall: 10, writesPerRecord: 0.1 },
  { name: "seldom: each by itself", recordsPerCall: 1, writesPerRecord: 1 },
] as const

/** Renders US dollars for the access records of a million decryptions. */
export function accessCostTable(): string {
  const { accessLineBytes, accessWriterMs, accessWriterMb } = ASSUMPTIONS
  const logs = ((accessLineBytes * MILLION) / BYTES_PER_GIGABYTE) * PRICES.logsPerGigabyte
  const rows = TRAFFIC.map(({ name, recordsPerCall, writesPerRecord }) => {
    const calls = MILLION / recordsPerCall
    const gigabyteSeconds = calls * (accessWriterMs / 1_000) * (accessWriterMb / MB_PER_GIGABYTE)
    const lambda =
      (calls / MILLION) * PRICES.lambdaPerMillionRequests + gigabyteSeconds * PRICES.lambdaPerGigabyteSecond
    const dynamodb = writesPerRecord * PRICES.dynamodbPerMillionWrites
    return [name, ...[logs, lambda, dynamodb, logs + lambda + dynamodb].map(dollars)]
  })
  return markdownTable(["traffic", "logs", "Lambda", "DynamoDB", "total"], rows)
}
