import { createApp, createTeam, issueAppKey, issueTeamKey } from "@sealway/management"
import { findApp, type Platform } from "@sealway/platform"
import * as z from "zod"
import { type Credentials, readCredentials, writeCredentials } from "./credentials-file.ts"

/** Names what the first start made, so that a start without the credentials file issues new keys for the same apps. */
const FIRST_START = { pk: "first-start", sk: "first-start" }
const firstStartSchema = z.object({ teamId: z.string(), appIds: z.array(z.string()) })

/**
 * The team and the two apps of a data folder: made at the first start, found at later ones. Where the credentials
 * file was removed, new keys are issued; where there is no data either, everything is made anew.
 */
export async function ensureFirstApps(platform: Platform, dataFolder: string | null): Promise<Credentials> {
  const known = await platform.table.get(FIRST_START)
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
  const team = await createTeam(platform, "My team")
  const sandbox = await createApp(platform, team.id, { name: "Sandbox", environment: "sandbox" })
  const production = await createApp(platform, team.id, { name: "Production", environment: "production" })
  const made = { teamId: team.id, appIds: [sandbox.id, production.id] }
  await platform.table.create(FIRST_START, made)
  return made
}

async function issueCredentials(platform: Platform, appId: string) {
  const app = await findApp(platform.table, appId)
  if (app === null) throw new Error("The data folder names an app that it does not hold.")
  return { id: app.id, environment: app.environment, apiKey: await issueAppKey(platform, app, ["*"]) }
}
