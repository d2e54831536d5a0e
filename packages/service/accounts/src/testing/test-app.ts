import type { App } from "../accounts/app-table.ts"
import { NO_CHOSEN_LIMITS } from "../limits/rate-limits.ts"

/** An app, for tests. */
export const TEST_APP: App = {
  id: "app_1",
  teamId: "team_1",
  name: "App",
  environment: "sandbox",
  status: "enabled",
  allowedOrigins: [],
  cardInsights: false,
  sealing: "public-key",
  custody: "envelope",
  erasureDays: null,
  limits: NO_CHOSEN_LIMITS,
  createdAt: 0,
  revision: 1,
}
