import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as z from "zod"
import { buildApp } from "../../stacks/app.ts"
import { findFunctions } from "../../stacks/bundles/find-functions.ts"
import { checkStage, resolveStage } from "../../stacks/config.ts"

/**
 * What a deployment must not lose, by type: resources with data or keys, and names and addresses that are known
 * outside. With the properties that CloudFormation replaces them for, as its resource reference says ("Update requires:
 * Replacement").
 */
const STATEFUL: Readonly<Record<string, readonly string[]>> = {
  "AWS::DynamoDB::Table": ["TableName", "KeySchema", "LocalSecondaryIndexes"],
  "AWS::KMS::Key": ["KeySpec", "KeyUsage", "MultiRegion"],
  "AWS::KMS::Alias": ["AliasName"],
  "AWS::S3::Bucket": ["BucketName"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
  "AWS::SNS::Topic": ["TopicName", "FifoTopic"],
  "AWS::Logs::LogGroup": ["LogGroupName"],
  "AWS::SecretsManager::Secret": ["Name"],
  "AWS::ApiGatewayV2::Api": ["ProtocolType"],
  "AWS::ApiGatewayV2::DomainName": ["DomainName"],
  "AWS::CloudFront::Distribution": [],
  "AWS::CloudFront::ConnectionGroup": ["Name"],
  "AWS::Route53::RecordSet": ["Name", "Type", "HostedZoneId"],
  "AWS::ElasticLoadBalancingV2::LoadBalancer": ["Name", "Scheme", "Type"],
  "AWS::EC2::EIP": ["Domain", "NetworkBorderGroup"],
}

const resourceSchema = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
})
const templateSchema = z.object({ Resources: z.record(z.string(), resourceSchema) })

export const statefulResourceSchema = z.object({
  type: z.string(),
  /** Those that it would be replaced for. */
  properties: z.record(z.string(), z.unknown()),
  /** Null: CloudFormation deletes it with the stack, or when it is replaced. */
  deletionPolicy: z.string().nullable(),
  updateReplacePolicy: z.string().nullable(),
})

/** By `<stack>/<logical id>`: in another stack, or of another id, it is another resource. */
export const statefulResourcesSchema = z.record(z.string(), statefulResourceSchema)
export type StatefulResources = z.infer<typeof statefulResourcesSchema>

/** Of a protected stage that has everything: relays, a domain, and names in DNS. */
export async function findStatefulResources(): Promise<StatefulResources> {
  const folder = mkdtempSync(join(tmpdir(), "sealway-stateful-"))
  try {
    const outFolder = join(folder, "assembly")
    const zipPath = join(folder, "placeholder.zip")
    writeFileSync(zipPath, "placeholder")
    const bundles = (await findFunctions()).map(({ functionName }) => ({
      functionName,
      zipPath,
      handler: "index.handler" as const,
      bytes: 0,
      sources: [],
    }))
    const certificateArn = "arn:aws:acm:us-east-1:111122223333:certificate/1"
    const stage = checkStage({
      ...resolveStage("production"),
      domain: { name: "api.example.com", certificateArn },
      relay: {
        domain: "relay.example.com",
        certificateArn,
        image: "111122223333.dkr.ecr.us-east-1.amazonaws.com/sealway-relay:0.1.0",
        hostedZoneId: "Z0123456789",
        regionLabel: "us",
        minContainers: 2,
        maxContainers: 10,
        natGateways: 2,
        firewall: null,
        viewerCertificateArn: null,
        cloudFrontPrefixListId: "pl-0123456789",
      },
    })
    buildApp({ stage, outFolder, bundles }).synth()
    const files = readdirSync(outFolder).filter((file) => file.endsWith(".template.json"))
    return Object.fromEntries(files.sort().flatMap((file) => statefulOf(outFolder, file)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function statefulOf(outFolder: string, file: string) {
  const { Resources } = templateSchema.parse(JSON.parse(readFileSync(join(outFolder, file), "utf8")))
  const stack = file.slice(0, -".template.json".length)
  return Object.entries(Resources).flatMap(([id, resource]) => {
    const { Type, Properties, DeletionPolicy = null, UpdateReplacePolicy = null } = resource
    const names = STATEFUL[Type]
    if (names === undefined) return []
    const properties = Object.fromEntries(
      names.filter((name) => name in Properties).map((name) => [name, Properties[name]]),
    )
    const found = {
      type: Type,
      properties,
      deletionPolicy: DeletionPolicy,
      updateReplacePolicy: UpdateReplacePolicy,
    }
    return [[`${stack}/${id}`, found] as const]
  })
}
