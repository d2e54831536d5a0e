import { createServer } from "vite"
import { viteConfig } from "./vite-config.ts"

/** Serves the page while it is changed, with the API of a running service. */
const target = process.argv[2] ?? "http://127.0.0.1:7400"
// A session's requests must come from the service's own pages.
const toService = { target, changeOrigin: true, headers: { origin: target } }
const server = await createServer({
  ...viteConfig(""),
  // Vite's own client adds inline styles and scripts: the Content-Security-Policy is only that of the built page.
  server: { host: "127.0.0.1", proxy: { "^/(?!dashboard(/|$))": toService } },
})
await server.listen()
server.printUrls()
