import { NotFoundError } from "@sealway/kernel"
import {
  createErro,
  decodeMessage,
  type Erro,
  type hostedPage,
  readCReq,
  type Transaction,
  writeErro,
} from "@sealway/three-d-secure"
import type { ChallengeAction } from "./challenge.ts"
import { challengePage, finalPage } from "./challenge-page.ts"
import { type ServeChallengeDependencies, type ServedChallenge, serveChallenge } from "./serve-challenge.ts"

/** What a browser brings besides its request. */
export interface BrowserVisit {
  readonly capability: string
  readonly threeDSSessionData?: string
}

type Page = ReturnType<typeof hostedPage>

/**
 * Handles a CReq that a browser posts. One that cannot be processed ends the challenge, and the browser returns with an
 * Erro.
 *
 * @param creq as in the form
 * @throws NotFoundError
 */
export async function openChallenge(
  dependencies: ServeChallengeDependencies,
  visit: BrowserVisit,
  creq: string,
): Promise<Page> {
  let erro: Erro | null = null
  const served = await serveChallenge(dependencies, visit.capability, ({ facts }) => {
    erro = problemOf(creq, facts.transaction)
    return { type: erro === null ? "open" : "misuse" }
  })
  const found = requireFound(served)
  return pageOf(dependencies, visit, found, found.challenge.result?.transStatus === "U" ? erro : null)
}

/** Handles what a browser posts from the challenge page. @throws NotFoundError */
export async function answerChallenge(
  dependencies: ServeChallengeDependencies,
  visit: BrowserVisit,
  action: ChallengeAction,
): Promise<Page> {
  const served = await serveChallenge(dependencies, visit.capability, () => action)
  return pageOf(dependencies, visit, requireFound(served), null, action.type === "code")
}

function problemOf(creq: string, transaction: Transaction): Erro | null {
  const reading = readCReq(decodeMessage(creq) ?? "", transaction)
  if (reading.kind === "message") return null
  if (reading.kind === "invalid") return reading.answer
  const problem = { code: "101", detail: "messageType" } as const
  return createErro(problem, { reader: "A", type: "CReq", message: {}, transaction })
}

function requireFound(served: ServedChallenge | null): ServedChallenge {
  if (served === null) throw new NotFoundError("The challenge does not exist or has expired.")
  return served
}

function pageOf(
  { wallClock }: Pick<ServeChallengeDependencies, "wallClock">,
  { capability, threeDSSessionData }: BrowserVisit,
  { app, challenge, cres }: ServedChallenge,
  erro: Erro | null,
  isWrong = false,
): Page {
  if (cres !== null)
    return finalPage(app, challenge, erro === null ? cres : writeErro(erro), threeDSSessionData)
  const action = `/sandbox/3ds/challenges/${capability}/answers`
  return challengePage({ app, challenge, action, threeDSSessionData, isWrong, nowMs: wallClock() })
}
