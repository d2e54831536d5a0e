import { apiKey, endpoint, timedKeyring } from "@sealway/http"
import { sealingKeysOf } from "@sealway/keys"
import { AUDIT_GRANTS, OPENING_GRANTS } from "@sealway/ports"
import { sealFileInSteps } from "@sealway/tokens"
import type { VaultDependencies } from "../dependencies.ts"
import { openUploadedFile } from "../documents/open-uploaded-file.ts"
import { rewrapJson } from "../documents/rewrap-json.ts"
import { createTokenOpener } from "../values/token-opener.ts"
import { reportForbiddenValue } from "./report-refusal.ts"

export const rewrap = endpoint({
  id: "rewrap",
  method: "POST",
  path: "/rewrap",
  tag: "Keys",
  summary: "Re-encrypt tokens or a file with the newest key version",
  description:
    "Re-encrypts every token in a JSON value, or an encrypted file, with the app's newest key version, as the app's `sealing` says. Values of a data subject stay sealed with its key. Types, roles and encryption times do not change. No plaintext is returned, and no permission to decrypt is needed. Honey tokens are refused.",
  auth: [apiKey("api:rewrap")],
  reveals: "resealed",
  request: {
    body: {
      kind: "document",
      formats: ["json", "bytes"],
      holdsTokens: true,
      description: "What to re-encrypt",
    },
  },
  status: 200,
  reply: { kind: "document", formats: ["json", "bytes"], description: "The same body, re-encrypted" },
  errors: ["decrypt/forbidden", "data-subject/erased"],
  grants: [...OPENING_GRANTS, ...AUDIT_GRANTS],
  async answer(
    { principal: { app }, body, timing, allowance, task },
    { wallClock, ...given }: VaultDependencies,
  ) {
    const keyring = timedKeyring(given.keyring, timing)
    const opener = createTokenOpener(keyring, app, task)
    const sealingKeyFor = async (values: number) => (await sealingKeysOf(keyring, app)).current(values)
    const subjectKeyFor = async (subjectId: string) =>
      (await keyring.subjects.open(app, subjectId)).createSealingKey()
    if (body.format === "json") {
      const seconds = Math.floor(wallClock() / 1000)
      const bytes = await timing.measure("crypto", () =>
        rewrapJson(
          body.bytes,
          opener,
          (values, subjectId) => (subjectId === null ? sealingKeyFor(values) : subjectKeyFor(subjectId)),
          seconds,
          { task, allowance },
        ),
      )
      return { body: { format: body.format, bytes } }
    }
    allowance.takeValues(1)
    const bytes = await timing.measure("crypto", async () => {
      const opened = await openUploadedFile(body.bytes, opener, task, { isSealedAgain: true })
      return task.run(sealFileInSteps(opened, await sealingKeyFor(1)))
    })
    return { body: { format: body.format, bytes } }
  },
  onForbidden: reportForbiddenValue,
})
