/** Assumptions of the model, which cannot be measured without an AWS account. */
export const ASSUMPTIONS = {
  /** One call of DynamoDB or SQS from a function in the same region. */
  dynamodbMs: 5,
  kmsMs: 10,
  /** The time of Lambda's own runtime per request, around the handler. */
  runtimeMs: 1,
  /** Existing environments for each busy one: one is started whenever all others are busy, and stays for a while. */
  environmentsPerBusyOne: 2,
  /** Memory at which a function has one processor; with less it has a share of one. AWS's own figure. */
  memoryMbOfOneProcessor: 1769,
  /** Bytes that the access log and Lambda's own log write per request, with what CloudWatch adds to each line. */
  logBytesPerRequest: 850,
  /** The line of figures that an environment writes once in 10 seconds. With the latencies of many requests it has 600. */
  metricsLineBytes: 350,
  /** Requests that a busy environment answers in the 10 seconds after which it reads its caches again. */
  busyRequestsPerRefresh: 1_000,
  /** Apps that call at the same time. */
  activeApps: 100,
  /** The share of all requests that policies refuse. */
  refusedShare: 0.001,
  /** What one environment writes of an app's decisions every 10 seconds, for callers from few addresses. */
  decisionItemKb: 2,
  /** What one environment writes of an app's figures every 10 seconds, compressed. */
  figuresItemKb: 1,
  /** A record of the network's flow logs, with what CloudWatch adds to each. */
  flowRecordBytes: 146,
  /** Records of one connection: in both directions, of each network interface that it goes through. */
  flowRecordsOfHealthCheck: 4,
  /** Metrics of a cluster, a service and a kind of task in Container Insights, and the log line of each in a minute. */
  insightsMetrics: 25,
  insightsLineBytes: 1_024,
  /** How long a relay's destination takes to answer, while the relay's function waits. */
  destinationMs: 100,
  /** Processor time of a request through a relay, on one processor. */
  relayHandlerMs: 2,
  /** Until a new environment of the relay's function can answer: a fifth longer than one of `encrypt`. */
  relayStartMs: 120,
  /** Records that one team's audit log takes a second, from however many environments: see the benchmark `audit`. */
  auditRecordsPerSecond: 1_000,
  /** The line of an access record, with what CloudWatch adds to each. */
  accessLineBytes: 550,
  /** The time of the writer of access records for one delivery of a log, and its memory. */
  accessWriterMs: 20,
  accessWriterMb: 1_024,
  /** The time of the exporter of the audit log for one record, which is mostly waiting for S3, and its memory. */
  auditExporterMs: 100,
  auditExporterMb: 1_024,
  /** A record of the audit log as JSON. */
  auditRecordBytes: 500,
} as const
