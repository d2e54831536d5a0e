import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { serviceEndpoints } from "@sealway/api"
import { afterAll } from "vitest"
import { type AppOptions, buildApp } from "../../stacks/app.ts"
import type { FunctionBundle } from "../../stacks/bundles/function-bundle.ts"
import { checkStage, resolveStage, type StageConfig } from "../../stacks/config.ts"
import {
  ACCESS_WRITER,
  AUDIT_EXPORTER,
  AUDIT_WRITER,
  ENROLMENT_SWEEPER,
  ENROLMENT_WORKER,
  ERASURE_SWEEPER,
  FUNCTION_RUN_WORKER,
  FUNCTION_SWEEPER,
  HSM_KEY_SWEEPER,
  NOT_FOUND,
  RELAY,
  SLOW_WEBHOOK_WORKER,
  STATS_FOLDER,
  WEBHOOK_SWEEPER,
  WEBHOOK_WORKER,
} from "../../stacks/names.ts"
import { bundlesOf, DASHBOARD_DOMAIN, IMAGE_BY_DIGEST, RELAY_STAGE } from "./made-up-stage.ts"
import { createRenderer } from "./render-intrinsics.ts"
import { propertiesSchema, type StackTemplate, templateSchema } from "./stack-template.ts"
import { writeAssembly } from "./write-assembly.ts"

/** A resource of any stack of a stage, with references rendered as text, see `createRenderer`. */
export interface StageResource {
  /** Without `sealway-<stage>-`. */
  readonly stack: string
  /** `<stack>/<logical id>`, without the CDK's hash. */
  readonly id: string
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly deletionPolicy: string | undefined
  readonly updateReplacePolicy: string | undefined
}

export interface SynthesizedStage {
  readonly outFolder: string
  readonly resources: readonly StageResource[]
  readonly templates: ReadonlyMap<string, StackTemplate>
  /** Outputs that people and programs read, by name. */
  readonly outputs: ReadonlyMap<string, string>
  ofType(type: string): readonly StageResource[]
}

/** Functions of a stage besides those of endpoints. */
export const OTHER_FUNCTIONS = [
  NOT_FOUND,
  RELAY,
  ACCESS_WRITER,
  AUDIT_EXPORTER,
  AUDIT_WRITER,
  WEBHOOK_WORKER,
  SLOW_WEBHOOK_WORKER,
  ERASURE_SWEEPER,
  STATS_FOLDER,
  WEBHOOK_SWEEPER,
  FUNCTION_RUN_WORKER,
  FUNCTION_SWEEPER,
  ENROLMENT_WORKER,
  ENROLMENT_SWEEPER,
  HSM_KEY_SWEEPER,
]

/** Makes bundles of endpoints and of all other functions of a stage. */
export function placeholderBundles(
  folder: string,
  endpoints: readonly { readonly id: string }[] = serviceEndpoints,
): FunctionBundle[] {
  return bundlesOf(folder, [...endpoints.map(({ id }) => id), ...OTHER_FUNCTIONS])
}

const folders: string[] = []

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Makes a folder that is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sealway-stacks-"))
  folders.push(folder)
  return folder
}

/** Returns a stage's configuration with changes. */
export function stageLike(name: string, changes: Partial<StageConfig> = {}): StageConfig {
  return checkStage({ ...resolveStage(name), ...changes })
}

/** Returns a production stage with all that a stage can have. */
export function fullStage(): StageConfig {
  return stageLike("production", {
    isTraced: true,
    domain: { name: "api.example.com", certificateArn: "arn:aws:acm:us-east-1:111122223333:certificate/1" },
    alarmEmails: ["alarms@example.com"],
    backup: {
      retentionDays: 35,
      copyToVaultArn: "arn:aws:backup:us-west-2:111122223333:backup-vault:sealway",
    },
    auditExport: { mode: "COMPLIANCE", retentionDays: 400 },
    canary: { percent: 10, minutes: 5 },
    provisionedConcurrencyOf: { "get-keys": 2, "access-writer": 1 },
    dashboard: { domain: DASHBOARD_DOMAIN },
    relay: { ...RELAY_STAGE, image: IMAGE_BY_DIGEST, firewall: { requestsPer5Minutes: 3_000 } },
  })
}

/** Synthesizes a stage with placeholders for code. */
export function synthesizeStage(
  stage: StageConfig,
  options: Pick<AppOptions, "endpoints" | "acknowledged"> = {},
): SynthesizedStage {
  const outFolder = temporaryFolder()
  const bundles = placeholderBundles(temporaryFolder(), options.endpoints)
  writeAssembly(buildApp({ stage, outFolder, bundles, ...options }))
  return readStage(outFolder, stage.stage)
}

const synthesized = new Map<string, SynthesizedStage>()

/** Synthesizes a stage as it is configured, once. */
export function configuredStage(name: string): SynthesizedStage {
  const stage = synthesized.get(name) ?? synthesizeStage(resolveStage(name))
  synthesized.set(name, stage)
  return stage
}

/** Synthesizes the stage `ada` with relays, once. */
export function relayedStage(): SynthesizedStage {
  const name = "ada with relays"
  const stage = synthesized.get(name) ?? synthesizeStage(stageLike("ada", { relay: RELAY_STAGE }))
  synthesized.set(name, stage)
  return stage
}

/** Synthesizes the result of `fullStage`, once. */
export function synthesizedFullStage(): SynthesizedStage {
  const name = "all of it"
  const stage = synthesized.get(name) ?? synthesizeStage(fullStage())
  synthesized.set(name, stage)
  return stage
}

export function readStage(outFolder: string, stage: string): SynthesizedStage {
  const prefix = `sealway-${stage}-`
  const suffix = ".template.json"
  const templates = new Map<string, StackTemplate>()
  for (const file of readdirSync(outFolder)) {
    if (!file.endsWith(suffix)) continue
    const json: unknown = JSON.parse(readFileSync(join(outFolder, file), "utf8"))
    templates.set(file.slice(prefix.length, -suffix.length), templateSchema.parse(json))
  }
  const render = createRenderer(templates)
  const resources = [...templates].flatMap(([stack, { Resources }]) =>
    Object.entries(Resources).map(([logicalId, resource]) => ({
      stack,
      id: render.id(stack, logicalId),
      type: resource.Type,
      properties: propertiesSchema.parse(render.value(stack, resource.Properties)),
      deletionPolicy: resource.DeletionPolicy,
      updateReplacePolicy: resource.UpdateReplacePolicy,
    })),
  )
  const outputs = [...templates].flatMap(([stack, { Outputs }]) =>
    Object.entries(Outputs)
      .filter(([, { Export }]) => Export === undefined)
      .map(([name, { Value }]) => [name, String(render.value(stack, Value))] as const),
  )
  return {
    outFolder,
    resources,
    templates,
    outputs: new Map(outputs),
    ofType: (type) => resources.filter((resource) => resource.type === type),
  }
}
