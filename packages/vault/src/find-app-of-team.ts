import { type App, type Directory, isId, NotFoundError } from "@sealway/platform"

/** @throws NotFoundError alike for a malformed id, an app that does not exist and one of another team */
export async function findAppOfTeam(directory: Directory, teamId: string, appId: string): Promise<App> {
  const app = isId("app", appId) ? await directory.app(appId) : null
  if (app === null || app.teamId !== teamId) throw new NotFoundError("The app")
  return app
}
