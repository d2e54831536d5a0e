import type { CliHost } from "../host.ts"
import type { ServiceClient } from "../service-client.ts"
import type { ByteString } from "./byte-string.ts"
import { type ChangedValue, changeEachValue, changeValues, refuseBrokenTokens } from "./change-values.ts"
import { createDocumentSender, createFingerprintSender, withPatience } from "./send-values.ts"

/** What a command does with the values of a table. */
export interface TableCommand {
  /** The endpoint: `encrypt`. */
  readonly path: string
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * `seal`: everything must come back as a token. `open`: tokens are opened or sealed to another key, and what begins like
   * one and is none is refused; other values stay. `fingerprint`: one request a value.
   */
  readonly kind: "seal" | "open" | "fingerprint"
}

export type ChangeValues = (literals: readonly ByteString[]) => Promise<readonly ChangedValue[]>

/** @param signal aborts what waits to be sent again */
export function createChange(
  { path, headers = {}, kind }: TableCommand,
  service: ServiceClient,
  host: CliHost,
  signal: AbortSignal,
): ChangeValues {
  if (kind === "fingerprint") {
    const send = withPatience(host, signal, createFingerprintSender(service, [path]), Math.random)
    return (literals) => changeEachValue(literals, send)
  }
  const sender = createDocumentSender(service, [path], headers, kind === "seal")
  const send = withPatience(host, signal, sender, Math.random)
  if (kind === "seal") return (literals) => changeValues(literals, send)
  return async (literals) => refuseBrokenTokens(literals, await changeValues(literals, send))
}
