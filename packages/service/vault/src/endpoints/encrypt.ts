import type { App } from "@sealway/accounts"
import { apiKey, endpoint } from "@sealway/http"
import {
  andThen,
  DATA_SUBJECT,
  InvalidRequestError,
  invalidField,
  type MaybePromise,
  type Task,
  type Work,
} from "@sealway/kernel"
import { type Keyring, SEALING_GRANTS, SUBJECT_SEALING_GRANTS, sealingKeysOf } from "@sealway/keys"
import { USE_GRANTS } from "@sealway/policies"
import {
  isEncryptedFileInSteps,
  isStreamingFile,
  type Metadata,
  ROLE_SLUG,
  type SealingKey,
  StreamingFileError,
  sealFileInSteps,
  type ValueSealingKey,
} from "@sealway/tokens"
import * as z from "zod"
import type { VaultDependencies } from "../dependencies.ts"
import { encryptJson } from "../documents/encrypt-json.ts"
import { reserveForFile } from "../documents/held-bytes.ts"

export const encrypt = endpoint({
  id: "encrypt",
  method: "POST",
  path: "/encrypt",
  tag: "Core",
  summary: "Encrypt JSON or a file",
  description:
    "Replaces every string, number and boolean in a JSON value of any shape with a token. The shape, the key order, `null`, `{}`, `[]` and existing tokens stay unchanged, and numbers keep their digits. Limits: 5 MB and 250,000 values for JSON; for a file, 25 MB on the container service and 4.5 million bytes behind API Gateway. A MB is 1,048,576 bytes. Any single value or file that can be encrypted can be decrypted. Tokens are larger than their values, so decrypt a document of many values in parts when its tokens exceed the size of the token of one 5 MB value.",
  auth: [apiKey()],
  reveals: "nothing",
  request: {
    headers: z.object({
      "x-service-data-subject": z
        .string()
        .regex(DATA_SUBJECT)
        .optional()
        .meta({
          description:
            "Your id of the person, or whatever else, that the values are about: 1 to 128 printable ASCII characters without space and comma. They are sealed with a key of that data subject, which `DELETE /data-subjects/{data_subject_id}` destroys. JSON only.",
        }),
      "x-service-data-role": z
        .string()
        .optional()
        .meta({
          description:
            "Slug of the data role to seal into every value. It must exist and not be archived. JSON only.",
          pattern: ROLE_SLUG.source,
        }),
    }),
    body: {
      kind: "document",
      formats: ["json", "bytes"],
      description: "What to encrypt",
      schema: z
        .unknown()
        .meta({
          description: "JSON of any shape",
          examples: [{ name: "Ada Lovelace", card: "4242424242424242" }],
        }),
    },
  },
  status: 200,
  reply: { kind: "document", formats: ["json", "bytes"], description: "The same body, encrypted" },
  errors: ["conflict"],
  grants: [...SEALING_GRANTS, ...SUBJECT_SEALING_GRANTS, ...USE_GRANTS],
  answer({ principal: { app }, headers, body, timing, allowance, task }, dependencies: VaultDependencies) {
    const { keyring, stats } = dependencies
    const slug = headers["x-service-data-role"]
    const subject = headers["x-service-data-subject"]
    const sealJson = (metadata: Metadata) =>
      andThen(
        timing.measure("keys", () => sealingKeysFor(keyring, app, subject)),
        (sealingKeyFor) => {
          const takeKeyFor = (count: number) => {
            allowance.takeValues(count)
            return sealingKeyFor(count)
          }
          return timing.measure("crypto", () => encryptJson(body.bytes, takeKeyFor, metadata, task))
        },
      )
    const sealFile = () => {
      allowance.takeValues(1)
      return andThen(
        timing.measure("keys", () => sealingKeysOf(keyring, app)),
        (keys) => {
          const work = sealUnlessEncrypted(body.bytes, () => keys.current(1), task)
          return timing.measure("crypto", () => task.run(work))
        },
      )
    }
    const count = (encrypted: number, role: string) => stats.count(app.id, { encrypted }, { role })
    const reply = (bytes: Buffer) => ({ body: { format: body.format, bytes } })
    return andThen(
      timing.measure("policy", () => roleMetadata(app, slug, dependencies)),
      (metadata) => {
        if (body.format === "json") {
          return andThen(sealJson(metadata), ({ bytes, values }) => {
            count(values, metadata.role ?? "")
            return reply(bytes)
          })
        }
        if (metadata.role !== null) throw new InvalidRequestError("A file cannot carry a data role.")
        if (subject !== undefined) throw new InvalidRequestError("A file cannot belong to a data subject.")
        return andThen(sealFile(), (bytes) => {
          if (bytes !== body.bytes) count(1, "")
          return reply(bytes)
        })
      },
    )
  },
})

/** Returns what seals values of a data subject, or of none. */
function sealingKeysFor(
  keyring: Keyring,
  app: App,
  subject: string | undefined,
): MaybePromise<(values: number) => ValueSealingKey> {
  return subject === undefined
    ? andThen(sealingKeysOf(keyring, app), (keys) => (values) => keys.current(values))
    : keyring.subjects.forSealing(app, subject).then((key) => () => key.createSealingKey())
}

function* sealUnlessEncrypted(bytes: Buffer, sealingKey: () => SealingKey, task: Task): Work<Buffer> {
  if (isStreamingFile(bytes)) throw new InvalidRequestError(new StreamingFileError().message)
  if (yield* isEncryptedFileInSteps(bytes)) return bytes
  yield* reserveForFile(bytes, task)
  return yield* sealFileInSteps(bytes, sealingKey())
}

function roleMetadata(
  app: App,
  slug: string | undefined,
  { dataRoles, wallClock }: VaultDependencies,
): MaybePromise<Metadata> {
  const encryptedAt = Math.floor(wallClock() / 1000)
  if (slug === undefined) return { role: null, encryptedAt }
  return dataRoles.markUsed(app, slug).then((isUsable) => {
    if (isUsable) return { role: slug, encryptedAt }
    throw invalidField(
      "/headers/x-service-data-role",
      "The app has no data role with this slug, or the role is archived.",
    )
  })
}
