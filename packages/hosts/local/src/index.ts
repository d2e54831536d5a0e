export {
  type EmbeddedCloud,
  type EmbeddedCloudOptions,
  startEmbeddedCloud,
} from "./cloud/start-embedded-cloud.ts"
export { type LocalService, type LocalServiceOptions, startLocalService } from "./local-service.ts"
export { createProver } from "./proofs/create-prover.ts"
export { BUCKETS, createCloudClients } from "./stage/cloud-clients.ts"
export { ensureStageKey } from "./stage/stage-key.ts"
