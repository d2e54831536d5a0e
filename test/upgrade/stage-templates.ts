import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { strFromU8, unzipSync } from "fflate"
import * as z from "zod"
import { buildApp } from "../../stacks/app.ts"
import { findFunctions } from "../../stacks/bundles/find-functions.ts"
import { checkStage, resolveStage } from "../../stacks/config.ts"
import { bundlesOf, IMAGE_BY_DIGEST, RELAY_STAGE } from "../infra/made-up-stage.ts"

const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
})

const templateSchema = z.looseObject({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.object({ Export: z.object({ Name: z.unknown() }).optional() })).default({}),
})

/** A stage as CloudFormation gets it, by stack. */
export type StageTemplates = Readonly<Record<string, z.infer<typeof templateSchema>>>

const SUFFIX = ".template.json"

/** Synthesizes a protected stage that has everything: relays, a domain, and names in DNS. */
export async function synthesizeTemplates(): Promise<StageTemplates> {
  const folder = mkdtempSync(join(tmpdir(), "sealway-stage-"))
  try {
    const outFolder = join(folder, "assembly")
    const functions = await findFunctions()
    const bundles = bundlesOf(
      folder,
      functions.map(({ functionName }) => functionName),
    )
    const certificateArn = "arn:aws:acm:us-east-1:111122223333:certificate/1"
    const stage = checkStage({
      ...resolveStage("production"),
      domain: { name: "api.example.com", certificateArn },
      backup: { retentionDays: 35, copyToVaultArn: null },
      dashboard: { domain: null },
      relay: { ...RELAY_STAGE, certificateArn, image: IMAGE_BY_DIGEST },
    })
    buildApp({ stage, outFolder, bundles }).synth()
    const files = readdirSync(outFolder).filter((file) => file.endsWith(SUFFIX))
    return Object.fromEntries(
      files
        .sort()
        .map((file) => [
          file.slice(0, -SUFFIX.length),
          templateSchema.parse(JSON.parse(readFileSync(join(outFolder, file), "utf8"))),
        ]),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads what `make-stage.ts` wrote. */
export function readTemplates(zip: string): StageTemplates {
  const entries = Object.entries(unzipSync(readFileSync(zip)))
  return Object.fromEntries(
    entries.map(([name, content]) => [
      name.slice(0, -".json".length),
      templateSchema.parse(JSON.parse(strFromU8(content))),
    ]),
  )
}

/** A route of one of a stage's APIs. */
export interface StageRoute {
  readonly stack: string
  /** Its logical id. */
  readonly id: string
  /** `POST /encrypt` and so on. */
  readonly key: string
}

export function routesOf(templates: StageTemplates): readonly StageRoute[] {
  return Object.entries(templates).flatMap(([stack, { Resources }]) =>
    Object.entries(Resources)
      .filter(([, { Type }]) => Type === "AWS::ApiGatewayV2::Route")
      .map(([id, { Properties }]) => ({ stack, id, key: String(Properties.RouteKey) })),
  )
}

/** Returns the names of what stacks export for others. */
export function exportsOf(templates: StageTemplates): readonly string[] {
  return Object.values(templates).flatMap(({ Outputs }) =>
    Object.values(Outputs).flatMap(({ Export }) =>
      Export === undefined ? [] : [JSON.stringify(Export.Name)],
    ),
  )
}

/** Returns the names of exports that stacks import. */
export function importsOf(templates: StageTemplates): readonly string[] {
  const text = JSON.stringify(templates)
  return [...text.matchAll(/"Fn::ImportValue":("(?:[^"\\]|\\.)*")/g)].map(([, name = ""]) => name)
}

/**
 * Returns what stacks import and those of an earlier release do not export: with it, that release cannot be deployed
 * again.
 */
export function oneWayImports(before: StageTemplates, after: StageTemplates): readonly string[] {
  const exported = new Set(exportsOf(before))
  return [...new Set(importsOf(after))].filter((name) => !exported.has(name))
}
