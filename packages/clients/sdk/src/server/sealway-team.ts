import { teamOperations } from "../api/generated/index.ts"
import { type BoundOperations, bindOperations } from "../api/operation.ts"
import { basicAuthorization } from "../requests/authorization.ts"
import { type ConnectionOptions, createTransport } from "../requests/http-transport.ts"

export interface SealwayTeamOptions extends ConnectionOptions {
  /** The team's id, `team_…`. */
  readonly teamId: string | undefined
  /** A team key, `swk_team_…`. It can do everything to the team's apps: keep it where apps are managed. */
  readonly teamKey: string | undefined
}

/**
 * Manages a team: its apps, API keys, connectors and logs.
 *
 * ```ts
 * const team = new SealwayTeam({ teamId, teamKey, baseUrl: "https://api.example.com" })
 * const app = await team.api.createApp({ body: { name: "Shop", environment: "sandbox" } })
 * ```
 */
export class SealwayTeam {
  /** Every operation of the API that takes a team key. */
  readonly api: BoundOperations<typeof teamOperations>

  /** @throws TypeError if an option is wrong */
  constructor(options: SealwayTeamOptions) {
    const { teamId, teamKey } = options
    const authorization = basicAuthorization(["teamId", teamId], ["teamKey", teamKey])
    this.api = bindOperations(teamOperations, createTransport({ ...options, authorization }))
  }
}
