import { CloudFormationClient, DescribeStackResourcesCommand } from "@aws-sdk/client-cloudformation"
import { CloudFrontClient, CreateConnectionGroupCommand } from "@aws-sdk/client-cloudfront"
import { PutBucketTaggingCommand, S3Client } from "@aws-sdk/client-s3"
import type { AssemblyStack } from "../../infra/assembly.ts"
import type { EmulatorConfig } from "./deploy-assembly.ts"

/** Creates a connection group of CloudFront. @returns its attributes, as CloudFormation names them */
export async function createConnectionGroup(config: EmulatorConfig): Promise<Record<string, string>> {
  const { ConnectionGroup } = await new CloudFrontClient(config).send(
    new CreateConnectionGroupCommand({ Name: "sealway-dev-relay", Enabled: true }),
  )
  const { Id = "", Arn = "", RoutingEndpoint = "" } = ConnectionGroup ?? {}
  return { Ref: Id, Id, Arn, RoutingEndpoint }
}

/** Gives the buckets of stacks the tags of their stacks. */
export async function tagBuckets(config: EmulatorConfig, stacks: readonly AssemblyStack[]): Promise<void> {
  const client = new CloudFormationClient(config)
  const s3 = new S3Client({ ...config, forcePathStyle: true })
  for (const { stackName, tags } of stacks) {
    const { StackResources = [] } = await client.send(
      new DescribeStackResourcesCommand({ StackName: stackName }),
    )
    for (const { ResourceType, PhysicalResourceId } of StackResources) {
      if (ResourceType !== "AWS::S3::Bucket") continue
      const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
      await s3.send(new PutBucketTaggingCommand({ Bucket: PhysicalResourceId, Tagging: { TagSet } }))
    }
  }
}
