import {
  createFirstStart,
  type Environment,
  type FirstStart,
  findApp,
  findFirstStart,
} from "@sealway/accounts"
import type { Platform } from "@sealway/http"
import { SYSTEM } from "@sealway/records"
import { issueApiKey } from "./api-keys.ts"
import { createApp } from "./apps.ts"
import { createTeam } from "./teams.ts"

/** The team and the apps that a deployment starts with. */
export type FirstApps = FirstStart

/** Their keys. The service itself only stores hashes. */
export interface FirstKeys {
  readonly teamId: string
  readonly teamKey: string
  readonly apps: readonly {
    readonly id: string
    readonly environment: Environment
    readonly apiKey: string
  }[]
}

type FirstPlatform = Pick<Platform, "configTable" | "keysTable" | "keyring" | "audit" | "draws" | "wallClock">

const FIRST_KEY_NAME = "First start"
const FIRST_APPS = [
  { name: "Sandbox", environment: "sandbox" },
  { name: "Production", environment: "production" },
] as const

/** Returns null when none exist yet. */
export async function findFirstApps({
  configTable,
}: Pick<FirstPlatform, "configTable">): Promise<FirstApps | null> {
  return findFirstStart(configTable)
}

/**
 * Creates a team with a sandbox app and a production app. When two processes do so at once, both get those that one of
 * them created.
 */
export async function createFirstApps(platform: FirstPlatform): Promise<FirstApps> {
  const team = await createTeam(platform, "My team", SYSTEM)
  const appIds: string[] = []
  for (const app of FIRST_APPS) appIds.push((await createApp(platform, team.id, app, SYSTEM)).id)
  const made = { teamId: team.id, appIds }
  if (await createFirstStart(platform.configTable, made)) return made
  const others = await findFirstApps(platform)
  if (others === null) throw new Error("The first apps are there and then are not")
  return others
}

/** Issues a team key and a key for each app, with every scope. Keys issued before stay valid. */
export async function issueFirstKeys(
  platform: FirstPlatform,
  { teamId, appIds }: FirstApps,
): Promise<FirstKeys> {
  const common = { teamId, name: FIRST_KEY_NAME, expiresAt: null }
  const team = await issueApiKey(platform, { ...common, kind: "team", appId: null, scopes: [] }, SYSTEM)
  const apps = appIds.map(async (appId) => {
    const app = await findApp(platform.configTable, appId)
    if (app === null) throw new Error("The list of first apps names an app that does not exist")
    const { id, environment } = app
    const owner = { ...common, kind: environment, appId: id, scopes: ["*"] } as const
    return { id, environment, apiKey: (await issueApiKey(platform, owner, SYSTEM)).key }
  })
  return { teamId, teamKey: team.key, apps: await Promise.all(apps) }
}
