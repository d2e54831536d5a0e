import { findAppOfTeam } from "@sealway/accounts"
import { endpoint, idParameter, teamKey } from "@sealway/http"
import { AUDIT_GRANTS, KEY_CREATION_GRANTS } from "@sealway/ports"
import { audited, authorOf } from "@sealway/records"
import * as z from "zod"
import type { VaultDependencies } from "../dependencies.ts"

const keyVersionSchema = z
  .object({
    app: z.string().describe("Id of the app"),
    version: z.int().describe("Number of the key version that new values are encrypted with from now on"),
  })
  .meta({ id: "KeyVersion" })

export const rotateKeys = endpoint({
  id: "rotate-keys",
  method: "POST",
  path: "/apps/{app_id}/keys/rotate",
  tag: "Keys",
  summary: "Add a key version to an app",
  description:
    "Within 10 seconds, every process encrypts new values with the new version. Values encrypted with older versions can still be decrypted, and `POST /rewrap` re-encrypts them. Fingerprints do not change.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: { path: z.object({ app_id: idParameter("app", "Id of the app") }) },
  status: 201,
  reply: { kind: "object", schema: keyVersionSchema, description: "The new key version" },
  errors: ["not-found", "conflict"],
  grants: [...KEY_CREATION_GRANTS, ...AUDIT_GRANTS],
  async answer({ principal: { team }, path, caller }, { directory, keyring, audit }: VaultDependencies) {
    const app = await findAppOfTeam(directory, team.id, path.app_id)
    const target = { type: "app", id: app.id }
    const entry = { ...authorOf(caller), teamId: team.id, appId: app.id, action: "app.rotate-keys", target }
    const version = await audited(audit, entry, () => keyring.addVersion(app))
    return { body: { app: app.id, version } }
  },
})
