export { changeApiKey, type IssuedApiKey, issueApiKey, type NewApiKey } from "./accounts/api-keys.ts"
export { createApp } from "./accounts/apps.ts"
export {
  createFirstApps,
  type FirstApps,
  type FirstKeys,
  findFirstApps,
  issueFirstKeys,
} from "./accounts/first-apps.ts"
export { createTeam } from "./accounts/teams.ts"
export type { ManagementDependencies } from "./dependencies.ts"
export { managementEndpoints } from "./endpoints/index.ts"
