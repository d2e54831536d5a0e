import { CORS, serviceEndpoints } from "@sealway/api"
import { QUEUES, TABLES } from "@sealway/ports"
import { COUNT_METRICS, LATENCY_METRICS } from "@sealway/records"
import { relayEndpoints } from "@sealway/relay"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { statementsOf } from "../iam-policy.ts"
import {
  configuredStage,
  relayedStage,
  type StageResource,
  type SynthesizedStage,
  stageLike,
  synthesizedFullStage,
  synthesizeStage,
} from "../synthesize-stage.ts"

const CERTIFICATE = "arn:aws:acm:eu-central-1:111122223333:certificate/1"
const CLIENT_SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:sealway-oidc-AbCdEf"

let personal: SynthesizedStage
let named: SynthesizedStage
let full: SynthesizedStage

beforeAll(() => {
  full = synthesizedFullStage()
  personal = configuredStage("ada")
  named = synthesizeStage(
    stageLike("production", {
      region: "eu-central-1",
      domain: { name: "api.example.com", certificateArn: CERTIFICATE },
      signIn: { issuer: "https://login.example", clientId: "sealway", clientSecretArn: CLIENT_SECRET },
      dashboardApiUrl: "https://dashboard.example.com/api",
      allowedOrigins: ["https://shop.example.com"],
      alarmEmails: ["alarms@example.com"],
    }),
  )
})

const only = (stage: SynthesizedStage, type: string): StageResource => {
  const [first, ...others] = stage.ofType(type)
  if (first === undefined || others.length > 0) throw new Error(`There is not one ${type}`)
  return first
}

function resource(stage: SynthesizedStage, id: string): StageResource {
  const found = stage.resources.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no ${id}`)
  return found
}

const metricsSchema = z.array(
  z.object({
    MetricStat: z
      .object({
        Metric: z.object({ MetricName: z.string(), Dimensions: z.array(z.object({ Value: z.string() })) }),
        Period: z.number(),
      })
      .optional(),
  }),
)

/** Returns the metrics that an expression of an alarm joins: the API, the metric's name and its period in seconds. */
function periodsOf(metrics: unknown) {
  return metricsSchema.parse(metrics).flatMap(({ MetricStat }) => {
    if (MetricStat === undefined) return []
    const { Metric, Period } = MetricStat
    return [[Metric.Dimensions[0]?.Value, Metric.MetricName, Period]]
  })
}

describe("sign-in", () => {
  const variablesOf = (stage: SynthesizedStage, name: string) =>
    stage.ofType("AWS::Lambda::Function").flatMap(({ id, properties }) => {
      const { Environment } = z
        .object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }).optional() })
        .parse(properties)
      const value = Environment?.Variables[name]
      return value === undefined ? [] : [[id, value]]
    })

  test("gives the client's secret, by reference, to the one function that sends it to the provider", () => {
    const secrets = variablesOf(named, "SEALWAY_OIDC_CLIENT_SECRET")
    expect(secrets).toEqual([
      [
        expect.stringContaining("finishoidcsignin"),
        `{{resolve:secretsmanager:${CLIENT_SECRET}:SecretString}}`,
      ],
    ])
    expect(variablesOf(personal, "SEALWAY_OIDC_ISSUER")).toEqual([])
  })

  test("tells every endpoint from which pages sessions are accepted", () => {
    const told = variablesOf(named, "SEALWAY_DASHBOARD_API_URL").map(([, value]) => value)
    expect(told.length).toBeGreaterThan(100)
    expect(new Set(told)).toEqual(new Set(["https://dashboard.example.com/api"]))
  })
})

describe("the API", () => {
  test("accepts no more requests than the stage says", () => {
    const limitsOf = (stage: SynthesizedStage) =>
      stage.ofType("AWS::ApiGatewayV2::Stage").map(({ properties }) => properties.DefaultRouteSettings)
    const limits = { ThrottlingRateLimit: 5000, ThrottlingBurstLimit: 2500 }
    expect(limitsOf(personal)).toEqual([{ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 }])
    expect(limitsOf(named)).toEqual([limits, limits])
  })

  test("logs nothing of a request that its sender writes", () => {
    const stage = only(personal, "AWS::ApiGatewayV2::Stage")
    const settings = z
      .object({ DestinationArn: z.string(), Format: z.string() })
      .parse(stage.properties.AccessLogSettings)
    expect(settings.DestinationArn).toBe("api/AccessLog.Arn")
    const fields = z.record(z.string(), z.string()).parse(JSON.parse(settings.Format))
    expect(Object.values(fields).sort()).toEqual([
      "$context.error.responseType",
      "$context.identity.sourceIp",
      "$context.integration.integrationStatus",
      "$context.integration.latency",
      "$context.requestId",
      "$context.requestTime",
      "$context.responseLatency",
      "$context.responseLength",
      "$context.routeKey",
      "$context.status",
    ])
  })

  test("answers pages of the origins that the API's declaration names, or the stage", () => {
    const corsOf = (stage: SynthesizedStage) =>
      stage.ofType("AWS::ApiGatewayV2::Api").map(({ properties }) => properties.CorsConfiguration)
    const expected = {
      AllowOrigins: CORS.allowOrigins,
      AllowMethods: CORS.allowMethods,
      AllowHeaders: CORS.allowHeaders,
      ExposeHeaders: CORS.exposeHeaders,
      MaxAge: CORS.maxAgeSeconds,
    }
    expect(corsOf(personal)).toEqual([expected])
    const ofShop = { ...expected, AllowOrigins: ["https://shop.example.com"] }
    expect(corsOf(named)).toEqual([ofShop, ofShop])
  })

  test("passes requests to functions in the format that handlers read", () => {
    for (const { properties } of personal.ofType("AWS::ApiGatewayV2::Integration")) {
      expect(properties).toMatchObject({
        IntegrationType: "AWS_PROXY",
        PayloadFormatVersion: "2.0",
        TimeoutInMillis: 30_000,
      })
    }
  })

  test("passes unknown routes to a function that may do nothing", () => {
    const route = personal
      .ofType("AWS::ApiGatewayV2::Route")
      .find(({ properties }) => properties.RouteKey === "$default")
    expect(route?.properties.Target).toBe("integrations/api/Integration")
    const integration = personal.resources.find(({ id }) => id === "api/Integration")
    expect(integration?.properties.IntegrationUri).toBe("api/NotFoundFunction.Arn")
    const permission = personal
      .ofType("AWS::Lambda::Permission")
      .find(({ properties }) => properties.FunctionName === "api/NotFoundFunction.Arn")
    expect(permission?.properties.SourceArn).toBe(
      "arn:aws:execute-api:us-east-1:<AWS::AccountId>:api/Api/*/$default",
    )
  })
})

describe("a domain", () => {
  test("does not exist unless the stage names one, and the API answers at its own address", () => {
    expect(personal.ofType("AWS::ApiGatewayV2::DomainName")).toEqual([])
    expect(only(personal, "AWS::ApiGatewayV2::Api").properties.DisableExecuteApiEndpoint).toBe(false)
  })

  test("replaces the API's own address, with TLS 1.2 at least", () => {
    for (const { properties } of named.ofType("AWS::ApiGatewayV2::Api"))
      expect(properties.DisableExecuteApiEndpoint).toBe(true)
    const domain = only(named, "AWS::ApiGatewayV2::DomainName").properties
    expect(domain).toMatchObject({
      DomainName: "api.example.com",
      DomainNameConfigurations: [
        { CertificateArn: CERTIFICATE, EndpointType: "REGIONAL", SecurityPolicy: "TLS_1_2" },
      ],
    })
    expect(Object.fromEntries(named.outputs)).toMatchObject({
      Url: "https://api.example.com",
      DomainTarget: "api/Domain.RegionalDomainName",
      DomainHostedZoneId: "api/Domain.RegionalHostedZoneId",
    })
  })

  test("joins an API of their own for payments, and for relays, with that of all other paths", () => {
    const mapped = (stage: SynthesizedStage) =>
      stage.ofType("AWS::ApiGatewayV2::ApiMapping").map(({ properties }) => properties)
    const domain = { DomainName: "api/Domain", Stage: "$default" }
    const withoutRelays = [
      { ...domain, ApiId: "api/Api" },
      { ...domain, ApiId: "api/paymentsApi", ApiMappingKey: "payments" },
    ]
    expect(mapped(named)).toEqual(withoutRelays)
    expect(mapped(full)).toEqual([
      ...withoutRelays,
      { ...domain, ApiId: "api/relaysApi", ApiMappingKey: "relays" },
    ])
  })

  test("leads every path of every endpoint to its function, with what API Gateway makes of the path", () => {
    const keys = new Map(
      full
        .ofType("AWS::ApiGatewayV2::ApiMapping")
        .map(({ properties }) => [String(properties.ApiId), properties.ApiMappingKey ?? ""]),
    )
    const routes = full.ofType("AWS::ApiGatewayV2::Route").flatMap(({ properties }) => {
      const [method = "", path] = String(properties.RouteKey).split(" ")
      const key = keys.get(String(properties.ApiId))
      if (path === undefined) return [`${method} of ${key}`]
      return [`${method} ${key === "" ? path : `/${key}${path === "/" ? "" : path}`}`]
    })
    const expected = serviceEndpoints.flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((each) => `${method === "GET" ? "ANY" : method} ${each}`),
    )
    const unknown = ["$default of ", "$default of payments", "$default of relays"]
    expect(routes.sort()).toEqual([...expected, ...unknown].sort())
    // No path of the main API begins like one of a wing: it would never be called.
    for (const { properties } of full.ofType("AWS::ApiGatewayV2::Route")) {
      if (properties.ApiId !== "api/Api") continue
      expect(properties.RouteKey).not.toMatch(/ \/(payments|relays)(\/|$)/)
    }
  })

  test("is where links lead that endpoints hand out", () => {
    const originsOf = (stage: SynthesizedStage) =>
      stage.ofType("AWS::Lambda::Function").flatMap(({ properties }) => {
        const { Variables = {} } = z
          .object({ Variables: z.record(z.string(), z.unknown()).optional() })
          .parse(properties.Environment ?? {})
        return Variables.SEALWAY_API_ORIGIN ?? []
      })
    expect(new Set(originsOf(named))).toEqual(new Set(["https://api.example.com"]))
    const relays = new Set(relayEndpoints.map(({ id }) => id))
    expect(originsOf(named)).toHaveLength(serviceEndpoints.filter(({ id }) => !relays.has(id)).length)
    expect(originsOf(personal)).toEqual([])
  })
})

describe("the webhook worker", () => {
  const mappingOf = (stage: SynthesizedStage) => resource(stage, "workers/WebhookWorkerMessages")

  test("receives from its queue in batches, reports those that failed, and runs no more instances than the stage says", () => {
    expect(mappingOf(personal).properties).toEqual({
      EventSourceArn: "data/Queuesevents.Arn",
      FunctionName: "workers/WebhookWorkerFunction.Arn",
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 10 },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    })
    expect(mappingOf(named).properties.ScalingConfig).toEqual({ MaximumConcurrency: 100 })
  })

  test("gives up after a sixth of its queue's visibility time-out", () => {
    const worker = personal.resources.find(({ id }) => id === "workers/WebhookWorkerFunction")
    expect(worker?.properties.Timeout).toBe(30)
  })
})

describe("the webhook sweeper", () => {
  test("runs every quarter of an hour, and only then", () => {
    expect(resource(personal, "workers/WebhookSweeperSchedule").properties).toMatchObject({
      ScheduleExpression: "rate(15 minutes)",
      State: "ENABLED",
      Targets: [{ Arn: "workers/WebhookSweeperFunction.Arn" }],
    })
    const permissions = personal
      .ofType("AWS::Lambda::Permission")
      .filter(({ properties }) => properties.FunctionName === "workers/WebhookSweeperFunction.Arn")
    expect(permissions.map(({ properties }) => [properties.Principal, properties.SourceArn])).toEqual([
      ["events.amazonaws.com", "workers/WebhookSweeperSchedule.Arn"],
    ])
  })
})

describe("an alarm", () => {
  const alarms = () => personal.ofType("AWS::CloudWatch::Alarm")
  const watching = (text: string) =>
    alarms().filter(({ properties }) => JSON.stringify(properties).includes(text))

  test("belongs to one area, whose alarm alone notifies the stage's topic, also when it is over", () => {
    for (const stage of [personal, relayedStage()]) {
      const areas = stage.ofType("AWS::CloudWatch::CompositeAlarm")
      const rules = areas.map(({ properties }) => String(properties.AlarmRule))
      for (const { id, properties } of stage.ofType("AWS::CloudWatch::Alarm")) {
        const holding = rules.filter((rule) => rule.includes(`ALARM("${id}.Arn")`))
        expect({ [id]: holding.length }).toEqual({ [id]: 1 })
        expect(properties.AlarmActions ?? properties.OKActions).toBeUndefined()
      }
      for (const { properties } of areas) {
        expect(properties).toMatchObject({ AlarmActions: ["alarms/Alarms"], OKActions: ["alarms/Alarms"] })
      }
    }
    const names = relayedStage()
      .ofType("AWS::CloudWatch::CompositeAlarm")
      .map(({ properties }) => properties.AlarmName)
    expect(names.sort()).toEqual(
      [...["access-log", "api", "audit", "egress", "functions", "queues", "relay", "storage", "workers"]].map(
        (area) => `sealway-ada-${area}`,
      ),
    )
  })

  test("of a worker or a sweeper goes off when it fails in two of three periods", () => {
    const budgetOf = (id: string) => {
      const { DatapointsToAlarm, EvaluationPeriods, Metrics } = resource(personal, id).properties
      const periods = z
        .array(z.object({ MetricStat: z.object({ Period: z.number() }).optional() }))
        .parse(Metrics)
        .flatMap(({ MetricStat }) => MetricStat?.Period ?? [])
      return [DatapointsToAlarm, EvaluationPeriods, ...new Set(periods)]
    }
    expect(budgetOf("workers/WebhookWorkerAlarm")).toEqual([2, 3, 300])
    expect(budgetOf("workers/WebhookSweeperAlarm")).toEqual([2, 3, 900])
  })

  test("goes off at the first dead letter, before one is lost, and when a queue is not processed", () => {
    for (const { name } of QUEUES) {
      const queue = `data/Queues${name.replaceAll("-", "")}.QueueName`
      const deadLetters = queue.replace(".QueueName", "deadletters.QueueName")
      const of = (dimension: string) =>
        watching(`"${dimension}"`).map(({ properties }) => [properties.MetricName, properties.Threshold])
      expect(of(queue)).toEqual([["ApproximateAgeOfOldestMessage", 3_600]])
      expect(of(deadLetters).sort()).toEqual([
        ["ApproximateAgeOfOldestMessage", 10 * 86_400],
        ["ApproximateNumberOfMessagesVisible", 1],
      ])
    }
  })

  test("goes off when 5xx use up the error budget: fast by their share, slowly by their hours", () => {
    const fast = resource(personal, "monitoring/apiFastBurn").properties
    expect(fast).toMatchObject({ DatapointsToAlarm: 2, EvaluationPeriods: 3 })
    expect(fast.Threshold).toBeCloseTo(1.44, 9)
    expect(JSON.stringify(fast.Metrics)).toContain("100 * errors / requests")
    const slow = resource(personal, "monitoring/apiSlowBurn").properties
    expect(slow).toMatchObject({ Threshold: 1, DatapointsToAlarm: 3, EvaluationPeriods: 24 })
    expect(periodsOf(slow.Metrics)).toEqual([["api/Api", "5xx", 3_600]])
  })

  test("goes off for 5xx of every API of a stage", () => {
    const apis = ["api/Api", "api/paymentsApi", "api/relaysApi"]
    const { Metrics } = resource(full, "monitoring/apiSlowBurn").properties
    expect(periodsOf(Metrics)).toEqual(apis.map((api) => [api, "5xx", 3_600]))
    expect(JSON.stringify(Metrics)).toContain("SUM([main5xx, payments5xx, relays5xx])")
  })

  test("goes off at an error of KMS, and when a table is throttled", () => {
    expect(
      watching('"KmsErrors"').map(({ properties }) => [properties.Namespace, properties.Threshold]),
    ).toEqual([["Sealway/ada", 1]])
    for (const { name } of TABLES) {
      const of = watching(`"data/Tables${name}"`)
      expect(of.length).toBe(1)
      expect(JSON.stringify(of)).toMatch(/ReadThrottleEvents.*WriteThrottleEvents/)
    }
  })

  test("counts errors of KMS in the log of each function that uses keys", () => {
    const filters = personal.ofType("AWS::Logs::MetricFilter")
    const users = personal
      .ofType("AWS::IAM::ManagedPolicy")
      .filter((policy) =>
        statementsOf(policy).some(
          ({ Action, Resource }) => Resource.includes("keys/StageKey.Arn") || Action.includes("kms:ListKeys"),
        ),
      )
    expect(filters.length).toBe(users.length)
    for (const { properties } of filters) {
      expect(properties.FilterPattern).toContain('$.error.name = "KMS*"')
      expect(properties.MetricTransformations).toEqual([
        { MetricNamespace: "Sealway/ada", MetricName: "KmsErrors", MetricValue: "1" },
      ])
    }
  })

  test("reaches the addresses that the stage names, by an encrypted topic that requires TLS", () => {
    expect(personal.ofType("AWS::SNS::Subscription")).toEqual([])
    expect(only(named, "AWS::SNS::Subscription").properties).toEqual({
      Protocol: "email",
      Endpoint: "alarms@example.com",
      TopicArn: "alarms/Alarms",
    })
    expect(only(personal, "AWS::SNS::Topic").properties.KmsMasterKeyId).toBe("keys/StorageKey.Arn")
    const topic = { Resource: ["alarms/Alarms"], Action: ["sns:Publish"] }
    expect(statementsOf(only(personal, "AWS::SNS::TopicPolicy"))).toEqual([
      {
        ...topic,
        Sid: "AllowPublishThroughSSLOnly",
        Effect: "Deny",
        Principal: { AWS: ["*"] },
        Condition: { Bool: { "aws:SecureTransport": ["false"] } },
      },
      {
        ...topic,
        Sid: "PublishAlarms",
        Effect: "Allow",
        Principal: { Service: ["cloudwatch.amazonaws.com"] },
        Condition: { StringEquals: { "aws:SourceAccount": ["<AWS::AccountId>"] } },
      },
      {
        ...topic,
        Sid: "PublishChanges",
        Effect: "Allow",
        Principal: { Service: ["events.amazonaws.com"] },
        Condition: {
          ArnLike: { "aws:SourceArn": ["arn:aws:events:us-east-1:<AWS::AccountId>:rule/sealway-ada-*"] },
        },
      },
    ])
  })
})

describe("a watched change", () => {
  const patternOf = (stage: SynthesizedStage, id: string) => {
    const { EventPattern, Targets, State } = resource(stage, id).properties
    expect([State, Targets]).toEqual(["ENABLED", [expect.objectContaining({ Arn: "alarms/Alarms" })]])
    return z.object({ detail: z.record(z.string(), z.unknown()) }).parse(EventPattern).detail
  }

  test("of a key is one that disables, deletes or opens one of the stage's two", () => {
    const { eventName, resources } = patternOf(personal, "monitoring/KeyChanges")
    expect(eventName).toEqual(
      expect.arrayContaining(["DisableKey", "PutKeyPolicy", "ReplicateKey", "ScheduleKeyDeletion"]),
    )
    expect(resources).toEqual({ ARN: ["keys/StageKey.Arn", "keys/StorageKey.Arn"] })
  })

  test("of the audit log's table is found by its name and its ARN", () => {
    const { eventName, $or } = patternOf(personal, "monitoring/AuditLogChanges")
    expect(eventName).toEqual(
      expect.arrayContaining(["DeleteTable", "PutResourcePolicy", "UpdateContinuousBackups"]),
    )
    expect($or).toEqual([
      { requestParameters: { tableName: ["data/Tablesaudit", "data/Tablesaudit.Arn"] } },
      { requestParameters: { resourceArn: ["data/Tablesaudit.Arn"] } },
    ])
  })

  const notByDeployment = { sourceIPAddress: [{ "anything-but": ["cloudformation.amazonaws.com"] }] }

  test("of a permission is about a role or a policy of the stage, and no deployment, where IAM tells of it", () => {
    const { eventName, ...pattern } = patternOf(personal, "monitoring/RoleChanges")
    expect(eventName).toEqual(
      expect.arrayContaining(["AttachRolePolicy", "CreatePolicyVersion", "UpdateAssumeRolePolicy"]),
    )
    expect(pattern).toMatchObject({
      ...notByDeployment,
      $or: [
        { requestParameters: { roleName: [{ prefix: "sealway-ada-" }] } },
        {
          requestParameters: { policyArn: [{ prefix: "arn:aws:iam::<AWS::AccountId>:policy/sealway-ada-" }] },
        },
      ],
    })
    expect(named.resources.filter(({ id }) => id === "monitoring/RoleChanges")).toEqual([])
  })

  test("of a function is one of its code, its configuration or its callers, by its name or its ARN, and no deployment", () => {
    expect(patternOf(personal, "monitoring/FunctionChanges")).toMatchObject({
      ...notByDeployment,
      eventName: ["AddPermission", "UpdateFunctionCode", "UpdateFunctionConfiguration"].map((prefix) => ({
        prefix,
      })),
      $or: ["", "arn:aws:lambda:us-east-1:<AWS::AccountId>:function:"].map((start) => ({
        requestParameters: { functionName: [{ prefix: `${start}sealway-ada-` }] },
      })),
    })
  })
})

describe("the dashboard of CloudWatch", () => {
  const widgetsOf = (stage: SynthesizedStage) => {
    const { DashboardBody, DashboardName } = only(stage, "AWS::CloudWatch::Dashboard").properties
    expect(DashboardName).toBe("sealway-ada-monitoring")
    return z
      .object({
        widgets: z.array(
          z.object({ properties: z.object({ title: z.string(), metrics: z.array(z.array(z.unknown())) }) }),
        ),
      })
      .parse(JSON.parse(String(DashboardBody)))
      .widgets.map(({ properties }) => properties)
  }

  test("shows what is asked, counted, waiting, lost, throttled and refused by KMS", () => {
    const titles = widgetsOf(personal).map(({ title }) => title)
    expect(titles).toEqual([
      ...["Requests", "Latency (ms)", "Values", "Refusals and errors"],
      ...["Latency of handlers (ms)", "Runs of functions", "Oldest message (s)", "Dead letters"],
      ...["Table throttles", "Lambda, all of the region", "KMS errors", "Errors of functions"],
    ])
    expect(widgetsOf(relayedStage()).map(({ title }) => title)).toEqual([
      ...titles.slice(0, 6),
      ...["Requests through relays", "Latency of relays (ms)"],
      ...titles.slice(6),
    ])
  })

  test("shows every metric that the service writes, in the stage's namespace and with its one dimension", () => {
    const shown = widgetsOf(relayedStage())
      .flatMap(({ metrics }) => metrics)
      .filter(([namespace]) => namespace === "Sealway/ada")
    const names = new Set(shown.map(([, name]) => name))
    // API Gateway counts requests too, and all of them.
    const { requests: _, ...counted } = COUNT_METRICS
    expect(names).toEqual(
      new Set([...Object.values(counted), ...Object.values(LATENCY_METRICS), "KmsErrors"]),
    )
    for (const [, name, ...dimensions] of shown)
      if (name !== "KmsErrors") expect(dimensions.slice(0, 2)).toEqual(["service", "sealway"])
  })

  test("shows the oldest message and the dead letters of every queue", () => {
    for (const title of ["Oldest message (s)", "Dead letters"]) {
      const widget = widgetsOf(personal).find((each) => each.title === title)
      expect(widget?.metrics.length).toBe(QUEUES.length)
    }
  })
})
