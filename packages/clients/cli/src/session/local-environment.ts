import { constants, type FileHandle, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import { isLoopbackUrl } from "../service/service-address.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Profile } from "./profile.ts"

const LINE = /^export (SEALWAY_(?:URL|APP|API_KEY|TEAM_KEY))=([\x21-\x7e]*)$/

const MAX_BYTES = 64 * 1024

/** Where `npm start` writes the variables of the running service. */
export const LOCAL_ENVIRONMENT = join(".sealway", "env")

/** The result of looking for a service on this machine. */
export type LocalEnvironment =
  | { readonly kind: "found"; readonly path: string; readonly profile: Profile }
  /** `path` belongs to another user. */
  | { readonly kind: "foreign"; readonly path: string }
  | { readonly kind: "none" }

const NONE: LocalEnvironment = { kind: "none" }
const MAX_DEPTH = 100

/**
 * Finds the service that `npm start` runs in the current folder or one above it, up to the home folder or the root. A
 * file that names an address on another machine is ignored: `npm start` only listens on this machine, so somebody else
 * wrote it to receive the commands run in that folder. So is a file of another user: anyone can put one into a parent
 * folder such as `/tmp`.
 */
export async function readLocalEnvironment(host: CliHost): Promise<LocalEnvironment> {
  for (const folder of foldersOf(host)) {
    const path = folder === host.folder ? LOCAL_ENVIRONMENT : join(folder, LOCAL_ENVIRONMENT)
    const file = await readOwned(join(folder, LOCAL_ENVIRONMENT), host.userId)
    if (file === null) continue
    if (file.text === null) return { kind: "foreign", path }
    const profile = parseEnvironment(file.text)
    return profile === null ? NONE : { kind: "found", path, profile }
  }
  return NONE
}

/** Without file owners to compare, only the current folder is searched. */
function* foldersOf({ folder, homeFolder, userId }: CliHost): Generator<string> {
  yield folder
  if (userId === null) return
  for (let at = folder, depth = 0; at !== homeFolder && at !== dirname(at) && depth < MAX_DEPTH; depth++) {
    at = dirname(at)
    yield at
  }
}

/** Reads a file's text, which is null when the file belongs to another user. Returns null when there is no file. */
async function readOwned(path: string, userId: number | null): Promise<{ text: string | null } | null> {
  let file: FileHandle
  try {
    // Opening a pipe would wait for a writer.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    // An unreadable file may belong to another user, or be in another user's folder.
    return ["EACCES", "EPERM"].includes(errorCodeOf(error)) ? { text: null } : null
  }
  try {
    const found = await file.stat()
    if (userId !== null && found.uid !== userId) return { text: null }
    return found.isFile() && found.size <= MAX_BYTES ? { text: await file.readFile("utf8") } : null
  } catch {
    return null
  } finally {
    await file.close()
  }
}

function parseEnvironment(text: string): Profile | null {
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
