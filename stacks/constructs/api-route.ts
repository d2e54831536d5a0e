import { ArnFormat, Stack } from "aws-cdk-lib"
import { CfnIntegration, CfnRoute } from "aws-cdk-lib/aws-apigatewayv2"
import { CfnPermission } from "aws-cdk-lib/aws-lambda"
import type { Construct } from "constructs"

/** API Gateway waits no longer for a function; a function must give up before. */
const INTEGRATION_TIMEOUT_MS = 30_000

export interface ApiRoutesOptions {
  readonly apiId: string
  /** ARN of the function, or of an alias of it. */
  readonly targetArn: string
  /** `POST /apps/{app_id}/keys`, or `$default`. */
  readonly routeKeys: readonly string[]
}

/** Passes routes of an HTTP API to a function. A route is a child of `scope` by its key. */
export function addApiRoutes(scope: Construct, { apiId, targetArn, routeKeys }: ApiRoutesOptions): void {
  const integration = new CfnIntegration(scope, "Integration", {
    apiId,
    integrationType: "AWS_PROXY",
    integrationUri: targetArn,
    payloadFormatVersion: "2.0",
    timeoutInMillis: INTEGRATION_TIMEOUT_MS,
  })
  for (const routeKey of routeKeys) {
    const route = new CfnRoute(scope, routeKey, {
      apiId,
      routeKey,
      // The function itself authenticates callers: keys and tokens are of several kinds, and an answer must be a
      // problem document.
      authorizationType: "NONE",
      target: `integrations/${integration.ref}`,
    })
    const permission = new CfnPermission(scope, `Permission ${routeKey}`, {
      action: "lambda:InvokeFunction",
      functionName: targetArn,
      principal: "apigateway.amazonaws.com",
      // Any stage and method, as API Gateway's own console grants it; only this route's path.
      sourceArn: Stack.of(scope).formatArn({
        service: "execute-api",
        resource: apiId,
        resourceName: invokedBy(routeKey),
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    })
    route.addResourceDependency(permission)
  }
}

/**
 * Returns API Gateway's name for a route when it calls a function: `<stage>/<method>/<path>`, or `<stage>/$default`.
 */
function invokedBy(routeKey: string): string {
  const [method = "", path] = routeKey.split(" ")
  return path === undefined ? `*/${method}` : `*/*${path}`
}
