import { eachHeader, type RawHeaders } from "@sealway/kernel"
import type { OperationGroup } from "../compile-operations.ts"
import { applicationName } from "../headers.ts"
import { RelayError } from "../relay-error.ts"

/**
 * @throws RelayError `bad-request` when some reader takes a request's header for one that is encrypted, and it is not
 * one: see `applicationName`
 */
export function refuseSimilarHeaders(
  rawHeaders: RawHeaders,
  { selectors, encrypting }: OperationGroup<string>,
): void {
  if (encrypting.size === 0) return
  const names = new Set([...encrypting].map((index) => (selectors[index] ?? "").toLowerCase()))
  const seenNames = new Set([...names].map(applicationName))
  eachHeader(rawHeaders, (name) => {
    if (names.has(name.toLowerCase()) || !seenNames.has(applicationName(name))) return
    throw new RelayError("bad-request", "A header's name could be taken for that of one that is encrypted.")
  })
}
