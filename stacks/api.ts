import { CORS } from "@sealway/api"
import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib"
import { CfnApi, CfnApiMapping, CfnDomainName, CfnStage } from "aws-cdk-lib/aws-apigatewayv2"
import { LogGroup } from "aws-cdk-lib/aws-logs"
import type { Construct } from "constructs"
import type { StageDomain } from "./config.ts"
import { addApiRoutes } from "./constructs/api-route.ts"
import { ServiceFunction } from "./constructs/service-function.ts"
import { exportForGood } from "./exports.ts"
import { NOT_FOUND } from "./names.ts"
import { removalPolicyOf } from "./removal.ts"
import type { StageResources } from "./stage-resources.ts"

/**
 * What the access log contains of a request: nothing that its sender writes. No body, credential, query or header, nor
 * the path, which may contain anything; the route's own key replaces it.
 */
const ACCESS_LOG = {
  requestId: "$context.requestId",
  time: "$context.requestTime",
  sourceIp: "$context.identity.sourceIp",
  routeKey: "$context.routeKey",
  status: "$context.status",
  responseBytes: "$context.responseLength",
  responseMs: "$context.responseLatency",
  functionStatus: "$context.integration.integrationStatus",
  functionMs: "$context.integration.latency",
  refusedAs: "$context.error.responseType",
} as const

const DEFAULT_STAGE = "$default"
const NOT_FOUND_TIMEOUT = Duration.seconds(5)

export interface ApiStackProps extends StackProps {
  readonly resources: StageResources
}

/** The HTTP API: its limits, its log and its name. Endpoints add their routes to it. */
export class ApiStack extends Stack {
  readonly apiId: string
  /** The name that it is called by, without its scheme. */
  readonly domainName: string

  constructor(scope: Construct, id: string, { resources, ...props }: ApiStackProps) {
    super(scope, id, props)
    const { stage, storageKey } = resources
    const api = new CfnApi(this, "Api", {
      name: id,
      protocolType: "HTTP",
      description: `The API of the stage ${stage.stage}`,
      disableExecuteApiEndpoint: stage.domain !== null,
      corsConfiguration: {
        allowOrigins: [...(stage.allowedOrigins ?? CORS.allowOrigins)],
        allowMethods: [...CORS.allowMethods],
        allowHeaders: [...CORS.allowHeaders],
        exposeHeaders: [...CORS.exposeHeaders],
        maxAge: CORS.maxAgeSeconds,
      },
    })
    this.apiId = api.ref
    exportForGood(this, api.ref)
    const log = new LogGroup(this, "AccessLog", {
      encryptionKey: storageKey,
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    })
    const { requestsPerSecond, burst } = stage.throttling
    const apiStage = new CfnStage(this, "Stage", {
      apiId: api.ref,
      stageName: DEFAULT_STAGE,
      autoDeploy: true,
      accessLogSettings: { destinationArn: log.logGroupArn, format: JSON.stringify(ACCESS_LOG) },
      // Metrics of each route would cost more than all other monitoring: functions have theirs anyway.
      defaultRouteSettings: { throttlingRateLimit: requestsPerSecond, throttlingBurstLimit: burst },
    })
    this.#answerUnknownRoutes(resources)

    // API Gateway's own name, from the id that other stacks import anyway.
    this.domainName = stage.domain?.name ?? `${api.ref}.execute-api.${stage.region}.amazonaws.com`
    const url = stage.domain === null ? api.attrApiEndpoint : `https://${stage.domain.name}`
    if (stage.domain !== null) this.#nameApi(stage.domain, api, apiStage)
    new CfnOutput(this, "Url", { value: url, description: "URL of the API" })
  }

  /** Replaces API Gateway's own 404, which is not a problem document. */
  #answerUnknownRoutes(resources: StageResources): void {
    const { targetArn } = new ServiceFunction(this, "NotFound", {
      resources,
      functionName: NOT_FOUND,
      description: "Answer requests without a route",
      grants: [],
      environment: {},
      timeout: NOT_FOUND_TIMEOUT,
      errorBudget: null,
    })
    addApiRoutes(this, { apiId: this.apiId, targetArn, routeKeys: ["$default"] })
  }

  #nameApi({ name, certificateArn }: StageDomain, api: CfnApi, apiStage: CfnStage): void {
    const domain = new CfnDomainName(this, "Domain", {
      domainName: name,
      domainNameConfigurations: [
        { certificateArn, endpointType: "REGIONAL", securityPolicy: "TLS_1_2", ipAddressType: "dualstack" },
      ],
    })
    const mapping = new CfnApiMapping(this, "DomainMapping", {
      apiId: api.ref,
      domainName: domain.ref,
      stage: DEFAULT_STAGE,
    })
    mapping.addResourceDependency(apiStage)
    const tell = (outputId: string, value: string, description: string) =>
      new CfnOutput(this, outputId, { value, description })
    tell("DomainTarget", domain.attrRegionalDomainName, "Where the domain's CNAME or alias must point")
    tell(
      "DomainHostedZoneId",
      domain.attrRegionalHostedZoneId,
      "The hosted zone of that, for an alias in Route 53",
    )
  }
}
