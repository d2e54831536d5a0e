import { apiKey, endpoint } from "@sealway/http"
import { DATA_SUBJECT } from "@sealway/kernel"
import { SUBJECT_SEALING_GRANTS } from "@sealway/keys"
import { encodeSubjectId, uncompressPublicKey } from "@sealway/tokens"
import * as z from "zod"
import type { SubjectDependencies } from "../dependencies.ts"

const keySchema = z
  .object({
    id: z.string().describe("Id of the data subject. Tokens show it"),
    app: z.string().describe("Id of the app"),
    publicKey: z.string().describe("P-256 public key of the data subject, uncompressed, base64"),
    isSandbox: z.boolean().describe("Whether tokens carry the `debug` segment"),
  })
  .meta({ id: "DataSubjectKey" })

export const getDataSubjectKey = endpoint({
  id: "get-data-subject-key",
  method: "POST",
  path: "/data-subjects/key",
  tag: "Data Subjects",
  summary: "Get the public key of a data subject",
  description:
    "Clients that encrypt locally seal values of the data subject to this key, as `c3cz`. Creates the data subject if there is none. Ask again after 5 seconds: nothing opens what is sealed after an erasure. Pages get the key from your server, because they must not choose whom they encrypt for.",
  auth: [apiKey()],
  reveals: "nothing",
  request: {
    headers: z.object({
      "x-service-data-subject": z
        .string()
        .regex(DATA_SUBJECT)
        .meta({ description: "Your id of the data subject, as for `POST /encrypt`" }),
    }),
  },
  status: 200,
  reply: { kind: "object", schema: keySchema, description: "The public key" },
  errors: ["conflict"],
  grants: [...SUBJECT_SEALING_GRANTS],
  async answer({ principal: { app }, headers }, { keyring }: SubjectDependencies) {
    const key = await keyring.subjects.forSealing(app, headers["x-service-data-subject"])
    return {
      body: {
        id: encodeSubjectId(key.subjectId),
        app: app.id,
        publicKey: uncompressPublicKey("prime256v1", key.publicKey).toString("base64"),
        isSandbox: app.environment === "sandbox",
      },
    }
  },
})
