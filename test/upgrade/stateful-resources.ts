import * as z from "zod"
import type { StageTemplates } from "./stage-templates.ts"

/**
 * What a deployment must not lose, by type: resources with data or keys, and names and addresses that are known
 * outside. With the properties that make CloudFormation replace them, as its resource reference says ("Update requires:
 * Replacement").
 */
const STATEFUL: Readonly<Record<string, readonly string[]>> = {
  "AWS::DynamoDB::Table": ["TableName", "KeySchema", "LocalSecondaryIndexes"],
  "AWS::KMS::Key": ["KeySpec", "KeyUsage", "MultiRegion"],
  "AWS::KMS::Alias": ["AliasName"],
  "AWS::Backup::BackupVault": ["BackupVaultName", "EncryptionKeyArn"],
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
  "AWS::IAM::Role": ["Path", "RoleName"],
}

export const statefulResourceSchema = z.object({
  type: z.string(),
  /** The properties that would replace it. */
  properties: z.record(z.string(), z.unknown()),
  /** Null: CloudFormation deletes it with the stack, or when it is replaced. */
  deletionPolicy: z.string().nullable(),
  updateReplacePolicy: z.string().nullable(),
})

/** By `<stack>/<logical id>`: in another stack, or of another id, it is another resource. */
export const statefulResourcesSchema = z.record(z.string(), statefulResourceSchema)
export type StatefulResources = z.infer<typeof statefulResourcesSchema>

export function statefulResourcesOf(templates: StageTemplates): StatefulResources {
  return Object.fromEntries(
    Object.entries(templates).flatMap(([stack, { Resources }]) =>
      Object.entries(Resources).flatMap(([id, resource]) => {
        const found = statefulOf(resource)
        return found === null ? [] : [[`${stack}/${id}`, found] as const]
      }),
    ),
  )
}

function statefulOf(resource: StageTemplates[string]["Resources"][string]) {
  const { Type, Properties, DeletionPolicy = null, UpdateReplacePolicy = null } = resource
  const names = STATEFUL[Type]
  if (names === undefined || !isKnownOutside(resource)) return null
  const properties = Object.fromEntries(
    names.filter((name) => name in Properties).map((name) => [name, Properties[name]]),
  )
  return { type: Type, properties, deletionPolicy: DeletionPolicy, updateReplacePolicy: UpdateReplacePolicy }
}

/** Of roles only that of customers' functions: their Lambdas, which no stack contains, were created with its ARN. */
function isKnownOutside({ Type, Properties }: StageTemplates[string]["Resources"][string]): boolean {
  return Type !== "AWS::IAM::Role" || Properties.Description === "Role of customers' functions"
}
