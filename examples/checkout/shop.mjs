// The server of the shop: hands out the page, and takes orders. No card number ever reaches it.
import { readFileSync } from "node:fs"
import { ITEM } from "./orders.mjs"

const MAX_BODY_BYTES = 16 * 1024
const PAGE = new URL("page/", import.meta.url)
const FILES = new Map(
  [
    ["/", "index.html", "text/html"],
    ["/shop.css", "shop.css", "text/css"],
    ...["checkout.js", "authenticate.js"].map((name) => [...[`/${name}`, name, "text/javascript"]]),
  ].map(([path, name, type]) => [
    path,
    { type: `${type}; charset=utf-8`, bytes: readFileSync(new URL(name, PAGE)) },
  ]),
)

/**
 * Answers the requests of the shop's customers.
 *
 * @param {{orders: ReturnType<import("./orders.mjs").createOrders>, origin: string, sealway: string, browser: object}} options
 *   `origin` is the shop's own, `sealway` that of the pages that it frames; `browser` is what card fields need there
 * @returns {import("node:http").RequestListener}
 */
export function createShop({ orders, origin, sealway, browser }) {
  const { host } = new URL(origin)
  const headers = securityHeaders(sealway)

  async function answer(request, path) {
    if (request.method === "GET") {
      if (path === "/config") return { status: 200, json: { sealway, item: ITEM, ...browser } }
      return FILES.has(path) ? { status: 200, ...FILES.get(path) } : NOT_FOUND
    }
    if (request.method !== "POST") return NOT_FOUND
    // Other sites can make a browser post here, but neither as JSON nor in our name.
    if (request.headers.origin !== origin || request.headers["content-type"] !== "application/json") {
      return { status: 403, json: { status: "declined", reason: "This request did not come from the shop." } }
    }
    const body = await readJson(request)
    if (path === "/orders") {
      const card = sealedCardOf(body)
      if (card === null)
        return { status: 400, json: { status: "declined", reason: "The card is not encrypted." } }
      return { status: 200, json: await orders.begin(card) }
    }
    const [, id = ""] = /^\/orders\/([0-9a-f-]{36})\/payment$/.exec(path) ?? []
    const order = await orders.finish(id)
    return order === null ? NOT_FOUND : { status: 200, json: order }
  }

  return async (request, response) => {
    // A page of another name that leads here (DNS rebinding) is no page of this shop.
    const answered =
      request.headers.host === host
        ? await answer(request, request.url).catch(failed)
        : { status: 421, json: { status: "declined", reason: `The shop is at ${origin}.` } }
    const { status, type = "application/json", bytes = JSON.stringify(answered.json) } = answered
    response.writeHead(status, { ...headers, "content-type": type }).end(bytes)
  }
}

const NOT_FOUND = { status: 404, json: { status: "declined", reason: "There is no such page." } }

function failed(error) {
  if (error instanceof RefusedBody)
    return { status: 400, json: { status: "declined", reason: error.message } }
  process.stderr.write(`The shop could not answer: ${error.code ?? error.name}\n`)
  return { status: 502, json: { status: "unknown", reason: "Something went wrong. Try again in a moment." } }
}

/** The page loads nothing from elsewhere, sends nothing elsewhere, frames Sealway's pages, and cannot be framed. */
function securityHeaders(sealway) {
  return {
    "content-security-policy": [
      "default-src 'none'",
      ...[
        `script-src 'self' ${sealway}/elements/scripts/sealway.js`,
        "style-src 'self'",
        "connect-src 'self'",
        `frame-src ${sealway}`,
      ],
      ...["form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"],
    ].join("; "),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  }
}

/** Null unless all of the card are tokens: digits that are sent by mistake go nowhere. */
function sealedCardOf({ card }) {
  const { number, cvc, expiry } = card ?? {}
  const { month, year } = expiry ?? {}
  const isSealed = [number, cvc, month, year].every(
    (text) => typeof text === "string" && /^ev:[\w:+/-]{50,1000}:\$$/.test(text),
  )
  return isSealed ? { number, cvc, expiry: { month, year } } : null
}

class RefusedBody extends Error {}

/** @throws RefusedBody when it is no JSON object, or too large */
async function readJson(request) {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk
    if (text.length > MAX_BODY_BYTES) throw new RefusedBody("The body is too large")
  }
  try {
    const body = JSON.parse(text)
    if (typeof body === "object" && body !== null) return body
  } catch {
    // As below.
  }
  throw new RefusedBody("The body is not JSON")
}
