import type { Endpoint } from "@sealway/http"
import type { StageConfig } from "./config.ts"

/** The name of the API that answers all paths but those of wings. */
export const MAIN = "main"
/** The APIs of a stage: their ids by `MAIN` and the names of its wings. */
export type StageApis = ReadonlyMap<string, string>

/** Where an endpoint is: in which API, and by which paths. */
export interface ApiPlace {
  /** `MAIN` or a wing. */
  readonly api: string
  readonly paths: readonly string[]
}

/**
 * Returns the wings of a stage: each begins all of its paths with its name and has an API of its own, so that every API
 * leaves half of API Gateway's quotas of routes and integrations free. Only a domain can join several APIs.
 */
export function wingsOf({ domain, relay }: Pick<StageConfig, "domain" | "relay">): readonly string[] {
  if (domain === null) return []
  return relay === null ? ["payments"] : ["payments", "relays"]
}

/**
 * Returns where an endpoint is. The paths of a wing are without its name, which API Gateway removes before it looks for a
 * route; the function still gets the whole path.
 *
 * @throws Error when some of its paths begin with a wing's name and others do not
 */
export function placeOf(
  { id, path, aliases = [] }: Pick<Endpoint<never>, "id" | "path" | "aliases">,
  wings: readonly string[],
): ApiPlace {
  const paths = [path, ...aliases]
  const apis = new Set(paths.map((each) => wings.find((wing) => isBelow(each, wing)) ?? MAIN))
  const [api = MAIN, ...others] = apis
  if (others.length > 0) throw new Error(`The paths of the endpoint ${id} are in several APIs.`)
  if (api === MAIN) return { api, paths }
  return { api, paths: paths.map((each) => each.slice(api.length + 1) || "/") }
}

function isBelow(path: string, wing: string): boolean {
  return path === `/${wing}` || path.startsWith(`/${wing}/`)
}
