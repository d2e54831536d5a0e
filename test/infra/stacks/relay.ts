import { readFileSync } from "node:fs"
import { join } from "node:path"
import { serviceEndpoints } from "@sealway/api"
import { grantsOf } from "@sealway/http"
import { relayEndpoints } from "@sealway/relay"
import { RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { PROJECT_ROOT } from "../../../stacks/bundles/project-root.ts"
import { permissionsOf, statementsOf } from "../iam-policy.ts"
import { RELAY_STAGE } from "../made-up-stage.ts"
import {
  configuredStage,
  relayedStage,
  type StageResource,
  type SynthesizedStage,
  stageLike,
  synthesizeStage,
} from "../synthesize-stage.ts"

const SECRET = "{{resolve:secretsmanager:relay/OriginSecret:SecretString:::}}"
const ENDPOINT = "relay/ConnectionGroup.RoutingEndpoint"
const TAG = "sealway:distribution"

let served: SynthesizedStage
let plain: SynthesizedStage
/** In a region without metrics of CloudFront, in no zone, without a region's label, and with instances of the function that are kept started. */
let changed: SynthesizedStage

beforeAll(() => {
  plain = configuredStage("ada")
  served = relayedStage()
  const certificateArn = RELAY_STAGE.certificateArn.replace("us-east-1", "eu-central-1")
  const viewerCertificateArn = RELAY_STAGE.certificateArn
  const relay = {
    ...RELAY_STAGE,
    certificateArn,
    viewerCertificateArn,
    hostedZoneId: null,
    regionLabel: null,
  }
  changed = synthesizeStage(
    stageLike("ada", { relay, region: "eu-central-1", provisionedConcurrencyOf: { relay: 2 } }),
  )
})

function resource(id: string, stage = served): StageResource {
  const found = stage.resources.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no ${id}`)
  return found
}

const variablesOf = ({ properties }: StageResource) =>
  z.object({ Variables: z.record(z.string(), z.string()) }).parse(properties.Environment).Variables

describe("a stage without relays", () => {
  test("has no stack of relays, none of their endpoints, and a key that does not mention them", () => {
    expect([...plain.templates.keys()].filter((stack) => /relay|egress/.test(stack))).toEqual([])
    const routes = plain.ofType("AWS::ApiGatewayV2::Route").map(({ properties }) => properties.RouteKey)
    expect(relayEndpoints.length).toBeGreaterThan(5)
    for (const { method, path } of relayEndpoints) expect(routes).not.toContain(`${method} ${path}`)
    for (const key of plain.ofType("AWS::KMS::Key"))
      expect(JSON.stringify(key.properties)).not.toMatch(/relay/)
  })

  test("keeps everything unchanged when relays are added, except its keys' policies and what the dashboard of CloudWatch shows", () => {
    const changing = ["AWS::KMS::Key", "AWS::CloudWatch::Dashboard"]
    const before = plain.resources.filter(({ type }) => !changing.includes(type))
    for (const { id, properties } of before) {
      // Code is an asset of a temporary folder.
      const { Code: _, ...others } = properties
      const { Code: __, ...same } = resource(id).properties
      expect({ id, ...same }).toEqual({ id, ...others })
    }
  })
})

describe("the distribution", () => {
  const config = () =>
    z
      .looseObject({
        ConnectionMode: z.string(),
        Origins: z.array(z.record(z.string(), z.unknown())),
        DefaultCacheBehavior: z.record(z.string(), z.unknown()),
      })
      .parse(resource("relay/Distribution").properties.DistributionConfig)

  test("has AWS WAF in front where the stage says so, which stores no part of a request, and none otherwise", () => {
    expect(served.ofType("AWS::WAFv2::WebACL")).toEqual([])
    expect(config()).not.toHaveProperty("WebACLId")
    const relay = { ...RELAY_STAGE, firewall: { requestsPer5Minutes: 3_000 } }
    const guarded = synthesizeStage(stageLike("ada", { relay }))
    const distribution = resource("relay/Distribution", guarded).properties.DistributionConfig
    expect(distribution).toMatchObject({ WebACLId: "relay/Firewall.Arn" })
    const rules = z.array(
      z.object({ Name: z.string(), Priority: z.number(), VisibilityConfig: z.unknown() }).loose(),
    )
    const firewall = z
      .object({ Scope: z.string(), DefaultAction: z.unknown(), VisibilityConfig: z.unknown(), Rules: rules })
      .parse(resource("relay/Firewall", guarded).properties)
    expect(firewall).toMatchObject({ Scope: "CLOUDFRONT", DefaultAction: { Allow: {} } })
    expect(firewall.Rules.map(({ Name, Priority }) => [Name, Priority])).toEqual([
      ["RequestsOfOneAddress", 0],
      ["AWSManagedRulesAmazonIpReputationList", 1],
      ["AWSManagedRulesKnownBadInputsRuleSet", 2],
    ])
    expect(firewall.Rules[0]).toMatchObject({
      Statement: { RateBasedStatement: { AggregateKeyType: "IP", EvaluationWindowSec: 300, Limit: 3_000 } },
      Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
    })
    for (const { VisibilityConfig } of [firewall, ...firewall.Rules]) {
      expect(VisibilityConfig).toMatchObject({ SampledRequestsEnabled: false })
    }
    expect(guarded.ofType("AWS::WAFv2::LoggingConfiguration")).toEqual([])
  })

  test("is for tenants, and has neither a name nor a certificate of its own", () => {
    expect(config().ConnectionMode).toBe("tenant-only")
    for (const absent of ["Aliases", "ViewerCertificate"]) expect(config()).not.toHaveProperty(absent)
  })

  test("requires TLS 1.2 at least where the stage has a certificate for it", () => {
    expect(resource("relay/Distribution", changed).properties.DistributionConfig).toMatchObject({
      ViewerCertificate: {
        AcmCertificateArn: RELAY_STAGE.certificateArn,
        SslSupportMethod: "sni-only",
        MinimumProtocolVersion: "TLSv1.2_2021",
      },
    })
  })

  test("sends requests to the function, and can send them to the container, each by TLS and with the secret, for 120 seconds", () => {
    const common = {
      CustomOriginConfig: {
        OriginProtocolPolicy: "https-only",
        OriginSSLProtocols: ["TLSv1.2"],
        OriginReadTimeout: 120,
        OriginKeepaliveTimeout: 60,
      },
      OriginCustomHeaders: [{ HeaderName: "x-relay-origin-secret", HeaderValue: SECRET }],
    }
    expect(config().Origins).toMatchObject([
      { Id: "function", DomainName: "relay/RelayUrl.FunctionUrl by /[2]", ...common },
      { Id: "container", DomainName: "origin.relay.example.com", ...common },
    ])
    expect(config().Origins).toMatchObject([
      { CustomOriginConfig: { HTTPSPort: 443 } },
      { CustomOriginConfig: { HTTPSPort: 8443 } },
    ])
  })

  test("caches nothing, accepts every method that CloudFront knows, over TLS only, and passes on all headers except Host", () => {
    expect(config().DefaultCacheBehavior).toMatchObject({
      TargetOriginId: "function",
      ViewerProtocolPolicy: "https-only",
      AllowedMethods: ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"],
      // Of AWS: Managed-CachingDisabled and Managed-AllViewerExceptHostHeader.
      CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
      Compress: false,
      FunctionAssociations: [{ EventType: "viewer-request", FunctionARN: "relay/ViewerRequest.FunctionARN" }],
    })
  })

  test("caches no error for a moment: it would be another caller's answer", () => {
    const { CustomErrorResponses } = z
      .object({
        CustomErrorResponses: z.array(
          z.strictObject({ ErrorCode: z.number(), ErrorCachingMinTTL: z.literal(0) }),
        ),
      })
      .parse(resource("relay/Distribution").properties.DistributionConfig)
    // Everything that CloudFront caches by default, in its guide under "HTTP 4xx and 5xx status codes that CloudFront
    // caches".
    const codes = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]
    expect(CustomErrorResponses.map(({ ErrorCode }) => ErrorCode)).toEqual(codes)
  })

  test("runs the tested CloudFront Function, on the runtime that it is written for", () => {
    const { FunctionCode, FunctionConfig, AutoPublish } = resource("relay/ViewerRequest").properties
    const source = readFileSync(
      join(PROJECT_ROOT, "packages/hosts/relay-proxy/src/edge/viewer-request.js"),
      "utf8",
    )
    expect(FunctionCode).toBe(source)
    expect(source).toContain('"container"')
    expect(FunctionConfig).toMatchObject({ Runtime: "cloudfront-js-2.0" })
    expect(AutoPublish).toBe(true)
  })
})

describe("the origin secret", () => {
  test("is random, encrypted with the stage's storage key, and in no template", () => {
    expect(resource("relay/OriginSecret").properties).toMatchObject({
      KmsKeyId: "keys/StorageKey.Arn",
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    })
    expect(resource("relay/OriginSecret").properties).not.toHaveProperty("SecretString")
  })

  test("reaches the function and nothing else of the stage except CloudFront and the container", () => {
    const users = served.resources.filter(({ properties }) => JSON.stringify(properties).includes(SECRET))
    expect(users.map(({ id }) => id).sort()).toEqual(["relay/Distribution", "relay/RelayFunction"])
  })
})

describe("the relay function", () => {
  test("is called by its URL alone, which streams, and which anybody may call", () => {
    expect(resource("relay/RelayUrl").properties).toEqual({
      AuthType: "NONE",
      InvokeMode: "RESPONSE_STREAM",
      TargetFunctionArn: "relay/RelayFunction.Arn",
    })
    const permissions = served
      .ofType("AWS::Lambda::Permission")
      .filter(({ properties }) => properties.FunctionName === "relay/RelayFunction.Arn")
    expect(permissions.map(({ properties }) => properties)).toEqual([
      {
        Action: "lambda:InvokeFunctionUrl",
        FunctionName: "relay/RelayFunction.Arn",
        FunctionUrlAuthType: "NONE",
        Principal: "*",
      },
      {
        Action: "lambda:InvokeFunction",
        FunctionName: "relay/RelayFunction.Arn",
        InvokedViaFunctionUrl: true,
        Principal: "*",
      },
    ])
  })

  test("may take longer than an exchange with a destination, and gets the names of the relays' tables only", () => {
    const { properties } = resource("relay/RelayFunction")
    expect(properties).toMatchObject({ Timeout: 130, MemorySize: 1769 })
    expect(variablesOf(resource("relay/RelayFunction"))).toEqual({
      SEALWAY_HOSTING: "api-gateway",
      SEALWAY_LOG_LEVEL: "INFO",
      SEALWAY_METRICS_STAGE: "ada",
      SEALWAY_KMS_KEY_ID: "keys/StageKey.Arn",
      SEALWAY_CONFIG_TABLE: "data/Tablesconfig",
      SEALWAY_KEYS_TABLE: "data/Tableskeys",
      SEALWAY_AUDIT_TABLE: "data/Tablesaudit",
      SEALWAY_AUDIT_WRITER: "audit/WriterFunction",
      SEALWAY_EVENTS_TABLE: "data/Tablesevents",
      SEALWAY_EVENTS_QUEUE_URL: "data/Queuesevents",
      SEALWAY_RELAY_DOMAIN: "relay.example.com",
      SEALWAY_RELAY_CUSTOM_DOMAIN_TARGET: ENDPOINT,
      SEALWAY_RELAY_ORIGIN_SECRET: SECRET,
    })
  })

  test("may do what passing requests on takes, and with the stage's key only open key versions", () => {
    const statements = statementsOf(resource("relay/RelayPolicy"))
    const actions = permissionsOf(statements).map((line) => line.split(" on ")[0])
    const granted = new Set(RELAY_SERVING_GRANTS.map((grant) => grant.split("/")[0]))
    const beside = [
      "kms:DescribeKey",
      "kms:Encrypt",
      "kms:GenerateDataKey",
      "kms:ReEncryptFrom",
      "kms:ReEncryptTo",
    ]
    const logging = ["logs:CreateLogStream", "logs:PutLogEvents"]
    expect(new Set(actions)).toEqual(new Set([...granted, ...beside, ...logging, "dynamodb:DeleteItem"]))
    const onKey = statements.filter(({ Resource }) => Resource.includes("keys/StageKey.Arn"))
    expect(onKey.map(({ Action }) => Action)).toEqual([["kms:Decrypt"]])
  })
})

test("keeps instances of the relay function started that its URL calls", () => {
  const { resources } = changed
  const url = resources.find(({ id }) => id === "relay/RelayUrl")
  expect(url?.properties).toMatchObject({ TargetFunctionArn: "relay/RelayFunction.Arn", Qualifier: "live" })
  const called = resources.filter(
    ({ type, stack }) => type === "AWS::Lambda::Permission" && stack === "relay",
  )
  expect(called.map(({ properties }) => properties.FunctionName)).toEqual([
    "relay/RelayLive",
    "relay/RelayLive",
  ])
})

test("raises no alarm for CloudFront's errors in a region that has no metrics of CloudFront", () => {
  const alarmsOf = (stage: SynthesizedStage) =>
    stage
      .ofType("AWS::CloudWatch::Alarm")
      .filter(({ properties }) => properties.Namespace === "AWS/CloudFront")
  expect([alarmsOf(served).length, alarmsOf(changed).length]).toEqual([1, 0])
})

describe("an endpoint of relays", () => {
  const functionOf = (id: string) => {
    const role = served
      .ofType("AWS::IAM::Role")
      .find(({ properties }) => properties.RoleName === `sealway-ada-${id}`)
    const found = served
      .ofType("AWS::Lambda::Function")
      .find(({ properties }) => properties.Role === `${role?.id}.Arn`)
    const policy = served
      .ofType("AWS::IAM::ManagedPolicy")
      .find(({ properties }) => JSON.stringify(properties.Roles) === `["${role?.id}"]`)
    if (found === undefined || policy === undefined) throw new Error(`There is no function ${id}`)
    return { variables: variablesOf(found), statements: statementsOf(policy) }
  }

  test("exists, and gets the name of what makes domains known", () => {
    for (const { id } of relayEndpoints) {
      expect(functionOf(id).variables).toMatchObject({
        SEALWAY_STAGE: "ada",
        SEALWAY_RELAY_DOMAIN: "relay.example.com",
        SEALWAY_RELAY_CUSTOM_DOMAIN_TARGET: ENDPOINT,
        SEALWAY_RELAY_DISTRIBUTION_ID: "relay/Distribution",
        SEALWAY_RELAY_CONNECTION_GROUP_ID: "relay/ConnectionGroup.Id",
        SEALWAY_RELAY_REGION_LABEL: "us",
      })
    }
  })

  test("creates and changes tenants of this stage's distribution only, when it makes a domain known", () => {
    const makers = serviceEndpoints.filter((each) =>
      grantsOf(each).includes("cloudfront:CreateDistributionTenant"),
    )
    expect(makers.map(({ id }) => id)).toContain("create-relay")
    const tenants = "arn:aws:cloudfront::<AWS::AccountId>:distribution-tenant/*"
    for (const { id } of makers) {
      const { statements } = functionOf(id)
      const on = statements.filter(({ Resource }) => Resource.includes(tenants))
      const conditionOf = (action: string) => on.find(({ Action }) => Action.includes(action))?.Condition
      const tagged = {
        StringEquals: {
          "aws:RequestTag/sealway:stage": ["ada"],
          "aws:RequestTag/sealway:made-by": ["service"],
          [`aws:RequestTag/${TAG}`]: ["relay/Distribution"],
        },
        "ForAllValues:StringEquals": { "aws:TagKeys": ["sealway:stage", "sealway:made-by", TAG] },
      }
      expect(conditionOf("cloudfront:CreateDistributionTenant")).toEqual(tagged)
      expect(conditionOf("cloudfront:TagResource")).toEqual(tagged)
      expect(conditionOf("cloudfront:UpdateDistributionTenant")).toEqual({
        StringEquals: { [`aws:ResourceTag/${TAG}`]: ["relay/Distribution"] },
      })
      expect(conditionOf("cloudfront:GetDistributionTenantByDomain")).toEqual({})
    }
  })

  test("can do nothing at CloudFront without a grant for it, and none may use the key of the authority", () => {
    for (const endpoint of serviceEndpoints) {
      const { statements } = functionOf(endpoint.id)
      const actions = statements.flatMap(({ Action }) => Action)
      const isGranted = grantsOf(endpoint).some((grant) => grant.startsWith("cloudfront:"))
      expect({ [endpoint.id]: actions.some((action) => /^(cloudfront|acm):/.test(action)) }).toEqual({
        [endpoint.id]: isGranted,
      })
      expect(JSON.stringify(statements)).not.toContain("relay-authority")
    }
  })
})

describe("the relays' names", () => {
  const recordsOf = (stage: SynthesizedStage) =>
    stage
      .ofType("AWS::Route53::RecordSet")
      .map(
        ({ properties }) =>
          `${properties.Name} ${properties.Type} ${JSON.stringify(properties.ResourceRecords)}`,
      )
      .sort()

  test("point to CloudFront, with and without the region's label, and to the load balancer for what is not CloudFront's", () => {
    expect(recordsOf(served)).toEqual([
      `*.relay.example.com CNAME ["${ENDPOINT}"]`,
      `*.us.relay.example.com CNAME ["${ENDPOINT}"]`,
      'origin.relay.example.com CNAME ["egress/Balancer.DNSName"]',
      'proxy.relay.example.com CNAME ["egress/Balancer.DNSName"]',
      'strict.relay.example.com CNAME ["egress/Balancer.DNSName"]',
    ])
  })

  test("are left to you where the stage names no zone, and outputs say so", () => {
    expect(recordsOf(changed)).toEqual([])
    expect(Object.fromEntries(changed.outputs)).toMatchObject({
      RelayDomainTarget: ENDPOINT,
      RelayContainerTarget: "egress/Balancer.DNSName",
      RelayProxy: "https://proxy.relay.example.com:443",
      RelayStrictProxy: "http://strict.relay.example.com:3128",
      RelayDistribution: "relay/Distribution",
    })
  })
})
