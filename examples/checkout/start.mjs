// Starts the example: a processor that only plays, and a shop that is paid through Sealway.
//
//   . .sealway/env && node examples/checkout/start.mjs
//
// It needs Node.js 20, and a Sealway that runs beside it (npm start).
import { once } from "node:events"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { createOrders } from "./orders.mjs"
import { createProcessor } from "./processor.mjs"
import { createApi, postThrough } from "./sealway.mjs"
import { setUp } from "./setup.mjs"
import { createShop } from "./shop.mjs"

/**
 * @param {{sealway: {url: string, relayUrl: string, appId: string, apiKey: string, teamKey: string}, shopPort?: number,
 *   processorPort?: number, onCharge?: (charge: object) => void}} options a port 0 is a free one
 */
export async function startCheckout({ sealway, shopPort = 7500, processorPort = 7501, onCharge = () => {} }) {
  const processor = await listen(createProcessor(onCharge), processorPort)
  const shop = await listen(createServer(), shopPort)
  const origin = originOf(shop)
  const made = await setUp(sealway, { shop: origin, processor: originOf(processor) })
  const orders = createOrders({
    payments: createApi(sealway.url, made.paymentsKey),
    merchantId: made.merchantId,
    charge: (charge) => postThrough(made.relay, "/charges", charge),
  })
  shop.on(
    "request",
    createShop({ orders, origin, sealway: new URL(sealway.url).origin, browser: made.browser }),
  )
  return {
    url: origin,
    server: shop,
    async close() {
      for (const server of [shop, processor]) {
        server.close()
        server.closeAllConnections()
        await once(server, "close")
      }
    },
  }
}

async function listen(server, port) {
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return server
}

const originOf = (server) => `http://127.0.0.1:${server.address().port}`

/** What `. .sealway/env` sets. */
function readEnvironment(variables) {
  const read = (name) => {
    if (variables[name] !== undefined) return variables[name]
    process.stderr.write(`${name} is not set. Start Sealway with npm start, then run: . .sealway/env\n`)
    return process.exit(2)
  }
  return {
    url: read("SEALWAY_URL"),
    relayUrl: read("SEALWAY_RELAY_URL"),
    appId: read("SEALWAY_APP"),
    apiKey: read("SEALWAY_API_KEY"),
    teamKey: read("SEALWAY_TEAM_KEY"),
  }
}

/** Others than the usual ones, by SHOP_PORT and PROCESSOR_PORT. */
function portsOf({ SHOP_PORT, PROCESSOR_PORT }) {
  return {
    ...(SHOP_PORT !== undefined && { shopPort: Number(SHOP_PORT) }),
    ...(PROCESSOR_PORT !== undefined && { processorPort: Number(PROCESSOR_PORT) }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write("Preparing Sealway for the shop: the first time, this takes some ten seconds\n")
  const { url } = await startCheckout({
    sealway: readEnvironment(process.env),
    ...portsOf(process.env),
    onCharge: ({ amount, currency, card }) =>
      process.stdout.write(
        `The processor charges ${amount} ${currency} to network token •••• ${card.number.slice(-4)}\n`,
      ),
  })
  process.stdout.write(`The shop is at ${url} (Ctrl-C stops it)\n`)
}
