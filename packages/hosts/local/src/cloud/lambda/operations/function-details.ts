import { describeFunction } from "../function-configuration.ts"
import type { LambdaOperation } from "./operation.ts"

/** GetFunction. Does not reveal where the code is on this machine. */
export const getFunction: LambdaOperation = async ({ functionName }, lambda) => {
  const { configuration } = lambda.find(functionName)
  return {
    status: 200,
    body: { Configuration: describeFunction(configuration, "Active"), Code: { RepositoryType: "S3" } },
  }
}

/** GetFunctionConfiguration. */
export const getFunctionConfiguration: LambdaOperation = async ({ functionName }, lambda) => ({
  status: 200,
  body: describeFunction(lambda.find(functionName).configuration, "Active"),
})

/** DeleteFunction. Current runs may finish. */
export const deleteFunction: LambdaOperation = async ({ functionName }, lambda) => {
  await lambda.delete(lambda.find(functionName))
  return { status: 204, body: null }
}
