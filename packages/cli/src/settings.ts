import { CredentialsFailure, UsageFailure } from "./failures.ts"
import type { CliHost } from "./host.ts"
import { LOCAL_ENVIRONMENT, readLocalEnvironment } from "./local-environment.ts"
import { type Profile, profilePath, readProfile } from "./profile.ts"
import { parseServiceUrl, type ServiceUrl } from "./service-address.ts"

/** A value, and where it was found, for people to see. */
export interface Found {
  readonly value: string
  readonly origin: string
}

/** The service that a command talks to, and with which keys. Each is null where it was found nowhere. */
export interface Settings {
  readonly url: Found | null
  readonly app: Found | null
  readonly apiKey: Found | null
  readonly teamKey: Found | null
}

export interface SettingsFlags {
  readonly url?: string | undefined
  readonly app?: string | undefined
}

interface Source extends Partial<Profile> {
  readonly origin: (name: string) => string
}

/**
 * Finds the settings: flags first, then the environment, what `sealway login` kept, and the service that `npm start`
 * runs in this folder. A key that was kept with an address goes to no other address, and one that is named with an app
 * goes with no other app.
 *
 * @throws UsageFailure when an address is none
 */
export async function findSettings(host: CliHost, flags: SettingsFlags): Promise<Settings> {
  const explicit: Source[] = [
    { ...flagsOf(flags), origin: (name) => `--${name}` },
    { ...environmentOf(host.env), origin: (name) => `SEALWAY_${name.toUpperCase().replace("-", "_")}` },
  ]
  const profile = await readProfile(host)
  const local = await readLocalEnvironment(host)
  const kept: Source[] = [
    ...(profile === null ? [] : [{ ...profile, origin: () => profilePath(host) }]),
    ...(local === null ? [] : [{ ...local, origin: () => LOCAL_ENVIRONMENT }]),
  ]

  const url = firstOf([...explicit, ...kept], "url", "url")
  const parsedUrl = url && { ...url, value: parseServiceUrl(url.value, url.origin) }
  const here = kept.filter((source) => parsedUrl !== null && isSameUrl(source.url, parsedUrl.value))
  const app = firstOf([...explicit, ...here], "app", "app")
  const ofApp = [...explicit, ...here].filter(
    (source) => app === null || source.app === undefined || source.app === app.value,
  )
  return {
    url: parsedUrl,
    app,
    apiKey: firstOf(ofApp, "apiKey", "api-key"),
    teamKey: firstOf([...explicit, ...here], "teamKey", "team-key"),
  }
}

/** @throws UsageFailure when no address is known */
export function requireUrl({ url }: Settings): ServiceUrl {
  if (url !== null) return url.value
  throw new UsageFailure(
    "No service is named: set SEALWAY_URL, or log in, or run this where `npm start` runs.",
  )
}

/** @throws UsageFailure when no app is known */
export function requireApp({ app }: Settings): string {
  if (app !== null) return app.value
  throw new UsageFailure("No app is named: use --app or set SEALWAY_APP.")
}

/** @throws CredentialsFailure when no key of the kind is known */
export function requireKey(settings: Settings, kind: "api-key" | "team-key"): string {
  const key = kind === "api-key" ? settings.apiKey : settings.teamKey
  if (key !== null) return key.value
  throw new CredentialsFailure(
    kind === "api-key"
      ? "This needs an API key of the app: set SEALWAY_API_KEY or `sealway login` with one."
      : "This needs a team key: set SEALWAY_TEAM_KEY or `sealway login` with one.",
  )
}

function flagsOf({ url, app }: SettingsFlags): Partial<Profile> {
  return { ...(url !== undefined && { url }), ...(app !== undefined && { app }) }
}

/** An empty variable is one that is not set, as in `SEALWAY_APP= sealway …`. */
function environmentOf(env: CliHost["env"]): Partial<Profile> {
  const { SEALWAY_URL: url, SEALWAY_APP: app, SEALWAY_API_KEY: apiKey, SEALWAY_TEAM_KEY: teamKey } = env
  return { ...(url && { url }), ...(app && { app }), ...(apiKey && { apiKey }), ...(teamKey && { teamKey }) }
}

function firstOf(sources: readonly Source[], member: keyof Profile, name: string): Found | null {
  for (const source of sources) {
    const value = source[member]
    if (value !== undefined) return { value, origin: source.origin(name) }
  }
  return null
}

function isSameUrl(kept: string | undefined, url: ServiceUrl): boolean {
  return kept !== undefined && URL.parse(kept)?.href.replace(/\/+$/, "") === url
}
