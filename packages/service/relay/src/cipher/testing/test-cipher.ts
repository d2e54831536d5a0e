import { TEST_APP } from "@sealway/accounts/testing"
import { MAX_PLAIN_FILE_BYTES, processTurns } from "@sealway/kernel"
import { createTestKeyring } from "@sealway/keys/testing"
import type { DataRoles, DecisionContext, RoleRequest } from "@sealway/policies"
import type { AuditEntry, AuditLog } from "@sealway/records"
import { type CipherContext, createMessageCipher } from "../create-message-cipher.ts"

const SYSTEM_ACTOR = { type: "system", id: "relay_1" } as const

/** Records what a test cipher was asked. */
export interface TestCipherWorld {
  readonly decided: { readonly requests: readonly RoleRequest[]; readonly context: DecisionContext }[]
  readonly marked: string[]
  readonly audited: AuditEntry[]
  readonly dataRoles: Pick<DataRoles, "decide" | "markUsed">
  readonly audit: AuditLog
}

/** Roles: `forbidden` may not be decrypted, `masked…` are masked as names, `archived` may not be used for sealing, all others may. */
function createCipherWorld(): TestCipherWorld {
  const decided: TestCipherWorld["decided"] = []
  const marked: string[] = []
  const audited: AuditEntry[] = []
  return {
    decided,
    marked,
    audited,
    dataRoles: {
      async decide(_app, requests, context) {
        decided.push({ requests, context })
        return new Map(
          requests.map(({ role }) => {
            const isForbidden = role === "forbidden"
            const isMasked = role.startsWith("masked")
            return [
              role,
              {
                decision: isForbidden ? "deny" : isMasked ? "masked" : "permit",
                ...(isMasked && { mask: { type: "name" } }),
                reason: isForbidden ? "forbidden" : "permitted",
                policyIds: ["policy_1"],
                accessLog: role.startsWith("strict") ? "strict" : "standard",
                budgets: [],
              },
            ]
          }),
        )
      },
      async markUsed(_app, role) {
        marked.push(role)
        return role !== "archived"
      },
    },
    audit: {
      async record(entry) {
        audited.push(entry)
      },
      async *read() {},
    },
  }
}

/** Creates ciphers of messages with an app's real keys. */
export async function createTestCiphers(world = createCipherWorld(), keyring = createTestKeyring()) {
  if ((await keyring.versions(TEST_APP)).length === 0) await keyring.addVersion(TEST_APP)
  const cipher = (
    direction: "request" | "response" = "request",
    maxFileBytes = MAX_PLAIN_FILE_BYTES,
    onOpened?: CipherContext["onOpened"],
  ) =>
    createMessageCipher(
      { keyring, ...world, wallClock: () => 1_700_000_000_000 },
      {
        app: TEST_APP,
        relayId: "relay_1",
        turns: processTurns,
        direction,
        decision: { source: "relay", ip: "192.0.2.1", apiKeyId: null, relayDestination: "api.example.com" },
        author: { actor: SYSTEM_ACTOR, ip: "192.0.2.1", requestId: "request_1" },
        maxFileBytes,
        ...(onOpened && { onOpened }),
      },
    )
  return { ...world, keyring, cipher }
}
