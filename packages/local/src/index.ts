export {
  type EmbeddedCloud,
  type EmbeddedCloudOptions,
  startEmbeddedCloud,
} from "./cloud/start-embedded-cloud.ts"
export { type LocalService, type LocalServiceOptions, startLocalService } from "./local-service.ts"
export { ensureStageKey, STAGE_KEY_ALIAS } from "./stage-key.ts"
