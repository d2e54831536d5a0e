import { randomBytes } from "node:crypto"
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { isAbsolute, join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import { CommandFailure } from "./failures.ts"
import type { CliHost } from "./host.ts"

/** What `sealway login` keeps: keys and the one service that they are for. */
const profileSchema = z.object({
  url: z.string(),
  app: z.string().optional(),
  apiKey: z.string().optional(),
  teamKey: z.string().optional(),
})

export type Profile = z.infer<typeof profileSchema>

const OWNER_ONLY = 0o600
const OTHERS_BITS = 0o077

/** Where the profile is kept: `$XDG_CONFIG_HOME/sealway/profile.json`, else below `~/.config`. */
export function profilePath({ env, homeFolder }: CliHost): string {
  const configured = env.XDG_CONFIG_HOME
  // A relative path is to be ignored (XDG Base Directory Specification).
  const folder = configured !== undefined && isAbsolute(configured) ? configured : join(homeFolder, ".config")
  return join(folder, "sealway", "profile.json")
}

/** The profile; null where nobody has logged in. @throws CommandFailure when it is damaged, or others may read it */
export async function readProfile(host: CliHost): Promise<Profile | null> {
  const path = profilePath(host)
  let text: string
  try {
    // Windows keeps access in lists, not in these bits; there the home folder is private already.
    if (host.platform !== "win32" && ((await stat(path)).mode & OTHERS_BITS) !== 0) {
      throw new CommandFailure("profile", `Others may read ${path}. Make it yours alone: chmod 600 ${path}`)
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
    throw new CommandFailure("profile", `${path} is damaged. \`sealway logout\` removes it.`)
  }
  return profile.data
}

/** Keeps a profile, readable by its owner only. It is there whole, or as it was. */
export async function writeProfile(host: CliHost, profile: Profile): Promise<void> {
  const path = profilePath(host)
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

export async function removeProfile(host: CliHost): Promise<void> {
  await rm(profilePath(host), { force: true })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
