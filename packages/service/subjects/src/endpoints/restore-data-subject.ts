import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS, SUBJECT_READING_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { SubjectDependencies } from "../dependencies.ts"
import { restoreDataSubject } from "../management/manage-data-subjects.ts"
import { dataSubjectPathSchema, dataSubjectSchema, showDataSubject } from "./data-subject-schema.ts"

export const restoreDataSubjectEndpoint = endpoint({
  id: "restore-data-subject",
  method: "POST",
  path: "/data-subjects/{data_subject_id}/restore",
  tag: "Data Subjects",
  summary: "Undo the erasure of a data subject",
  description:
    "Possible until the undo window ends. Within 10 seconds, its values can be encrypted and decrypted again. An active data subject stays as it is.",
  auth: [apiKey("dataSubject:restore")],
  reveals: "nothing",
  writes: "again",
  request: { path: dataSubjectPathSchema },
  status: 200,
  reply: { kind: "object", schema: dataSubjectSchema, description: "The data subject" },
  errors: ["not-found", "conflict"],
  grants: [...SUBJECT_READING_GRANTS, "dynamodb:PutItem/config", ...AUDIT_GRANTS],
  async answer({ principal: { app }, path, caller }, dependencies: SubjectDependencies) {
    const subject = await restoreDataSubject(dependencies, app, path.data_subject_id, authorOf(caller))
    return { body: showDataSubject(subject) }
  },
})
