import type { Transport } from "@sealway/sdk/api"
import type { ValueEndpoint } from "../service/send-bytes.ts"
import type { CliHost } from "../terminal/host.ts"
import { type ChangedValues, changeEachValue, changeValues, refuseBrokenTokens } from "./change-values.ts"
import { createDocumentSender, createFingerprintSender, withPatience } from "./send-values.ts"
import type { ValuesDocument } from "./values-document.ts"

/** What a command does with the values of a table. */
export interface TableCommand extends ValueEndpoint {
  /**
   * `seal`: everything must come back as a token. `open`: tokens are opened or resealed, and text that only starts like
   * one is refused; other values stay. `format`: everything is changed, between values and tokens that look like them.
   * `fingerprint`: one request per value.
   */
  readonly kind: "seal" | "open" | "format" | "fingerprint"
}

export type ChangeValues = (values: ValuesDocument) => Promise<ChangedValues>

/** @param signal aborts waiting for retries */
export function createChange(
  { kind, ...endpoint }: TableCommand,
  service: Transport,
  host: CliHost,
  signal: AbortSignal,
): ChangeValues {
  if (kind === "fingerprint") {
    const send = withPatience(host, signal, createFingerprintSender(service, endpoint), Math.random)
    return (values) => changeEachValue(values, send)
  }
  const sender = createDocumentSender(service, endpoint, kind === "seal")
  const send = withPatience(host, signal, sender, Math.random)
  if (kind !== "open") return (values) => changeValues(values, send)
  return async (values) => refuseBrokenTokens(values, await changeValues(values, send))
}
