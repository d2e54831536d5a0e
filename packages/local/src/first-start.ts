import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { findApp, type Platform, SYSTEM } from "@sealway/platform"
import * as z from "zod"
import { type Credentials, readCredentials, writeCredentials } from "./credentials-file.ts"

/** Names what the first start made, so that a start without the credentials file issues new keys for the same apps. */
const FIRST_START = { pk: "first-start", sk: "first-start" }
const FIRST_KEY_NAME = "First start"
const firstStartSchema = z.object({ teamId: z.string(), appIds: z.array(z.string()) })

/**
 * The team and the two apps of a data folder: made at the first start, found at later ones. Where the credentials
 * file was removed, new keys are issued; where there is no data either, everything is made anew.
 */
export async function ensureFirstApps(platform: Platform, dataFolder: string | null): Promise<Credentials> {
  const known = await platform.configTable.get(FIRST_START)
  const saved = known === null || dataFolder === null ? null : await readCredentials(dataFolder)
  if (saved !== null) return saved

  const { teamId, appIds } = known === null ? await createFirstApps(platform) : firstStartSchema.parse(known)
  const credentials = {
    teamId,
    teamKey: await issueTeamKey(platform, teamId),
    apps: await Promise.all(appIds.map((appId) => issueCredentials(platform, appId))),
  }
  if (dataFolder !== null) await writeCredentials(dataFolder, credentials)
  return credentials
}

async function createFirstApps(platform: Platform) {
  const team = await createTeam(platform, "My team", SYSTEM)
  const sandbox = { name: "Sandbox", environment: "sandbox" } as const
  const production = { name: "Production", environment: "production" } as const
  const appIds: string[] = []
  for (const app of [sandbox, production]) {
    appIds.push((await createApp(platform, team.id, app, SYSTEM)).id)
  }
  const made = { teamId: team.id, appIds }
  await platform.configTable.create(FIRST_START, made)
  return made
}

async function issueCredentials(platform: Platform, appId: string) {
  const app = await findApp(platform.configTable, appId)
  if (app === null) throw new Error("The data folder names an app that it does not hold.")
  const { id, teamId, environment } = app
  const { key } = await issueApiKey(
    platform,
    { kind: environment, teamId, appId: id, name: FIRST_KEY_NAME, scopes: ["*"], expiresAt: null },
    SYSTEM,
  )
  return { id, environment, apiKey: key }
}

async function issueTeamKey(platform: Platform, teamId: string): Promise<string> {
  const owner = { kind: "team", teamId, appId: null } as const
  const { key } = await issueApiKey(
    platform,
    { ...owner, name: FIRST_KEY_NAME, scopes: [], expiresAt: null },
    SYSTEM,
  )
  return key
}
