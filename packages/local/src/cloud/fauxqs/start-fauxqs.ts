import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import { LOOPBACK_HOST, type RunningService } from "../loopback-server.ts"
import type { VerifySignature } from "../verify-signature.ts"

/** Starts SQS, entirely in memory. */
export async function startFauxqs(verify: VerifySignature): Promise<RunningService> {
  const { buildApp } = await import("fauxqs")
  // fauxqs's own start function listens on every network interface.
  const app = buildApp({ logger: false })
  admitSignedRequestsOnly(app.server, verify)
  const endpoint = await app.listen({ host: LOOPBACK_HOST, port: 0 })
  return { endpoint, close: async () => app.close() }
}
