import {
  ASSET_CACHE_CONTROL,
  DASHBOARD_HEADERS,
  DASHBOARD_SECURITY_POLICY,
  PAGE_CACHE_CONTROL,
} from "@sealway/api"
import type { EndpointRoute, HttpEvent, LambdaHandler } from "@sealway/http"
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda"
import type { Route } from "../gateway/index.ts"
import type { Dashboard } from "./dashboard.ts"
import type { DashboardFile } from "./dashboard-files.ts"
import { NOTICE_SECURITY_POLICY, NOTICES } from "./dashboard-pages.ts"

const ASSETS = "/dashboard/assets/"

/**
 * Returns the routes of `/dashboard` and of everything below it: the files of the dashboard, and its page for every other
 * address, because the page itself knows which ones exist.
 */
export function dashboardRoutes(dashboard: Pick<Dashboard, "files">): readonly (Route & EndpointRoute)[] {
  const handler: LambdaHandler = async (event) => {
    const files = dashboard.files()
    if (typeof files === "string") return notice(files)
    if (!event.rawPath.startsWith(ASSETS)) {
      return answer(event, files.page, {
        "cache-control": PAGE_CACHE_CONTROL,
        "content-security-policy": DASHBOARD_SECURITY_POLICY,
      })
    }
    const asset = files.assets.get(event.rawPath.slice(ASSETS.length))
    if (asset === undefined) return notice("missing")
    return answer(event, asset, { "cache-control": ASSET_CACHE_CONTROL })
  }
  return ["/dashboard", "/dashboard/{path+}"].flatMap((path) =>
    (["GET", "HEAD"] as const).map((method) => ({ method, path, functionName: "dashboard", handler })),
  )
}

/** Adds to the answers without a route that `/dashboard/`, which is no route's path, leads to `/dashboard`. */
export function withoutLastSlash(
  answerUnknown: (path: string) => APIGatewayProxyStructuredResultV2,
): typeof answerUnknown {
  return (path) =>
    path === "/dashboard/" ? { statusCode: 308, headers: { location: "/dashboard" } } : answerUnknown(path)
}

function notice(kind: keyof typeof NOTICES) {
  const { statusCode, html } = NOTICES[kind]
  return {
    statusCode,
    headers: {
      ...DASHBOARD_HEADERS,
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": NOTICE_SECURITY_POLICY,
      ...(statusCode === 503 && { "retry-after": "1" }),
    },
    body: html,
  }
}

function answer({ headers }: HttpEvent, file: DashboardFile, own: Readonly<Record<string, string>>) {
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers["accept-encoding"] ?? "")
  const { bytes, etag } = isCompressed ? file.gzipped : file.plain
  const shared = { ...DASHBOARD_HEADERS, ...own, etag, vary: "accept-encoding" }
  if (headers["if-none-match"]?.includes(etag)) return { statusCode: 304, headers: shared, body: "" }
  return {
    statusCode: 200,
    headers: {
      ...shared,
      "content-type": file.contentType,
      ...(isCompressed && { "content-encoding": "gzip" }),
    },
    bodyBytes: bytes,
  }
}
