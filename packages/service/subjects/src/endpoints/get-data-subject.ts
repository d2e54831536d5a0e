import { apiKey, readingEndpoint } from "@sealway/http"
import { SUBJECT_READING_GRANTS } from "@sealway/ports"
import type { SubjectDependencies } from "../dependencies.ts"
import { requireDataSubject } from "../management/manage-data-subjects.ts"
import { dataSubjectPathSchema, dataSubjectSchema, showDataSubject } from "./data-subject-schema.ts"

export const getDataSubject = readingEndpoint({
  id: "get-data-subject",
  path: "/data-subjects/{data_subject_id}",
  tag: "Data Subjects",
  summary: "Get a data subject",
  description: "Also one that is erased: when, and that its key is destroyed.",
  auth: [apiKey("dataSubject:read")],
  request: { path: dataSubjectPathSchema },
  schema: dataSubjectSchema,
  reply: "The data subject",
  grants: [...SUBJECT_READING_GRANTS],
  async read({ principal: { app }, path }, dependencies: SubjectDependencies) {
    return showDataSubject(await requireDataSubject(dependencies, app, path.data_subject_id))
  },
})
