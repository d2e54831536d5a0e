export {
  type EmbeddedCloud,
  type EmbeddedCloudOptions,
  startEmbeddedCloud,
} from "./cloud/start-embedded-cloud.ts"
export { createCloudClients, FUNCTION_CODE_BUCKET } from "./cloud-clients.ts"
export { type LocalService, type LocalServiceOptions, startLocalService } from "./local-service.ts"
export { ensureStageKey } from "./stage-key.ts"
