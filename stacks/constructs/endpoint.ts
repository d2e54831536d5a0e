import { ENDPOINTS } from "@sealway/api"
import { type Endpoint, grantsOf } from "@sealway/http"
import { Duration } from "aws-cdk-lib"
import type { ILogGroup } from "aws-cdk-lib/aws-logs"
import { Construct } from "constructs"
import {
  apiEnvironment,
  fileEnvironment,
  functionEnvironment,
  hostingEnvironment,
  paymentEnvironment,
  relayEdgeEnvironment,
  relayEnvironment,
  signInEnvironment,
} from "../function-environment.ts"
import { find, type StageResources } from "../stage-resources.ts"
import { placeOf, type StageApis, wingsOf } from "../wings.ts"
import { addApiRoutes } from "./api-route.ts"
import { ServiceFunction } from "./service-function.ts"

/** A second before API Gateway stops waiting, so that a function's log shows the result of a request. */
const ENDPOINT_TIMEOUT = Duration.seconds(29)

export interface ApiEndpointProps {
  readonly endpoint: Endpoint<never>
  readonly resources: StageResources
  readonly apis: StageApis
}

/**
 * All that an endpoint needs in the cloud, from its declaration: its function with what belongs to it, and its routes.
 */
export class ApiEndpoint extends Construct {
  readonly logGroup: ILogGroup

  constructor(scope: Construct, { endpoint, resources, apis }: ApiEndpointProps) {
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
        ...(dashboard !== null && { SEALWAY_DASHBOARD_ORIGIN_SHA256: dashboard.originSecretHash }),
        ...areaEnvironment(endpoint, resources),
      },
      timeout: ENDPOINT_TIMEOUT,
      errorBudget: null,
      isCalledByTarget: true,
    })
    this.logGroup = logGroup
    const { api, paths } = placeOf(endpoint, wingsOf(resources.stage))
    // With GET comes HEAD. The function refuses the methods that no other endpoint of the path answers.
    const method = endpoint.method === "GET" ? "ANY" : endpoint.method
    addApiRoutes(this, {
      apiId: find(apis, "API", api),
      targetArn,
      routeKeys: paths.map((path) => `${method} ${path}`),
    })
  }
}

/**
 * What the dependencies of an area's endpoints need of the environment, whatever the grants of one of them:
 * `wiring/<area>.ts` of packages/hosts/api creates the same for all.
 */
const AREAS: readonly {
  readonly endpoints: readonly { readonly id: string }[]
  readonly environment: (resources: StageResources, endpointId: string) => Record<string, string>
}[] = [
  { endpoints: ENDPOINTS.functions, environment: hostingEnvironment },
  { endpoints: ENDPOINTS.files, environment: fileEnvironment },
  { endpoints: ENDPOINTS.payments, environment: paymentEnvironment },
  { endpoints: ENDPOINTS.members, environment: (resources) => signInEnvironment(resources, false) },
  {
    endpoints: ENDPOINTS.oidc,
    environment: (resources, id) => signInEnvironment(resources, id === "finish-oidc-sign-in"),
  },
  { endpoints: ENDPOINTS.relay, environment: relaysEnvironment },
]

function areaEnvironment({ id }: Endpoint<never>, resources: StageResources): Record<string, string> {
  const area = AREAS.find(({ endpoints }) => endpoints.some((each) => each.id === id))
  return area?.environment(resources, id) ?? {}
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
