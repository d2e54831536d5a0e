import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { CliHost } from "./host.ts"
import type { Profile } from "./profile.ts"
import { isLoopbackUrl } from "./service-address.ts"

const LINE = /^export (SEALWAY_(?:URL|APP|API_KEY|TEAM_KEY))=([\x21-\x7e]*)$/

/** Where `npm start` writes what names the running service. */
export const LOCAL_ENVIRONMENT = join(".sealway", "env")

/**
 * The service that `npm start` runs in the current folder; null where none does. A file that names an address of
 * another machine is not taken: `npm start` listens on this machine only, so somebody else wrote it, to be sent what
 * is run in that folder.
 */
export async function readLocalEnvironment({ folder }: CliHost): Promise<Profile | null> {
  let text: string
  try {
    text = await readFile(join(folder, LOCAL_ENVIRONMENT), "utf8")
  } catch {
    return null
  }
  const variables = new Map<string, string>()
  for (const line of text.split("\n")) {
    const [, name, value] = LINE.exec(line) ?? []
    if (name !== undefined && value !== undefined) variables.set(name, value)
  }
  const url = variables.get("SEALWAY_URL")
  if (url === undefined || !isLoopbackUrl(url)) return null
  const app = variables.get("SEALWAY_APP")
  const apiKey = variables.get("SEALWAY_API_KEY")
  const teamKey = variables.get("SEALWAY_TEAM_KEY")
  return {
    url,
    ...(app !== undefined && { app }),
    ...(apiKey !== undefined && { apiKey }),
    ...(teamKey !== undefined && { teamKey }),
  }
}
