import { RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { permissionsOf, statementsOf } from "../iam-policy.ts"
import { RELAY_STAGE } from "../made-up-stage.ts"
import { relayedStage, type StageResource, type SynthesizedStage } from "../synthesize-stage.ts"

const AUTHORITY_CONTEXT = {
  "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["purpose"] },
  StringEquals: { "kms:EncryptionContext:purpose": ["relay-authority"] },
}

let served: SynthesizedStage
beforeAll(() => {
  served = relayedStage()
})

function resource(id: string): StageResource {
  const found = served.resources.find((each) => each.id === id)
  if (found === undefined)
    throw new Error(`There is no ${id} among ${served.resources.map((each) => each.id).join(" ")}`)
  return found
}

const containerSchema = z.object({
  ContainerDefinitions: z.tuple([
    z.object({
      Image: z.string(),
      Environment: z.array(z.object({ Name: z.string(), Value: z.string() })),
      Secrets: z.array(z.object({ Name: z.string(), ValueFrom: z.string() })),
      PortMappings: z.array(z.object({ ContainerPort: z.number() })),
      ReadonlyRootFilesystem: z.boolean(),
      StopTimeout: z.number(),
      HealthCheck: z.object({ Command: z.array(z.string()) }),
      Privileged: z.boolean().optional(),
    }),
  ]),
  NetworkMode: z.string(),
  RuntimePlatform: z.object({ CpuArchitecture: z.string() }),
})
const task = () => containerSchema.parse(resource("egress/ContainerTask").properties)
const container = () => task().ContainerDefinitions[0]

describe("the containers", () => {
  test("run the image of the stage from a file system that they cannot write to", () => {
    expect(container().Image).toBe("111122223333.dkr.ecr.us-east-1.<AWS::URLSuffix>/sealway-relay:0.1.0")
    expect(container().ReadonlyRootFilesystem).toBe(true)
    expect(container().Privileged).toBeUndefined()
    expect(task()).toMatchObject({ NetworkMode: "awsvpc", RuntimePlatform: { CpuArchitecture: "ARM64" } })
  })

  test("get the names of what they may use, and their one secret from Secrets Manager", () => {
    const variables = Object.fromEntries(container().Environment.map(({ Name, Value }) => [Name, Value]))
    expect(variables).toEqual({
      AWS_REGION: "us-east-1",
      SEALWAY_HOSTING: "container",
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
      SEALWAY_RELAY_CUSTOM_DOMAIN_TARGET: "relay/ConnectionGroup.RoutingEndpoint",
      SEALWAY_RELAY_PROXY_PORT: "7402",
      SEALWAY_RELAY_STRICT_PROXY_PORT: "7403",
      SEALWAY_RELAY_WORKERS: "1",
      SEALWAY_RELAY_ORIGIN_PORT: "7443",
      SEALWAY_RELAY_HEALTH_PORT: "7480",
    })
    expect(container().Secrets).toEqual([
      { Name: "SEALWAY_RELAY_ORIGIN_SECRET", ValueFrom: "relay/OriginSecret" },
    ])
  })

  test("may do what the relay function may, and store the relays' authority", () => {
    const statements = statementsOf(resource("egress/ContainerTaskPolicy"))
    const onKey = statements.filter(({ Resource }) => Resource.includes("keys/StageKey.Arn"))
    expect(onKey.map(({ Action }) => Action)).toEqual([["kms:Decrypt"], ["kms:Decrypt", "kms:Encrypt"]])
    expect(onKey[1]?.Condition).toEqual(AUTHORITY_CONTEXT)
    const others = permissionsOf(statements.filter((each) => !onKey.includes(each)))
    const functions = permissionsOf(
      statementsOf(
        served.resources.find(({ id }) => id === "relay/RelayPolicy") ?? resource("relay/RelayPolicy"),
      ).filter(({ Resource }) => !Resource.includes("keys/StageKey.Arn")),
    ).filter((line) => !line.startsWith("logs:"))
    expect(others).toEqual(functions)
    expect(RELAY_SERVING_GRANTS).toContain("kms:Decrypt/private")
  })

  test("are started by a role that gets their image and secret and writes their log, and does nothing else", () => {
    expect(permissionsOf(statementsOf(resource("egress/ContainerExecutionPolicy")))).toEqual([
      "ecr:BatchCheckLayerAvailability on arn:aws:ecr:us-east-1:111122223333:repository/sealway-relay",
      "ecr:BatchGetImage on arn:aws:ecr:us-east-1:111122223333:repository/sealway-relay",
      "ecr:GetAuthorizationToken on *",
      "ecr:GetDownloadUrlForLayer on arn:aws:ecr:us-east-1:111122223333:repository/sealway-relay",
      "kms:Decrypt on keys/StorageKey.Arn",
      "logs:CreateLogStream on egress/ContainerLogs.Arn",
      "logs:PutLogEvents on egress/ContainerLogs.Arn",
      "secretsmanager:GetSecretValue on relay/OriginSecret",
    ])
    expect(served.ofType("AWS::IAM::Policy")).toEqual([])
  })

  test("assume roles for this account only", () => {
    for (const id of ["egress/ContainerTaskRole", "egress/ContainerExecutionRole"]) {
      expect(resource(id).properties.AssumeRolePolicyDocument).toMatchObject({
        Statement: [
          {
            Principal: { Service: "ecs-tasks.amazonaws.com" },
            Condition: { StringEquals: { "aws:SourceAccount": "<AWS::AccountId>" } },
          },
        ],
      })
    }
  })

  test("are as many as the stage says, more under load, in private subnets, and replaced without a gap", () => {
    expect(resource("egress/ContainerService").properties).toMatchObject({
      DesiredCount: 2,
      DeploymentConfiguration: {
        MinimumHealthyPercent: 100,
        DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      },
      EnableExecuteCommand: false,
      NetworkConfiguration: {
        AwsvpcConfiguration: {
          AssignPublicIp: "DISABLED",
          Subnets: ["egress/NetworkPrivateSubnet1Subnet", "egress/NetworkPrivateSubnet2Subnet"],
        },
      },
    })
    const [target] = served.ofType("AWS::ApplicationAutoScaling::ScalableTarget")
    expect(target?.properties).toMatchObject({ MinCapacity: 2, MaxCapacity: 10 })
  })

  test("have two minutes to finish what they are doing", () => {
    expect(container().StopTimeout).toBe(120)
    expect(container().HealthCheck.Command.join(" ")).toContain("http://127.0.0.1:7480/health")
  })
})

describe("the key's policy", () => {
  const policy = () =>
    new Map(statementsOf(resource("keys/StageKey"), "KeyPolicy").map((each) => [each.Sid, each]))

  test("lets the function and the containers open key versions", () => {
    const roles = policy().get("OpenKeyVersions")?.Condition.ArnEquals?.["aws:PrincipalArn"] ?? []
    for (const name of ["relay", "relay-container"]) {
      expect(roles).toContain(`arn:aws:iam::<AWS::AccountId>:role/sealway-ada-${name}`)
    }
    expect(resource("egress/ContainerTaskRole").properties.RoleName).toBe("sealway-ada-relay-container")
  })

  test("lets the containers, and nothing else, seal and open the authority's key, for that purpose only", () => {
    expect(policy().get("KeepRelayAuthority")).toMatchObject({
      Action: ["kms:Decrypt", "kms:Encrypt"],
      Condition: {
        ...AUTHORITY_CONTEXT,
        ArnEquals: { "aws:PrincipalArn": ["arn:aws:iam::<AWS::AccountId>:role/sealway-ada-relay-container"] },
      },
    })
  })
})

describe("the load balancer", () => {
  const listeners = () =>
    served.ofType("AWS::ElasticLoadBalancingV2::Listener").map(({ properties }) => properties)

  test("passes the proxy's connections through, and speaks TLS with CloudFront and with the container", () => {
    expect(listeners()).toMatchObject([
      { Port: 443, Protocol: "TCP" },
      { Port: 3128, Protocol: "TCP" },
      {
        Port: 8443,
        Protocol: "TLS",
        Certificates: [{ CertificateArn: RELAY_STAGE.certificateArn }],
        SslPolicy: expect.stringContaining("TLS13-1-2"),
      },
    ])
    const groups = served
      .ofType("AWS::ElasticLoadBalancingV2::TargetGroup")
      .map(({ properties }) => properties)
    expect(groups).toMatchObject([
      { Port: 7402, Protocol: "TCP", HealthCheckPort: "7480", HealthCheckPath: "/health" },
      { Port: 7403, Protocol: "TCP", HealthCheckPort: "7480", HealthCheckPath: "/health" },
      { Port: 7443, Protocol: "TLS", HealthCheckPort: "7480", HealthCheckPath: "/health" },
    ])
  })

  test("sends the container the caller's address, since policies check addresses", () => {
    for (const { properties } of served.ofType("AWS::ElasticLoadBalancingV2::TargetGroup")) {
      expect(properties.TargetGroupAttributes).toContainEqual({
        Key: "preserve_client_ip.enabled",
        Value: "true",
      })
    }
  })

  test("is reached on three ports, one of them from CloudFront's addresses; the containers only through it", () => {
    expect(resource("egress/BalancerGroup").properties.SecurityGroupIngress).toEqual([
      {
        CidrIp: "0.0.0.0/0",
        Description: "Clients of the forward proxy",
        FromPort: 443,
        IpProtocol: "tcp",
        ToPort: 443,
      },
      {
        CidrIp: "0.0.0.0/0",
        Description: "Those that must be challenged",
        FromPort: 3128,
        IpProtocol: "tcp",
        ToPort: 3128,
      },
    ])
    const rules = served
      .ofType("AWS::EC2::SecurityGroupIngress")
      .map(({ properties }) => ({
        from: properties.SourceSecurityGroupId ?? properties.SourcePrefixListId,
        to: properties.GroupId,
        port: properties.FromPort,
      }))
    const [balancer, containers] = ["egress/BalancerGroup.GroupId", "egress/ContainerGroup.GroupId"]
    expect(rules).toEqual(
      expect.arrayContaining([
        { from: "pl-0123456789", to: balancer, port: 8443 },
        ...[7402, 7403, 7443, 7480].map((port) => ({ from: balancer, to: containers, port })),
      ]),
    )
    expect(rules.length).toBe(5)
  })
})

describe("the network", () => {
  test("has two availability zones, each with its own way out, and gives nothing a public address by default", () => {
    expect(served.ofType("AWS::EC2::NatGateway").length).toBe(2)
    const subnets = served.ofType("AWS::EC2::Subnet").map(({ properties }) => properties)
    expect(subnets.map(({ AvailabilityZone }) => AvailabilityZone)).toEqual(
      ["0", "1", "0", "1"].map((index) => `<zones>[${index}]`),
    )
    for (const { MapPublicIpOnLaunch } of subnets) expect(MapPublicIpOnLaunch).toBe(false)
  })

  test("logs its connections, encrypted, and reaches tables and layers without leaving AWS", () => {
    expect(resource("egress/FlowLog").properties).toMatchObject({ KmsKeyId: "keys/StorageKey.Arn" })
    expect(served.ofType("AWS::EC2::FlowLog").length).toBe(1)
    expect(served.ofType("AWS::EC2::VPCEndpoint").map(({ properties }) => properties.ServiceName)).toEqual([
      "com.amazonaws.<AWS::Region>.dynamodb",
      "com.amazonaws.<AWS::Region>.s3",
    ])
  })
})
