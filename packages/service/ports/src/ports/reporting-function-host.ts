import type { FunctionHost } from "./function-host.ts"

/** The operations of Lambda and CloudWatch Logs, as IAM names them, that each method takes in the cloud. */
export const HOST_OPERATIONS = {
  create: [
    ["lambda", "CreateFunction"],
    ["logs", "CreateLogGroup"],
    ["logs", "PutRetentionPolicy"],
  ],
  stateOf: [["lambda", "GetFunctionConfiguration"]],
  invoke: [["lambda", "InvokeFunction"]],
  remove: [
    ["lambda", "DeleteFunction"],
    ["logs", "DeleteLogGroup"],
  ],
  logs: [["logs", "FilterLogEvents"]],
} as const satisfies Record<keyof FunctionHost, readonly (readonly ["lambda" | "logs", string])[]>

/** Wraps a host that is not Lambda, so that its calls are reported like those to Lambda. */
export function reportingFunctionHost(
  host: FunctionHost,
  onCall: (service: "lambda" | "logs", operation: string) => void,
): FunctionHost {
  const reported = (method: keyof FunctionHost) => {
    for (const [service, operation] of HOST_OPERATIONS[method]) onCall(service, operation)
    return host
  }
  return {
    create: (program) => reported("create").create(program),
    stateOf: (name) => reported("stateOf").stateOf(name),
    invoke: (...call) => reported("invoke").invoke(...call),
    remove: (name) => reported("remove").remove(name),
    logs: (...call) => reported("logs").logs(...call),
  }
}
