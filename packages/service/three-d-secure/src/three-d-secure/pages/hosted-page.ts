import type { Document } from "@sealway/http"
import { escapeHtml, sourceHash } from "@sealway/kernel"

export interface HostedPage {
  readonly title: string
  /** HTML in which everything that is not ours is escaped. */
  readonly body: string
  /** The page's only style and script, the same for all visitors: their hashes allow them. */
  readonly style?: string
  readonly script?: string
  /** Where its forms may be posted: `'self'`, or an origin. */
  readonly formAction: string
  /** Where its script may send requests, and what it may frame, as CSP directives. Default: nothing. */
  readonly directives?: readonly string[]
  /** Origins whose pages may frame it, besides our own. */
  readonly framedBy: readonly string[]
}

/** Renders a page for a browser that loads nothing, runs only its own script, and posts only to the given target. */
export function hostedPage({
  title,
  body,
  style,
  script,
  formAction,
  directives = [],
  framedBy,
}: HostedPage): { readonly body: Document; readonly headers: Readonly<Record<string, string>> } {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    ...(style === undefined ? [] : [`<style>${style}</style>`]),
    `</head><body>${body}`,
    ...(script === undefined ? [] : [`<script>${script}</script>`]),
    "</body></html>",
  ].join("")
  return {
    body: { format: "page", bytes: Buffer.from(html) },
    headers: {
      "content-security-policy": [
        "default-src 'none'",
        "base-uri 'none'",
        ...(style === undefined ? [] : [`style-src ${sourceHash(style)}`]),
        ...(script === undefined ? [] : [`script-src ${sourceHash(script)}`]),
        `form-action ${formAction}`,
        ...directives,
        `frame-ancestors ${["'self'", ...framedBy].join(" ")}`,
      ].join("; "),
      "referrer-policy": "no-referrer",
    },
  }
}

/** Submits the first form of its page. */
const SUBMIT = "document.forms[0].submit()"

export interface PostingPage extends Pick<HostedPage, "title" | "framedBy"> {
  /** Absolute: only its origin may be posted to. */
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

/** Renders a page that posts a form when it loads; without scripts, when its button is pressed. */
export function postingPage({ title, url, fields, framedBy }: PostingPage): ReturnType<typeof hostedPage> {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const body = `<form method="post" action="${escapeHtml(url)}">${inputs.join("")}<noscript><button>Continue</button></noscript></form>`
  return hostedPage({ title, body, script: SUBMIT, formAction: new URL(url).origin, framedBy })
}
