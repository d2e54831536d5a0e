import { serviceEndpoints } from "@sealway/api"
import { type Endpoint, grantsOf } from "@sealway/http"
import { type Grant, type KeyPart, STAGE_TAG, TABLES } from "@sealway/ports"
import { AUDIT_WRITER_GRANTS } from "@sealway/records"
import { relayEndpoints } from "@sealway/relay"
import { RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { App, type IReusableStackSynthesizer, type Stack, Validations } from "aws-cdk-lib"
import recommendedFlags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" }
import { AwsSolutionsChecks, PCIDSS321Checks } from "cdk-nag"
import { ACCESS_WRITER_GRANTS, AccessLogStack } from "./access-log.ts"
import type { AccessLogSource } from "./access-log-source.ts"
import type { Acknowledgement } from "./acknowledgement.ts"
import { AlarmsStack } from "./alarms.ts"
import { ApiStack } from "./api.ts"
import { AuditStack } from "./audit.ts"
import { AUDIT_EXPORTER_GRANTS, AuditExportStack } from "./audit-export.ts"
import { BackupStack } from "./backup.ts"
import type { FunctionBundle } from "./bundles/function-bundle.ts"
import { checkStage, type StageConfig } from "./config.ts"
import { DashboardStack } from "./dashboard.ts"
import { DataStack } from "./data.ts"
import { EgressStack } from "./egress.ts"
import { byArea, EndpointsStack } from "./endpoints.ts"
import { FUNCTION_RUN_WORKER_GRANTS, FUNCTION_SWEEPER_GRANTS, FunctionsStack } from "./functions.ts"
import { openedParts } from "./grant-statements.ts"
import { KeysStack } from "./keys.ts"
import { MonitoringStack } from "./monitoring.ts"
import { acknowledgeFindings, acknowledgements } from "./nag.ts"
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
  RELAY_CONTAINER,
  SLOW_WEBHOOK_WORKER,
  STATS_FOLDER,
  stackName,
  WEBHOOK_SWEEPER,
  WEBHOOK_WORKER,
} from "./names.ts"
import { RelayStack } from "./relay.ts"
import type { BaseResources, StageResources } from "./stage-resources.ts"
import { assemblySynthesizer } from "./synthesizer.ts"
import {
  ENROLMENT_SWEEPER_GRANTS,
  ENROLMENT_WORKER_GRANTS,
  ERASURE_SWEEPER_GRANTS,
  HSM_KEY_SWEEPER_GRANTS,
  STATS_FOLDER_GRANTS,
  WEBHOOK_SWEEPER_GRANTS,
  WEBHOOK_WORKER_GRANTS,
  WorkersStack,
} from "./workers.ts"

export interface AppOptions {
  readonly stage: StageConfig
  /** The folder that the assembly is written to. */
  readonly outFolder: string
  /** One for each function. */
  readonly bundles: readonly FunctionBundle[]
  /** Default: all that the service declares. */
  readonly endpoints?: readonly Endpoint<never>[]
  /** What names buckets and roles of the deployment. Default: `AssemblySynthesizer`, for SST. */
  readonly synthesizer?: IReusableStackSynthesizer
  /** Default: those of `nag.ts`. */
  readonly acknowledged?: readonly Acknowledgement[]
}

/**
 * The CDK's recommended behaviours, except for references between stacks: a strong one keeps CloudFormation from
 * deleting what another stack still uses.
 */
const CONTEXT = {
  ...recommendedFlags,
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
  "@aws-cdk/core:validateAgainstDefaultRules": true,
  // Nobody reads where in the code a resource was made, and finding it out takes a fifth of the synthesis.
  "aws:cdk:disable-creation-stack-traces": true,
}

/**
 * The areas of endpoints that are deployed at the same time. API Gateway accepts forty changes of an account at once, and ten a second
 * for long; CloudFormation repeats what is refused, but not for ever. An area has seven endpoints on average.
 */
const AREAS_AT_ONCE = 4

/**
 * Builds all stacks of a stage. `synth()` of the result fails on a finding of cdk-nag that is not acknowledged.
 *
 * @throws Error when the stage's configuration contradicts itself or names a missing function, or when a function has
 * no bundle, or a bundle no function
 */
export function buildApp(options: AppOptions): App {
  const { outFolder, bundles } = options
  const stage = checkStage(options.stage)
  const all = options.endpoints ?? serviceEndpoints
  const endpoints = all.filter((endpoint) => stage.relay !== null || !isOfRelays(endpoint))
  const functions = functionGrants(stage, endpoints)
  checkBundles(bundles, functions, [
    ...(stage.relay === null ? [RELAY, ...all.filter(isOfRelays).map(({ id }) => id)] : []),
    ...(stage.auditExport === null ? [AUDIT_EXPORTER] : []),
  ])
  checkNames(stage, functions)

  const app = new App({
    outdir: outFolder,
    autoSynth: false,
    analyticsReporting: false,
    treeMetadata: false,
    // Applied after the environment (CDK_CONTEXT_JSON), which must make no difference.
    postCliContext: CONTEXT,
    defaultStackSynthesizer: options.synthesizer ?? assemblySynthesizer(),
  })
  const named = (part: string) => stackName(stage, part)
  const common = { env: { region: stage.region }, tags: { [STAGE_TAG]: stage.stage } }
  const { stageKey, storageKey } = new KeysStack(app, named("keys"), {
    ...common,
    stage,
    opening: openingFunctions(stage, functions),
    keepingAuthority: stage.relay === null ? [] : [RELAY_CONTAINER],
  })
  const { tables, queues, fileBucket, auditStreamArn } = new DataStack(app, named("data"), {
    ...common,
    stage,
    storageKey,
  })
  const { topic: alarmTopic } = new AlarmsStack(app, named("alarms"), { ...common, stage, storageKey })
  const beforeAudit: BaseResources = {
    stage,
    stageKey,
    storageKey,
    alarmTopic,
    tables,
    queues,
    fileBucket,
    auditWriter: null,
    bundles: new Map(bundles.map((bundle) => [bundle.functionName, bundle])),
  }
  const { writer: auditWriter } = new AuditStack(app, named("audit"), { ...common, resources: beforeAudit })
  const base: BaseResources = { ...beforeAudit, auditWriter }
  const { hosting, accessLog } = new FunctionsStack(app, named("functions"), { ...common, resources: base })
  if (stage.backup !== null) {
    const { codeBucket } = hosting
    new BackupStack(app, named("backup"), { ...common, backup: stage.backup, resources: base, codeBucket })
  }
  const accessLogs: AccessLogSource[] = [accessLog]
  const first: StageResources = { ...base, functionHosting: hosting, dashboard: null, relayEdge: null }
  const api = new ApiStack(app, named("api"), { ...common, resources: first })
  const { apis } = api
  const dashboard =
    stage.dashboard === null
      ? null
      : new DashboardStack(app, named("dashboard"), {
          ...common,
          dashboard: stage.dashboard,
          resources: base,
          apiDomain: api.domainName,
        })
  const beforeRelays: StageResources = { ...first, dashboard: dashboard?.edge ?? null }
  const relays =
    stage.relay === null
      ? null
      : new RelayStack(app, named("relay"), { ...common, relay: stage.relay, resources: beforeRelays })
  const resources: StageResources = { ...beforeRelays, relayEdge: relays?.edge ?? null }
  if (stage.relay !== null && relays !== null) {
    const { originSecretArn, edge } = relays
    const { routingEndpoint } = edge
    const egress = new EgressStack(app, named("egress"), {
      ...common,
      relay: stage.relay,
      resources,
      originSecretArn,
      routingEndpoint,
    })
    accessLogs.push(relays.accessLog, egress.accessLog)
  }
  const areas: Stack[] = []
  for (const [area, each] of byArea(endpoints)) {
    const stack = new EndpointsStack(app, named(`endpoints-${area}`), {
      ...common,
      endpoints: each,
      resources,
      apis,
    })
    accessLogs.push(...stack.accessLogs)
    stack.addStackDependency(areas.at(-AREAS_AT_ONCE) ?? api)
    areas.push(stack)
  }
  new WorkersStack(app, named("workers"), { ...common, resources })
  new AccessLogStack(app, named("access-log"), { ...common, resources, sources: accessLogs })
  const auditExport =
    stage.auditExport === null
      ? null
      : new AuditExportStack(app, named("audit-export"), {
          ...common,
          auditExport: stage.auditExport,
          resources,
          auditStreamArn,
        })
  const auditExportBucket = auditExport?.bucketName ?? null
  new MonitoringStack(app, named("monitoring"), { ...common, resources, apis, auditExportBucket })

  acknowledgeFindings(app, stage, options.acknowledged ?? acknowledgements(stage))
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new PCIDSS321Checks(app))
  return app
}

/** Returns whether an endpoint belongs to relays, and is of no use where none are served. */
function isOfRelays({ id }: Endpoint<never>): boolean {
  return relayEndpoints.some((each) => each.id === id)
}

/** Returns every function of a stage, with its grants. */
function functionGrants(
  { relay, auditExport }: StageConfig,
  endpoints: readonly Endpoint<never>[],
): ReadonlyMap<string, readonly Grant[]> {
  return new Map([
    ...endpoints.map((endpoint) => [endpoint.id, grantsOf(endpoint)] as const),
    [NOT_FOUND, []],
    [WEBHOOK_WORKER, WEBHOOK_WORKER_GRANTS],
    [SLOW_WEBHOOK_WORKER, WEBHOOK_WORKER_GRANTS],
    [WEBHOOK_SWEEPER, WEBHOOK_SWEEPER_GRANTS],
    [ENROLMENT_WORKER, ENROLMENT_WORKER_GRANTS],
    [ENROLMENT_SWEEPER, ENROLMENT_SWEEPER_GRANTS],
    [HSM_KEY_SWEEPER, HSM_KEY_SWEEPER_GRANTS],
    [ERASURE_SWEEPER, ERASURE_SWEEPER_GRANTS],
    [STATS_FOLDER, STATS_FOLDER_GRANTS],
    [ACCESS_WRITER, ACCESS_WRITER_GRANTS],
    [AUDIT_WRITER, AUDIT_WRITER_GRANTS],
    [FUNCTION_RUN_WORKER, FUNCTION_RUN_WORKER_GRANTS],
    [FUNCTION_SWEEPER, FUNCTION_SWEEPER_GRANTS],
    ...(auditExport === null ? [] : [[AUDIT_EXPORTER, AUDIT_EXPORTER_GRANTS] as const]),
    ...(relay === null ? [] : [[RELAY, RELAY_SERVING_GRANTS] as const]),
  ])
}

/** Returns the names of what may open parts of key versions, by the largest part. */
function openingFunctions(
  stage: StageConfig,
  functions: ReadonlyMap<string, readonly Grant[]>,
): Record<KeyPart, readonly string[]> {
  const all = new Map(functions)
  if (stage.relay !== null) all.set(RELAY_CONTAINER, RELAY_SERVING_GRANTS)
  const opening = (part: KeyPart) =>
    [...all].filter(([, grants]) => openedParts(grants).includes(part)).map(([name]) => name)
  return {
    public: opening("public"),
    value: opening("value"),
    secret: opening("secret"),
    private: opening("private"),
  }
}

/** @param unused names of functions that this stage does not need */
function checkBundles(
  bundles: readonly FunctionBundle[],
  functions: ReadonlyMap<string, unknown>,
  unused: readonly string[],
): void {
  const names = new Set(bundles.map(({ functionName }) => functionName))
  const missing = [...functions.keys()].filter((name) => !names.has(name))
  const unknown = [...names].filter((name) => !functions.has(name) && !unused.includes(name))
  if (missing.length > 0) throw new Error(`There is no bundle for ${missing.join(", ")}.`)
  if (unknown.length > 0) throw new Error(`There is no function for the bundles ${unknown.join(", ")}.`)
}

/** Refuses a name that no function or table has, which would be ignored silently. */
function checkNames(stage: StageConfig, functions: ReadonlyMap<string, unknown>): void {
  const unknownTables = Object.keys(stage.restoredTables).filter((name) =>
    TABLES.every((table) => table.name !== name),
  )
  if (unknownTables.length > 0) throw new Error(`restoredTables names no table: ${unknownTables.join(", ")}.`)
  for (const setting of ["memoryMbOf", "reservedConcurrencyOf", "provisionedConcurrencyOf"] as const) {
    const unknown = Object.keys(stage[setting]).filter((name) => !functions.has(name))
    if (unknown.length > 0) throw new Error(`${setting} names no function: ${unknown.join(", ")}.`)
  }
}
