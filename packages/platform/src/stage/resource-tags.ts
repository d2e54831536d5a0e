/** The tag that names the stage of a resource in AWS. Stacks put it on all that they make. */
export const STAGE_TAG = "sealway:stage"

/**
 * The tag of what no stack knows, because the service made it while it ran: customers' functions, their log groups,
 * and tenants of CloudFront. Removing a stage begins with these.
 */
export const MADE_BY_TAG = "sealway:made-by"
export const MADE_BY_SERVICE = "service"

/**
 * The tags of what a stage's service makes in AWS while it runs.
 *
 * @param stage null: the service runs in no stage, and nothing is tagged
 */
export function runTimeTags(stage: string | null): Readonly<Record<string, string>> {
  return stage === null ? {} : { [STAGE_TAG]: stage, [MADE_BY_TAG]: MADE_BY_SERVICE }
}
