import { randomBytes } from "node:crypto"

/** Where AWS is, or another implementation. Credentials: default those of the SDK's chain. */
export interface AwsUnderTest {
  readonly region: string
  readonly endpoint?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** Returns a resource name that no other run uses. */
export function uniqueName(): string {
  return `sealway-contract-${randomBytes(8).toString("hex")}`
}

/** AWS takes its time to create tables and queues. */
export const SET_UP_TIMEOUT_MS = 120_000
