import { randomBytes } from "node:crypto"
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"

/** What `sealway login` stores under a name: keys, and the only service that they are for. */
const profileSchema = z.object({
  url: z.string(),
  app: z.string().optional(),
  apiKey: z.string().optional(),
  teamKey: z.string().optional(),
})

export type Profile = z.infer<typeof profileSchema>

/** The profile that is used when none is named. */
export const DEFAULT_PROFILE = "default"
/** Lower case, so that it names one file on every file system. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/
const FILE = /^(.+)\.json$/

const OWNER_ONLY = 0o600
const OTHERS_BITS = 0o077

/** @param origin where the name was found, for people @throws UsageFailure when it is not a valid profile name */
export function parseProfileName(text: string, origin: string): string {
  if (NAME.test(text)) return text
  throw new UsageFailure(
    `${origin} must be 1 to 32 lower-case letters, digits, dashes and underscores, and begin with a letter or digit.`,
  )
}

/**
 * Returns where a profile is stored: the default one in `$XDG_CONFIG_HOME/sealway/profile.json`, others in
 * `profiles/NAME.json` beside it; below `~/.config` when the variable is not set.
 */
export function profilePath(host: CliHost, name = DEFAULT_PROFILE): string {
  const folder = configurationFolder(host)
  return name === DEFAULT_PROFILE ? join(folder, "profile.json") : join(folder, "profiles", `${name}.json`)
}

/** Lists the names of the stored profiles, the default one first. */
export async function listProfiles(host: CliHost): Promise<string[]> {
  const isThere = await stat(profilePath(host)).then(
    () => true,
    () => false,
  )
  const files = await readdir(join(configurationFolder(host), "profiles")).catch(() => [])
  const names = files.flatMap((file) => {
    const [, name = ""] = FILE.exec(file) ?? []
    return NAME.test(name) && name !== DEFAULT_PROFILE ? [name] : []
  })
  return [...(isThere ? [DEFAULT_PROFILE] : []), ...names.sort()]
}

function configurationFolder({ env, homeFolder }: CliHost): string {
  const configured = env.XDG_CONFIG_HOME
  // A relative path must be ignored (XDG Base Directory Specification).
  const folder = configured !== undefined && isAbsolute(configured) ? configured : join(homeFolder, ".config")
  return join(folder, "sealway")
}

/**
 * Reads a profile; null when there is none with the name.
 *
 * @throws CommandFailure when it is damaged, or others may read it
 */
export async function readProfile(host: CliHost, name = DEFAULT_PROFILE): Promise<Profile | null> {
  const path = profilePath(host, name)
  let text: string
  try {
    // Windows uses access lists instead of these bits; there the home folder is already private.
    if (host.platform !== "win32" && ((await stat(path)).mode & OTHERS_BITS) !== 0) {
      throw new CommandFailure("profile", `Other users can read ${path}. Make it private: chmod 600 ${path}`)
    }
    text = await readFile(path, "utf8")
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCodeOf(error))) {
      return null
    }
    throw error
  }
  const profile = profileSchema.safeParse(parseJson(text))
  if (!profile.success) {
    throw new CommandFailure(
      "profile",
      `${path} is damaged. Remove it with \`sealway profiles remove ${name}\`.`,
    )
  }
  return profile.data
}

/** Stores a profile atomically, readable only by its owner. */
export async function writeProfile(host: CliHost, profile: Profile, name = DEFAULT_PROFILE): Promise<void> {
  const path = profilePath(host, name)
  const folder = join(path, "..")
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString("hex")}`
  try {
    await writeFile(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: OWNER_ONLY, flag: "wx" })
    await chmod(draft, OWNER_ONLY)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Returns false when there is none. */
export async function removeProfile(host: CliHost, name = DEFAULT_PROFILE): Promise<boolean> {
  try {
    await rm(profilePath(host, name))
    return true
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCodeOf(error))) return false
    throw error
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
