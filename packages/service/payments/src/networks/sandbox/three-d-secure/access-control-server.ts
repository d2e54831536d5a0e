import { cardBrandOf } from "@sealway/kernel"
import {
  type AReq,
  type ARes,
  createErro,
  readAReq,
  transactionOf,
  writeARes,
  writeErro,
} from "@sealway/three-d-secure"
import { type Challenge, type ChallengeFacts, newChallenge } from "./challenge.ts"
import { sandboxEci } from "./sandbox-eci.ts"
import { type SandboxIds, sandboxIds } from "./sandbox-ids.ts"
import { type SandboxOutcome, sandboxOutcome } from "./sandbox-outcome.ts"
import { shownAmount } from "./shown-amount.ts"

export interface AccessControlServerDependencies {
  /** Stores a new challenge. One already stored under this capability is not changed. */
  readonly storeChallenge: (capability: string, challenge: Challenge) => Promise<void>
  /** The app's own key, 32 bytes. */
  readonly key: () => Promise<Uint8Array>
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

const REFERENCE_NUMBER = "SEALWAY_SANDBOX_ACS"
const OPERATOR_ID = "SEALWAY_SANDBOX"
/** A one-time code by SMS. */
const SMS = "02"

/**
 * Answers an AReq, as passed on by the directory server, the way an issuer would.
 *
 * @returns the text of an ARes or an Erro
 */
export async function answerAReq(
  text: string,
  dependencies: AccessControlServerDependencies,
): Promise<string> {
  const reading = readAReq(text, "A")
  if (reading.kind === "invalid") return writeErro(reading.answer)
  const refuse = (code: "101" | "201" | "305", detail: string, message: object) =>
    writeErro(
      createErro({ code, detail }, { reader: "A", type: "AReq", message: { ...message }, transaction: null }),
    )
  if (reading.kind === "error") return refuse("101", "messageType", {})
  const areq = reading.message
  const { dsTransID } = areq
  if (dsTransID === undefined) return refuse("201", "dsTransID", areq)
  const outcome = sandboxOutcome(areq)
  if (outcome.type === "error") return refuse("305", "acctNumber", areq)
  const ids = { ...sandboxIds(await dependencies.key(), areq.threeDSServerTransID), dsTransID }
  if (outcome.transStatus === "C") await challenge(areq, ids, dependencies)
  return writeARes(aresOf(areq, outcome, ids), areq)
}

async function challenge(
  areq: AReq,
  ids: SandboxIds,
  { storeChallenge, wallClock }: AccessControlServerDependencies,
): Promise<void> {
  const { notificationURL, acctNumber, merchantName = null } = areq
  // Only requests through a browser can be challenged, and they say where the browser returns to.
  if (notificationURL === undefined) throw new TypeError("A challenge needs a browser")
  const facts: ChallengeFacts = {
    transaction: { ...transactionOf(areq), ...idsOf(ids), threeDSRequestorChallengeInd: wishesOf(areq) },
    notificationURL,
    brand: cardBrandOf(acctNumber),
    lastFour: acctNumber.slice(-4),
    merchantName,
    amount: shownAmount(areq),
  }
  await storeChallenge(ids.capability, newChallenge(facts, wallClock()))
}

const idsOf = ({ dsTransID, acsTransID }: SandboxIds) => ({ dsTransID, acsTransID })
const wishesOf = (areq: AReq) => [...transactionOf(areq).threeDSRequestorChallengeInd]

function aresOf(
  areq: AReq,
  outcome: Extract<SandboxOutcome, { type: "status" }>,
  { capability, authenticationValue, ...ids }: SandboxIds,
): ARes {
  const { transStatus } = outcome
  const isProof = transStatus === "Y" || transStatus === "A"
  const fields = {
    messageType: "ARes" as const,
    threeDSServerTransID: areq.threeDSServerTransID,
    ...idsOf({ ...ids, capability, authenticationValue }),
    dsReferenceNumber: areq.dsReferenceNumber ?? REFERENCE_NUMBER,
    acsReferenceNumber: REFERENCE_NUMBER,
    acsOperatorID: OPERATOR_ID,
    transStatus,
    ...(isProof && { authenticationValue, eci: sandboxEci(cardBrandOf(areq.acctNumber), transStatus) }),
    ...("reason" in outcome && { transStatusReason: outcome.reason }),
    ...(transStatus === "C" && {
      acsURL: `${new URL(areq.threeDSServerURL).origin}/sandbox/3ds/challenges/${capability}`,
      acsChallengeMandated: "Y" as const,
    }),
  }
  const info = "cardholderInfo" in outcome ? outcome.cardholderInfo : undefined
  if (areq.messageVersion === "2.2.0") {
    return {
      ...fields,
      messageVersion: "2.2.0",
      ...(transStatus === "C" && { authenticationType: SMS }),
      ...(info !== undefined && { cardholderInfo: info }),
    }
  }
  return {
    ...fields,
    messageVersion: "2.3.1",
    ...(transStatus === "C" && { authenticationMethod: [SMS] }),
    ...(info !== undefined && { cardholderInfo: { text: info } }),
  }
}
