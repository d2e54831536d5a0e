import type { Endpoint } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { createApiKey } from "./create-api-key.ts"
import { createApp } from "./create-app.ts"
import { createTeamKey } from "./create-team-key.ts"
import { getApp } from "./get-app.ts"
import { getStats } from "./get-stats.ts"
import { getTeam } from "./get-team.ts"
import { listAccessLogs } from "./list-access-logs.ts"
import { listApiKeys } from "./list-api-keys.ts"
import { listApps } from "./list-apps.ts"
import { listAuditLogs } from "./list-audit-logs.ts"
import { listKeyVersions } from "./list-key-versions.ts"
import { listTeamKeys } from "./list-team-keys.ts"
import { narrowApiKey } from "./narrow-api-key.ts"
import { revokeAppApiKey } from "./revoke-api-key.ts"
import { revokeTeamKey } from "./revoke-team-key.ts"
import { rotateAppApiKey } from "./rotate-api-key.ts"
import { updateApp } from "./update-app.ts"
import { updateTeam } from "./update-team.ts"

export const managementEndpoints: readonly Endpoint<ManagementDependencies>[] = [
  getTeam,
  updateTeam,
  createTeamKey,
  listTeamKeys,
  revokeTeamKey,
  createApp,
  listApps,
  getApp,
  updateApp,
  listKeyVersions,
  createApiKey,
  listApiKeys,
  narrowApiKey,
  rotateAppApiKey,
  revokeAppApiKey,
  listAuditLogs,
  listAccessLogs,
  getStats,
]
