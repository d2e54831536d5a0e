import { parseServiceUrl, type ServiceUrl } from "../service/service-address.ts"
import { CredentialsFailure, UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { readLocalEnvironment } from "./local-environment.ts"
import { DEFAULT_PROFILE, type Profile, parseProfileName, profilePath, readProfile } from "./profile.ts"

/** A value, and where it was found, for people. */
export interface FoundValue {
  readonly value: string
  readonly origin: string
}

/** A key that was found and is not used. */
export interface IgnoredKey {
  readonly kind: "api-key" | "team-key"
  /** A sentence for people: where it was found, and why it is not used. Contains no key. */
  readonly reason: string
}

/** The service that a command calls, and the keys. Each is null when it was not found. */
export interface Settings {
  readonly url: FoundValue | null
  readonly app: FoundValue | null
  readonly apiKey: FoundValue | null
  readonly teamKey: FoundValue | null
  readonly ignoredKeys: readonly IgnoredKey[]
  /** Another user's file that would have named a local service; null when there is none. */
  readonly foreignFile: string | null
}

export interface SettingsFlags {
  readonly url?: string | undefined
  readonly app?: string | undefined
  readonly profile?: string | undefined
  /** Whether the named profile is about to be created, so that it may be missing. Default: false. */
  readonly isNewProfile?: boolean
}

interface Source extends Partial<Profile> {
  readonly origin: (name: string) => string
  /** Whether it belongs to the address that it was stored with, and to no other. */
  readonly isKept: boolean
}

const KEYS = [
  { member: "apiKey", kind: "api-key", title: "API key" },
  { member: "teamKey", kind: "team-key", title: "team key" },
] as const

/**
 * Finds the settings: flags first, then the environment, the named profile stored by `sealway login`, and the service
 * that `npm start` runs in this folder or one above. A key that was stored with an address is sent to no other address,
 * and one that belongs to an app is used with no other app.
 *
 * @throws UsageFailure when an address is invalid, or there is no profile with the name
 */
export async function findSettings(host: CliHost, flags: SettingsFlags): Promise<Settings> {
  const profileName = profileNameOf(host, flags)
  const profile = await readProfile(host, profileName)
  if (profile === null && profileName !== DEFAULT_PROFILE && !flags.isNewProfile) {
    throw new UsageFailure(
      `There is no profile ${profileName}. Add it with \`sealway profiles add ${profileName} --url …\`, or see the others with \`sealway profiles list\`.`,
    )
  }
  const local = await readLocalEnvironment(host)
  const sources: Source[] = [
    { ...flagsOf(flags), origin: (name) => `--${name}`, isKept: false },
    { ...environmentOf(host.env), origin: variableOf, isKept: false },
    ...(profile === null ? [] : [{ ...profile, origin: () => profilePath(host, profileName), isKept: true }]),
    ...(local.kind === "found" ? [{ ...local.profile, origin: () => local.path, isKept: true }] : []),
  ]

  const url = firstOf(sources, "url", "url")
  const parsedUrl = url && { ...url, value: parseServiceUrl(url.value, url.origin) }
  const isHere = ({ isKept, url: kept }: Source) =>
    !isKept || (parsedUrl !== null && isSameUrl(kept, parsedUrl.value))
  const here = sources.filter(isHere)
  const app = firstOf(here, "app", "app")
  const isOfApp = (source: Source) => app === null || source.app === undefined || source.app === app.value
  const apiKey = firstOf(here.filter(isOfApp), "apiKey", "api-key")
  const teamKey = firstOf(here, "teamKey", "team-key")

  const used = { apiKey, teamKey }
  const ignoredKeys = KEYS.flatMap(({ member, kind, title }) =>
    sources.flatMap((source) => {
      const value = source[member]
      if (value === undefined || value === used[member]?.value || parsedUrl === null) return []
      const why = !isHere(source)
        ? `it is for ${source.url}, but this request goes to ${parsedUrl.value}`
        : kind === "api-key" && !isOfApp(source)
          ? `it belongs to ${source.app}, but ${app?.origin} is ${app?.value}`
          : `${used[member]?.origin} takes precedence`
      return [{ kind, reason: `The ${title} from ${source.origin(kind)} is ignored: ${why}.` }]
    }),
  )
  return {
    url: parsedUrl,
    app,
    apiKey,
    teamKey,
    ignoredKeys,
    foreignFile: local.kind === "foreign" ? local.path : null,
  }
}

/** Returns the profile that a command uses: that of `--profile`, of `SEALWAY_PROFILE`, or the default one. */
export function profileNameOf({ env }: CliHost, { profile }: Pick<SettingsFlags, "profile">): string {
  if (profile !== undefined) return parseProfileName(profile, "--profile")
  return env.SEALWAY_PROFILE ? parseProfileName(env.SEALWAY_PROFILE, "SEALWAY_PROFILE") : DEFAULT_PROFILE
}

/** @throws UsageFailure when no address is known */
export function requireUrl({ url, foreignFile }: Settings): ServiceUrl {
  if (url !== null) return url.value
  throw new UsageFailure(
    "No service is set. Set SEALWAY_URL, log in, or run this in the folder where `npm start` runs.",
    foreignFile === null ? {} : { details: [foreignFileText(foreignFile)] },
  )
}

/** Says why a file that would name a local service is ignored. */
export function foreignFileText(path: string): string {
  return `${path} is ignored: it belongs to another user.`
}

/** @throws UsageFailure when no app is known */
export function requireApp({ app }: Settings): string {
  if (app !== null) return app.value
  throw new UsageFailure("No app is set. Use --app or set SEALWAY_APP.")
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

function variableOf(name: string): string {
  return `SEALWAY_${name.toUpperCase().replace("-", "_")}`
}

function flagsOf({ url, app }: SettingsFlags): Partial<Profile> {
  return { ...(url !== undefined && { url }), ...(app !== undefined && { app }) }
}

/** An empty variable counts as unset, as in `SEALWAY_APP= sealway …`. */
function environmentOf(env: CliHost["env"]): Partial<Profile> {
  const { SEALWAY_URL: url, SEALWAY_APP: app, SEALWAY_API_KEY: apiKey, SEALWAY_TEAM_KEY: teamKey } = env
  return { ...(url && { url }), ...(app && { app }), ...(apiKey && { apiKey }), ...(teamKey && { teamKey }) }
}

function firstOf(sources: readonly Source[], member: keyof Profile, name: string): FoundValue | null {
  for (const source of sources) {
    const value = source[member]
    if (value !== undefined) return { value, origin: source.origin(name) }
  }
  return null
}

function isSameUrl(kept: string | undefined, url: ServiceUrl): boolean {
  return kept !== undefined && URL.parse(kept)?.href.replace(/\/+$/, "") === url
}
