import { apiKey, endpoint } from "@sealway/http"
import { AUDIT_GRANTS, SUBJECT_READING_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { SubjectDependencies } from "../dependencies.ts"
import { deleteDataSubject } from "../management/manage-data-subjects.ts"
import { dataSubjectPathSchema, dataSubjectSchema, showDataSubject } from "./data-subject-schema.ts"

export const deleteDataSubjectEndpoint = endpoint({
  id: "delete-data-subject",
  method: "DELETE",
  path: "/data-subjects/{data_subject_id}",
  tag: "Data Subjects",
  summary: "Erase a data subject",
  description:
    "Within 10 seconds, nothing of the data subject can be decrypted any more, wherever its tokens are: databases, backups and copies included. Its key is destroyed at the end of the app's undo window, `erasureDays`; until then `POST /data-subjects/{data_subject_id}/restore` undoes it. With a window of 0 days, the key is destroyed when you get the answer. Repeating it changes nothing.",
  auth: [apiKey("dataSubject:delete")],
  reveals: "nothing",
  writes: "again",
  request: { path: dataSubjectPathSchema },
  status: 200,
  reply: { kind: "object", schema: dataSubjectSchema, description: "The data subject" },
  errors: ["not-found", "conflict"],
  grants: [
    ...SUBJECT_READING_GRANTS,
    "dynamodb:PutItem/config",
    "dynamodb:DeleteItem/config",
    ...AUDIT_GRANTS,
  ],
  async answer({ principal: { app }, path, caller }, dependencies: SubjectDependencies) {
    const subject = await deleteDataSubject(dependencies, app, path.data_subject_id, authorOf(caller))
    return { body: showDataSubject(subject) }
  },
})
