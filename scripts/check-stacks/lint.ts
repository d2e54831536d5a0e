import { spawnSync } from "node:child_process"
import * as z from "zod"

/** A finding of cfn-lint about a template. */
export interface Finding {
  /** `E3002`: the letter is the severity, E, W or I. */
  readonly rule: string
  readonly message: string
  /** The template's path. */
  readonly template: string
  /** `Resources/Bucket/Properties`. */
  readonly place: string
}

const findingsSchema = z.array(
  z.object({
    Filename: z.string(),
    Message: z.string(),
    Rule: z.object({ Id: z.string() }),
    Location: z.object({ Path: z.array(z.union([z.string(), z.number()])).nullish() }),
  }),
)

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/**
 * Runs cfn-lint on templates.
 *
 * @throws Error when its output is invalid
 */
export function lint(command: string, region: string, templates: readonly string[]): readonly Finding[] {
  const args = ["--format", "json", "--regions", region, "--template", ...templates]
  const { stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  if (error !== undefined) throw error
  try {
    return findingsSchema
      .parse(JSON.parse(stdout))
      .map(({ Filename, Message, Rule, Location }) => ({
        rule: Rule.Id,
        message: Message,
        template: Filename,
        place: (Location.Path ?? []).join("/"),
      }))
  } catch (cause) {
    throw new Error(`cfn-lint does not answer as expected: ${stderr.slice(-2_000)}`, { cause })
  }
}
