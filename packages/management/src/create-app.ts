import {
  type App,
  createApp as createAppRecord,
  createId,
  type Environment,
  type Platform,
} from "@sealway/platform"

/** Creates an app of a team, with its first key version. */
export async function createApp(
  { table, keyring, wallClock }: Platform,
  teamId: string,
  options: { readonly name: string; readonly environment: Environment },
): Promise<App> {
  const app: App = { id: createId("app"), teamId, ...options, createdAt: wallClock() }
  // Keys first: an app that can be found can be used.
  await keyring.addVersion(app)
  if (!(await createAppRecord(table, app))) throw new Error("The new app's id is taken")
  return app
}
