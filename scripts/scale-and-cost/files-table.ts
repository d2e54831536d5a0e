import { uploadPartsOf } from "@sealway/files/testing"
import { dollars, figure, markdownTable } from "./markdown-table.ts"
import { PRICES } from "./prices.ts"

const MILLION = 1_000_000
const MIB = 1024 ** 2
const GIGABYTE = 2 ** 30
const FILES = 1_000
/** `POST /files`, `GET /keys` and `POST /files/{file_id}/complete`. Each part takes one more, for its URL. */
const REQUESTS_PER_FILE = 3
/** CreateMultipartUpload and CompleteMultipartUpload. */
const S3_WRITES_PER_FILE = 2
const PARTS_PER_LIST = 1_000

const SIZES = [
  { name: "1 MiB", bytes: MIB },
  { name: "100 MiB", bytes: 100 * MIB },
  { name: "1 GiB", bytes: GIGABYTE },
  { name: "100 GiB", bytes: 100 * GIGABYTE },
] as const

/**
 * Renders US dollars for a thousand files of a size that the SDK or the command line uploads, stores for a month, and
 * downloads once.
 *
 * @param apiPerMillion what a million requests of the API cost
 */
export function fileCostTable(apiPerMillion: number): string {
  const rows = SIZES.map(({ name, bytes }) => {
    const { parts } = uploadPartsOf({ size: bytes })
    const requests = REQUESTS_PER_FILE + parts
    const writes = S3_WRITES_PER_FILE + parts + Math.ceil(parts / PARTS_PER_LIST)
    const gigabytes = (FILES * bytes) / GIGABYTE
    const ofRequests = (perFile: number, perMillion: number) => (FILES * perFile * perMillion) / MILLION
    return [
      name,
      figure(requests),
      figure(parts),
      dollars(ofRequests(requests, apiPerMillion)),
      // Completing reads the header.
      dollars(ofRequests(writes, PRICES.s3PerMillionWrites) + ofRequests(1, PRICES.s3PerMillionReads)),
      dollars(gigabytes * PRICES.s3PerGigabyteMonth),
      dollars(gigabytes * PRICES.trafficPerGigabyte),
    ]
  })
  const titles = ["1,000 files of", "API requests each", "parts each", "$ API", "$ S3"]
  return markdownTable([...titles, "$ a month stored", "$ traffic of a download"], rows)
}
