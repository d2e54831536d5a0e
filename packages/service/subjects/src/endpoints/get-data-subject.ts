import { apiKey, endpoint } from "@sealway/http"
import { SUBJECT_READING_GRANTS } from "@sealway/ports"
import type { SubjectDependencies } from "../dependencies.ts"
import { requireDataSubject } from "../management/manage-data-subjects.ts"
import { dataSubjectPathSchema, dataSubjectSchema, showDataSubject } from "./data-subject-schema.ts"

export const getDataSubject = endpoint({
  id: "get-data-subject",
  method: "GET",
  path: "/data-subjects/{data_subject_id}",
  tag: "Data Subjects",
  summary: "Get a data subject",
  description: "Also one that is erased: when, and that its key is destroyed.",
  auth: [apiKey("dataSubject:read")],
  reveals: "nothing",
  request: { path: dataSubjectPathSchema },
  status: 200,
  reply: { kind: "object", schema: dataSubjectSchema, description: "The data subject" },
  errors: ["not-found"],
  grants: [...SUBJECT_READING_GRANTS],
  async answer({ principal: { app }, path }, dependencies: SubjectDependencies) {
    return { body: showDataSubject(await requireDataSubject(dependencies, app, path.data_subject_id)) }
  },
})
