import { ENDPOINTS, serviceEndpoints } from "@sealway/api"
import { endpoint, grantsOf } from "@sealway/http"
import { type Grant, KEY_PARTS, PARTS_WITHIN } from "@sealway/ports"
import { AUDIT_WRITER_GRANTS } from "@sealway/records"
import { relayEndpoints } from "@sealway/relay"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { ACCESS_WRITER_GRANTS } from "../../../stacks/access-log.ts"
import { LAMBDA_NODE } from "../../../stacks/bundles/compile-cache.ts"
import { FUNCTION_RUN_WORKER_GRANTS, FUNCTION_SWEEPER_GRANTS } from "../../../stacks/functions.ts"
import {
  ENROLMENT_SWEEPER_GRANTS,
  ENROLMENT_WORKER_GRANTS,
  ERASURE_SWEEPER_GRANTS,
  HSM_KEY_SWEEPER_GRANTS,
  STATS_FOLDER_GRANTS,
  WEBHOOK_SWEEPER_GRANTS,
  WEBHOOK_WORKER_GRANTS,
} from "../../../stacks/workers.ts"
import { permissionsOf, statementsOf } from "../iam-policy.ts"
import {
  configuredStage,
  type StageResource,
  type SynthesizedStage,
  stageLike,
  synthesizeStage,
} from "../synthesize-stage.ts"

const OTHER_GRANTS: Readonly<Record<string, readonly Grant[]>> = {
  "not-found": [],
  "access-writer": ACCESS_WRITER_GRANTS,
  "audit-writer": AUDIT_WRITER_GRANTS,
  "webhook-worker": WEBHOOK_WORKER_GRANTS,
  "slow-webhook-worker": WEBHOOK_WORKER_GRANTS,
  "webhook-sweeper": WEBHOOK_SWEEPER_GRANTS,
  "function-run-worker": FUNCTION_RUN_WORKER_GRANTS,
  "function-sweeper": FUNCTION_SWEEPER_GRANTS,
  "enrolment-worker": ENROLMENT_WORKER_GRANTS,
  "enrolment-sweeper": ENROLMENT_SWEEPER_GRANTS,
  "hsm-key-sweeper": HSM_KEY_SWEEPER_GRANTS,
  "erasure-sweeper": ERASURE_SWEEPER_GRANTS,
  "stats-folder": STATS_FOLDER_GRANTS,
}

/** Customers' functions, their logs and their code. */
const HOSTED: Readonly<Record<string, string>> = {
  lambda: "arn:aws:lambda:us-east-1:<AWS::AccountId>:function:sealway-ada-fn-func_*",
  logs: "arn:aws:logs:us-east-1:<AWS::AccountId>:log-group:/aws/lambda/sealway-ada-fn-func_*",
  s3: "functions/Code.Arn/*",
}

/** The bucket of sealed files. */
const FILES = "data/Files.Arn"
/** Functions that depend on packages/service/files. */
const OF_FILES = new Set<string>(ENDPOINTS.files.map(({ id }) => id))
/** Functions that depend on packages/service/payments. */
const OF_PAYMENTS = new Set<string>(ENDPOINTS.payments.map(({ id }) => id))

/** Keys of apps in KMS. */
const HSM_KEYS = "arn:aws:kms:us-east-1:<AWS::AccountId>:key/*"
const HSM_KEY_ACTIONS: Readonly<Record<string, string>> = {
  "kms:CreateKey": "*",
  "kms:ListKeys": "*",
  "kms:GetPublicKey": HSM_KEYS,
  "kms:DeriveSharedSecret": HSM_KEYS,
  "kms:ListResourceTags": HSM_KEYS,
  "kms:DescribeKey": HSM_KEYS,
  "kms:ScheduleKeyDeletion": HSM_KEYS,
}

/** What Lambda itself does with the queue that a worker receives from. */
const received = (queueArn: string) =>
  ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"].map(
    (action) => `${action} on ${queueArn}`,
  )

/** Permissions that no grant expresses. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  "access-writer": received("data/Queuesaccessrecords.Arn"),
  "webhook-worker": received("data/Queuesevents.Arn"),
  "slow-webhook-worker": received("data/Queuesslowevents.Arn"),
  "enrolment-worker": [...received("data/Queuesenrolments.Arn"), ...received("data/Queuescardchecks.Arn")],
  "function-run-worker": [
    ...received("data/Queuesfunctionruns.Arn"),
    ...["CreateFunction", "TagResource", "GetFunctionConfiguration", "DeleteFunction"].map(
      (action) => `lambda:${action} on ${HOSTED.lambda}`,
    ),
    ...["CreateLogGroup", "TagResource", "PutRetentionPolicy", "DeleteLogGroup"].map(
      (action) => `logs:${action} on ${HOSTED.logs}`,
    ),
    "iam:PassRole on functions/FunctionRole.Arn",
    `s3:GetObject on ${HOSTED.s3}`,
    "s3:ListBucket on functions/Code.Arn",
  ],
}

/** Functions that depend on packages/service/functions, and get everything that it needs. */
const OF_FUNCTIONS = new Set<string>([...ENDPOINTS.functions.map(({ id }) => id), "function-run-worker"])
const HOSTING = {
  SEALWAY_STAGE: "ada",
  SEALWAY_RUNS_TABLE: "data/Tablesruns",
  SEALWAY_FUNCTION_PREFIX: "sealway-ada-fn-",
  SEALWAY_FUNCTION_ROLE_ARN: "functions/FunctionRole.Arn",
  SEALWAY_FUNCTION_CODE_BUCKET: "functions/Code",
  SEALWAY_FUNCTION_LOG_RETENTION_DAYS: "14",
  SEALWAY_FUNCTION_LOG_KEY_ARN: "keys/StorageKey.Arn",
  SEALWAY_FUNCTION_RUNS_PER_APP: "20",
  SEALWAY_FUNCTION_RUNS_PER_STAGE: "50",
}

/** A stage that serves no relays has none of their endpoints. */
const SERVED = serviceEndpoints.filter(({ id }) => relayEndpoints.every((each) => each.id !== id))

const EXPECTED: ReadonlyMap<string, readonly Grant[]> = new Map([
  ...SERVED.map((each) => [each.id, grantsOf(each)] as const),
  ...Object.entries(OTHER_GRANTS),
])

const WRITES = /:(?:PutItem|UpdateItem|DeleteItem|SendMessage)\/|^s3:PutObject/
const STORES = ["dynamodb", "s3", "sqs"]
const serviceOf = (grant: Grant) => grant.split(":")[0] ?? ""
const STAGE_KEY = "keys/StageKey.Arn"
const STORAGE_KEY = "keys/StorageKey.Arn"
const CONTEXT_CONDITION = {
  "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["team", "app", "version", "part"] },
  Null: {
    "kms:EncryptionContext:team": ["false"],
    "kms:EncryptionContext:app": ["false"],
    "kms:EncryptionContext:version": ["false"],
  },
}

const EXTRA = endpoint({
  id: "count-things",
  method: "POST",
  path: "/things/{thing_id}/count",
  aliases: ["/count"],
  tag: "Audit log",
  summary: "Count things",
  description: "",
  auth: [],
  reveals: "nothing",
  request: { path: z.object({ thing_id: z.string() }) },
  status: 200,
  reply: { kind: "object", schema: z.object({}), description: "" },
  errors: [],
  grants: ["dynamodb:UpdateItem/events", "sqs:SendMessage/function-runs", "kms:Decrypt/secret"],
  answer: () => ({ body: {} }),
})

let personal: SynthesizedStage
let changed: SynthesizedStage

beforeAll(() => {
  personal = configuredStage("ada")
  changed = synthesizeStage(
    stageLike("ada", {
      isTraced: true,
      memoryMbOf: { decrypt: 3008 },
      reservedConcurrencyOf: { encrypt: 50 },
      provisionedConcurrencyOf: { decrypt: 3, "access-writer": 1 },
    }),
    { endpoints: [...serviceEndpoints, EXTRA] },
  )
})

/** Finds the resources that belong to one function, by the name of its role. */
function functionNamed(stage: SynthesizedStage, name: string) {
  const role = only(
    stage.ofType("AWS::IAM::Role").filter((each) => each.properties.RoleName === `sealway-ada-${name}`),
  )
  const its = (type: string, isIts: (resource: StageResource) => boolean) => stage.ofType(type).filter(isIts)
  const lambda = only(its("AWS::Lambda::Function", ({ properties }) => properties.Role === `${role.id}.Arn`))
  const logGroup = z.object({ LogGroup: z.string() }).parse(lambda.properties.LoggingConfig).LogGroup
  return {
    role,
    lambda,
    policies: its(
      "AWS::IAM::ManagedPolicy",
      ({ properties }) => JSON.stringify(properties.Roles) === `["${role.id}"]`,
    ),
    logGroups: its("AWS::Logs::LogGroup", ({ id }) => id === logGroup),
    alarms: its("AWS::CloudWatch::Alarm", ({ properties }) => mentions(properties, lambda.id)),
    integrations: its("AWS::ApiGatewayV2::Integration", ({ properties }) =>
      String(properties.IntegrationUri).startsWith(`${lambda.id}.`),
    ),
  }
}

function routesOf(stage: SynthesizedStage, name: string): string[] {
  const integration = only(functionNamed(stage, name).integrations)
  return stage
    .ofType("AWS::ApiGatewayV2::Route")
    .filter(({ properties }) => properties.Target === `integrations/${integration.id}`)
    .map(({ properties }) => String(properties.RouteKey))
}

const texts = new WeakMap<object, string>()

function mentions(value: object, text: string): boolean {
  const json = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, json)
  return json.includes(`"${text}"`)
}

function only<Value>(values: readonly Value[]): Value {
  const [first, ...others] = values
  if (first === undefined || others.length > 0) throw new Error(`There are ${values.length} instead of one`)
  return first
}

function expectedPermissions(grants: readonly Grant[]): string[] {
  const named = grants.map((grant) => {
    const [action = "", resource = ""] = grant.split("/")
    const service = serviceOf(grant)
    const ofHsmKeys = HSM_KEY_ACTIONS[action]
    if (ofHsmKeys !== undefined) return `${action} on ${ofHsmKeys}`
    if (service === "kms") return `${action} on ${STAGE_KEY}`
    if (service === "s3" && resource === "files") {
      return `${action} on ${action === "s3:ListBucket" ? FILES : `${FILES}/*`}`
    }
    if (resource === "audit-writer") return `${action} on audit/WriterFunction.Arn`
    if (HOSTED[service] !== undefined) return `${action} on ${HOSTED[service]}`
    const place = service === "dynamodb" ? "Tables" : "Queues"
    return `${action} on data/${place}${resource.replaceAll("-", "")}.Arn`
  })
  if (grants.includes("kms:CreateKey")) named.push(`kms:TagResource on ${HSM_KEYS}`)
  const stores = grants.some((grant) => STORES.includes(serviceOf(grant)))
  const reading = ["kms:Decrypt", "kms:DescribeKey"]
  const writing = ["kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"]
  const storage = stores ? [...reading, ...(grants.some((grant) => WRITES.test(grant)) ? writing : [])] : []
  return [...named, ...storage.map((action) => `${action} on ${STORAGE_KEY}`)]
}

/** Writes conditions with single values as those with lists. */
function listed(conditions: object): object {
  const within = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, [value].flat()]))
  return Object.fromEntries(Object.entries(conditions).map(([operator, keys]) => [operator, within(keys)]))
}

describe("a function", () => {
  test("runs on the processor and the Node.js that compile caches are made for", () => {
    for (const { properties } of personal.ofType("AWS::Lambda::Function")) {
      const { Architectures, Runtime } = properties
      expect([Architectures, Runtime]).toEqual([[LAMBDA_NODE.processor], `nodejs${LAMBDA_NODE.major}.x`])
    }
  })

  test("may do what its grants name, write its own log, and nothing else", () => {
    for (const [name, grants] of EXPECTED) {
      const { policies, logGroups } = functionNamed(personal, name)
      const allowed = statementsOf(only(policies)).filter(({ Effect }) => Effect === "Allow")
      const log = `${only(logGroups).id}.Arn`
      const expected = [
        ...expectedPermissions(grants),
        ...(MORE[name] ?? []),
        `logs:CreateLogStream on ${log}`,
        `logs:PutLogEvents on ${log}`,
      ]
      expect({ [name]: permissionsOf(allowed) }).toEqual({ [name]: expected.sort() })
    }
  })

  test("may do no action by a wildcard, and use no resource by one except customers' functions, files and keys", () => {
    const lines = personal
      .ofType("AWS::IAM::ManagedPolicy")
      .flatMap((policy) => permissionsOf(statementsOf(policy)))
    expect(lines.length).toBeGreaterThan(0)
    const wildcards = lines.filter((line) => line.includes("*"))
    const resources = wildcards.map((line) => line.split(" on ")[1])
    expect(new Set(resources)).toEqual(new Set([`${FILES}/*`, ...Object.values(HOSTED), HSM_KEYS, "*"]))
    const unlimited = wildcards.filter((line) => line.endsWith(" on *"))
    expect(new Set(unlimited)).toEqual(new Set(["kms:CreateKey on *", "kms:ListKeys on *"]))
    expect(wildcards.filter((line) => line.split(" on ")[0]?.includes("*"))).toEqual([])
  })

  test("may use the stage's key only with the context of a key version, and of the parts that its grants name", () => {
    for (const [name, grants] of EXPECTED) {
      const statements = statementsOf(only(functionNamed(personal, name).policies))
      const onKey = statements.filter(({ Resource }) => Resource.includes(STAGE_KEY))
      const used = onKey.flatMap(({ Action, Condition: { StringEquals = {}, ...others } }) => {
        expect(others).toEqual(CONTEXT_CONDITION)
        const { "kms:EncryptionContext:part": parts = KEY_PARTS, ...none } = StringEquals
        expect(none).toEqual({})
        return Action.map((action) => [action, ...parts].join(" "))
      })
      const wanted = grants.flatMap((grant) => {
        const part = KEY_PARTS.find((each) => grant === `kms:Decrypt/${each}`)
        if (part !== undefined) return [["kms:Decrypt", ...PARTS_WITHIN[part]].join(" ")]
        return grant === "kms:Encrypt" ? [["kms:Encrypt", ...KEY_PARTS].join(" ")] : []
      })
      expect({ [name]: used.sort() }).toEqual({ [name]: wanted.sort() })
    }
  })

  test("may create, use and delete keys of apps only of their kind, with the stage's tags", () => {
    const kind = { "kms:KeySpec": "ECC_NIST_P256", "kms:KeyUsage": "KEY_AGREEMENT" }
    const tags = (of: "Request" | "Resource") => ({
      [`aws:${of}Tag/sealway:stage`]: "ada",
      [`aws:${of}Tag/sealway:made-by`]: "service",
    })
    const tagKeys = ["stage", "made-by", "team", "app", "key"].map((name) => `sealway:${name}`)
    const tagged = { "ForAllValues:StringEquals": { "aws:TagKeys": tagKeys } }
    const ours = { StringEquals: { ...kind, ...tags("Resource") } }
    const wanted: Readonly<Record<string, object>> = {
      "kms:CreateKey": { ...tagged, StringEquals: { ...kind, ...tags("Request") } },
      "kms:TagResource": { ...tagged, StringEquals: tags("Request") },
      "kms:GetPublicKey": ours,
      "kms:DeriveSharedSecret": ours,
      "kms:DescribeKey": ours,
      "kms:ScheduleKeyDeletion": {
        ...ours,
        NumericEquals: { "kms:ScheduleKeyDeletionPendingWindowInDays": "30" },
      },
      "kms:ListKeys": {},
      "kms:ListResourceTags": {},
    }
    const found = new Set<string>()
    for (const [name] of EXPECTED) {
      for (const { Action, Resource, Condition } of statementsOf(
        only(functionNamed(personal, name).policies),
      )) {
        if (!Resource.includes(HSM_KEYS) && !Action.some((action) => /^kms:(Create|List)/.test(action)))
          continue
        expect(Action).toHaveLength(1)
        const [action = ""] = Action
        found.add(action)
        expect(listed(Condition)).toEqual(listed(wanted[action] ?? { unknown: action }))
      }
    }
    expect([...found].sort()).toEqual(Object.keys(wanted).sort())
  })

  test("may use the storage key only through the services that it has grants for", () => {
    for (const [name, grants] of EXPECTED) {
      const statements = statementsOf(only(functionNamed(personal, name).policies))
      const services = new Set(grants.map(serviceOf).filter((each) => STORES.includes(each)))
      const conditions = statements
        .filter(({ Resource }) => Resource.includes(STORAGE_KEY))
        .map((each) => each.Condition)
      const through = [...services].sort().map((service) => `${service}.us-east-1.amazonaws.com`)
      expect({ [name]: conditions }).toEqual({
        [name]: services.size === 0 ? [] : [{ StringEquals: { "kms:ViaService": through } }],
      })
    }
  })

  test("cannot change or delete a record of the access log, whatever else it may do to that table", () => {
    for (const [name, grants] of EXPECTED) {
      const denied = statementsOf(only(functionNamed(personal, name).policies)).filter(
        ({ Effect }) => Effect === "Deny",
      )
      const changes = grants.some((grant) => /:(Update|Delete)Item\/events$/.test(grant))
      expect({ [name]: denied.length }).toEqual({ [name]: changes ? 1 : 0 })
      for (const { Action, Resource, Condition } of denied) {
        expect(Action.toSorted()).toEqual(["dynamodb:DeleteItem", "dynamodb:UpdateItem"])
        expect(Resource).toEqual(["data/Tablesevents.Arn"])
        expect(Condition).toEqual({ "ForAnyValue:StringLike": { "dynamodb:LeadingKeys": ["team#*"] } })
      }
    }
  })

  test("has one policy and log group, an alarm unless it is the API's, and a role that only Lambda assumes and that has no other policy", () => {
    for (const name of EXPECTED.keys()) {
      const { role, policies, logGroups, alarms } = functionNamed(personal, name)
      const counts = [policies.length, logGroups.length, alarms.length]
      const isOfApi = name === "not-found" || SERVED.some(({ id }) => id === name)
      expect({ [name]: counts }).toEqual({ [name]: [1, 1, isOfApi ? 0 : 1] })
      expect(Object.keys(role.properties).sort()).toEqual([
        "AssumeRolePolicyDocument",
        "Description",
        "RoleName",
      ])
      expect(role.properties.AssumeRolePolicyDocument).toMatchObject({
        Statement: [{ Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
      })
    }
    expect(personal.ofType("AWS::Lambda::Function").length).toBe(EXPECTED.size)
    // One more is for customers' code.
    for (const type of ["AWS::IAM::Role", "AWS::IAM::ManagedPolicy"])
      expect({ [type]: personal.ofType(type).length }).toEqual({ [type]: EXPECTED.size + 1 })
    expect(personal.ofType("AWS::IAM::Policy")).toEqual([])
  })

  test("runs Node.js 24 on arm64, and gives up before API Gateway does", () => {
    for (const { id: name } of SERVED) {
      expect({ name, ...functionNamed(personal, name).lambda.properties }).toMatchObject({
        Architectures: ["arm64"],
        Runtime: "nodejs24.x",
        Handler: "index.handler",
        Timeout: 29,
        MemorySize: 1024,
      })
    }
  })

  test("gets the names of what it may use, and no secret", () => {
    const isReference = /^(?:data\/|keys\/StageKey\.Arn$|functions\/|audit\/WriterFunction$)/
    for (const [name, grants] of EXPECTED) {
      const { lambda } = functionNamed(personal, name)
      const { Variables } = z
        .object({ Variables: z.record(z.string(), z.string()).default({}) })
        .parse(lambda.properties.Environment ?? {})
      const tables = name === "not-found" ? [] : ["config", "keys", "audit", "events"]
      const queues = grants
        .filter((grant) => grant.startsWith("sqs:"))
        .map((grant) => grant.split("/")[1] ?? "")
      const used = grants
        .filter((grant) => grant.startsWith("dynamodb:"))
        .map((grant) => grant.split("/")[1] ?? "")
      const variable = (text: string) => text.toUpperCase().replaceAll("-", "_")
      const expected = new Set([
        ...(name === "not-found"
          ? []
          : ["SEALWAY_HOSTING", "SEALWAY_KMS_KEY_ID", "SEALWAY_LOG_LEVEL", "SEALWAY_METRICS_STAGE"]),
        ...[...tables, ...used].map((table) => `SEALWAY_${variable(table)}_TABLE`),
        ...queues.map((queue) => `SEALWAY_${variable(queue)}_QUEUE_URL`),
        ...(grants.includes("lambda:InvokeFunction/audit-writer") ? ["SEALWAY_AUDIT_WRITER"] : []),
        ...(OF_FUNCTIONS.has(name) ? Object.keys(HOSTING) : []),
        ...(OF_FILES.has(name) ? ["SEALWAY_FILE_BUCKET"] : []),
        ...(OF_PAYMENTS.has(name) ? ["SEALWAY_PAYMENTS_TABLE"] : []),
        ...(grants.some((grant) => grant === "kms:CreateKey" || grant === "kms:ListKeys")
          ? ["SEALWAY_STAGE"]
          : []),
      ])
      expect({ [name]: Object.keys(Variables).sort() }).toEqual({ [name]: [...expected].sort() })
      if (OF_FUNCTIONS.has(name)) expect({ name, ...Variables }).toMatchObject({ name, ...HOSTING })
      const others = Object.entries(Variables).filter(([variable]) => !(variable in HOSTING))
      const { SEALWAY_HOSTING, SEALWAY_LOG_LEVEL, SEALWAY_METRICS_STAGE, ...references } =
        Object.fromEntries(others)
      for (const value of Object.values(references)) expect(value).toMatch(isReference)
    }
  })

  test("has a policy and a role's name within the limits of IAM", () => {
    for (const policy of personal.ofType("AWS::IAM::ManagedPolicy")) {
      expect(JSON.stringify(policy.properties.PolicyDocument).length).toBeLessThan(6_144 - 1_500)
    }
    for (const { properties } of personal.ofType("AWS::IAM::Role")) {
      expect(String(properties.RoleName).length).toBeLessThanOrEqual(64 - (20 - "ada".length))
    }
  })
})

describe("an endpoint", () => {
  test("has a route for its path and each of its aliases, for any method where it answers GET, as the only routes", () => {
    const expected = SERVED.map(({ id, method, path, aliases = [] }) => ({
      [id]: [path, ...aliases].map((each) => `${method === "GET" ? "ANY" : method} ${each}`),
    }))
    expect(SERVED.map(({ id }) => ({ [id]: routesOf(personal, id) }))).toEqual(expected)
    expect(personal.ofType("AWS::ApiGatewayV2::Route").length).toBe(
      expected.flatMap(Object.values).flat().length + 1,
    )
  })

  test("is called by API Gateway for its own paths only, and by nothing else", () => {
    const source = "arn:aws:execute-api:us-east-1:<AWS::AccountId>:api/Api"
    for (const { id, path, aliases = [] } of SERVED) {
      const { lambda } = functionNamed(personal, id)
      const permissions = personal
        .ofType("AWS::Lambda::Permission")
        .filter(({ properties }) => properties.FunctionName === `${lambda.id}.Arn`)
      expect(permissions.map(({ properties }) => properties)).toEqual(
        [path, ...aliases].map((each) => ({
          Action: "lambda:InvokeFunction",
          FunctionName: `${lambda.id}.Arn`,
          Principal: "apigateway.amazonaws.com",
          SourceArn: `${source}/*/*${each}`,
        })),
      )
    }
  })

  test("adds, when it is new, all that an endpoint has, and changes nothing of the others", () => {
    const { policies, logGroups, alarms } = functionNamed(changed, EXTRA.id)
    expect([policies.length, logGroups.length, alarms.length]).toEqual([1, 1, 0])
    expect(routesOf(changed, EXTRA.id)).toEqual(["POST /things/{thing_id}/count", "POST /count"])
    const permissions = permissionsOf(statementsOf(only(policies)))
    expect(permissions).toContain("dynamodb:UpdateItem on data/Tablesevents.Arn")
    expect(permissions).toContain("sqs:SendMessage on data/Queuesfunctionruns.Arn")
    const before = new Set(personal.resources.map(({ id }) => id))
    const added = changed.resources.filter(
      ({ id, stack }) => !before.has(id) && stack === "endpoints-audit-log",
    )
    expect(added.map(({ type }) => type).sort()).toEqual([
      "AWS::ApiGatewayV2::Integration",
      "AWS::ApiGatewayV2::Route",
      "AWS::ApiGatewayV2::Route",
      "AWS::IAM::ManagedPolicy",
      "AWS::IAM::Role",
      "AWS::Lambda::Function",
      "AWS::Lambda::Permission",
      "AWS::Lambda::Permission",
      "AWS::Logs::LogGroup",
      "AWS::Logs::MetricFilter",
    ])
    const after = new Set(changed.resources.map(({ id }) => id))
    expect([...before].filter((id) => !after.has(id))).toEqual([])
  })

  test("is admitted by the key's policy when it is new and decrypts, and no other is for its sake", () => {
    const decrypting = (stage: SynthesizedStage) => {
      const key = only(stage.ofType("AWS::KMS::Key").filter(({ id }) => id === "keys/StageKey"))
      const opening = statementsOf(key, "KeyPolicy").filter(({ Action }) => Action.includes("kms:Decrypt"))
      return opening.flatMap(({ Condition }) => Condition.ArnEquals?.["aws:PrincipalArn"] ?? [])
    }
    const role = "arn:aws:iam::<AWS::AccountId>:role/sealway-ada-count-things"
    expect(decrypting(changed).sort()).toEqual([...decrypting(personal), role].sort())
  })
})

describe("tracing", () => {
  const tracingOf = (stage: SynthesizedStage) =>
    new Set(
      stage.ofType("AWS::Lambda::Function").map(({ properties }) => JSON.stringify(properties.TracingConfig)),
    )
  const tracers = (stage: SynthesizedStage) =>
    stage
      .ofType("AWS::IAM::ManagedPolicy")
      .filter((policy) => mentions(policy.properties, "xray:PutTraceSegments"))

  test("is off for every function unless a stage switches it on", () => {
    expect([...tracingOf(personal)]).toEqual([undefined])
    expect(tracers(personal)).toEqual([])
  })

  test("is on for every function when a stage switches it on, with the right to send traces", () => {
    expect([...tracingOf(changed)]).toEqual(['{"Mode":"Active"}'])
    expect(tracers(changed).length).toBe(EXPECTED.size + 1)
  })
})

describe("a stage with such settings", () => {
  test("reserves instances of a function, or gives it other memory", () => {
    expect(functionNamed(changed, "encrypt").lambda.properties.ReservedConcurrentExecutions).toBe(50)
    expect(functionNamed(changed, "decrypt").lambda.properties.MemorySize).toBe(3008)
  })

  test("keeps instances of a function started, and sends requests to those", () => {
    const alias = only(changed.ofType("AWS::Lambda::Alias").filter(({ stack }) => stack !== "access-log"))
    expect(alias.properties.ProvisionedConcurrencyConfig).toEqual({ ProvisionedConcurrentExecutions: 3 })
    const uris = changed
      .ofType("AWS::ApiGatewayV2::Integration")
      .map(({ properties }) => properties.IntegrationUri)
    expect(uris.filter((uri) => uri === alias.id)).toEqual([alias.id])
    expect(
      changed
        .ofType("AWS::Lambda::Permission")
        .filter(({ properties }) => properties.FunctionName === alias.id).length,
    ).toBe(1)
  })

  test("hands access records to the instances that are kept started, from logs and from the queue", () => {
    const ofStack = changed.resources.filter(({ stack }) => stack === "access-log")
    const called = {
      "AWS::Lambda::EventInvokeConfig": "Qualifier",
      "AWS::Lambda::EventSourceMapping": "FunctionName",
      "AWS::Lambda::Permission": "FunctionName",
      "AWS::Logs::SubscriptionFilter": "DestinationArn",
    }
    for (const [type, property] of Object.entries(called)) {
      const values = ofStack
        .filter((each) => each.type === type)
        .map(({ properties }) => properties[property])
      expect(new Set(values)).toEqual(new Set([property === "Qualifier" ? "live" : "access-log/WriterLive"]))
    }
  })
})
