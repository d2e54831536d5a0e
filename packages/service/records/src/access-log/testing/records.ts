import { createId } from "@sealway/kernel"
import type { AccessRecord } from "../access-record.ts"

export const PLACE = { teamId: "team_1", appId: "app_1" }

/** Builds a record of one decryption. @param at epoch milliseconds */
export function recordAt(at: number, changes: Partial<AccessRecord> = {}): AccessRecord {
  return {
    id: createId("access", at),
    at,
    ...PLACE,
    source: "api",
    actor: { type: "api-key", id: "key_1" },
    apiKeyId: "key_1",
    relayId: null,
    functionName: null,
    enclave: null,
    ip: "192.0.2.1",
    requestId: "request_1",
    roles: { pci: 2 },
    withoutRole: 1,
    total: 3,
    masked: null,
    reason: null,
    ...changes,
  }
}
