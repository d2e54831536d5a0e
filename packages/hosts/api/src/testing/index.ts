export { atLambdaEdge } from "../lambda/edge/at-lambda-edge.ts"
export { createS3AuditArchive } from "../lambda/s3-audit-archive.ts"
export { createUnknownRouteHandler } from "../unknown-route.ts"
