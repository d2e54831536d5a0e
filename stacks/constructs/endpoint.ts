import { ENDPOINTS } from "@sealway/api"
import { type Endpoint, grantsOf, routesOf } from "@sealway/platform"
import { relayEndpoints } from "@sealway/relay"
import { Duration } from "aws-cdk-lib"
import type { ILogGroup } from "aws-cdk-lib/aws-logs"
import { Construct } from "constructs"
import {
  apiEnvironment,
  fileEnvironment,
  functionEnvironment,
  hostingEnvironment,
  relayEdgeEnvironment,
  relayEnvironment,
  signInEnvironment,
} from "../function-environment.ts"
import type { StageResources } from "../stage-resources.ts"
import { addApiRoutes } from "./api-route.ts"
import { ServiceFunction } from "./service-function.ts"

/** A second before API Gateway stops waiting, so that a function's log shows the result of a request. */
const ENDPOINT_TIMEOUT = Duration.seconds(29)

export interface ApiEndpointProps {
  readonly endpoint: Endpoint<never>
  readonly resources: StageResources
  readonly apiId: string
}

/**
 * All that an endpoint needs in the cloud, from its declaration: its function with what belongs to it, and its routes.
 */
export class ApiEndpoint extends Construct {
  readonly logGroup: ILogGroup

  constructor(scope: Construct, { endpoint, resources, apiId }: ApiEndpointProps) {
    const { id, summary } = endpoint
    super(scope, id)
    const grants = grantsOf(endpoint)
    const { dashboard } = resources
    const { targetArn, logGroup } = new ServiceFunction(this, "Answer", {
      resources,
      functionName: id,
      description: summary,
      grants,
      environment: {
        ...functionEnvironment(grants, resources),
        ...apiEnvironment(resources),
        ...(dashboard !== null && { SEALWAY_DASHBOARD_ORIGIN_SECRET: dashboard.originSecret }),
        ...(isOfFunctions(endpoint) && hostingEnvironment(resources)),
        ...(isOfFiles(endpoint) && fileEnvironment(resources)),
        ...(isOfMembers(endpoint) && signInEnvironment(resources, id === "finish-oidc-sign-in")),
        ...(isOfRelays(endpoint) && relaysEnvironment(resources)),
      },
      timeout: ENDPOINT_TIMEOUT,
    })
    this.logGroup = logGroup
    addApiRoutes(this, {
      apiId,
      targetArn,
      routeKeys: routesOf(endpoint).map(({ method, path }) => `${method} ${path}`),
    })
  }
}

/**
 * Returns whether `wiring/functions.ts` of packages/api creates an endpoint's dependencies, which are the same for all
 * of these.
 */
function isOfFunctions({ id }: Endpoint<never>): boolean {
  return ENDPOINTS.functions.some((each) => each.id === id)
}

/** Returns whether `wiring/files.ts` of packages/api creates an endpoint's dependencies. */
function isOfFiles({ id }: Endpoint<never>): boolean {
  return ENDPOINTS.files.some((each) => each.id === id)
}

/** Returns whether `wiring/members.ts` or `wiring/oidc.ts` of packages/api creates an endpoint's dependencies. */
function isOfMembers({ id }: Endpoint<never>): boolean {
  return [...ENDPOINTS.members, ...ENDPOINTS.oidc].some((each) => each.id === id)
}

/**
 * Returns whether `wiring/relay.ts` of packages/api creates an endpoint's dependencies, which are the same for all of
 * these.
 */
function isOfRelays({ id }: Endpoint<never>): boolean {
  return relayEndpoints.some((each) => each.id === id)
}

function relaysEnvironment({ stage, relayEdge }: StageResources): Record<string, string> {
  const { relay } = stage
  if (relay === null || relayEdge === null)
    throw new Error("A stage without relays has no endpoints of theirs.")
  return {
    ...relayEnvironment(relay, relayEdge.routingEndpoint),
    ...relayEdgeEnvironment(stage, relay, relayEdge),
  }
}
