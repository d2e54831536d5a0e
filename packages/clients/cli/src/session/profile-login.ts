import { identifyKey } from "../service/identify-key.ts"
import { readSecret } from "../terminal/ask.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson } from "../terminal/format.ts"
import { DEFAULT_PROFILE, readProfile, writeProfile } from "./profile.ts"
import type { Session } from "./session.ts"
import { findSettings, requireUrl } from "./settings.ts"

/** Asks for a key, tests it, and stores it in a new or existing profile. */
export async function logInto({ host, output, globals }: Session, profile: string): Promise<void> {
  const url = requireUrl(await findSettings(host, { ...globals, profile, isNewProfile: true }))
  const key = await readSecret(host, `API key or team key for ${url}: `)
  const owner = await identifyKey(host, url, { app: null, key }, globals.timeoutMs)
  if (owner.kind === "app" && globals.app !== undefined && owner.id !== globals.app) {
    throw new UsageFailure("The key belongs to another app than the one in --app.")
  }
  const before = await readProfile(host, profile)
  const kept = before !== null && before.url === url ? before : {}
  await writeProfile(
    host,
    owner.kind === "team" ? { ...kept, url, teamKey: key } : { ...kept, url, app: owner.id, apiKey: key },
    profile,
  )
  if (output.mode === "json") output.json(formatJson({ url, ...owner, profile }))
  else {
    const where = profile === DEFAULT_PROFILE ? "" : `, as the profile ${profile}`
    output.note(`Logged in to ${url} with a key of ${owner.id}${where}.`)
  }
}
