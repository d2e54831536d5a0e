export { type IssuedApiKey, issueApiKey, type NewApiKey, narrowApiKey } from "./api-keys.ts"
export { createApp } from "./apps.ts"
export type { ManagementDependencies } from "./dependencies.ts"
export { managementEndpoints } from "./endpoints/index.ts"
export {
  createFirstApps,
  type FirstApps,
  type FirstKeys,
  findFirstApps,
  issueFirstKeys,
} from "./first-apps.ts"
export { createTeam } from "./teams.ts"
