import { isId, NotFoundError } from "@sealway/kernel"
import type { App } from "./app-table.ts"
import type { Directory } from "./directory.ts"

/**
 * Finds an app of a team.
 *
 * @throws NotFoundError for a malformed id, an app that does not exist and one of another team, all alike
 */
export async function findAppOfTeam(
  directory: Pick<Directory, "app">,
  teamId: string,
  appId: string,
): Promise<App> {
  const app = isId("app", appId) ? await directory.app(appId) : null
  if (app === null || app.teamId !== teamId) throw new NotFoundError("The app")
  return app
}
