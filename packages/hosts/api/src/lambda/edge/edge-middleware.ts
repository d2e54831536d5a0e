import type { MiddlewareObj } from "@middy/core"
import type { HandlerContext, HttpEvent, HttpResult, Platform } from "@sealway/http"

/** What is done around a handler in a Lambda function, before it or after. */
export type EdgeMiddleware = MiddlewareObj<HttpEvent, HttpResult, Error, HandlerContext>

/** What the middlewares need of the platform. */
export interface EdgePlatform {
  readonly stats: Pick<Platform["stats"], "settle">
  readonly limiter: Pick<Platform["limiter"], "settle">
  readonly log: Pick<Platform["log"], "error">
}
