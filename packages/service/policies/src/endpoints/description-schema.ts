import { ForbiddenError } from "@sealway/kernel"
import type { RecordOf } from "@sealway/ports"
import * as z from "zod"
import { type PolicyProver, REQUEST_PARTS, type RequestsDescription } from "../trials/policy-prover.ts"

const partSchema = z.object({
  name: z
    .enum(REQUEST_PARTS)
    .describe(
      "`minute` and `weekday` are what the clock of `timezone` shows. `masked` has the value `masked`, or `full` in a change that leaves masks as they are",
    ),
  words: z.string().describe("`from 10.0.0.0/8`"),
  timezone: z.string().nullable(),
  excluded: z.boolean().describe("Whether it is anything except the values"),
  values: z.array(z.string()),
})

export const descriptionSchema = z
  .object({
    known: z.boolean().describe("Whether the question could be decided, in time"),
    reason: z.string().nullable().describe("Why it is not known; null when it is"),
    requests: z
      .array(
        z.object({
          words: z
            .string()
            .describe(
              "`through the API, from 10.0.0.0/8`. What it does not name may be anything; unless it says `masked`, values are seen in full",
            ),
          parts: z.array(partSchema).describe("The same, part by part"),
        }),
      )
      .describe(
        "Every such request is of one of these kinds. Empty when there is none, or when it is not known",
      ),
    complete: z.boolean().describe("Whether these are all kinds: at most 20 are listed"),
    until: z
      .int()
      .nullable()
      .describe(
        "Epoch milliseconds. It is complete for requests before that time, by the rules of time zones now in force; null: for all",
      ),
  })
  .meta({ id: "RequestsDescription" })

export const fromSchema = z
  .int()
  .describe("The time of the earliest request that the answer is about, in epoch milliseconds: about now")

export function showDescription(description: RequestsDescription): RecordOf<typeof descriptionSchema> {
  if (!description.known) {
    return { known: false, reason: description.reason, requests: [], complete: false, until: null }
  }
  const { requests, isComplete, untilMs } = description
  return {
    known: true,
    reason: null,
    requests: requests.map(({ words, parts }) => ({
      words,
      parts: parts.map(({ isExcluded, timezone = null, values, ...part }) => ({
        ...part,
        timezone,
        excluded: isExcluded,
        values: [...values],
      })),
    })),
    complete: isComplete,
    until: untilMs,
  }
}

export const ONLY_ON_ONE_MACHINE =
  "Only a service on one machine answers it. A deployment in the cloud refuses it with `forbidden`: there, use `npx sealway policies"

/** @throws ForbiddenError in the cloud, where no function loads a solver */
export function requireProver(prover: PolicyProver | null): PolicyProver {
  if (prover !== null) return prover
  throw new ForbiddenError(
    "This deployment proves nothing about policies. Use the command line: npx sealway policies who, plan, lint and prove.",
  )
}
