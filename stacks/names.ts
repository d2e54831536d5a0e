import type { StageConfig } from "./config.ts"

/** Functions beside those of the endpoints, which are named by their endpoint's id. */
export const NOT_FOUND = "not-found"
export const WEBHOOK_WORKER = "webhook-worker"
export const WEBHOOK_SWEEPER = "webhook-sweeper"

/** IAM's limit of a role's name. */
const MAX_ROLE_NAME = 64

/** `sealway-<stage>-<part>`: every stack of a stage begins alike, and so does what CloudFormation names by the stack. */
export function stackName({ stage }: Pick<StageConfig, "stage">, part: string): string {
  return `sealway-${stage}-${part}`
}

/**
 * The name of a function's role. Roles have names of ours, unlike all else, because the key policy names the roles that
 * may use the key, and a key must be there before the functions that use it.
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

/** `Data policies` becomes `data-policies`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("-")
}
