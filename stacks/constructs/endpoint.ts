import { type Endpoint, grantsOf } from "@sealway/platform"
import { Duration } from "aws-cdk-lib"
import { Construct } from "constructs"
import type { StageResources } from "../stage-resources.ts"
import { addApiRoutes } from "./api-route.ts"
import { ServiceFunction } from "./service-function.ts"

/** A second before API Gateway stops waiting, so that a function's log tells what became of a request. */
const ENDPOINT_TIMEOUT = Duration.seconds(29)

export interface ApiEndpointProps {
  readonly endpoint: Endpoint<never>
  readonly resources: StageResources
  readonly apiId: string
}

/** All that an endpoint needs in the cloud, from its declaration: its function with what belongs to one, and its routes. */
export class ApiEndpoint extends Construct {
  constructor(scope: Construct, { endpoint, resources, apiId }: ApiEndpointProps) {
    const { id, method, path, aliases = [], summary } = endpoint
    super(scope, id)
    const { targetArn } = new ServiceFunction(this, "Answer", {
      resources,
      functionName: id,
      description: summary,
      grants: grantsOf(endpoint),
      timeout: ENDPOINT_TIMEOUT,
    })
    addApiRoutes(this, {
      apiId,
      targetArn,
      routeKeys: [path, ...aliases].map((each) => `${method} ${each}`),
    })
  }
}
