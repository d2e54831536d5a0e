import { type Caller, findFirstStart, isRandomSecret } from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { ConflictError, type Task } from "@sealway/kernel"
import { type Admission, admitMember } from "../roster/admit-member.ts"
import { ProviderUnreachableError } from "./guarded-fetch.ts"
import { type IdentityProvider, IdentityProviderError } from "./identity-provider.ts"
import { deriveSignInSecrets, signInNameOf } from "./sign-in-secrets.ts"

/** Why nobody is signed in. All that the browser is told. */
export type SignInFailure = "failed" | "no-access" | "unavailable"

/** Longer than any provider accepts a code. */
const DONE_SECONDS = 60 * 60

type FinishingDependencies = Pick<
  Platform,
  "configTable" | "keysTable" | "eventsTable" | "audit" | "draws" | "wallClock"
>

/**
 * Finishes a sign-in at an identity provider, once.
 *
 * @param seed the cookie of the browser that began it; null when it sent none
 * @param answer the URL that the provider sent the browser to
 */
export async function finishSignIn(
  dependencies: FinishingDependencies,
  provider: IdentityProvider,
  seed: string | null,
  answer: URL,
  caller: Pick<Caller, "ip" | "requestId">,
  { signal }: Pick<Task, "signal">,
): Promise<Admission | SignInFailure> {
  if (seed === null || !isRandomSecret(seed)) return "failed"
  const secrets = deriveSignInSecrets(seed)
  try {
    const identity = await provider.identify(answer, secrets, signal)
    if (!(await noteDone(dependencies, signInNameOf(secrets)))) return "failed"
    const start = await findFirstStart(dependencies.configTable)
    const admission = start && (await admitMember(dependencies, start.teamId, identity, caller))
    return admission ?? "no-access"
  } catch (error) {
    if (error instanceof ProviderUnreachableError) return "unavailable"
    if (error instanceof IdentityProviderError) return "failed"
    if (error instanceof ConflictError) return "no-access"
    throw error
  }
}

/** Returns false when a sign-in was finished before: a provider might accept its code twice. */
function noteDone(
  { eventsTable, wallClock }: Pick<FinishingDependencies, "eventsTable" | "wallClock">,
  name: string,
): Promise<boolean> {
  const expiresAt = Math.floor(wallClock() / 1000) + DONE_SECONDS
  return eventsTable.create({ pk: `sign-in#${name}`, sk: "sign-in" }, { expiresAt })
}
