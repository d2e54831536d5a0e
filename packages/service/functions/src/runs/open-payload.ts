import { createHash } from "node:crypto"
import { type Allowance, type App, UNLIMITED } from "@sealway/accounts"
import type { Task } from "@sealway/kernel"
import type { Mask } from "@sealway/kernel/masks"
import type { SubjectLock } from "@sealway/keys"
import type { RevealMode } from "@sealway/policies"
import { countDecrypted, createTokenOpener, decryptJson, recordDecryption } from "@sealway/vault"
import type { FunctionDependencies } from "../dependencies.ts"
import { lockOfRun } from "../records/run-data.ts"
import type { RunRequester } from "../records/run-table.ts"
import { readRunRequestInSteps } from "../request/run-request.ts"

/** What the decisions on a run's payload depend on. */
export interface PayloadContext {
  readonly functionName: string
  readonly ip: string
  readonly apiKeyId: string
}

/** The payload of a run, opened. */
export interface OpenedPayload {
  /** JSON. */
  readonly payload: Buffer
  /** The keys of the data subjects whose values are in it, to seal what is made of it; null for none. */
  readonly lock: SubjectLock | null
  /** Names the roles whose values are masked in it, and how; null when none are. See `requireOpenable`. */
  readonly maskedAs: string | null
}

/** How many values a run counts for before its payload is opened: a run token that is used up must not be refused then. */
export const VALUES_PER_RUN = 1

/** The payload in the call of the function, as text and as bytes. */
const CALL_COPIES = 2

type PayloadDependencies = Pick<
  FunctionDependencies,
  "keyring" | "dataRoles" | "accessLog" | "audit" | "wallClock"
>

/**
 * Opens the payload of a run's request: replaces every token by its value, or by a mask of it, as far as policies permit
 * a function with this name. Everything else stays byte for byte. Records the decryption.
 *
 * @param body the request body, which the pointers of refusals refer to
 * @param allowance what the values count for besides `VALUES_PER_RUN`. Default: nothing
 * @throws InvalidRequestError when a token does not open
 * @throws ApiError `data-subject/erased` when the data subject of a value is erased, or is going to be
 * @throws DecryptionForbiddenError when any value may not be decrypted
 * @throws ApiError `service-unavailable` when a role requires a record in the audit log, and it cannot be written
 */
export async function openPayload(
  dependencies: PayloadDependencies,
  app: App,
  body: Buffer,
  functionName: string,
  { actor, ip, requestId, apiKeyId }: RunRequester,
  task: Task,
  allowance: Pick<Allowance, "addValues"> = UNLIMITED,
): Promise<OpenedPayload> {
  const { keyring, dataRoles } = dependencies
  const { bytes, values, subjects, masks } = await decryptJson(
    body,
    createTokenOpener(keyring, app, task),
    (roles) => dataRoles.decide(app, roles, { source: "function", functionName, ip, apiKeyId }),
    { reveal: "any", task, moreBytes: CALL_COPIES * body.length },
  )
  allowance.addValues(countDecrypted(values) - VALUES_PER_RUN)
  const author = { actor, ip, requestId }
  await recordDecryption(dependencies, { app, author, source: "function", apiKeyId, functionName }, values)
  // Now, even if somebody erases a data subject while the function runs.
  const lock = await lockOfRun(keyring, app, subjects)
  const { payload } = await task.run(readRunRequestInSteps(bytes))
  return { payload: bytes.subarray(payload.start, payload.end), lock, maskedAs: nameOfMasks(masks) }
}

/**
 * Checks that the payload of a finished run could be opened now, so that its outcome may be returned again: in full, or
 * with the very masks that the run got, because the outcome may hold whatever the run got. Budgets are neither checked nor
 * spent: the values were counted when the function ran.
 *
 * @param body the request body
 * @param maskedAs of the payload that the run got
 * @returns the lock of the outcome; null when the payload has no value of a data subject
 * @throws InvalidRequestError, DecryptionForbiddenError as `openPayload`
 */
export async function requireOpenable(
  { keyring, dataRoles }: Pick<FunctionDependencies, "keyring" | "dataRoles">,
  app: App,
  body: Buffer,
  context: PayloadContext,
  maskedAs: string | null,
  task: Task,
): Promise<SubjectLock | null> {
  const open = (reveal?: RevealMode) =>
    decryptJson(
      body,
      createTokenOpener(keyring, app, task),
      (roles) => {
        const uncounted = roles.map(({ role, reveal }) => ({ role, values: 0, reveal }))
        return dataRoles.decide(app, uncounted, { source: "function", ...context })
      },
      { reveal, task },
    )
  let opened = await open("any")
  // Asks for full values, so that the refusal is that of any request for them.
  if (opened.masks.size > 0 && nameOfMasks(opened.masks) !== maskedAs) opened = await open()
  return lockOfRun(keyring, app, opened.subjects)
}

/** A digest, because a payload may have more roles than fit beside an answer. */
function nameOfMasks(masks: ReadonlyMap<string | null, Mask>): string | null {
  if (masks.size === 0) return null
  const sorted = [...masks].map((entry) => JSON.stringify(entry)).sort()
  return createHash("sha256").update(JSON.stringify(sorted)).digest("base64url")
}
