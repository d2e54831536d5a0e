import { createHash } from "node:crypto"
import type { StageConfig } from "./config.ts"

/** Functions besides those of the endpoints, which are named by their endpoint's id. */
export const NOT_FOUND = "not-found"
export const WEBHOOK_WORKER = "webhook-worker"
export const SLOW_WEBHOOK_WORKER = "slow-webhook-worker"
export const WEBHOOK_SWEEPER = "webhook-sweeper"
export const FUNCTION_RUN_WORKER = "function-run-worker"
export const FUNCTION_SWEEPER = "function-sweeper"
export const ENROLMENT_WORKER = "enrolment-worker"
export const ENROLMENT_SWEEPER = "enrolment-sweeper"
export const HSM_KEY_SWEEPER = "hsm-key-sweeper"
export const ERASURE_SWEEPER = "erasure-sweeper"
export const STATS_FOLDER = "stats-folder"
export const ACCESS_WRITER = "access-writer"
export const AUDIT_WRITER = "audit-writer"
export const AUDIT_EXPORTER = "audit-exporter"
export const RELAY = "relay"

/** Serves relays besides the function, and forward proxies. Its role has the same name. */
export const RELAY_CONTAINER = "relay-container"

/** Marks the bucket and the distribution of the dashboard. */
export const DASHBOARD_TAG = "sealway:dashboard"
/** Marks the bucket that the audit log is exported to. */
export const AUDIT_EXPORT_TAG = "sealway:audit-export"
/** Tags of what `infra/empty-stage` leaves alone: the service creates nothing in it while it runs, or nobody can delete it. */
export const LEFT_ALONE: readonly string[] = [DASHBOARD_TAG, AUDIT_EXPORT_TAG]

/** IAM's limit of a role's name. */
const MAX_ROLE_NAME = 64

/**
 * Lambda's limit of a function's name is 64: this, a function's id (`func_` and 26 characters), and the number of its
 * deployment (`-12345678`).
 */
const MAX_FUNCTION_PREFIX = 24
const SHORTENED_STAGE = 12
const DIGEST = 6

/**
 * Returns `sealway-<stage>-<part>`: the names of a stage's stacks share a prefix, and so do those that CloudFormation
 * derives from the stack.
 */
export function stackName({ stage }: Pick<StageConfig, "stage">, part: string): string {
  return `sealway-${stage}-${part}`
}

/**
 * Returns the name of a function's role. Roles have explicit names, unlike all else, because the key policy names the
 * roles that may use the key, and a key must exist before the functions that use it.
 *
 * @throws Error when the function's name is too long for IAM
 */
export function roleName(stage: Pick<StageConfig, "stage">, functionName: string): string {
  const name = stackName(stage, functionName)
  if (name.length > MAX_ROLE_NAME) {
    throw new Error(
      `The role name ${name} is longer than ${MAX_ROLE_NAME} characters: shorten the function's name.`,
    )
  }
  return name
}

/**
 * Returns the prefix of the names of Lambda functions that run customers' code: `sealway-<stage>-fn-`. A stage whose
 * name is longer than 12 characters is named by its beginning and a digest, so that no two stages share a prefix.
 */
export function functionPrefix({ stage }: Pick<StageConfig, "stage">): string {
  const prefix = stackName({ stage }, "fn-")
  if (prefix.length <= MAX_FUNCTION_PREFIX) return prefix
  const digest = createHash("sha256").update(stage).digest("hex").slice(0, DIGEST)
  return stackName({ stage: `${stage.slice(0, SHORTENED_STAGE - DIGEST - 1)}-${digest}` }, "fn-")
}

/**
 * Returns the pattern of all names of a stage's functions that run customers' code, for IAM. With the beginning of
 * their ids: no stage's name has a `_`, so this cannot be the beginning of another stage's names.
 */
export function functionNames(prefix: string): string {
  return `${prefix}func_*`
}

/** Turns `Data policies` into `data-policies`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("-")
}
