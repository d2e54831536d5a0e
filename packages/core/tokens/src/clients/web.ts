import { createRenewingSource } from "../values/renewing-source.ts"
import type { ClientSealing } from "./client-sealing.ts"
import { importWebAppKey } from "./web/ephemeral-key.ts"
import { createWebSealingKey } from "./web/sealing-key.ts"

/** Seals on WebCrypto, for browsers and for workers without `node:crypto`. */
export const webSealing: ClientSealing = {
  name: "web",
  async keysFor({ appPublicKey, subjectId = null, debug, now }) {
    const app = await importWebAppKey(appPublicKey)
    return createRenewingSource(() => createWebSealingKey(app, debug, subjectId), { now })
  },
}
