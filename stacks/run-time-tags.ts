import { runTimeTags } from "@sealway/ports"
import type { StageConfig } from "./config.ts"

/**
 * Returns the conditions under which a function may create and tag something: with the tags of this stage, and no
 * others.
 *
 * @param more keys of tags that it may set besides
 */
export function taggedAs({ stage }: Pick<StageConfig, "stage">, ...more: readonly string[]) {
  const tags = Object.entries(runTimeTags(stage))
  return {
    StringEquals: Object.fromEntries(tags.map(([key, value]) => [`aws:RequestTag/${key}`, value])),
    "ForAllValues:StringEquals": { "aws:TagKeys": [...tags.map(([key]) => key), ...more] },
  }
}
