import type { App, Directory } from "@sealway/accounts"
import { ApiError } from "@sealway/kernel"
import { type RReq, readRRes, writeCRes, writeRReq } from "@sealway/three-d-secure"
import type { ReceiveResults } from "../../three-d-secure-network.ts"
import {
  advanceChallenge,
  type Challenge,
  type ChallengeAction,
  type ChallengeFacts,
  type ChallengeResult,
} from "./challenge.ts"
import {
  type ChallengeTableDependencies,
  findChallenge,
  type KeptChallenge,
  replaceChallenge,
} from "./challenge-table.ts"
import { forwardRReq } from "./directory-server.ts"
import { sandboxEci } from "./sandbox-eci.ts"
import { sandboxIds } from "./sandbox-ids.ts"

export interface ServeChallengeDependencies extends ChallengeTableDependencies {
  readonly directory: Pick<Directory, "app">
  readonly receiveResults: ReceiveResults
  /** Returns an app's own key, 32 bytes. */
  readonly keyOf: (app: App) => Promise<Uint8Array>
  readonly log: { readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void }
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/** What a browser is shown next. */
export interface ServedChallenge {
  readonly app: App
  readonly challenge: Challenge
  /** The text of the final CRes; null while the challenge is open. */
  readonly cres: string | null
}

/** How often to try when a browser acts twice at once. */
const MAX_TRIES = 5

/**
 * Processes a browser's action. Once there is a result, it is sent to the 3DS server through the directory server,
 * before the browser learns of it: if the browser comes again, it is sent again.
 *
 * @returns null when there is no such challenge
 * @throws ApiError `service-unavailable` when others keep changing it
 */
export async function serveChallenge(
  dependencies: ServeChallengeDependencies,
  capability: string,
  actionOn: (challenge: Challenge) => ChallengeAction,
): Promise<ServedChallenge | null> {
  const kept = await advanceKept(dependencies, capability, actionOn)
  if (kept === null) return null
  const { app, challenge } = kept
  const { result, facts } = challenge
  if (result === null) return { app, challenge, cres: null }
  await sendResults(dependencies, app, facts, result)
  return { app, challenge, cres: writeCRes(cresOf(facts, result), facts.transaction) }
}

async function advanceKept(
  dependencies: ServeChallengeDependencies,
  capability: string,
  actionOn: (challenge: Challenge) => ChallengeAction,
): Promise<KeptChallenge | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const kept = await findChallenge(dependencies, (id) => sandboxApp(dependencies, id), capability)
    if (kept === null) return null
    const { challenge } = kept
    const next = advanceChallenge(challenge, actionOn(challenge), dependencies.wallClock())
    if (next === challenge) return kept
    if (await replaceChallenge(dependencies, capability, kept, next)) return { ...kept, challenge: next }
  }
  throw new ApiError("service-unavailable", "The challenge is being answered by another request. Try again.")
}

/** Returns null for what is not, or no longer, an app of the sandbox. */
export async function sandboxApp(
  { directory }: Pick<ServeChallengeDependencies, "directory">,
  id: string,
): Promise<App | null> {
  const app = await directory.app(id)
  return app?.environment === "sandbox" && app.status !== "disabled" ? app : null
}

async function sendResults(
  { keyOf, receiveResults, log }: ServeChallengeDependencies,
  app: App,
  facts: ChallengeFacts,
  result: ChallengeResult,
): Promise<void> {
  const { transaction } = facts
  const { authenticationValue } = sandboxIds(await keyOf(app), transaction.threeDSServerTransID)
  const rreq = writeRReq(rreqOf(facts, result, authenticationValue), transaction)
  const answer = await forwardRReq(rreq, transaction, app, receiveResults)
  const reading = readRRes(answer, transaction, "A")
  // The browser continues either way: without results, its session is not authenticated.
  if (reading.kind !== "message")
    log.warn("could not accept the results of a challenge", { appId: app.id, ...errorOf(reading) })
}

const errorOf = (reading: Exclude<ReturnType<typeof readRRes>, { kind: "message" }>) => ({
  errorCode: reading.kind === "error" ? reading.erro.errorCode : reading.answer.errorCode,
})

const SMS = "02"

function rreqOf(
  { transaction, brand }: ChallengeFacts,
  result: ChallengeResult,
  authenticationValue: string,
): RReq {
  const { threeDSServerTransID, dsTransID, acsTransID, messageCategory, messageVersion } = transaction
  const { transStatus, cycles } = result
  const fields = {
    messageType: "RReq" as const,
    threeDSServerTransID,
    dsTransID,
    acsTransID,
    messageCategory,
    interactionCounter: String(cycles).padStart(2, "0"),
    ...(transStatus === "Y"
      ? { transStatus, authenticationValue, eci: sandboxEci(brand, transStatus) }
      : {
          transStatus,
          transStatusReason: result.reason,
          ...(result.cancel !== null && { challengeCancel: result.cancel }),
        }),
  }
  const isDecided = transStatus !== "U"
  return messageVersion === "2.2.0"
    ? { ...fields, messageVersion, ...(isDecided && { authenticationType: SMS }) }
    : { ...fields, messageVersion, ...(isDecided && { authenticationMethod: [SMS] }) }
}

function cresOf({ transaction }: ChallengeFacts, { transStatus }: ChallengeResult) {
  const { threeDSServerTransID, acsTransID, messageVersion } = transaction
  return {
    messageType: "CRes" as const,
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    transStatus: transStatus === "Y" ? ("Y" as const) : ("N" as const),
  }
}
