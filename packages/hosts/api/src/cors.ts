/**
 * Any page may call from a browser. The browser itself sends no credentials along, so a page can only use those that it
 * was given.
 */
export const CORS = {
  allowOrigins: ["*"],
  allowMethods: ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"],
  allowHeaders: [
    "authorization",
    "api-key",
    "content-type",
    "idempotency-key",
    "traceparent",
    "tracestate",
    "x-async",
    "x-evervault-app-id",
    "x-service-app-id",
    "x-service-data-role",
    "x-service-require-tokens",
    "x-service-reason",
    "x-service-reveal",
  ],
  exposeHeaders: [
    "apigw-requestid",
    "idempotency-replayed",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "x-service-debug-mode",
    "x-service-decrypted-values",
    "x-service-masked-values",
  ],
  maxAgeSeconds: 600,
} as const
