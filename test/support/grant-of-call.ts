import type { AwsCall } from "@sealway/ports"

/** Names a call as grants do. On one machine, whatever calls the writer of the audit log does what the writer does. */
export function grantOfCall({ service, operation, resource }: AwsCall): string {
  if (operation === "PutItem" && resource === "audit") return "lambda:InvokeFunction/audit-writer"
  return `${service}:${operation}${resource === null ? "" : `/${resource}`}`
}
