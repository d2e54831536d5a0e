import { startLocalService } from "@sealway/local"
import { liftLimits } from "../lift-limits.ts"
import { cardNumbers, createAgedApp, documentsOf } from "./documents.ts"

/** Sealway in memory. Prints its address, an API key and documents of values of many ages. */
const VALUES = 20_000
const FIELDS = 100

const { url, credentials, platform } = await startLocalService({
  port: 0,
  dataFolder: null,
  hosting: "container",
})
await liftLimits({ url, credentials })
const [first] = credentials.apps
const app = first && (await platform.directory.app(first.id))
if (!first || !app) throw new TypeError("A first start makes two apps")
const aged = await createAgedApp(platform.keyring, app)
const documents = (tokens: readonly string[]) => documentsOf(tokens, FIELDS).map(String)
const pool = cardNumbers(VALUES)
console.log(
  JSON.stringify({
    url,
    apiKey: first.apiKey,
    clients: documents(await aged.byClients(pool)),
    symmetric: documents(await aged.symmetrically(pool)),
  }),
)
