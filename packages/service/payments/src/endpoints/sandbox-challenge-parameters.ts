import { MAX_SESSION_DATA_CHARACTERS } from "@sealway/three-d-secure"
import { fingerprintKey } from "@sealway/vault"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import type { ServeChallengeDependencies } from "../networks/sandbox/three-d-secure/serve-challenge.ts"
import { receiveResults } from "../three-d-secure-sessions/steps/receive-results.ts"

export const challengePathSchema = z.object({
  capability: z.string().max(64).describe("Secret id of the challenge"),
})

export const sessionDataSchema = z
  .string()
  .max(MAX_SESSION_DATA_CHARACTERS)
  .exactOptional()
  .describe("The requestor's data, returned unchanged")

/** Returns what serves the sandbox's challenges, whose results go to this deployment's sessions. */
export function challengeServing(dependencies: PaymentDependencies): ServeChallengeDependencies {
  const { paymentsTable, keyring, directory, log, wallClock } = dependencies
  return {
    paymentsTable,
    keyring,
    directory,
    log,
    wallClock,
    receiveResults: (app, rreq) => receiveResults(dependencies, app, rreq),
    keyOf: (app) => fingerprintKey(keyring, app),
  }
}
