import { CORS } from "@sealway/api"
import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib"
import { CfnApi, CfnApiMapping, CfnDomainName, CfnStage } from "aws-cdk-lib/aws-apigatewayv2"
import { type ILogGroup, LogGroup } from "aws-cdk-lib/aws-logs"
import { Construct } from "constructs"
import type { StageDomain } from "./config.ts"
import { addApiRoutes } from "./constructs/api-route.ts"
import { ServiceFunction } from "./constructs/service-function.ts"
import { exportForGood } from "./exports.ts"
import { NOT_FOUND } from "./names.ts"
import { removalPolicyOf } from "./removal.ts"
import type { StageResources } from "./stage-resources.ts"
import { MAIN, type StageApis, wingsOf } from "./wings.ts"

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

/** One of the stage's HTTP APIs. */
interface CreatedApi {
  /** See `StageApis`. */
  readonly name: string
  readonly api: CfnApi
  readonly stage: CfnStage
}

/** The HTTP API: its limits, its log and its name. Endpoints add their routes to it. With a domain, there are several. */
export class ApiStack extends Stack {
  readonly apis: StageApis
  /** The name that it is called by, without its scheme. */
  readonly domainName: string

  constructor(scope: Construct, id: string, { resources, ...props }: ApiStackProps) {
    super(scope, id, props)
    const { stage, storageKey } = resources
    const log = new LogGroup(this, "AccessLog", {
      encryptionKey: storageKey,
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    })
    const main = this.#createApi(this, MAIN, resources, log)
    const wings = wingsOf(stage).map((wing) =>
      this.#createApi(new Construct(this, wing), wing, resources, log),
    )
    const all = [main, ...wings]
    this.apis = new Map(all.map(({ name, api }) => [name, api.ref]))
    exportForGood(this, ...this.apis.values())
    this.#answerUnknownRoutes(resources)

    // API Gateway's own name, from the id that other stacks import anyway.
    this.domainName = stage.domain?.name ?? `${main.api.ref}.execute-api.${stage.region}.amazonaws.com`
    const url = stage.domain === null ? main.api.attrApiEndpoint : `https://${stage.domain.name}`
    if (stage.domain !== null) this.#nameApis(stage.domain, all)
    new CfnOutput(this, "Url", { value: url, description: "URL of the API" })
  }

  #createApi(scope: Construct, name: string, { stage }: StageResources, log: ILogGroup): CreatedApi {
    const api = new CfnApi(scope, "Api", {
      name: name === MAIN ? this.stackName : `${this.stackName}-${name}`,
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
    const { requestsPerSecond, burst } = stage.throttling
    const apiStage = new CfnStage(scope, "Stage", {
      apiId: api.ref,
      stageName: DEFAULT_STAGE,
      autoDeploy: true,
      accessLogSettings: { destinationArn: log.logGroupArn, format: JSON.stringify(ACCESS_LOG) },
      // Metrics of each route would cost more than all other monitoring: functions have theirs anyway.
      defaultRouteSettings: { throttlingRateLimit: requestsPerSecond, throttlingBurstLimit: burst },
    })
    return { name, api, stage: apiStage }
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
      isCalledByTarget: true,
    })
    for (const [name, apiId] of this.apis) {
      const scope = name === MAIN ? this : new Construct(this, `${name} NotFound`)
      addApiRoutes(scope, { apiId, targetArn, routeKeys: ["$default"] })
    }
  }

  #nameApis({ name, certificateArn }: StageDomain, apis: readonly CreatedApi[]): void {
    const domain = new CfnDomainName(this, "Domain", {
      domainName: name,
      domainNameConfigurations: [
        { certificateArn, endpointType: "REGIONAL", securityPolicy: "TLS_1_2", ipAddressType: "dualstack" },
      ],
    })
    for (const { name: wing, api, stage } of apis) {
      const mapping = new CfnApiMapping(this, wing === MAIN ? "DomainMapping" : `DomainMapping ${wing}`, {
        apiId: api.ref,
        domainName: domain.ref,
        stage: DEFAULT_STAGE,
        ...(wing !== MAIN && { apiMappingKey: wing }),
      })
      mapping.addResourceDependency(stage)
    }
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
