import { CloudFrontClient } from "@aws-sdk/client-cloudfront"
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs"
import { LambdaClient } from "@aws-sdk/client-lambda"
import { ResourceGroupsTaggingAPIClient } from "@aws-sdk/client-resource-groups-tagging-api"
import { S3Client } from "@aws-sdk/client-s3"
import type { Keys } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"

/** CloudFront is called, and its resources are listed by tag, in this region wherever a stage is. */
const CLOUDFRONT_REGION = "us-east-1"

/** The AWS services in which a stage leaves something. */
export interface AwsAccount {
  readonly lambda: LambdaClient
  readonly logs: CloudWatchLogsClient
  readonly s3: S3Client
  readonly keys: Keys
  readonly cloudfront: CloudFrontClient
  /** Lists resources in the stage's region by tag. */
  readonly tags: ResourceGroupsTaggingAPIClient
  /** Lists CloudFront's resources by tag. */
  readonly cloudfrontTags: ResourceGroupsTaggingAPIClient
}

/**
 * Connects to the account of the credentials that the AWS CLI would use.
 *
 * @param endpoint where AWS is, when not at its usual place
 */
export function connectAccount(region: string, endpoint?: string): AwsAccount {
  const config = { region, ...(endpoint !== undefined && { endpoint }) }
  const cloudfrontConfig = { ...config, region: CLOUDFRONT_REGION }
  return {
    lambda: new LambdaClient(config),
    logs: new CloudWatchLogsClient(config),
    s3: new S3Client({ ...config, forcePathStyle: endpoint !== undefined }),
    keys: createAwsClients({ region, endpoints: { kms: endpoint } }).keys,
    cloudfront: new CloudFrontClient(cloudfrontConfig),
    tags: new ResourceGroupsTaggingAPIClient(config),
    cloudfrontTags: new ResourceGroupsTaggingAPIClient(cloudfrontConfig),
  }
}
