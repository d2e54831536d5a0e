import { once } from "node:events"
import { parseAgentConfiguration } from "./configuration.ts"
import { createAgent } from "./create-agent.ts"
import { openNsmDevice } from "./nsm/nsm-device.ts"
import { createSecurityModule } from "./nsm/security-module.ts"

const configuration = parseAgentConfiguration(process.env)
const { port, ingressPort } = configuration

const { server, ingress } = createAgent(configuration, {
  securityModule: createSecurityModule(await openNsmDevice()),
  fetch: globalThis.fetch,
  now: performance.now.bind(performance),
  wallClock: Date.now,
  // The name only: a message could quote data.
  onError: (error) => process.stderr.write(`${error instanceof Error ? error.name : "An error"}\n`),
})

for (const [each, at] of [
  [server, port],
  [ingress, ingressPort],
] as const) {
  if (each === null) continue
  each.listen(at, "127.0.0.1")
  await once(each, "listening")
}
