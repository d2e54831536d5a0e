import { startHost } from "../lambda/local-host.ts"
import { describeFunctionHost, startLambda } from "./function-host.ts"

const { SEALWAY_CONTRACT_LAMBDA_ENDPOINT: endpoint, AWS_REGION: region = "us-east-1" } = process.env

describeFunctionHost("of one machine", async () => {
  const { host } = await startHost()
  return { host, close: () => host.close() }
})

/**
 * Lambda only where `SEALWAY_CONTRACT_LAMBDA_ENDPOINT` says where it is; `aws`: AWS itself, where
 * `SEALWAY_CONTRACT_LAMBDA_ROLE_ARN` names the functions' role.
 */
if (endpoint !== undefined)
  describeFunctionHost("in Lambda", () => startLambda({ region, ...(endpoint !== "aws" && { endpoint }) }))
