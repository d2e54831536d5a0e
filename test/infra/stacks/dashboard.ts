import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { compileFunction } from "node:vm"
import { serviceEndpoints } from "@sealway/api"
import { relayEndpoints } from "@sealway/relay"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { PROJECT_ROOT } from "../../../stacks/bundles/project-root.ts"
import { permissionsOf, statementsOf } from "../iam-policy.ts"
import { DASHBOARD_DOMAIN, RELAY_STAGE } from "../made-up-stage.ts"
import {
  configuredStage,
  type StageResource,
  type SynthesizedStage,
  stageLike,
  synthesizeStage,
} from "../synthesize-stage.ts"

const SECRET = "{{resolve:secretsmanager:dashboard/OriginSecret:SecretString:::}}"
const OWN_ORIGIN = "https://dashboard/Distribution.DomainName"

let plain: SynthesizedStage
let served: SynthesizedStage
/** In a region without CloudFront's metrics, with names for the API and the dashboard. */
let named: SynthesizedStage

beforeAll(() => {
  plain = configuredStage("ada")
  served = synthesizeStage(stageLike("ada", { dashboard: { domain: null }, relay: RELAY_STAGE }))
  named = synthesizeStage(
    stageLike("production", {
      region: "eu-central-1",
      domain: { name: "api.example.com", certificateArn: "arn:aws:acm:eu-central-1:1:certificate/1" },
      dashboard: { domain: DASHBOARD_DOMAIN },
      reservedConcurrencyOf: {},
      memoryMbOf: {},
    }),
    { endpoints: [] },
  )
}, 120_000)

function resource(id: string, stage = served): StageResource {
  const found = stage.resources.find((each) => each.id === id)
  if (found === undefined) throw new Error(`There is no ${id}`)
  return found
}

const distribution = (stage = served) =>
  z
    .looseObject({
      Origins: z.array(z.record(z.string(), z.unknown())),
      DefaultCacheBehavior: z.record(z.string(), z.unknown()),
      CacheBehaviors: z.array(z.record(z.string(), z.unknown())),
      CustomErrorResponses: z.array(z.record(z.string(), z.unknown())),
    })
    .parse(resource("dashboard/Distribution", stage).properties.DistributionConfig)

const variablesNamed = (stage: SynthesizedStage, name: string) =>
  stage.ofType("AWS::Lambda::Function").flatMap(({ id, properties }) => {
    const { Variables = {} } = z
      .object({ Variables: z.record(z.string(), z.string()).optional() })
      .parse(properties.Environment ?? {})
    return Variables[name] === undefined ? [] : [[id, Variables[name]] as const]
  })

describe("a stage without a dashboard", () => {
  test("has none of its resources, and functions that know nothing of it", () => {
    expect([...plain.templates.keys()]).not.toContain("dashboard")
    for (const name of ["SEALWAY_DASHBOARD_API_URL", "SEALWAY_DASHBOARD_ORIGIN_SHA256"])
      expect(variablesNamed(plain, name)).toEqual([])
  })
})

describe("the bucket of the dashboard's files", () => {
  test("is private, encrypted, and read by this distribution only, with TLS", () => {
    expect(resource("dashboard/Files").properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
    })
    const statements = statementsOf(resource("dashboard/FilesPolicy"))
    const byDistribution = {
      Effect: "Allow",
      Principal: { Service: ["cloudfront.amazonaws.com"] },
      Condition: {
        StringEquals: {
          "aws:SourceArn": ["arn:aws:cloudfront::<AWS::AccountId>:distribution/dashboard/Distribution"],
        },
      },
    }
    expect(statements.filter(({ Effect }) => Effect === "Allow")).toEqual([
      {
        ...byDistribution,
        Sid: "ReadByCloudFront",
        Action: ["s3:GetObject"],
        Resource: ["dashboard/Files.Arn/*"],
      },
      {
        ...byDistribution,
        Sid: "TellMissingFiles",
        Action: ["s3:ListBucket"],
        Resource: ["dashboard/Files.Arn"],
      },
    ])
    expect(JSON.stringify(statements)).toContain('"aws:SecureTransport":["false"]')
  })

  test("is marked, and so is the distribution, as what the service creates nothing in", () => {
    for (const id of ["dashboard/Files", "dashboard/Distribution"])
      expect(resource(id).properties.Tags).toContainEqual({ Key: "sealway:dashboard", Value: "true" })
  })

  test("can be deleted with a personal stage, and stays with production", () => {
    expect(resource("dashboard/Files").deletionPolicy).toBe("Delete")
    expect(resource("dashboard/Files", named).deletionPolicy).toBe("Retain")
  })
})

describe("the dashboard's distribution", () => {
  test("reads files with a signature, and the API by its own name with the secret", () => {
    const api = {
      Id: "api",
      CustomOriginConfig: {
        OriginProtocolPolicy: "https-only",
        OriginSSLProtocols: ["TLSv1.2"],
        OriginReadTimeout: 35,
      },
      OriginCustomHeaders: [{ HeaderName: "x-dashboard-origin-secret", HeaderValue: SECRET }],
    }
    expect(distribution().Origins).toEqual([
      {
        Id: "files",
        DomainName: "dashboard/Files.RegionalDomainName",
        OriginAccessControlId: "dashboard/Signing.Id",
        S3OriginConfig: { OriginAccessIdentity: "" },
      },
      { ...api, DomainName: "api/Api.execute-api.us-east-1.amazonaws.com" },
    ])
    expect(distribution(named).Origins[1]).toMatchObject({ ...api, DomainName: "api.example.com" })
    expect(resource("dashboard/Signing").properties.OriginAccessControlConfig).toMatchObject({
      OriginAccessControlOriginType: "s3",
      SigningBehavior: "always",
      SigningProtocol: "sigv4",
    })
  })

  test("passes every method, cookie and header on to the API, caches none of its answers, and no error", () => {
    const { CacheBehaviors, CustomErrorResponses } = distribution()
    expect(CacheBehaviors).toEqual([
      {
        PathPattern: "/api/*",
        TargetOriginId: "api",
        ViewerProtocolPolicy: "https-only",
        AllowedMethods: ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"],
        // Of AWS: Managed-CachingDisabled and Managed-AllViewerExceptHostHeader.
        CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
        OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
        ResponseHeadersPolicyId: "dashboard/ApiHeaders.Id",
        FunctionAssociations: [
          { EventType: "viewer-request", FunctionARN: "dashboard/apirequest.FunctionARN" },
        ],
        // A secret next to what a caller chose must not be compressed with it.
        Compress: false,
      },
    ])
    for (const response of CustomErrorResponses) {
      expect(response).toEqual({ ErrorCode: response.ErrorCode, ErrorCachingMinTTL: 0 })
    }
  })

  test("answers anything else from the files, compressed, and by GET and HEAD only", () => {
    expect(distribution().DefaultCacheBehavior).toMatchObject({
      TargetOriginId: "files",
      ViewerProtocolPolicy: "redirect-to-https",
      AllowedMethods: ["GET", "HEAD"],
      // Of AWS: Managed-CachingOptimized, which has no cookie, header or query in its key.
      CachePolicyId: "658327ea-f89d-4fab-a63d-7e88639e58f6",
      ResponseHeadersPolicyId: "dashboard/Headers.Id",
      FunctionAssociations: [
        { EventType: "viewer-request", FunctionARN: "dashboard/pagerequest.FunctionARN" },
      ],
      Compress: true,
    })
    expect(distribution().DefaultCacheBehavior).not.toHaveProperty("OriginRequestPolicyId")
  })

  test.each(["page-request", "api-request"])("runs %s.js in the syntax that its runtime knows", (name) => {
    const { FunctionCode, FunctionConfig, AutoPublish } = resource(
      `dashboard/${name.replace("-", "")}`,
    ).properties
    const source = readFileSync(join(PROJECT_ROOT, "stacks/dashboard-edge", `${name}.js`), "utf8")
    expect(FunctionCode).toBe(source)
    expect(FunctionConfig).toMatchObject({ Runtime: "cloudfront-js-2.0" })
    expect(AutoPublish).toBe(true)
    expect(source).not.toMatch(/\bclass\b|\?\.|\?\?|\.\.\.|\b(import|export|require)\b/)
    expect(Buffer.byteLength(source)).toBeLessThan(10_240)
  })

  test("has the stage's name and certificate, and TLS 1.2 at least, if the stage says so", () => {
    expect(distribution(named)).toMatchObject({
      Aliases: ["dashboard.example.com"],
      ViewerCertificate: {
        AcmCertificateArn: DASHBOARD_DOMAIN.certificateArn,
        SslSupportMethod: "sni-only",
        MinimumProtocolVersion: "TLSv1.2_2021",
      },
    })
    for (const absent of ["Aliases", "ViewerCertificate"]) expect(distribution()).not.toHaveProperty(absent)
    const records = named.ofType("AWS::Route53::RecordSet").map(({ properties }) => properties)
    expect(records).toMatchObject([
      { Name: "dashboard.example.com", ResourceRecords: ["dashboard/Distribution.DomainName"] },
    ])
  })
})

describe("the function that hashes the origin secret", () => {
  const secret = "s".repeat(64)

  /** Calls it as CloudFormation does. @returns what it answers */
  async function answerTo(event: object): Promise<unknown> {
    const { promise: answer, resolve } = Promise.withResolvers<unknown>()
    const server = createServer(async (request, response) => {
      resolve({ type: request.headers["content-type"], ...JSON.parse(await text(request)) })
      response.end()
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const { port } = z.object({ port: z.number() }).parse(server.address())
    const { ZipFile } = z
      .object({ ZipFile: z.string().max(4_096) })
      .parse(resource("dashboard/OriginSecretHasher").properties.Code)
    const exports: { handler?: (event: object) => Promise<void> } = {}
    compileFunction(ZipFile, ["exports", "require"])(exports, createRequire(import.meta.url))
    const caller = { StackId: "stack", RequestId: "request", LogicalResourceId: "Hash" }
    await exports.handler?.({ ...caller, ...event, ResponseURL: `http://127.0.0.1:${port}/` })
    server.close()
    return answer
  }
  const answered = {
    type: "",
    StackId: "stack",
    RequestId: "request",
    LogicalResourceId: "Hash",
    PhysicalResourceId: "OriginSecretHash",
  }

  test("answers CloudFormation with its SHA-256, which the API takes for it", async () => {
    for (const RequestType of ["Create", "Update"]) {
      expect(await answerTo({ RequestType, ResourceProperties: { Secret: secret } })).toEqual({
        ...answered,
        Status: "SUCCESS",
        Data: { Sha256: hash("sha256", secret, "hex") },
      })
    }
  })

  test("fails the deployment when it gets no secret, and lets the stack go", async () => {
    const failed = { ...answered, Status: "FAILED", Reason: "The origin secret was not resolved" }
    for (const Secret of [SECRET, "short", undefined])
      expect(await answerTo({ RequestType: "Create", ResourceProperties: { Secret } })).toEqual(failed)
    expect(await answerTo({ RequestType: "Delete", ResourceProperties: {} })).toMatchObject({
      Status: "SUCCESS",
    })
  })

  test("may do nothing but write its log", () => {
    const statements = statementsOf(resource("dashboard/OriginSecretPolicy"))
    expect(permissionsOf(statements)).toEqual([
      "logs:CreateLogStream on dashboard/OriginSecretLogs.Arn",
      "logs:PutLogEvents on dashboard/OriginSecretLogs.Arn",
    ])
  })
})

describe("functions of a stage with a dashboard", () => {
  test("know where browsers reach the API, wherever they hand out links or check origins", () => {
    const told = variablesNamed(served, "SEALWAY_DASHBOARD_API_URL")
    expect(new Set(told.map(([, url]) => url))).toEqual(new Set([`${OWN_ORIGIN}/api`]))
    expect(told.map(([id]) => id)).toContain("relay/RelayFunction")
    expect(told.length).toBe(serviceEndpoints.length + 1)
    const [task] = served.ofType("AWS::ECS::TaskDefinition")
    expect(JSON.stringify(task?.properties.ContainerDefinitions)).toContain(`${OWN_ORIGIN}/api`)
  })

  test("know the hash of CloudFront's secret if they are endpoints, and no others do", () => {
    const told = variablesNamed(served, "SEALWAY_DASHBOARD_ORIGIN_SHA256")
    expect(new Set(told.map(([, hash]) => hash))).toEqual(new Set(["dashboard/OriginSecretHash.Sha256"]))
    expect(told.length).toBe(serviceEndpoints.length)
    expect(relayEndpoints.length).toBeGreaterThan(0)
    expect(resource("dashboard/OriginSecretHash").properties).toEqual({
      ServiceToken: "dashboard/OriginSecretHasher.Arn",
      ServiceTimeout: 120,
      Secret: SECRET,
    })
    expect(resource("dashboard/OriginSecret").properties).toMatchObject({
      KmsKeyId: "keys/StorageKey.Arn",
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    })
  })

  test("know no secret, except of the two that must send or compare it", () => {
    const holders = served.ofType("AWS::Lambda::Function").filter(({ properties }) => {
      return JSON.stringify(properties).includes("{{resolve:")
    })
    expect(holders.map(({ id }) => id)).toEqual(["relay/RelayFunction"])
  })

  test("and their deployment reach the secret, also in a stage without relays", () => {
    for (const stage of [served, named]) {
      const [through] = statementsOf(resource("keys/StorageKey", stage), "KeyPolicy").filter(
        ({ Sid }) => Sid === "UseThroughStores",
      )
      const services = through?.Condition.StringEquals?.["kms:ViaService"] ?? []
      expect(services.filter((service) => service.startsWith("secretsmanager."))).toHaveLength(1)
    }
  })

  test("are told in outputs, for people, with what the identity provider must know", () => {
    expect(Object.fromEntries(served.outputs)).toMatchObject({
      Dashboard: `${OWN_ORIGIN}/dashboard`,
      DashboardRedirectUri: `${OWN_ORIGIN}/api/sign-in/oidc/callback`,
      DashboardBucket: "dashboard/Files",
    })
    expect(Object.fromEntries(named.outputs)).toMatchObject({
      Dashboard: "https://dashboard.example.com/dashboard",
      DashboardDomainTarget: "dashboard/Distribution.DomainName",
    })
  })
})
