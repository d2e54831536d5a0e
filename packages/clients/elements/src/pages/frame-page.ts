import type { App } from "@sealway/accounts"
import type { Document } from "@sealway/http"
import { pageData, sourceHash } from "@sealway/kernel"
import type { FrameScript } from "./frame-script.ts"
import { FRAME_STYLE } from "./frame-style.ts"

const STYLE_HASH = sourceHash(FRAME_STYLE)

export const SCRIPTS_PATH = "/elements/scripts"

export interface FramePage {
  readonly app: App
  readonly serviceOrigin: string
  readonly script: FrameScript
  /** What the script reads of the page. Anyone may see it. */
  readonly data: object
  /** Where the script may send requests: a path of the service. Default: nowhere. */
  readonly connectPath?: string
}

/**
 * Renders the page of a frame. It runs one script of the service, whose address and content are fixed; it loads nothing
 * else, submits nothing, and only pages of the app's origins can embed it.
 */
export function framePage({ app, serviceOrigin, script, data, connectPath }: FramePage): {
  readonly body: Document
  readonly headers: Readonly<Record<string, string>>
} {
  const { allowedOrigins } = app
  const source = `${SCRIPTS_PATH}/${script.name}`
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sealway</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<style>${FRAME_STYLE}</style></head><body>`,
    pageData(data),
    `<script src="${source}" integrity="${script.integrity}" crossorigin="anonymous"></script>`,
    "</body></html>",
  ].join("")
  return {
    body: { format: "page", bytes: Buffer.from(html) },
    headers: {
      "content-security-policy": [
        "default-src 'none'",
        `script-src ${serviceOrigin}${source}`,
        `style-src ${STYLE_HASH}`,
        ...(connectPath === undefined ? [] : [`connect-src ${serviceOrigin}${connectPath}`]),
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        `frame-ancestors ${allowedOrigins.length === 0 ? "'none'" : allowedOrigins.join(" ")}`,
      ].join("; "),
      // A page may be isolated from other origins; its frames must then agree to that.
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "cross-origin",
      "origin-agent-cluster": "?1",
      "permissions-policy":
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
      "referrer-policy": "no-referrer",
    },
  }
}
