import { readFileSync } from "node:fs"
import * as z from "zod"
import type { EngineRequest } from "./pulumi-mocks.ts"

const sourceSchema = z.object({ path: z.string() })

export interface PlannedStep {
  readonly step: "create" | "update" | "delete" | "forget"
  readonly type: string
  readonly name: string
}

/**
 * Plans what Pulumi does with a program's resources, as its documentation says: it creates and changes them as they are
 * registered, each after its dependencies, and when all of that has worked, it deletes what is no longer registered,
 * each before its dependencies. `forget`: what is retained leaves only the state.
 *
 * @throws Error when something is registered before what it depends on
 */
export function planDeployment(
  before: readonly EngineRequest[],
  after: readonly EngineRequest[],
): readonly PlannedStep[] {
  const known = new Map(before.map((request) => [request.urn, request]))
  const wanted = new Set<string>()
  const steps: PlannedStep[] = []
  for (const { urn, type, name, inputs, dependencies } of after) {
    const missing = dependencies.find((dependency) => !wanted.has(dependency))
    if (missing !== undefined) throw new Error(`${name} is registered before ${missing}`)
    wanted.add(urn)
    const existing = known.get(urn)
    if (existing === undefined) steps.push({ step: "create", type, name })
    else if (textOf(existing.inputs) !== textOf(inputs)) {
      steps.push({ step: "update", type, name })
    }
  }
  for (const { urn, type, name, isRetained } of before.toReversed()) {
    if (!wanted.has(urn)) steps.push({ step: isRetained ? "forget" : "delete", type, name })
  }
  return steps
}

/** Pulumi compares files by their content, not by their path. */
function textOf(inputs: unknown): string {
  return JSON.stringify(inputs, (name, value: unknown) =>
    name === "source" ? readFileSync(sourceSchema.parse(value).path, "base64") : value,
  )
}
