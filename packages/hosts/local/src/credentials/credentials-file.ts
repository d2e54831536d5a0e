import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { errorCodeOf } from "@sealway/kernel"
import * as z from "zod"
import { CredentialsError } from "../cloud/errors.ts"
import { writeFileDurably } from "../cloud/write-file-durably.ts"

/** The keys of the team and apps created at the first start: the user's copy. The service itself only stores hashes. */
export interface Credentials {
  readonly teamId: string
  readonly teamKey: string
  readonly apps: readonly AppCredentials[]
}

export interface AppCredentials {
  readonly id: string
  readonly environment: "sandbox" | "production"
  readonly apiKey: string
}

const credentialsSchema = z.object({
  teamId: z.string(),
  teamKey: z.string(),
  apps: z.array(
    z.object({ id: z.string(), environment: z.enum(["sandbox", "production"]), apiKey: z.string() }),
  ),
})

const pathIn = (dataFolder: string): string => join(dataFolder, "credentials.json")

/**
 * Reads the credentials; null when there is no file.
 *
 * @throws CredentialsError when it is not readable as credentials
 */
export async function readCredentials(dataFolder: string): Promise<Credentials | null> {
  const path = pathIn(dataFolder)
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null
    throw error
  }
  try {
    return credentialsSchema.parse(JSON.parse(text))
  } catch {
    throw new CredentialsError(
      `${path} is damaged. Nothing was changed. Restore this file from a backup, or remove it: the next start issues new keys for the same apps. ` +
        "All else is kept, and earlier keys stay valid.",
    )
  }
}

/** Writes the file so that only its owner can read it. */
export function writeCredentials(dataFolder: string, credentials: Credentials): Promise<void> {
  return writeFileDurably(pathIn(dataFolder), Buffer.from(`${JSON.stringify(credentials, null, 2)}\n`))
}
