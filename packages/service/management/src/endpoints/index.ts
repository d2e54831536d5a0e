import type { Endpoint } from "@sealway/http"
import type { ManagementDependencies } from "../dependencies.ts"
import { listApiKeys, listTeamKeys, revokeAppApiKey, revokeTeamKey } from "./api-keys.ts"
import { getApp, listApps } from "./apps.ts"
import { createApiKey } from "./create-api-key.ts"
import { createApp } from "./create-app.ts"
import { createTeamKey } from "./create-team-key.ts"
import { getStats } from "./get-stats.ts"
import { getTeam } from "./get-team.ts"
import { listAccessLogs } from "./list-access-logs.ts"
import { listAuditLogs } from "./list-audit-logs.ts"
import { listKeyVersions } from "./list-key-versions.ts"
import { narrowApiKey } from "./narrow-api-key.ts"
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
