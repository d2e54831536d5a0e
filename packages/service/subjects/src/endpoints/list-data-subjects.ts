import { apiKey, endpoint, listQuerySchema, listReplySchema, replyOf } from "@sealway/http"
import { DATA_SUBJECT } from "@sealway/kernel"
import { findDataSubject, pageDataSubjects, SUBJECT_GRANTS } from "@sealway/keys"
import * as z from "zod"
import type { SubjectDependencies } from "../dependencies.ts"
import { dataSubjectSchema, showDataSubject } from "./data-subject-schema.ts"

export const listDataSubjects = endpoint({
  id: "list-data-subjects",
  method: "GET",
  path: "/data-subjects",
  tag: "Data Subjects",
  summary: "List the app's data subjects",
  description:
    "In descending order of their ids, which are random. With the header `X-Service-Data-Subject`, the list contains the data subject that you encrypt for under this id of yours; it is empty if there is none, or it is erased. Sealway does not keep your ids, only a keyed hash of each.",
  auth: [apiKey("dataSubject:list")],
  reveals: "nothing",
  request: {
    query: listQuerySchema("data_subject"),
    headers: z.object({
      "x-service-data-subject": z
        .string()
        .regex(DATA_SUBJECT)
        .optional()
        .meta({ description: "Your id of the data subject to find, as for `POST /encrypt`" }),
    }),
  },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(dataSubjectSchema, "DataSubjectList"),
    description: "A page of data subjects",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:Query/config", ...SUBJECT_GRANTS],
  async answer({ principal: { app }, query, headers }, dependencies: SubjectDependencies) {
    const reference = headers["x-service-data-subject"]
    if (reference === undefined) {
      return { body: replyOf(await pageDataSubjects(dependencies, app.id, query), showDataSubject) }
    }
    const id = await dependencies.keyring.subjects.findId(app, reference)
    const found = id === null ? null : await findDataSubject(dependencies, app.id, id)
    const data = found === null || found.status === "erased" ? [] : [found]
    return { body: replyOf({ data, hasMore: false }, showDataSubject) }
  },
})
