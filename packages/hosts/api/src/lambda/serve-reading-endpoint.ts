import type { Endpoint, LambdaHandler, Platform } from "@sealway/http"
import { onlyReading } from "./edge/only-reading.ts"
import { serveEndpoint } from "./serve-endpoint.ts"
import type { ProcessEnvironment } from "./start-platform.ts"

/** Creates the handler of a Lambda function that answers an endpoint for GET, see `onlyReading`. */
export function serveReadingEndpoint<Dependencies>(
  endpoint: Endpoint<Dependencies>,
  createDependencies: (platform: Platform) => Dependencies,
  environment: ProcessEnvironment,
): LambdaHandler {
  return serveEndpoint(endpoint, createDependencies, environment, onlyReading())
}
