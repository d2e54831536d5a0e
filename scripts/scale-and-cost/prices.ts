/**
 * What AWS charges, in US dollars, in `us-east-1`, as published in November 2026 and without free tiers and discounts
 * for volume. From AWS's public price pages, from the authors' memory: check them before you rely on a figure.
 */
export const PRICES = {
  /** HTTP API, a million requests of up to 512 KB. https://aws.amazon.com/api-gateway/pricing */
  apiGatewayPerMillionRequests: 1.0,
  /** https://aws.amazon.com/lambda/pricing */
  lambdaPerMillionRequests: 0.2,
  /** Arm, a gigabyte for a second. The start of an environment is charged too. */
  lambdaPerGigabyteSecond: 0.0000133334,
  /** On demand, a million strongly consistent reads of up to 4 KB. https://aws.amazon.com/dynamodb/pricing/on-demand */
  dynamodbPerMillionReads: 0.125,
  /** On demand, a million writes of up to 1 KB. */
  dynamodbPerMillionWrites: 0.625,
  /** HTTPS, North America and Europe about. https://aws.amazon.com/cloudfront/pricing */
  cloudFrontPerMillionRequests: 1.0,
  cloudFrontFunctionsPerMillion: 0.1,
  /** Arm. https://aws.amazon.com/fargate/pricing */
  fargatePerProcessorHour: 0.03238,
  fargatePerGigabyteHour: 0.00356,
  /** Without the traffic through it. https://aws.amazon.com/vpc/pricing */
  natGatewayPerHour: 0.045,
  publicAddressPerHour: 0.005,
  /** Without capacity units, $0.006 an hour each. https://aws.amazon.com/elasticloadbalancing/pricing */
  loadBalancerPerHour: 0.0225,
  /** https://aws.amazon.com/secrets-manager/pricing */
  secretPerMonth: 0.4,
  /** https://aws.amazon.com/kms/pricing */
  kmsPerMillionRequests: 3.0,
  /** DeriveSharedSecret: keys on elliptic curves cost more. */
  kmsPerMillionAgreements: 15.0,
  kmsPerKeyMonth: 1.0,
  /** https://aws.amazon.com/sqs/pricing */
  sqsPerMillionRequests: 0.4,
  /** Standard storage: PUT, POST and LIST. https://aws.amazon.com/s3/pricing */
  s3PerMillionWrites: 5.0,
  s3PerMillionReads: 0.4,
  s3PerGigabyteMonth: 0.023,
  /** To the internet. Nothing is charged for what comes in. */
  trafficPerGigabyte: 0.09,
  /** Written to CloudWatch Logs. https://aws.amazon.com/cloudwatch/pricing */
  logsPerGigabyte: 0.5,
  /** Each metric of an alarm. */
  alarmPerMetricMonth: 0.1,
  compositeAlarmMonth: 0.5,
  /** The first 10,000. Charged for the hours in which it has values. */
  metricPerMonth: 0.3,
  cloudWatchDashboardPerMonth: 3.0,
} as const
